"""Statistics of a model over its published runs. One provenance per row: measured and simulated never
meet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from server.core import clock
from server.measurements.conditions import Differing, differing_of
from server.measurements.model_measurements import USABLE, Column, ModelMeasurements, SeriesKey
from server.measurements.models import Aggregate

__all__ = ["USABLE", "aggregates_update"]


def aggregates_update(*, drive_model_id: int, published: ModelMeasurements) -> int:
    """Write a model's aggregates anew, within the present transaction; return how many there are."""
    rows = _rows(drive_model_id, published)
    Aggregate.objects.filter(drive_model_id=drive_model_id).delete()
    Aggregate.objects.bulk_create(rows)
    return len(rows)


def _rows(drive_model_id: int, published: ModelMeasurements) -> list[Aggregate]:
    # Benchmarks that told their caches differ from their run in them; all others are known by their runs.
    telling = {kind for run in published.runs for kind in run.conditions.kinds}
    known: dict[tuple[bytes, str], Differing] = {}
    # A run without a digest may be of any drive: it counts as one of its own.
    units = np.asarray(
        [run.unit_id if run.unit_id is not None else -1 - place for place, run in enumerate(published.runs)],
        dtype=np.int64,
    )
    rows = []
    for place, column in published.columns.items():
        usable = column.usable
        runs = column.runs[usable]
        if not runs.size:
            continue
        kind = place[1].partition(".")[0]
        alike = np.sort(runs).tobytes(), kind if kind in telling else ""
        if alike not in known:
            known[alike] = differing_of(published.runs[run].conditions.during(kind) for run in runs)
        rows.append(_row(drive_model_id, place, column, usable, np.unique(units[runs]).size, known[alike]))
    return rows


def _row(
    drive_model_id: int,
    place: SeriesKey,
    column: Column,
    usable: NDArray[np.bool_],
    units: int,
    differing: Differing,
) -> Aggregate:
    provenance, metric, scope = place
    values = column.values[usable]
    q1, median, q3 = (float(value) for value in np.percentile(values, [25, 50, 75]))
    return Aggregate(
        drive_model_id=drive_model_id,
        provenance=provenance,
        metric=metric,
        scope=scope,
        n=values.size,
        units=units,
        excluded=int(usable.size - values.size),
        mean=float(values.mean()),
        median=median,
        stdev=float(values.std(ddof=1)) if values.size > 1 else None,
        q1=q1,
        q3=q3,
        minimum=float(values.min()),
        maximum=float(values.max()),
        differing=differing,
        updated_at=clock.now(),
    )
