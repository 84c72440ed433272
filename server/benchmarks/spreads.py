"""One unit's chart with what other units' charts show beside it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from server.benchmarks.contract import Axis, Chart, Series, View
from server.benchmarks.decimation import FEWEST, extremes

BAND_FROM = 5
"""So many units, the drawn one among them, make a band of quartiles; fewer are drawn point by point."""
DEVIATION_FROM = 3
"""So many units have a standard deviation."""
MOST_PLACES = 60
"""Of a band, along x."""
MOST_FAINT = 1200
"""Points of all other units together."""
SCATTERED = ("sawtooth",)
"""Shapes whose y is not one number for an x: a band between quartiles would lie where no point is."""

SURFACE = "surface"

FloatArray = NDArray[np.float64]


def chart_with_others(chart: Chart, others: Sequence[Chart]) -> Chart:
    """Return the chart with the same series of other units' charts behind its own.

    From `BAND_FROM` units on, a band holds the middle half of all units' values at each place; below, and
    for scattered shapes, the others' points are drawn faintly. Views behind the first stay as they are. The
    cells of a heat map get `low` and `high`: the middle half of the units, or of few the lowest and highest;
    where it has views, another shows their standard deviation.
    """
    if chart.shape == SURFACE:
        return _ranged(chart, others)
    found = [
        made
        for series in _measured(chart)
        if (made := _behind(chart, series, [same for one in others if (same := _same(one, series))]))
    ]
    if not found:
        return chart
    keys = tuple(one.key for one in found)
    views = tuple(
        replace(view, series=(*keys, *view.series)) if index == 0 else view
        for index, view in enumerate(chart.views)
    )
    return replace(chart, series=(*found, *chart.series), views=views)


def _ranged(chart: Chart, others: Sequence[Chart]) -> Chart:
    """The heat map whose cells tell how far units differ there. A unit's cells are found by their words:
    another run may have measured more sizes."""
    known = [by_cell for one in others if (by_cell := _cells(one))]
    if not known:
        return chart
    ends = (25, 75) if len(known) + 1 >= BAND_FROM else (0, 100)
    series, deviations = [], []
    for one in chart.series:
        if one.role == "cells":
            cells = [_place(chart, one, index) for index in range(len(one.x))]
            rows = [
                [z, *(by_cell[cell] for by_cell in known if cell in by_cell)]
                for z, cell in zip(one.z, cells, strict=True)
            ]
            low, high = zip(*(np.percentile(row, ends) for row in rows), strict=True)
            one = replace(one, low=tuple(map(float, low)), high=tuple(map(float, high)))
            deviations += _deviations(one, rows)
        series.append(one)
    units = len(known) + 1
    words = (
        f"the middle half of {units} units" if units >= BAND_FROM else f"lowest to highest of {units} units"
    )
    summary = f"{chart.summary} Each cell's range, shown with its number: {words}."
    views = (
        *chart.views,
        *(View(made.key, f"{made.label} over {units} units", (made.key,)) for made in deviations),
    )
    if not chart.views:
        return replace(chart, series=tuple(series), summary=summary)
    return replace(chart, series=(*series, *deviations), summary=summary, views=views)


def _deviations(cells: Series, rows: Sequence[Sequence[float]]) -> list[Series]:
    """The standard deviation over units in each cell that enough of them have (Eridano, Figures 3 and 4)."""
    found = [
        (x, y, float(np.std(row, ddof=1)))
        for x, y, row in zip(cells.x, cells.y, rows, strict=True)
        if len(row) >= DEVIATION_FROM
    ]
    if not found:
        return []
    x, y, z = zip(*found, strict=True)
    label = f"{cells.label}, standard deviation"
    return [Series(f"{cells.key}-deviation", label, "cells", x, y, z=z)]


def _cells(chart: Chart) -> dict[tuple[str, str, str], float]:
    return {
        _place(chart, one, index): z
        for one in chart.series
        if one.role == "cells"
        for index, z in enumerate(one.z)
    }


def _place(chart: Chart, series: Series, index: int) -> tuple[str, str, str]:
    """Series, column and row of a cell, the latter two in words where the axes have them."""
    words = (
        axis.categories[round(value)] if axis.categories else repr(value)
        for axis, value in ((chart.x, series.x[index]), (chart.y, series.y[index]))
    )
    column, row = words
    return series.key, column, row


def _measured(chart: Chart) -> list[Series]:
    """The series of the first view that were measured: points where there are any, not what was fitted."""
    keys = chart.views[0].series if chart.views else tuple(one.key for one in chart.series)
    shown = [one for one in chart.series if one.key in keys and one.axis == "y"]
    points = [one for one in shown if one.role == "points"]
    return points or [one for one in shown if one.role == "line"]


def _same(other: Chart, series: Series) -> Series | None:
    return next((one for one in other.series if (one.key, one.role) == (series.key, series.role)), None)


def _behind(chart: Chart, series: Series, others: list[Series]) -> Series | None:
    if not others:
        return None
    if len(others) + 1 < BAND_FROM or chart.shape in SCATTERED:
        return _faint(series, others)
    return _spread(chart, series, others)


def _faint(series: Series, others: list[Series]) -> Series:
    share = max(FEWEST, MOST_FAINT // len(others))
    points = [point for one in others for point in _some(one, share)]
    x, y = tuple(x for x, _ in points), tuple(y for _, y in points)
    count = f"{len(others)} other unit{'s' if len(others) > 1 else ''}"
    return Series(f"{series.key}-others", f"{series.label}: {count}", "faint", x, y)


def _some(series: Series, most: int) -> list[tuple[float, float]]:
    x, y = np.asarray(series.x), np.asarray(series.y)
    return [(float(x[index]), float(y[index])) for index in extremes(x, y, most)]


def _spread(chart: Chart, series: Series, others: list[Series]) -> Series | None:
    places = np.unique(_scaled(chart.x, series.x))
    places = places[np.unique(np.linspace(0, len(places) - 1, MOST_PLACES).round().astype(int))]
    rows = np.asarray([_along(places, _scaled(chart.x, one.x), one.y) for one in (series, *others)])
    covered = np.isfinite(rows).sum(axis=0) >= BAND_FROM
    if not covered.any():
        return None
    q1, middle, q3 = _quartiles(rows[:, covered])
    x = 10 ** places[covered] if chart.x.scale.startswith("log") else places[covered]
    return Series(
        f"{series.key}-spread",
        f"{series.label}: middle half of {len(others) + 1} units",
        "spread",
        tuple(map(float, x)),
        tuple(map(float, middle)),
        low=tuple(map(float, q1)),
        high=tuple(map(float, q3)),
    )


def _quartiles(rows: FloatArray) -> Iterator[FloatArray]:
    """Return the quartiles of each column of those rows that have a number there: `numpy.nanpercentile` goes
    through the columns one by one."""
    ordered = np.sort(rows, axis=0)  # what is not a number comes last
    column, last = np.arange(rows.shape[1]), np.isfinite(rows).sum(axis=0) - 1
    for share in (0.25, 0.5, 0.75):
        below = np.floor(share * last).astype(int)
        low, high = ordered[below, column], ordered[np.minimum(below + 1, last), column]
        yield low + (high - low) * (share * last - below)


def _scaled(axis: Axis, x: Sequence[float]) -> FloatArray:
    values = np.asarray(x, dtype=np.float64)
    return np.log10(np.maximum(values, 1e-300)) if axis.scale.startswith("log") else values


def _along(places: FloatArray, x: FloatArray, y: Sequence[float]) -> FloatArray:
    """A unit's values at the places: the median of its points nearest to each, between them by a line, and
    nothing beyond its first and last point."""
    edges = (places[1:] + places[:-1]) / 2
    near = np.searchsorted(edges, x)
    values = np.asarray(y, dtype=np.float64)
    order = np.lexsort((values, near))
    values, near = values[order], near[order]
    filled, starts, counts = np.unique(near, return_index=True, return_counts=True)
    medians = (values[starts + (counts - 1) // 2] + values[starts + counts // 2]) / 2
    found = np.interp(places, places[filled], medians, left=np.nan, right=np.nan)
    return np.asarray(found)
