"""Statistics of a model over the units of its published runs: a unit counts once, by the mean of its runs.
One provenance per row: measured and simulated never meet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from server.core import clock
from server.core.robust import quantiles
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
    numbers: dict[str, int] = {}
    units = np.asarray([numbers.setdefault(run.unit, len(numbers)) for run in published.runs], dtype=np.int64)
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
        rows.append(_row(drive_model_id, place, column, usable, units[runs], known[alike]))
    return rows


def unit_means(values: NDArray[np.float64], units: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return one value of each unit: the mean of its runs."""
    _units, of_unit, counts = np.unique(units, return_inverse=True, return_counts=True)
    return np.bincount(of_unit, values) / counts


def _row(
    drive_model_id: int,
    place: SeriesKey,
    column: Column,
    usable: NDArray[np.bool_],
    units: NDArray[np.int64],
    differing: Differing,
) -> Aggregate:
    provenance, metric, scope = place
    values = unit_means(column.values[usable], units)
    q1, median, q3 = quantiles(values, 0.25, 0.5, 0.75)
    return Aggregate(
        drive_model_id=drive_model_id,
        provenance=provenance,
        metric=metric,
        scope=scope,
        n=units.size,
        units=values.size,
        excluded=int(usable.size - units.size),
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
