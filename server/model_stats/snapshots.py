"""Reading the stored statistics of a model's runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance
from server.core.querying import CompiledQuery
from server.model_stats.models import ModelStatsSnapshot

SNAPSHOT_VERSION = 3
"""Raised when `DriveStatistics` or `DriveOverview` change: rows of an older version are not read, and
`manage.py refresh_summaries` writes them anew."""

Part = Literal["statistics", "overview", "representative_run"]


def snapshot_part(*, drive_model: DriveModel, provenance: Provenance, part: Part) -> tuple[bool, Any]:
    """Return whether there is a row, and one part of it: large parts are read by who needs them alone.

    Where there is none, or one of another version, the part is to be computed from the runs.
    """
    rows = ModelStatsSnapshot.objects.filter(
        drive_model=drive_model, provenance=provenance, schema_version=SNAPSHOT_VERSION
    )
    row = rows.values_list(part).first()
    return row is not None, row[0] if row else None


@dataclass(frozen=True, slots=True)
class SnapshotRow:
    """What is kept of a model's runs of one provenance, as plain data."""

    provenance: str
    statistics: Any
    overview: Any
    run_id: UUID | None
    """The run whose pictures stand for the model."""
    run_created_at: datetime | None
    run_state: str | None


def snapshot_rows(*, drive_model: DriveModel) -> Mapping[str, SnapshotRow]:
    """Return all that is kept of a model, by provenance, in one query; nothing of another version."""
    return {row[0]: SnapshotRow(*row) for row in _STORED.rows(drive_model_id=drive_model.pk)}


_STORED: CompiledQuery[tuple[Any, ...]] = CompiledQuery(
    lambda drive_model_id: ModelStatsSnapshot.objects.filter(
        drive_model_id__given=drive_model_id, schema_version=SNAPSHOT_VERSION
    ).values_list(
        *("provenance", "statistics", "overview", "representative_run_id"),
        *("representative_run__created_at", "representative_run__submission__state"),
    )
)
