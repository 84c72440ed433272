"""Runs of several units of the sample model, with numbers of one's own. Sample data, no drive's."""

from __future__ import annotations

from datetime import timedelta

from server.accounts.models import ProbeKey
from server.core.envelope import sha256_hex
from server.core.lifecycle import Provenance, State
from server.measurements.models import Measurement, Run
from server.submissions.models import Submission
from tests.support.sample_archive import DAY, SampleRun, sample_run


def measured(
    unit: int | None,
    bandwidth: float = 100.0,
    *,
    track: float = 150.0,
    rotation: float = 8.333,
    firmware: str = "S1",
    provenance: Provenance = Provenance.PROBE,
    state: State = State.PUBLISHED,
    keyid: str = "",
) -> Run:
    """A published run of the sample model with these numbers."""
    at = DAY + timedelta(minutes=Run.objects.count())
    digest = None if unit is None else f"{unit:064x}"
    run = sample_run(SampleRun(unit=digest, provenance=provenance, at=at, state=state))
    Run.objects.filter(pk=run.pk).update(firmware=firmware)
    if keyid:
        key, _made = ProbeKey.objects.get_or_create(
            keyid=sha256_hex(keyid.encode()),
            defaults={"public_key": keyid.encode().ljust(32)},
        )
        Submission.objects.filter(pk=run.submission_id).update(probe_key=key)
    numbers = {
        ("zoned.outer_bandwidth", ""): bandwidth,
        ("skippy.sectors_per_track", "outer"): track,
        ("skippy.rotation_time", ""): rotation,
    }
    for (metric, scope), value in numbers.items():
        Measurement.objects.filter(benchmark__run=run, metric=metric, scope=scope).update(
            value=value, low=value - 1e-3 * value, high=value + 1e-3 * value
        )
    return run
