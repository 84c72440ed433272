"""What a model's published runs are of: batches, firmware revisions, drives and keys, counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet

from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance, State
from server.core.plain import from_plain
from server.measurements.group_keys import batch_key, batch_part, firmware_key
from server.measurements.models import Batch, Run
from server.model_stats.snapshots import snapshot_part


@dataclass(frozen=True, slots=True)
class PartCount:
    """One batch or firmware revision of a model."""

    part: str
    """As keys and addresses name it; empty where the runs do not tell."""
    label: str
    """As a person reads it."""
    key: str
    """Of the group, for a comparison; empty where the runs do not tell."""
    runs: int
    units: int
    """Different drives among them, as far as the runs tell their drive."""


@dataclass(frozen=True, slots=True)
class DriveOverview:
    """The runs of one provenance of a model, counted."""

    runs: int
    units: int
    """Different drives among them, as far as the runs tell their drive."""
    untold: int
    """Runs that do not tell their drive."""
    keys: int
    """Different keys that signed them."""
    batches: tuple[PartCount, ...]
    """The oldest first; those without a week after the others, the untold last."""
    firmwares: tuple[PartCount, ...]


NOTHING = DriveOverview(0, 0, 0, 0, (), ())
"""Of a provenance without runs."""


def drive_overview(*, drive_model: DriveModel, provenance: Provenance) -> DriveOverview:
    """Return what a model's published runs of one provenance are of, as it is kept."""
    there, plain = snapshot_part(drive_model=drive_model, provenance=provenance, part="overview")
    if there:
        return from_plain(DriveOverview, plain)
    return overview_compute(drive_model=drive_model, provenance=provenance)


def overview_compute(*, drive_model: DriveModel, provenance: Provenance) -> DriveOverview:
    """Count what a model's published runs of one provenance are of."""
    runs = Run.objects.filter(
        drive_model=drive_model, provenance=provenance, submission__state=State.PUBLISHED
    )
    counted = runs.aggregate(
        runs=Count("pk"),
        units=Count("unit", distinct=True),
        untold=Count("pk", filter=Q(unit=None)),
        keys=Count("submission__probe_key", distinct=True),
    )
    return DriveOverview(
        **counted, batches=_batches(drive_model, runs), firmwares=_firmwares(drive_model, runs)
    )


def _batches(drive_model: DriveModel, runs: QuerySet[Run]) -> tuple[PartCount, ...]:
    batches = {batch.pk: batch for batch in Batch.objects.filter(drive_model=drive_model)}
    counted = _counted(runs, "batch")
    counted.sort(key=lambda row: _batch_order(batches.get(row[0])))
    rows = []
    for pk, count, units in counted:
        batch = batches.get(pk)
        part, key = (batch_part(batch), batch_key(drive_model.slug, batch)) if batch else ("", "")
        rows.append(PartCount(part, str(batch) if batch else "not told", key, count, units))
    return tuple(rows)


def _batch_order(batch: Batch | None) -> tuple[bool, bool, int, int, str]:
    if batch is None:
        return True, True, 0, 0, ""
    return False, batch.year is None, batch.year or 0, batch.week or 0, batch.label


def _firmwares(drive_model: DriveModel, runs: QuerySet[Run]) -> tuple[PartCount, ...]:
    counted = sorted(_counted(runs, "firmware"), key=lambda row: (not row[0], row[0]))
    return tuple(
        PartCount(
            firmware,
            firmware or "not told",
            firmware_key(drive_model.slug, firmware) if firmware else "",
            count,
            units,
        )
        for firmware, count, units in counted
    )


def _counted(runs: QuerySet[Run], field: str) -> list[tuple[Any, int, int]]:
    counted = runs.order_by().values(field).annotate(count=Count("pk"), units=Count("unit", distinct=True))
    return [(row[field], row["count"], row["units"]) for row in counted]
