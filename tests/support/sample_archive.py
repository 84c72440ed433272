"""Rows of a sample archive, made straight in the database. Every model's name says that it is sample data."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from server.accounts.models import ProbeKey
from server.catalog.models import Citation, DriveModel, LiteratureValue
from server.catalog.services import drive_model_resolve
from server.core.envelope import PAYLOAD_TYPE, sha256_hex
from server.core.envelope_store import envelope_store
from server.core.ids import uuid7
from server.core.lifecycle import Provenance, State
from server.measurements.models import Aggregate, Batch, Benchmark, Measurement, Run, Unit
from server.search.archive_counts import archive_counts_update
from server.submissions.models import Submission, SubmissionEvent
from tests.support.derived_rows import derived_rows_refresh

DAY = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
ROWS: dict[str, list[tuple[str, str, float | None, float | None, float | None, str, str]]] = {
    "skippy": [
        ("skippy.rotation_time", "", 8.33312, 8.3302, 8.336, "good", ""),
        ("skippy.rotation_rate", "", 7200.2, 7197.6, 7202.7, "poor", "The edge was not seen."),
        ("skippy.sectors_per_track", "outer", 150.0, 150.0, 150.0, "good", ""),
        ("skippy.sectors_per_track", "inner", 121.4, 119.0, 123.8, "fair", "Few tracks were passed."),
        ("skippy.surfaces", "", None, None, None, "none", "The layout looks serpentine by surface."),
    ],
    "zoned": [("zoned.outer_bandwidth", "", 9.6812, 9.66, 9.70, "good", "")],
    "seeker": [("seeker.average", "without_mtm", 9.1, 7.9, 10.3, "poor", "Only one turn of offsets.")],
}


@dataclass(frozen=True, slots=True)
class SampleRun:
    """What a sample run is to be; everything has a default."""

    model: str = "Sample 9000"
    vendor: str = "Sampledata"
    provenance: Provenance = Provenance.PROBE
    state: State = State.PUBLISHED
    reason: str = "Sample event."
    at: datetime = DAY
    unit: str | None = "ab" * 32
    conditions: dict[str, Any] = field(default_factory=dict)
    device: dict[str, Any] = field(default_factory=dict)


HOST = {
    "cpu": "Sample CPU",
    "kernel": "6.1.0",
    "memory_bytes": 8 * 1024**3,
    "controller": None,
    "scheduler": "none",
}
DEVICE = {
    "firmware": "S1",
    "capacity_bytes": 100_000_000_000,
    "logical_block_bytes": 512,
    "physical_block_bytes": 512,
    "block_bytes": 512,
    "block_bytes_source": "physical",
    "rotation_rate_rpm": 7200,
    "form_factor": "3.5 inch",
    "write_cache": {"current": False, "changeable": True, "default": True, "saved": None},
    "manufacture": None,
    "batch_label": None,
    "temperature_celsius": 31,
}
CONDITIONS = {
    "writes": "none",
    "write_cache_before": False,
    "write_cache_during": False,
    "look_ahead_before": True,
    "look_ahead_during": None,
    "foreign_requests": 0,
    "load_average_1min": 0.12,
    "temperature_before_celsius": 31,
    "temperature_after_celsius": 33,
    "interrupted": False,
}


def sample_document(sample: SampleRun, run_id: UUID) -> dict[str, Any]:
    """Return a run document without samples."""
    return {
        "schema": "run/v1",
        "run_id": str(run_id),
        "created_at": sample.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "provenance": sample.provenance.value,
        "license": "CC0-1.0",
        "probe": {"version": "0.1.0", "target": "x86_64-unknown-linux-musl", "commit": None},
        "host": HOST,
        "device": _device(sample),
        "conditions": CONDITIONS | sample.conditions,
        "benchmarks": [{"kind": kind, "version": 1, "params": {}, "samples": {}} for kind in ROWS],
    }


def _device(sample: SampleRun) -> dict[str, Any]:
    simulated = sample.provenance == Provenance.SIMULATED
    return (
        DEVICE
        | {
            "unit_digest": sample.unit,
            "vendor": sample.vendor,
            "model": sample.model,
            "rotational": {
                "value": True,
                "source": "simulated" if simulated else "kernel",
                "kernel_says": None if simulated else True,
            },
            "interface": "simulated" if simulated else "ata",
            "link_speed_bits_per_s": None if simulated else 6_000_000_000,
        }
        | sample.device
    )


def _submission(sample: SampleRun, document: dict[str, Any]) -> Submission:
    key, _made = ProbeKey.objects.get_or_create(keyid="cd" * 32, defaults={"public_key": b"\x01" * 32})
    payload = base64.b64encode(json.dumps(document).encode()).decode()
    signature = {"keyid": key.keyid, "sig": base64.b64encode(bytes(64)).decode()}
    content = json.dumps(
        {"payloadType": PAYLOAD_TYPE, "payload": payload, "signatures": [signature]}
    ).encode()
    digest = sha256_hex(content)
    submission = Submission.objects.create(
        digest=digest,
        size_bytes=len(content),
        storage_name=envelope_store(digest=digest, content=content),
        probe_key=key,
        state=sample.state,
        received_at=sample.at,
        published_at=sample.at + timedelta(seconds=4) if sample.state == State.PUBLISHED else None,
        next_sweep_at=sample.at,
    )
    SubmissionEvent.objects.create(
        submission=submission, at=sample.at, state=State.RECEIVED, reason="Sample: the envelope came in."
    )
    if sample.state != State.RECEIVED:
        SubmissionEvent.objects.create(
            submission=submission, at=sample.at, state=sample.state, reason=sample.reason
        )
    return submission


def sample_run(sample: SampleRun | None = None) -> Run:
    """Make a run as the pipeline leaves it in that state, with its model, unit and numbers."""
    sample = sample or SampleRun()
    run_id = uuid7()
    simulated = sample.provenance == Provenance.SIMULATED
    document = sample_document(sample, run_id)
    model = drive_model_resolve(vendor_name=sample.vendor, model_name=sample.model, simulated=simulated)
    batch, _made = Batch.objects.get_or_create(drive_model=model, year=2026, week=7)
    run = Run.objects.create(
        run_id=run_id,
        submission=_submission(sample, document),
        drive_model=model,
        unit=_unit(sample, model),
        batch=batch,
        provenance=sample.provenance,
        created_at=sample.at,
        license="CC0-1.0",
        firmware="S1",
        capacity_bytes=100_000_000_000,
        block_bytes=512,
        summary={key: value for key, value in document.items() if key != "benchmarks"},
    )
    done = sample.state in (State.PUBLISHED, State.EXTRACTED)
    for position, kind in enumerate(ROWS):
        _benchmark(run, kind, position, done=done)
    return run


def _unit(sample: SampleRun, model: DriveModel) -> Unit | None:
    if sample.unit is None:
        return None
    unit, _made = Unit.objects.get_or_create(
        drive_model=model, digest=sample.unit, defaults={"first_seen_at": sample.at}
    )
    return unit


def _benchmark(run: Run, kind: str, position: int, *, done: bool) -> None:
    benchmark = Benchmark.objects.create(
        run=run,
        kind=kind,
        position=position,
        state=Benchmark.State.EXTRACTED if done else Benchmark.State.PENDING,
        elapsed_ns=12_300_000_000,
        extractor_version="1" if done else "",
    )
    if not done:
        return
    for metric, scope, value, low, high, quality, reason in ROWS[kind]:
        Measurement.objects.create(
            benchmark=benchmark,
            extractor_version="1",
            metric=metric,
            scope=scope,
            value=value,
            low=low,
            high=high,
            count=460,
            quality=quality,
            reason=reason,
        )


def sample_aggregate(model: DriveModel, metric: str, values: list[float], **changes: Any) -> Aggregate:
    """Make the statistics of some values, as if that many runs had given them."""
    middle = sorted(values)[len(values) // 2]
    return Aggregate.objects.create(
        drive_model=model,
        metric=metric,
        updated_at=DAY,
        **{
            "provenance": Provenance.PROBE,
            "scope": "",
            "n": len(values),
            "units": 1,
            "mean": sum(values) / len(values),
            "median": middle,
            "stdev": None if len(values) < 2 else 0.0123,
            "q1": min(values),
            "q3": max(values),
            "minimum": min(values),
            "maximum": max(values),
            "low": min(values) if len(values) > 1 else None,
            "high": max(values) if len(values) > 1 else None,
        }
        | changes,
    )


def sample_literature(model: DriveModel) -> LiteratureValue:
    """Make a published value with the document that states it."""
    citation, _made = Citation.objects.get_or_create(
        key="sample", defaults={"authors": "Sample Author", "title": "A sample document", "year": 2000}
    )
    return LiteratureValue.objects.create(
        drive_model=model,
        citation=citation,
        locator="Table 3",
        metric="skippy.rotation_time",
        value=8.39,
        unit="ms",
        note="Sample note: printed as 8390 us.",
    )


def sample_archive() -> DriveModel:
    """Make a small archive: a model with measured and simulated runs and a published value."""
    for hours in range(3):
        run = sample_run(SampleRun(at=DAY + timedelta(hours=hours)))
    sample_run(SampleRun(provenance=Provenance.SIMULATED, at=DAY + timedelta(days=1), unit=None))
    model = run.drive_model
    model.interface, model.capacity_bytes, model.rated_rpm, model.year = "ATA", 100_000_000_000, 7200, 2026
    model.save()
    sample_aggregate(model, "skippy.rotation_time", [8.331, 8.3333, 8.335])
    sample_aggregate(model, "zoned.outer_bandwidth", [9.66, 9.68, 9.71])
    sample_aggregate(model, "skippy.rotation_time", [77.7], provenance=Provenance.SIMULATED, units=0)
    sample_literature(model)
    derived_rows_refresh(drive_model_id=model.pk)
    archive_counts_update()
    return model


def drive_model_curated(*, vendor_name: str, model_name: str, simulated: bool = False) -> DriveModel:
    """Return a model that a person entered: it is shown without a published run."""
    made = drive_model_resolve(vendor_name=vendor_name, model_name=model_name, simulated=simulated)
    made.curated = True
    made.save(update_fields=["curated"])
    return made
