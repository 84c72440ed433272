"""Statistics that a few wild values don't move, over plain columns of numbers. Pure."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Column = NDArray[np.float64]
_SHORT = 500
"""Up to so many numbers sorting them is a small part of what `numpy.median` takes."""
MAD_TO_DEVIATION = 1.4826
"""Median absolute deviation to the standard deviation of a normal distribution (1 / 0.6745)."""


def column(values: ArrayLike) -> Column:
    """Return the values as floating-point numbers."""
    return np.asarray(values, dtype=np.float64)


def median(values: ArrayLike) -> float:
    """Return the median, as `numpy.median` does, which takes ten times as long for a few dozen numbers."""
    numbers = column(values)
    if not 0 < numbers.size <= _SHORT or numbers.ndim != 1:
        return float(np.median(numbers))
    ordered = np.sort(numbers)
    half = numbers.size // 2
    if np.isnan(ordered[-1]):
        return float("nan")
    return float(ordered[half] if numbers.size % 2 else (ordered[half - 1] + ordered[half]) / 2)


def quantiles(values: ArrayLike, *shares: float) -> list[float]:
    """Return quantiles between which lines are drawn, as `numpy.quantile` does, and likewise faster."""
    ordered = np.sort(column(values))
    found = []
    for share in shares:
        at = share * (ordered.size - 1)
        below = int(at)
        low, high = float(ordered[below]), float(ordered[min(below + 1, ordered.size - 1)])
        part = at - below
        found.append(low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part))
    return found


@lru_cache(4096)
def t_quantile(share: float, degrees: float) -> float:
    """Return the quantile of Student's distribution, which is asked for again and again."""
    return float(special.stdtrit(degrees, share))


@lru_cache(4096)
def chi2_quantile(share: float, degrees: float) -> float:
    """Return the quantile of the chi-squared distribution."""
    return float(2 * special.gammaincinv(degrees / 2, share))


def median_deviation(values: ArrayLike) -> float:
    """Return the median absolute deviation from the median, scaled to a standard deviation; 0 for one
    value."""
    numbers = column(values)
    return MAD_TO_DEVIATION * median(np.abs(numbers - median(numbers)))


def quartile_range(values: ArrayLike) -> float:
    """Return the distance between the quartiles."""
    low, high = quantiles(values, 0.25, 0.75)
    return high - low


def rank_correlation(first: ArrayLike, second: ArrayLike) -> float:
    """Return Spearman's rank correlation; 0 where one of the columns does not vary."""
    one, two = _ranks(column(first)), _ranks(column(second))
    one, two = one - one.mean(), two - two.mean()
    varies = float(one @ one) * float(two @ two)
    return float(one @ two) / varies**0.5 if one.size >= 3 and varies > 0 else 0.0


def _ranks(numbers: Column) -> Column:
    """Return each number's rank from 1; those that are equal share the mean of theirs."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    ends = np.append(starts[1:], numbers.size)
    ranks = np.empty(numbers.size)
    ranks[order] = np.repeat((starts + ends + 1) / 2, ends - starts)
    return ranks


def concentration(turns: ArrayLike) -> tuple[float, float]:
    """Return how far angles (in turns) point the same way, 0 to 1, and their mean direction in [-0.5, 0.5).

    The length of the mean of unit vectors: n angles without order give about 0.9 / sqrt(n).
    """
    angles = column(turns)
    if angles.size == 0:
        return 0.0, 0.0
    mean = np.exp(2j * np.pi * angles).mean()
    direction = float(np.angle(mean) / (2 * np.pi))
    return float(np.abs(mean)), -0.5 if direction >= 0.5 else direction


def half_sample_mode(values: ArrayLike) -> float:
    """Return where values lie closest together: the half that spans least, of that the half, and so on.

    Bickel's estimator of the mode. What lies elsewhere, however much up to one half, does not move it. Raises
    ValueError for no values.
    """
    numbers = np.sort(column(values))
    if numbers.size == 0:
        raise ValueError("There is no mode of no values.")
    while numbers.size > 3:
        half = (numbers.size + 1) // 2
        widths = numbers[half - 1 :] - numbers[: numbers.size - half + 1]
        first = int(widths.argmin())
        numbers = numbers[first : first + half]
    return float(numbers.mean())
