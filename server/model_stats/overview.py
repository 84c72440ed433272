"""What a model's published runs are of: batches, firmware revisions, drives and keys, counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance
from server.core.plain import from_plain
from server.measurements.group_keys import batch_key, batch_part, firmware_key, variant_key
from server.measurements.model_measurements import ModelMeasurements, PublishedRun, model_measurements_read
from server.measurements.models import Batch
from server.model_stats.snapshots import snapshot_part

Name = TypeVar("Name")


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
    """Different drives among them."""


@dataclass(frozen=True, slots=True)
class DriveOverview:
    """The runs of one provenance of a model, counted."""

    runs: int
    units: int
    """Different drives among them; runs that do not tell theirs count as one of each key."""
    unidentified_runs: int
    """Runs that do not tell their drive."""
    keys: int
    """Different keys that signed them."""
    beyond_share: int
    """Runs of drives beyond their holder's share, which count in no number."""
    batches: tuple[PartCount, ...]
    """The oldest first; those without a week after the others, the unidentified_runs last."""
    firmwares: tuple[PartCount, ...]
    variants: tuple[PartCount, ...] = ()
    """What the maker tells drives of one model apart by; they may be different mechanisms."""


NOTHING = DriveOverview(0, 0, 0, 0, 0, (), ())
"""Of a provenance without runs."""


def drive_overview(*, drive_model: DriveModel, provenance: Provenance) -> DriveOverview:
    """Return what a model's published runs of one provenance are of, as it is kept."""
    there, plain = snapshot_part(drive_model=drive_model, provenance=provenance, part="overview")
    if there:
        return from_plain(DriveOverview, plain)
    published = model_measurements_read(drive_model_id=drive_model.pk, metrics=())
    return overview_compute(drive_model=drive_model, provenance=provenance, published=published)


def overview_compute(
    *, drive_model: DriveModel, provenance: Provenance, published: ModelMeasurements
) -> DriveOverview:
    """Count what a model's published runs of one provenance are of."""
    runs = published.of(provenance)
    return DriveOverview(
        runs=len(runs),
        units=_units(runs),
        unidentified_runs=sum(not run.unit_known for run in runs),
        keys=len({run.keyid for run in runs}),
        beyond_share=sum(run.beyond_share for run in runs),
        batches=_batches(drive_model, runs),
        firmwares=_firmwares(drive_model, runs),
        variants=_variants(drive_model, runs),
    )


def _batches(drive_model: DriveModel, runs: Sequence[PublishedRun]) -> tuple[PartCount, ...]:
    parts = _parts(runs, lambda run: run.batch_id)
    known = Batch.objects.in_bulk([pk for pk in parts if pk is not None]) if parts.keys() - {None} else {}
    rows = []
    for pk in sorted(parts, key=lambda pk: _batch_order(known.get(pk))):
        batch = known.get(pk)
        part, key = (batch_part(batch), batch_key(drive_model.slug, batch)) if batch else ("", "")
        label = str(batch) if batch else "not told"
        rows.append(PartCount(part, label, key, len(parts[pk]), _units(parts[pk])))
    return tuple(rows)


def _batch_order(batch: Batch | None) -> tuple[bool, bool, int, int, str]:
    if batch is None:
        return True, True, 0, 0, ""
    return False, batch.year is None, batch.year or 0, batch.week or 0, batch.label


def _firmwares(drive_model: DriveModel, runs: Sequence[PublishedRun]) -> tuple[PartCount, ...]:
    parts = _parts(runs, lambda run: run.firmware)
    return tuple(
        PartCount(
            firmware,
            firmware or "not told",
            firmware_key(drive_model.slug, firmware) if firmware else "",
            len(parts[firmware]),
            _units(parts[firmware]),
        )
        for firmware in sorted(parts, key=lambda firmware: (not firmware, firmware))
    )


def _variants(drive_model: DriveModel, runs: Sequence[PublishedRun]) -> tuple[PartCount, ...]:
    """Return the variants, where drives name any."""
    parts = _parts(runs, lambda run: run.conditions.whole.get("variant", ""))
    if not parts.keys() - {""}:
        return ()
    return tuple(
        PartCount(
            variant,
            variant or "not told",
            variant_key(drive_model.slug, variant) if variant else "",
            len(parts[variant]),
            _units(parts[variant]),
        )
        for variant in sorted(parts, key=lambda variant: (not variant, variant))
    )


def _parts(
    runs: Sequence[PublishedRun], name_of: Callable[[PublishedRun], Name]
) -> dict[Name, list[PublishedRun]]:
    parts: dict[Name, list[PublishedRun]] = defaultdict(list)
    for run in runs:
        parts[name_of(run)].append(run)
    return parts


def _units(runs: Sequence[PublishedRun]) -> int:
    return len({run.unit for run in runs})
