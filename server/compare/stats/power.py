"""How many units a decision takes: power of the t tests by the noncentral t (Cohen 1988, chapter 2)."""

from __future__ import annotations

import math
from collections.abc import Callable

from server.compare.stats.intervals import t_quantile
from server.compare.stats.noncentral import noncentral_t_above, noncentral_t_below

POWER = 0.8
"""Four decisions out of five tries, as is usual (Cohen 1988, 2.4)."""
MOST = 10_000
"""More units than anybody will measure."""
FEWEST = 2


def power_paired(effect: float, n: int, level: float) -> float:
    """Return how often `n` pairs decide; `effect` is the mean difference over its standard deviation."""
    return _power(abs(effect) * math.sqrt(n), n - 1, level)


def power_unpaired(effect: float, n_a: int, n_b: int, level: float) -> float:
    """Return how often groups of these sizes decide; `effect` is in standard deviations of one group."""
    return _power(abs(effect) * math.sqrt(n_a * n_b / (n_a + n_b)), n_a + n_b - 2, level)


def pairs_needed(effect: float, level: float, power: float = POWER) -> int | None:
    """Return the least number of pairs that decides so often; None where it is above 10,000."""
    return _least(lambda n: power_paired(effect, n, level), power)


def units_needed(effect: float, level: float, power: float = POWER) -> int | None:
    """Return the least number of units of each group that decides so often; None above 10,000."""
    return _least(lambda n: power_unpaired(effect, n, n, level), power)


def _power(noncentrality: float, degrees: int, level: float) -> float:
    if degrees < 1:
        return 0.0
    limit = t_quantile(level, degrees)
    above = noncentral_t_above(limit, degrees, noncentrality)
    return above + noncentral_t_below(-limit, degrees, noncentrality)


def _least(power_at: Callable[[int], float], power: float) -> int | None:
    if power_at(MOST) < power:
        return None
    low, high = FEWEST - 1, MOST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_at(middle) >= power else (middle, high)
    return high
