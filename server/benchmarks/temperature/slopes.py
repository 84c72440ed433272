"""A line by the median of the slopes between all pairs (Theil 1950, Sen 1968), with bounds that ties keep.

Readings of whole degrees and equal transfers tie often. The variance of Kendall's score has terms for ties in
one variable and for ties in both (Kendall 1970, chapter 4); without the latter it falls below zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
    told = apart != 0
    slopes = np.sort((values[second] - values[first])[told] / apart[told])
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
