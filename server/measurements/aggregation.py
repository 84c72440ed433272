"""Statistics of a model over the units of its published runs: a unit counts once, by the mean of its runs.
One provenance and one stratum per row: measured and simulated never meet, nor do bridged and direct runs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.core import clock
from server.core.robust import quantiles
from server.measurements.conditions import Differing, differing_of
from server.measurements.model_measurements import USABLE, Column, ModelMeasurements, SeriesKey
from server.measurements.models import Aggregate
from server.measurements.strata import Split, Strata, stratum_states

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
    strata = Strata(published)
    rows = []
    for key, column in published.columns.items():
        split = strata.split(key[1], column)
        if split is None:
            continue
        runs = column.runs[split.of_lead]
        kind = key[1].partition(".")[0]
        alike = np.sort(runs).tobytes(), kind if kind in telling else ""
        if alike not in known:
            known[alike] = differing_of(published.runs[run].conditions.during(kind) for run in runs)
        rows.append(_row(drive_model_id, key, column, split, strata.units, known[alike]))
    return rows


def unit_means(values: NDArray[np.float64], units: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return one value of each unit: the mean of its runs."""
    _units, of_unit, counts = np.unique(units, return_inverse=True, return_counts=True)
    return np.bincount(of_unit, values) / counts


def _row(
    drive_model_id: int,
    key: SeriesKey,
    column: Column,
    split: Split,
    units: NDArray[np.int64],
    differing: Differing,
) -> Aggregate:
    provenance, metric, scope = key
    values = _values(column, split.of_lead, units)
    q1, median, q3 = quantiles(values, 0.25, 0.5, 0.75)
    low, high = (q1, q3) if values.size > 1 else _interval(column, split.of_lead)
    usable = split.of_lead.size + sum(entries.size for entries in split.others.values())
    return Aggregate(
        drive_model_id=drive_model_id,
        provenance=provenance,
        metric=metric,
        scope=scope,
        n=split.of_lead.size,
        units=values.size,
        excluded=int(column.runs.size - usable),
        conditions=stratum_states(split.lead),
        strata=[
            _stratum(name, _values(column, entries, units), entries.size)
            for name, entries in split.others.items()
        ],
        mean=float(values.mean()),
        median=median,
        stdev=float(values.std(ddof=1)) if values.size > 1 else None,
        q1=q1,
        q3=q3,
        minimum=float(values.min()),
        maximum=float(values.max()),
        low=low,
        high=high,
        differing=differing,
        updated_at=clock.now(),
    )


def _interval(column: Column, entries: NDArray[np.int64]) -> tuple[float | None, float | None]:
    """Return the interval of one unit's value: the mean of its runs' bounds, where all of them have some."""
    lows, highs = column.lows[entries], column.highs[entries]
    if np.isnan(lows).any() or np.isnan(highs).any():
        return None, None
    return float(lows.mean()), float(highs.mean())


def _values(column: Column, entries: NDArray[np.int64], units: NDArray[np.int64]) -> NDArray[np.float64]:
    return unit_means(column.values[entries], units[column.runs[entries]])


def _stratum(name: str, values: NDArray[np.float64], runs: int) -> dict[str, Any]:
    """Return what was measured under other conditions than the row's own, as JSON has it."""
    return {
        "conditions": stratum_states(name),
        "n": runs,
        "units": values.size,
        "median": float(np.median(values)),
        "minimum": float(values.min()),
        "maximum": float(values.max()),
    }
