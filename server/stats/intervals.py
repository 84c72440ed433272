"""Intervals of a mean and of a standard deviation (Student 1908; Jain 1991, chapter 13)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from server.stats.results import Interval

# ---- What every statistic starts with: numbers that are numbers, and whether they vary at all.

Values = NDArray[np.float64]

SAME = 1e-9
"""Values that differ by less than this share of the largest among them are the same number: what is left is
the rounding of floating point, and no scatter of a drive."""


def check_level(level: float) -> float:
    """Return a confidence level; raises ValueError where it is not between 0 and 1, both excluded."""
    if not 0 < level < 1:
        raise ValueError(f"The confidence level is {level}; it lies between 0 and 1, for example 0.9.")
    return level


def usable(values: Iterable[float | None]) -> Values:
    """Return the finite numbers among `values`, in their order."""
    return np.asarray(
        [value for value in values if value is not None and math.isfinite(value)], dtype=np.float64
    )


def usable_by_key(values: Mapping[str, float | None]) -> dict[str, float]:
    """Return the entries that hold a finite number."""
    return {key: value for key, value in values.items() if value is not None and math.isfinite(value)}


def varies(values: Values, size: float | None = None) -> bool:
    """Return whether `values` scatter by more than floating point does.

    `size` is the size of the numbers they come from where they are differences.
    """
    if values.size < 2:
        return False
    largest = max(float(np.abs(values).max()), size or 0.0)
    return bool(np.ptp(values) > SAME * largest)


def t_quantile(level: float, degrees: float) -> float:
    """Return the quantile of Student's t that leaves (1 - level) / 2 above it."""
    return -float(special.stdtrit(degrees, (1 - check_level(level)) / 2))


def mean_interval(values: Values, level: float) -> Interval | None:
    """Return mean and t interval; None for fewer than two values."""
    if values.size < 2:
        return None
    mean = float(values.mean())
    half = t_quantile(level, values.size - 1) * float(values.std(ddof=1)) / math.sqrt(values.size)
    return Interval(mean, mean - half, mean + half, level)


@lru_cache(4096)
def _chi2_above(tail: float, degrees: float) -> float:
    return float(special.chdtri(degrees, tail))


def stdev_interval(values: Values, level: float) -> Interval | None:
    """Return the standard deviation and its chi-square interval, which holds for normal values only; None
    for fewer than two."""
    if values.size < 2:
        return None
    degrees, stdev = values.size - 1, float(values.std(ddof=1))
    tail = (1 - check_level(level)) / 2
    low, high = (stdev * math.sqrt(degrees / _chi2_above(t, degrees)) for t in (tail, 1 - tail))
    return Interval(stdev, low, high, level)


def small_sample_factor(degrees: float) -> float:
    """Return Hedges' J, which takes the bias out of a standardised difference (Hedges 1981, equation 6e)."""
    if degrees <= 1:
        return 0.0
    half = degrees / 2
    return float(np.exp(math.lgamma(half) - math.lgamma(half - 0.5)) / math.sqrt(half))


# ---- Several tests at once (Holm 1979, A simple sequentially rejective multiple test procedure).


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return the adjusted p of each test, in the order given: each compares with 1 - level as if it stood
    alone, and the chance of one false alarm among all is held."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return tuple(adjusted)
