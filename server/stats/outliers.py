"""Units that stand apart: the robust distance of Iglewicz and Hoaglin (1993, chapter 3).

Their limit of 3.5 is far too low for few units, whose median deviation is itself a matter of luck. The limit
here is what one in a hundred sets of so many normal values exceeds, found by simulation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from server.stats.intervals import SAME, Values, usable_by_key

NORMAL = 0.6744897501960817
"""Median absolute deviation of the standard normal distribution."""
FEWEST = 5
"""Units below which nobody can say which of them stands apart."""
DRAWS = 20_000
LARGEST_DRAWN = 100
"""Beyond that the limit hardly moves: the maximum grows, and the median deviation gets steadier."""
ALPHA = 0.01


@dataclass(frozen=True, slots=True)
class Outlier:
    """One unit and its distance from the others."""

    key: str
    value: float
    distance: float
    """In robust standard deviations from the median, with its sign."""


@dataclass(frozen=True, slots=True)
class Distances:
    """The robust distance of every unit, and who stands apart."""

    n: int
    median: float | None
    scale: float | None
    """Robust standard deviation: the median absolute deviation over 0.6745, or the resolution."""
    limit: float | None
    p: float | None
    """How often so many normal values hold one at least as far out as the farthest here."""
    apart: tuple[Outlier, ...]
    reason: str
    """Why nothing can be said; empty where something can."""


def distances(
    values: Mapping[str, float | None], *, resolution: float = 0.0, alpha: float = ALPHA
) -> Distances:
    """Return who stands apart among units, one value each.

    `resolution` is what one measurement is uncertain by (a standard deviation): units closer than that are
    not told from each other, however alike the rest are.
    """
    known = usable_by_key(values)
    found = np.asarray(list(known.values()), dtype=np.float64)
    if found.size < FEWEST:
        reason = f"With {found.size} units nobody can tell which stands apart; it takes at least {FEWEST}."
        return Distances(found.size, None, None, None, None, (), reason)
    median = float(np.median(found))
    scale = max(float(np.median(np.abs(found - median))) / NORMAL, resolution)
    if scale <= SAME * float(np.abs(found).max()):
        reason = "More than half of the units have the same value, so there is no scatter to compare with."
        return Distances(found.size, median, None, None, None, (), reason)
    farthest = _farthest(min(found.size, LARGEST_DRAWN))
    limit = float(np.quantile(farthest, 1 - alpha))
    far = sorted(
        (Outlier(key, value, (value - median) / scale) for key, value in known.items()),
        key=lambda unit: -abs(unit.distance),
    )
    beyond = int((farthest >= abs(far[0].distance)).sum())
    p = (1 + beyond) / (1 + farthest.size)
    return Distances(
        found.size, median, scale, limit, p, tuple(unit for unit in far if abs(unit.distance) > limit), ""
    )


@lru_cache(maxsize=LARGEST_DRAWN)
def _farthest(n: int) -> Values:
    """Return the largest robust distance in each of many sets of `n` normal values."""
    draws = np.random.default_rng(1993).standard_normal((DRAWS, n))
    off = np.abs(draws - np.median(draws, axis=1, keepdims=True))
    result: Values = off.max(axis=1) / (np.median(off, axis=1) / NORMAL)
    return result
