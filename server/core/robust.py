"""Statistics that a few wild values don't move, over plain columns of numbers. Pure."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

Column = NDArray[np.float64]
MAD_TO_DEVIATION = 1.4826
"""Median absolute deviation to the standard deviation of a normal distribution (1 / 0.6745)."""


def column(values: ArrayLike) -> Column:
    """Return the values as floating-point numbers."""
    return np.asarray(values, dtype=np.float64)


def median_deviation(values: ArrayLike) -> float:
    """Return the median absolute deviation from the median, scaled to a standard deviation; 0 for one
    value."""
    numbers = column(values)
    return MAD_TO_DEVIATION * float(np.median(np.abs(numbers - np.median(numbers))))


def quartile_range(values: ArrayLike) -> float:
    """Return the distance between the quartiles."""
    low, high = np.percentile(column(values), [25, 75])
    return float(high - low)


def rank_correlation(first: ArrayLike, second: ArrayLike) -> float:
    """Return Spearman's rank correlation; 0 where one of the columns does not vary."""
    one, two = stats.rankdata(column(first)), stats.rankdata(column(second))
    if one.size < 3 or np.ptp(one) == 0 or np.ptp(two) == 0:
        return 0.0
    return float(np.corrcoef(one, two)[0, 1])


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
