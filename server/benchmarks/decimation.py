"""Thinning charts out to what a screen can show: always to some of their own points, never to new ones.

Lines keep their form by the largest triangles of three neighbouring buckets (Sveinn Steinarsson,
"Downsampling Time Series for Visual Representation", University of Iceland 2013, section 4.2). Clouds of
points keep their extremes: each bucket along x gives its lowest and its highest point. Both keep the first
and the last point.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.benchmarks.contract import Annotation, Chart, Series

MOST_POINTS = 2000
"""Of a chart, all its series together."""
FEWEST = 32
"""A series is never thinned out below so many points."""
COLUMNS = ("x", "y", "z", "low", "high", "q1", "q3")
LINES = ("line", "step", "band", "spread")

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def largest_triangles(x: FloatArray, y: FloatArray, most: int) -> IntArray:
    """Return the places of at most `most` (at least 3) points that keep a line's form, in rising order."""
    count = len(x)
    if count <= most:
        return np.arange(count)
    edges = np.linspace(1, count - 1, most - 1).astype(np.int64)
    chosen = [0]
    for start, end, after in zip(edges[:-1], edges[1:], [*edges[2:], count], strict=True):
        last = chosen[-1]
        next_x, next_y = x[end:after].mean(), y[end:after].mean()
        area = np.abs(
            (x[last] - next_x) * (y[start:end] - y[last]) - (x[last] - x[start:end]) * (next_y - y[last])
        )
        chosen.append(int(start + np.argmax(area)))
    return np.asarray([*chosen, count - 1], dtype=np.int64)


def extremes(x: FloatArray, y: FloatArray, most: int) -> IntArray:
    """Return the places of at most `most` (at least 4) points of a cloud: of each bucket of equally many
    points along x the lowest and the highest, and the first and last along x. In rising order."""
    count = len(x)
    if count <= most:
        return np.arange(count)
    along = np.argsort(x, kind="stable")
    chosen = {int(along[0]), int(along[-1])}
    for bucket in np.array_split(along[1:-1], (most - 2) // 2):
        chosen.add(int(bucket[np.argmin(y[bucket])]))
        chosen.add(int(bucket[np.argmax(y[bucket])]))
    return np.asarray(sorted(chosen), dtype=np.int64)


def chart_thinned(chart: Chart, most: int = MOST_POINTS) -> Chart:
    """Return the chart with at most `most` points, so far as each series keeps `FEWEST`.

    Points under a mark stay. `points_total` says how many there were where some were left out.
    """
    total = sum(len(series.x) for series in chart.series)
    if total <= most:
        return chart
    shares = _shares([len(series.x) for series in chart.series], most)
    marks = [*chart.marks, *(mark for view in chart.views for mark in view.marks or ())]
    series = tuple(_thinned(one, share, marks) for one, share in zip(chart.series, shares, strict=True))
    return replace(chart, series=series, points_total=total)


def _shares(counts: list[int], most: int) -> list[int]:
    """How many points each series may keep: the short ones all, the long ones equally many."""
    shares = [0] * len(counts)
    left = most
    for done, index in enumerate(sorted(range(len(counts)), key=lambda index: counts[index])):
        shares[index] = min(counts[index], max(FEWEST, left // (len(counts) - done)))
        left = max(0, left - shares[index])
    return shares


def _thinned(series: Series, most: int, marks: Iterable[Annotation]) -> Series:
    if len(series.x) <= most or series.role == "box":
        return series
    x, y = np.asarray(series.x, dtype=np.float64), np.asarray(series.y, dtype=np.float64)
    if series.role == "cells":
        indices = _rows(y, most)
    elif series.role in LINES:
        indices = largest_triangles(x, y, most)
    else:
        kept = _under_marks(x, y, marks)
        indices = np.union1d(extremes(x, y, max(most - len(kept), 4)), kept).astype(np.int64)
    columns: dict[str, Any] = {
        name: tuple(column[index] for index in indices)
        for name in COLUMNS
        if (column := getattr(series, name))
    }
    return replace(series, **columns)


def _rows(y: FloatArray, most: int) -> IntArray:
    """Places of the cells in evenly chosen rows of a heat map, the first and the last among them."""
    rows, counts = np.unique(y, return_counts=True)
    room = max(2, int(most // counts.max()))
    chosen = rows[np.unique(np.linspace(0, len(rows) - 1, room).round().astype(np.int64))]
    return np.flatnonzero(np.isin(y, chosen))


def _under_marks(x: FloatArray, y: FloatArray, marks: Iterable[Annotation]) -> IntArray:
    """Places of the points nearest to each mark that has both coordinates."""
    wide, high = float(np.ptp(x)) or 1.0, float(np.ptp(y)) or 1.0
    found = [
        int(np.argmin(((x - mark.x) / wide) ** 2 + ((y - mark.y) / high) ** 2))
        for mark in marks
        if mark.x is not None and mark.y is not None
    ]
    return np.asarray(sorted(set(found)), dtype=np.int64)
