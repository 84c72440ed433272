"""What extraction and exports of seeks share: pairs of places, and curves between intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
PULL = 0.05
"""Weight of the middles of intervals beside their ends: it decides where the ends leave room."""


def places_of_pairs(count: int) -> tuple[FloatArray, FloatArray]:
    """Pairs of places anywhere, as shares of the blocks; each has the shape (count,).

    Quantiles beside multiples of the golden ratio fill the square more evenly than random numbers.
    """
    first = (np.arange(count) + 0.5) / count
    second = (np.arange(count) * (5**0.5 - 1) / 2 + 0.5) % 1.0
    return first, second


def beside(off: FloatArray, reach: FloatArray) -> FloatArray:
    """Residuals of values that lie `off` the middles of intervals which reach so far to either side.

    What lies outside, then a little of all that is off: shape (2 n,) for two of (n,).
    """
    outside = np.sign(off) * np.maximum(np.abs(off) - reach, 0.0)
    return np.concatenate([outside, PULL * off])
