"""Rows out of a valid run document."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from server.catalog.models import DriveModel
from server.catalog.services import drive_model_resolve
from server.core import clock
from server.core.lifecycle import Provenance
from server.measurements.documents import summary_of, timings_count
from server.measurements.models import Batch, Benchmark, Run, Unit
from server.submissions.models import Submission


def run_create(*, submission: Submission, document: dict[str, Any]) -> Run:
    """Make the run of a submission with one row per benchmark; catalogue, unit and batch rows are found or
    made."""
    device = document["device"]
    provenance = Provenance(document["provenance"])
    drive_model = drive_model_resolve(
        vendor_name=device["vendor"], model_name=device["model"], simulated=provenance == Provenance.SIMULATED
    )
    run = Run.objects.create(
        run_id=UUID(document["run_id"]),
        submission=submission,
        drive_model=drive_model,
        unit=_unit(drive_model, device["unit_digest"]),
        batch=_batch(drive_model, device),
        provenance=provenance,
        created_at=datetime.fromisoformat(document["created_at"]),
        license=document["license"],
        firmware=device["firmware"] or "",
        capacity_bytes=device["capacity_bytes"],
        block_bytes=device["block_bytes"],
        summary=summary_of(document),
    )
    Benchmark.objects.bulk_create(
        _benchmark(run, position, part) for position, part in enumerate(document["benchmarks"])
    )
    return run


def _benchmark(run: Run, position: int, part: dict[str, Any]) -> Benchmark:
    if "skipped" in part:
        return Benchmark(
            run=run,
            kind=part["kind"],
            position=position,
            state=Benchmark.State.SKIPPED,
            reason=part["skipped"],
        )
    return Benchmark(
        run=run,
        kind=part["kind"],
        position=position,
        version=part["version"],
        elapsed_ns=part["elapsed_ns"],
        caches=part.get("caches"),
        samples=timings_count(part["samples"]),
        medium_errors=len(part["errors"]),
    )


def _unit(drive_model: DriveModel, digest: str | None) -> Unit | None:
    if digest is None:
        return None
    unit, _created = Unit.objects.get_or_create(
        drive_model=drive_model, digest=digest, defaults={"first_seen_at": clock.now()}
    )
    return unit


def _batch(drive_model: DriveModel, device: dict[str, Any]) -> Batch | None:
    made = device["manufacture"] or {"year": None, "week": None}
    label = device["batch_label"] or ""
    if made["year"] is None and not label:
        return None
    batch, _created = Batch.objects.get_or_create(
        drive_model=drive_model, year=made["year"], week=made["week"], label=label
    )
    return batch
