"""Aggregates: right numbers, and provenances never in one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.db import IntegrityError, transaction

from server.core.lifecycle import Provenance
from server.measurements.models import Aggregate, Run
from server.model_stats.refresh import refresh_model
from server.model_stats.selectors import drive_metric_rows
from server.model_stats.statistics import drive_statistics
from server.search.archive_counts import archive_counts_update
from server.search.models import ArchiveCounts, DriveSummary
from server.submissions.models import Submission
from tests.support.documents import document, skippy_part
from tests.support.kinds import kind, measurement
from tests.support.sample_units import measured

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def commit_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.db.transaction.on_commit", lambda call, **_: call())


@pytest.fixture
def publish(submit: Callable[..., Submission], run_jobs: Callable[[], None]) -> Callable[..., None]:
    """Publish one run of the sample model with a given rotation period."""

    def one(rotation_ns: int, **fields: Any) -> None:
        # No two runs are alike, or the second one is held as a copy.
        part = skippy_part(rotation_ns=rotation_ns, steps=150 + Submission.objects.count())
        submit(document(part, rotation_rate_rpm=None, **fields))
        run_jobs()

    return one


def aggregate(provenance: str) -> Aggregate:
    return Aggregate.objects.get(metric="skippy.longest", provenance=provenance)


def test_statistics_are_those_of_the_units(publish: Callable[..., None]) -> None:
    for unit, rotation_ns in enumerate((8_000_000, 8_100_000, 8_400_000)):
        publish(rotation_ns, unit_digest=f"{unit:064x}")
    row = aggregate("probe")
    values = np.array([row.minimum, row.median, row.maximum])
    assert row.n == 3
    assert row.mean == pytest.approx(values.mean())
    assert row.stdev == pytest.approx(values.std(ddof=1))
    assert (row.q1, row.q3) == (
        pytest.approx(np.percentile(values, 25)),
        pytest.approx(np.percentile(values, 75)),
    )


def test_twenty_runs_of_one_unit_do_not_outvote_four_drives() -> None:
    for number in range(20):
        model = measured(1, 150.0 + 0.01 * number).drive_model
    for unit, value in enumerate((100.0, 101.0, 102.0, 103.0), start=2):
        measured(unit, value)
    refresh_model(drive_model_id=model.pk)
    row = Aggregate.objects.get(metric="zoned.outer_bandwidth", scope="")
    assert (row.n, row.units) == (24, 5)
    assert row.median == 102.0
    # The drive's page says the same of its units.
    found = drive_statistics(drive_model=model, provenance=Provenance.PROBE)
    assert found is not None
    (number,) = (one for one in found.numbers if one.metric == "zoned.outer_bandwidth")
    assert number.spread.n == row.units
    assert (number.spread.mean, number.spread.stdev) == (pytest.approx(row.mean), pytest.approx(row.stdev))


def test_runs_that_do_not_tell_their_drive_are_one_unit_of_each_key() -> None:
    model = measured(1, 100.0).drive_model
    for value in (120.0, 122.0):
        measured(None, value)
    measured(None, 110.0, keyid="another")
    refresh_model(drive_model_id=model.pk)
    row = Aggregate.objects.get(metric="zoned.outer_bandwidth", scope="")
    assert (row.n, row.units, row.mean) == (4, 3, pytest.approx((100 + 121 + 110) / 3))
    found = drive_statistics(drive_model=model, provenance=Provenance.PROBE)
    assert found is not None and found.units == 3


def under(run: Run, **conditions: Any) -> None:
    """Have a run say that it was measured under other conditions."""
    for name in conditions.keys() & {"bridge", "interface"}:
        run.summary["device"][name] = conditions.pop(name)
    run.summary["conditions"] |= conditions
    run.save()


@pytest.mark.parametrize(
    ("usual", "other"),
    [
        ({"interface": "sata", "bridge": None}, {"interface": "usb", "bridge": {"vendor": "Acme"}}),
        ({"write_cache_during": True}, {"write_cache_during": False}),
        ({"look_ahead_during": False}, {"look_ahead_during": True}),
        ({"write_cache_during": False}, {"write_cache_during": None}),
    ],
)
def test_other_conditions_are_a_stratum_of_their_own(usual: dict[str, Any], other: dict[str, Any]) -> None:
    for unit, value in enumerate((100.0, 101.0, 102.0)):
        under(measured(unit, value), **dict(usual))
    for unit, value in enumerate((30.0, 31.0), start=3):
        under(run := measured(unit, value), **dict(other))
    model = run.drive_model
    refresh_model(drive_model_id=model.pk)
    row = Aggregate.objects.get(metric="zoned.outer_bandwidth", scope="")
    assert (row.n, row.units, row.minimum, row.median, row.maximum) == (3, 3, 100.0, 101.0, 102.0)
    (apart,) = row.strata
    assert (apart["n"], apart["units"], apart["median"]) == (2, 2, 30.5)
    assert apart["conditions"] != row.conditions
    found = drive_statistics(drive_model=model, provenance=Provenance.PROBE)
    assert found is not None
    (number,) = (one for one in found.numbers if one.metric == "zoned.outer_bandwidth")
    assert (number.spread.n, number.spread.mean) == (3, pytest.approx(101.0))


def test_the_conditions_of_most_units_lead_and_not_those_of_most_runs() -> None:
    for number in range(4):
        under(measured(0, 30.0 + number), write_cache_during=True)
    for unit in (1, 2):
        under(run := measured(unit, 100.0), write_cache_during=False)
    refresh_model(drive_model_id=run.drive_model_id)
    row = Aggregate.objects.get(metric="zoned.outer_bandwidth", scope="")
    assert (row.units, row.median, row.conditions["write_cache"]) == (2, 100.0, "off")


def test_simulated_runs_never_change_what_was_measured(publish: Callable[..., None]) -> None:
    publish(8_000_000)
    before = aggregate("probe")
    publish(12_000_000, provenance="simulated")
    after = aggregate("probe")
    assert (after.n, after.mean, after.maximum) == (before.n, before.mean, before.maximum)
    assert aggregate("simulated").n == 1


def test_a_model_with_simulated_runs_only_has_no_measured_aggregate(publish: Callable[..., None]) -> None:
    publish(8_000_000, provenance="simulated")
    assert not Aggregate.objects.filter(provenance="probe").exists()
    archive_counts_update()
    counts = ArchiveCounts.objects.get()
    assert (counts.models_measured, counts.units, counts.measured_runs, counts.measurements) == (0, 0, 0, 0)
    assert counts.simulated_runs == 1


def test_pages_show_provenances_side_by_side(publish: Callable[..., None]) -> None:
    publish(8_000_000)
    publish(12_000_000, provenance="simulated")
    summary = DriveSummary.objects.get(measured_runs=1, simulated_runs=1)
    model = summary.drive_model
    measured, simulated = (
        row.aggregate
        for provenance in (Provenance.PROBE, Provenance.SIMULATED)
        for row in drive_metric_rows(drive_model=model, provenance=provenance)
        if row.key == "skippy.longest"
    )
    assert measured is not None and simulated is not None
    assert measured.median < simulated.median


def test_units_are_counted_by_digest(publish: Callable[..., None]) -> None:
    publish(8_000_000)
    publish(8_100_000)
    publish(8_100_000, unit_digest="cd" * 32)
    row = aggregate("probe")
    assert (row.n, row.units) == (3, 2)


def test_poor_values_are_excluded_and_counted(publish: Callable[..., None], kinds: dict[str, Any]) -> None:
    from server.benchmarks.contract import Extraction, Quality

    publish(8_000_000)
    poor = measurement("skippy.longest", 99.0, quality=Quality.POOR, reason="noise")
    kinds["skippy"] = kind("skippy", lambda _part, _facts: Extraction((poor,)))
    publish(8_000_000)
    row = aggregate("probe")
    assert (row.n, row.excluded) == (1, 1)
    assert row.maximum < 99.0


def test_quarantined_runs_do_not_count(
    publish: Callable[..., None], submit: Callable[..., Submission], run_jobs: Callable[[], None]
) -> None:
    publish(8_000_000)
    submit(document(skippy_part(rotation_ns=12_000_000), rotation_rate_rpm=7200))
    run_jobs()
    refresh_model(drive_model_id=aggregate("probe").drive_model_id)
    assert aggregate("probe").n == 1


def test_the_database_refuses_an_aggregate_of_another_provenance(publish: Callable[..., None]) -> None:
    publish(8_000_000)
    with pytest.raises(IntegrityError), transaction.atomic():
        Aggregate.objects.update(provenance="literature")
