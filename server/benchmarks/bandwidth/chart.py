"""The bandwidth surface (Eridano): as a heat map, and as lines by size and by position."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

import numpy as np

from server.benchmarks.bandwidth.definitions import HALF_SIZE, OVERHEAD, PEAK, RATE, RATIO, SIZE_95
from server.benchmarks.bandwidth.surface import Samples, samples_of
from server.benchmarks.contract import Annotation, Axis, Chart, Extraction, Facts, Measurement, Series, View

WORDS = {"read": "Read", "write": "Write"}
FIT_POINTS = 60
MB = 1e6
SIZE = Axis("Size of the transfer", "MB", "log", switchable=True)
POSITION = Axis("Position", "GB")
RATES = Axis("Bandwidth", "MB/s")
Rates = dict[tuple[float, float], float]
"""Position and bytes of a transfer to MB/s over all transfers there of that size."""


def charts(entry: Mapping[str, Any], facts: Facts, extraction: Extraction) -> tuple[Chart, ...]:
    positions = entry["params"]["positions"]
    found = {name: samples for name in WORDS if (samples := samples_of(entry, name)) is not None}
    if not found:
        return ()
    axes = _Axes(found, facts.capacity_bytes / 1e9 / positions)
    series: list[Series] = []
    maps, lines = [], []
    for name, samples in found.items():
        rates = _rates(samples)
        cells = axes.cells(name, rates)
        by_size = _by_size(name, rates, extraction.details.get(name, {}), positions)
        by_position = _by_position(name, rates, axes.gigabytes)
        series += [cells, *by_size, *by_position]
        maps.append(View(name, WORDS[name], (cells.key,)))
        lines += [
            View(
                f"{name}-by-size",
                f"{WORDS[name]} by size",
                tuple(one.key for one in by_size),
                "curve",
                SIZE,
                RATES,
                marks=_reached(extraction, name),
            ),
            View(
                f"{name}-by-position",
                f"{WORDS[name]} by position",
                tuple(one.key for one in by_position),
                "profile",
                POSITION,
                RATES,
                marks=(),
            ),
        ]
    return (
        Chart(
            id="surface",
            shape="surface",
            title="Bandwidth by size and position",
            summary=" ".join(_words(WORDS[name], extraction, name) for name in found),
            x=axes.x,
            y=axes.y,
            z=RATES,
            series=tuple(series),
            metrics=(PEAK.key, SIZE_95.key, HALF_SIZE.key, OVERHEAD.key, RATIO.key, RATE.key),
            views=(*maps, *lines),
        ),
    )


class _Axes:
    """The heat map's axes: a place for each size and for each position that either direction has."""

    def __init__(self, found: Mapping[str, Samples], gigabytes: float) -> None:
        self.gigabytes = gigabytes
        self.sizes = sorted({float(size) for one in found.values() for size in one.size_bytes})
        self.positions = sorted({int(position) for one in found.values() for position in one.position})
        self.x = Axis("Size of the transfer", "", categories=tuple(map(_size_words, self.sizes)))
        positions = tuple(f"{position * gigabytes:.4g} GB" for position in self.positions)
        self.y = Axis("Position", "", categories=positions)

    def cells(self, name: str, rates: Rates) -> Series:
        found = [
            (column, row, rate)
            for row, position in enumerate(self.positions)
            for column, size in enumerate(self.sizes)
            if (rate := rates.get((position, size))) is not None
        ]
        x, y, z = zip(*found, strict=True)
        return Series(name, WORDS[name], "cells", tuple(map(float, x)), tuple(map(float, y)), z=z)


def _size_words(size_bytes: float) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size_bytes >= size:
            return f"{size_bytes / size:.4g} {unit}"
    return f"{size_bytes:.0f} B"


def _value(extraction: Extraction, key: str, scope: str) -> Measurement | None:
    return next((m for m in extraction.measurements if (m.metric, m.scope) == (key, scope)), None)


def _some(values: Sequence[float], most: int) -> list[float]:
    """The first, the last and evenly some in between."""
    positions = np.unique(np.linspace(0, len(values) - 1, min(most, len(values))).round().astype(int))
    return [values[int(position)] for position in positions]


def _rates(samples: Samples) -> Rates:
    columns = (samples.position, samples.size_bytes, samples.elapsed_ns)
    elapsed: dict[tuple[float, float], list[float]] = defaultdict(list)
    for position, size, elapsed_ns in zip(*(column.tolist() for column in columns), strict=True):
        elapsed[position, size].append(elapsed_ns)
    return {cell: cell[1] * len(times) / fsum(times) * 1e3 for cell, times in elapsed.items()}


def _by_size(name: str, rates: Rates, detail: Mapping[str, Any], positions: int) -> list[Series]:
    sizes = sorted({size for _position, size in rates})
    shown = _some(sorted({position for position, _size in rates}), 3)
    series = []
    for position in shown:
        points = [(size / MB, y) for size in sizes if (y := rates.get((position, size))) is not None]
        label = f"At {100 * position / positions:.0f} %"
        series.append(_points(f"{name}-at-{position:.0f}", label, points))
    law = detail.get("law")
    if law is None or detail.get("buffered") or law["fixed_ms"] <= 0:
        return series
    grid = np.geomspace(sizes[0], sizes[-1], FIT_POINTS)
    for position in shown:
        rate = law["rate_mb_per_s"].get(str(int(position)))
        if rate is not None:
            curve = grid / (law["fixed_ms"] * 1e6 + grid / rate * 1e3) * 1e3
            label = f"Fixed time and rate at {100 * position / positions:.0f} %"
            columns = tuple(map(float, grid / MB)), tuple(map(float, curve))
            series.append(Series(f"{name}-law-{position:.0f}", label, "line", *columns))
    return series


def _reached(extraction: Extraction, name: str) -> tuple[Annotation, ...]:
    reached = _value(extraction, SIZE_95.key, name)
    if reached is None or reached.value is None:
        return ()
    return (Annotation("95 % of the peak", x=reached.value, low=reached.low, high=reached.high),)


def _by_position(name: str, rates: Rates, gigabytes: float) -> list[Series]:
    positions = sorted({position for position, _size in rates})
    series = []
    for size in reversed(_some(sorted({size for _position, size in rates}), 4)):
        points = [(p * gigabytes, y) for p in positions if (y := rates.get((p, size))) is not None]
        series.append(_points(f"{name}-of-{size:.0f}", _size_words(size), points))
    return series


def _points(key: str, label: str, points: list[tuple[float, float]]) -> Series:
    return Series(key, label, "points", tuple(x for x, _ in points), tuple(y for _, y in points))


def _words(word: str, extraction: Extraction, name: str) -> str:
    peak, reached = _value(extraction, PEAK.key, name), _value(extraction, SIZE_95.key, name)
    if peak is None or peak.value is None:
        return f"{word} bandwidth rises with the size of the transfer."
    text = f"{word} bandwidth rises with the size of the transfer up to {peak.value:.1f} MB/s"
    if reached is not None and reached.value is not None:
        return f"{text}; 95 % of that takes {reached.value:.1f} MB."
    return f"{text}."
