"""What extraction kept of a run as rows: zones, points of a seek curve, tracks.

Rows are read out of `Benchmark.details`, where charts have them from too: a copy in tables of their own would
be ten times the numbers, and written with every run (decision 0325).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any
from uuid import UUID

from django.db.models import F

from server.benchmarks.contract import Kind, Measurand
from server.benchmarks.detail_tables import DetailTable
from server.benchmarks.measurands import source
from server.benchmarks.registry import KINDS
from server.measurements.model_measurements import USABLE
from server.measurements.models import Measurement

MIDDLE, INNER = 0.5, 0.999
"""Where on the device, as shares of its capacity, the track of that region was counted."""
TRACK_BLOCKS = "track_blocks"
TRACK_BLOCKS_ABOUT = (
    "Blocks of a track, where the run counted one in this stretch (regions outer, middle and inner); empty "
    "elsewhere."
)


@cache
def detail_tables() -> dict[str, tuple[Kind, DetailTable]]:
    """Return every table that a kind keeps in its details, by its name."""
    return {table.name: (kind, table) for kind in KINDS for table in kind.detail_tables}


def counted_metric() -> str:
    """Return the key of the metric that counts the blocks of a track, in scopes outer, middle and inner."""
    return source(Measurand.SECTORS_PER_TRACK)[0]


def counted_tracks(run_ids: Collection[UUID]) -> dict[UUID, dict[str, float]]:
    """Return the counted blocks of a track by region, of each of some runs that has any."""
    rows = Measurement.objects.filter(
        benchmark__run_id__in=run_ids,
        benchmark__kind=counted_metric().partition(".")[0],
        extractor_version=F("benchmark__extractor_version"),
        metric=counted_metric(),
        quality__in=USABLE,
        value__isnull=False,
    )
    found: dict[UUID, dict[str, float]] = {}
    for run_id, scope, value in rows.values_list("benchmark__run_id", "scope", "value"):
        found.setdefault(run_id, {})[scope] = float(value or 0)
    return found


def detail_rows(
    table: DetailTable, part: Any, *, capacity_bytes: int, counted: Mapping[str, float] | None = None
) -> Iterator[dict[str, Any]]:
    """Give the rows of one benchmark: `part` is what its details have at the table's path, or None; `counted`
    is what `counted_tracks` has of its run. `position` counts from 0."""
    entries = part if isinstance(part, list) else [] if part is None else [part]
    for position, entry in enumerate(entries):
        row = {"position": position, **{one.name: _value(entry, one.steps) for one in table.columns}}
        if table.counted_tracks:
            row[TRACK_BLOCKS] = _track(row, position, capacity_bytes / 1e6, counted or {})
        yield row


def _value(entry: Any, steps: tuple[str, ...]) -> Any:
    for step in steps:
        entry = entry.get(step) if isinstance(entry, dict) else None
    return entry


def _track(
    row: Mapping[str, Any], position: int, capacity_mb: float, counted: Mapping[str, float]
) -> float | None:
    """Return the first of the regions' counts that lies in the stretch, from the outermost on."""
    lies = {
        "outer": position == 0,
        "middle": row["start_mb"] < MIDDLE * capacity_mb <= row["end_mb"],
        "inner": row["end_mb"] > INNER * capacity_mb,
    }
    return next((counted[region] for region, here in lies.items() if here and region in counted), None)
