"""The bandwidth surface as sections: by size at a few positions, by position at a few sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from server.benchmarks.bandwidth.definitions import HALF_SIZE, OVERHEAD, PEAK, RATE, RATIO, SIZE_95
from server.benchmarks.bandwidth.surface import Samples, samples_of
from server.benchmarks.contract import Axis, Chart, Extraction, Facts, Mark, Measurement, Series

WORDS = {"read": "Read", "write": "Write"}
FIT_POINTS = 60
MB = 1e6


def charts(entry: Mapping[str, Any], facts: Facts, extraction: Extraction) -> tuple[Chart, ...]:
    found = []
    for name in WORDS:
        samples = samples_of(entry, name)
        if samples is not None:
            detail = extraction.details.get(name, {})
            peak = _value(extraction, PEAK.key, name)
            found.append(_by_size(name, samples, detail, extraction, entry["params"]["positions"]))
            found.append(_by_position(name, samples, peak, facts, entry["params"]["positions"]))
    return tuple(found)


def _value(extraction: Extraction, key: str, scope: str) -> Measurement | None:
    return next((m for m in extraction.measurements if (m.metric, m.scope) == (key, scope)), None)


def _some(values: Sequence[float], most: int) -> list[float]:
    """The first, the last and evenly some in between."""
    places = np.unique(np.linspace(0, len(values) - 1, min(most, len(values))).round().astype(int))
    return [values[int(place)] for place in places]


def _mean(samples: Samples, position: float, size: float) -> float | None:
    cell = (samples.position == position) & (samples.size_bytes == size)
    return float(size / samples.elapsed_ns[cell].mean() * 1e3) if cell.any() else None


def _by_size(
    name: str, samples: Samples, detail: Mapping[str, Any], extraction: Extraction, positions: int
) -> Chart:
    sizes = [float(size) for size in np.unique(samples.size_bytes)]
    shown = _some([float(p) for p in np.unique(samples.position)], 3)
    series = []
    for position in shown:
        points = [(size / MB, y) for size in sizes if (y := _mean(samples, position, size)) is not None]
        at = f"{100 * position / positions:.0f} %"
        series.append(
            Series(
                f"at-{position:.0f}",
                f"At {at}",
                "points",
                tuple(x for x, _ in points),
                tuple(y for _, y in points),
            )
        )
    law = detail.get("law")
    if law is not None and not detail.get("buffered"):
        grid = np.geomspace(sizes[0], sizes[-1], FIT_POINTS)
        for position in shown:
            rate = law["rate_mb_per_s"].get(str(int(position)))
            if rate is not None and law["fixed_ms"] > 0:
                y = grid / (law["fixed_ms"] * 1e6 + grid / rate * 1e3) * 1e3
                label = f"Fixed time and rate at {100 * position / positions:.0f} %"
                series.append(
                    Series(f"law-{position:.0f}", label, "line", tuple(grid / MB), tuple(map(float, y)))
                )
    reached = _value(extraction, SIZE_95.key, name)
    marks: tuple[Mark, ...] = ()
    if reached is not None and reached.value is not None:
        marks = (Mark("95 % of the peak", x=reached.value),)
    word = WORDS[name]
    return Chart(
        id=f"by-size-{name}",
        shape="curve",
        title=f"{word} bandwidth by transfer size",
        summary=_words_by_size(word, _value(extraction, PEAK.key, name), reached),
        x=Axis("Size of the transfer", "MB", "logarithmic"),
        y=Axis("Bandwidth", "MB/s"),
        series=tuple(series),
        marks=marks,
        metrics=(PEAK.key, SIZE_95.key, HALF_SIZE.key, OVERHEAD.key, RATE.key),
    )


def _words_by_size(word: str, peak: Measurement | None, reached: Measurement | None) -> str:
    if peak is None or peak.value is None:
        return f"{word} bandwidth rises with the size of the transfer."
    text = f"{word} bandwidth rises with the size of the transfer up to {peak.value:.1f} MB/s"
    if reached is not None and reached.value is not None:
        return f"{text}; 95 % of that takes {reached.value:.1f} MB."
    return f"{text}."


def _by_position(
    name: str, samples: Samples, peak: Measurement | None, facts: Facts, positions: int
) -> Chart:
    places = [float(p) for p in np.unique(samples.position)]
    gigabytes = facts.capacity_bytes / 1e9 / positions
    series = []
    for size in reversed(_some([float(size) for size in np.unique(samples.size_bytes)], 4)):
        points = [(p * gigabytes, y) for p in places if (y := _mean(samples, p, size)) is not None]
        label = f"{size / MB:.4g} MB"
        series.append(
            Series(
                f"of-{size:.0f}", label, "points", tuple(x for x, _ in points), tuple(y for _, y in points)
            )
        )
    word = WORDS[name]
    value = f", at most {peak.value:.1f} MB/s" if peak is not None and peak.value is not None else ""
    return Chart(
        id=f"by-position-{name}",
        shape="profile",
        title=f"{word} bandwidth by position",
        summary=f"{word} bandwidth of transfers of several sizes over the device{value}.",
        x=Axis("Position", "GB"),
        y=Axis("Bandwidth", "MB/s"),
        series=tuple(series),
        metrics=(PEAK.key, RATIO.key, RATE.key),
    )
