"""A step of bandwidth over temperature, told apart from chance, from a slope and from a change in time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# ---- A line by the median of slopes between all pairs (Theil 1950, Sen 1968), with bounds kept by ties.
#
# Readings of whole degrees and equal transfers tie often. The variance of Kendall's score has terms for
# ties in one variable and for ties in both (Kendall 1970, chapter 4); without the latter it falls below
# zero.

FloatArray = NDArray[np.float64]

MOST_PAIRED = 1500
"""Samples of which every pair is looked at; of more, so many are drawn."""
Z95 = 1.96


def line(values: FloatArray, at: FloatArray) -> tuple[float, float, float, float]:
    """Slope, intercept and the slope's bounds (95 %); `at` has at least two distinct numbers."""
    if len(values) > MOST_PAIRED:
        chosen = _drawn(at)
        values, at = values[chosen], at[chosen]
    first, second = np.triu_indices(len(at), 1)
    apart = at[second] - at[first]
    distinct = apart != 0
    slopes = np.sort((values[second] - values[first])[distinct] / apart[distinct])
    slope = float(np.median(slopes))
    reach = Z95 * float(np.sqrt(_variance(values, at)))
    low = float(slopes[max(int(np.floor((len(slopes) - reach) / 2)), 0)])
    high = float(slopes[min(int(np.ceil((len(slopes) + reach) / 2)), len(slopes) - 1)])
    return slope, float(np.median(values)) - slope * float(np.median(at)), low, high


def _drawn(at: FloatArray) -> NDArray[np.int64]:
    """So many samples by chance, the same each time, and both ends: every n-th may all be of one hour."""
    chance = np.random.default_rng(len(at)).choice(len(at), MOST_PAIRED, replace=False)
    return np.unique(np.concatenate([chance, [at.argmin(), at.argmax()]]))


def _variance(values: FloatArray, at: FloatArray) -> float:
    """Of Kendall's score, had the two nothing to do with each other."""
    n = float(len(at))
    if n < 3:
        return 0.0
    ties = [np.unique(column, return_counts=True)[1].astype(np.float64) for column in (values, at)]
    twice = [float((t * (t - 1)).sum()) for t in ties]
    thrice = [float((t * (t - 1) * (t - 2)).sum()) for t in ties]
    plain = n * (n - 1) * (2 * n + 5) - sum(float((t * (t - 1) * (2 * t + 5)).sum()) for t in ties)
    both = thrice[0] * thrice[1] / (9 * n * (n - 1) * (n - 2)) + twice[0] * twice[1] / (2 * n * (n - 1))
    return max(plain / 18 + both, 0.0)


BoolArray = NDArray[np.bool_]

FEWEST_ON_A_SIDE = 3
SMALLEST_STEP = 0.03
"""Relative change below which a step is not called one."""
CLEAR = 6.0
"""A step is as many of its standard errors high."""
BETTER = 0.8
"""Another explanation wins where it leaves less than this part of the deviations."""


@dataclass(frozen=True, slots=True)
class Week:
    """One direction's samples in the order of time."""

    hours: FloatArray
    celsius: FloatArray
    mb_per_s: FloatArray

    def __len__(self) -> int:
        return len(self.hours)


@dataclass(frozen=True, slots=True)
class Step:
    """Between two temperatures."""

    low: float
    """The threshold lies between these readings."""
    high: float
    middle: float
    colder: float
    """Median MB/s on the colder side."""
    warmer: float
    error: float
    """Standard error of ln(colder / warmer)."""
    crossings: int
    """How often the temperature went from one side to the other."""
    strays: int
    """Samples that look like the other side's."""
    below: BoolArray
    """Which samples are on the colder side."""


def week_of(entry: Mapping[str, Any], variant: str) -> Week | None:
    """None where no transfer took any time."""
    block_bytes = entry["params"]["block_bytes"]
    rows: list[tuple[float, float, float]] = []
    for series in entry["samples"]["series"]:
        if series["variant"] == variant:
            names = ("start_ns", "temperature_celsius", "length_blocks", "elapsed_ns")
            columns = zip(*(series[name] for name in names), strict=False)
            rows += [
                (start / 3.6e12, float(celsius), blocks * block_bytes / elapsed * 1e3)
                for start, celsius, blocks, elapsed in columns
                if elapsed > 0
            ]
    if not rows:
        return None
    table = np.asarray(sorted(rows), dtype=np.float64)
    return Week(table[:, 0], table[:, 1], table[:, 2])


def step_of(week: Week) -> tuple[Step | None, str]:
    """The step, or why there is none: a sentence."""
    values = np.log(week.mb_per_s)
    found = _best_cut(values, week.celsius)
    if found is None:
        return None, "Too few samples on either side of any temperature."
    cut, left = found
    readings = np.unique(week.celsius)
    below = week.celsius <= readings[cut]
    colder, warmer = float(np.median(values[below])), float(np.median(values[~below]))
    rest = np.where(below, values - colder, values - warmer)
    spread = max(1.4826 * float(np.median(np.abs(rest))), 1e-6)
    counts = 1 / int(below.sum()) + 1 / int((~below).sum())
    error = 1.2533 * spread * float(np.sqrt(counts)) * widening(rest)
    size = abs(colder - warmer)
    if size < max(SMALLEST_STEP, CLEAR * error):
        seen = 100 * float(np.expm1(min(max(SMALLEST_STEP, CLEAR * error), 20.0)))
        span = f"{readings[0]:.0f} and {readings[-1]:.0f} °C"
        return None, f"No step between {span}: one of {seen:.0f} % would have been seen."
    slope, intercept, _, _ = line(values, week.celsius)
    if float(np.abs(values - intercept - slope * week.celsius).sum()) < BETTER * left:
        return None, "The bandwidth changes gradually with temperature, not at one."
    few = values[:: -(-len(values) // MOST_PAIRED)]
    in_time = _best_cut(few, np.arange(len(few), dtype=np.float64))
    if in_time is not None and in_time[1] * len(values) / len(few) < BETTER * left:
        return None, "The bandwidth changed at a moment, not at a temperature."
    stray = np.abs(values - np.where(below, warmer, colder)) < np.abs(rest)
    low, high = _bounds(week.celsius, below, stray, float(readings[cut]), float(readings[cut + 1]))
    return Step(
        low=low,
        high=high,
        middle=float(readings[cut] + readings[cut + 1]) / 2,
        colder=float(np.exp(colder)),
        warmer=float(np.exp(warmer)),
        error=error,
        crossings=int((below[1:] != below[:-1]).sum()),
        strays=int(stray.sum()),
        below=below,
    ), ""


def slope_of(week: Week, inside: BoolArray) -> tuple[float, float, float] | None:
    """Relative change per degree with its interval; None where the temperature hardly changed."""
    values, celsius = np.log(week.mb_per_s[inside]), week.celsius[inside]
    if len(values) < 4 or float(np.ptp(celsius)) < 3:
        return None
    slope, intercept, low, high = line(values, celsius)
    wider = widening(values - intercept - slope * celsius)
    return slope, slope - (slope - low) * wider, slope + (high - slope) * wider


def widening(rest: FloatArray) -> float:
    """How much wider an interval is because neighbours in time are alike."""
    limit = 6 * max(1.4826 * float(np.median(np.abs(rest))), 1e-9)
    centred = np.clip(rest, -limit, limit)
    centred = centred - centred.mean()
    total = float((centred**2).sum())
    if total <= 0 or len(centred) < 8:
        return 1.0
    one = float((centred[1:] * centred[:-1]).sum()) / total
    one = min(one, 0.95) if one > 2 / np.sqrt(len(centred)) else 0.0
    return float(np.sqrt((1 + one) / (1 - one)))


def _best_cut(values: FloatArray, key: FloatArray) -> tuple[int, float] | None:
    """Between which of the distinct keys two medians leave least, and the sum of absolute deviations left."""
    readings = np.unique(key)
    best: tuple[int, float] | None = None
    for cut in range(len(readings) - 1):
        below = key <= readings[cut]
        if min(int(below.sum()), int((~below).sum())) < FEWEST_ON_A_SIDE:
            continue
        left = sum(float(np.abs(side - np.median(side)).sum()) for side in (values[below], values[~below]))
        if best is None or left < best[1]:
            best = cut, left
    return best


def _bounds(
    celsius: FloatArray, below: BoolArray, stray: BoolArray, low: float, high: float
) -> tuple[float, float]:
    """The readings on both sides of the step, and farther out where readings near it are of two minds."""
    for reading in np.unique(celsius[below])[::-1]:
        here = celsius == reading
        if not (stray & here).sum() * 4 > here.sum():
            break
        low = min(low, float(reading) - 1)
    for reading in np.unique(celsius[~below]):
        here = celsius == reading
        if not (stray & here).sum() * 4 > here.sum():
            break
        high = max(high, float(reading) + 1)
    return low, high
