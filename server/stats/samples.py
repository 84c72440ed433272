"""What every statistic starts with: numbers that are numbers, and whether they vary at all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

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
