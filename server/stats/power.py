"""How many units a decision takes: power of the t tests by the noncentral t (Cohen 1988, chapter 2)."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy import special

from server.stats.intervals import t_quantile
from server.stats.noncentral import noncentral_t_above, noncentral_t_below

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
    return _least(lambda n: power_paired(effect, n, level), power, _by_normal(effect, level, power))


def units_needed(effect: float, level: float, power: float = POWER) -> int | None:
    """Return the least number of units of each group that decides so often; None above 10,000."""
    guess = 2 * _by_normal(effect, level, power)
    return _least(lambda n: power_unpaired(effect, n, n, level), power, guess)


def _power(noncentrality: float, degrees: int, level: float) -> float:
    if degrees < 1:
        return 0.0
    limit = t_quantile(level, degrees)
    above = noncentral_t_above(limit, degrees, noncentrality)
    return above + noncentral_t_below(-limit, degrees, noncentrality)


def _by_normal(effect: float, level: float, power: float) -> float:
    """Return about how many pairs it takes, if the scatter were known: where the search begins."""
    quantiles = float(special.ndtri((1 + level) / 2) + special.ndtri(power))
    return (quantiles / effect) ** 2 if effect else math.inf


def _least(power_at: Callable[[int], float], power: float, guess: float) -> int | None:
    """Return the least number with that power, which rises with the number; None above 10,000."""
    if not guess < 2 * MOST and power_at(MOST) < power:
        return None
    low, high, step = FEWEST - 1, MOST, 2
    start = int(min(max(guess, FEWEST), MOST))
    # A few steps to either side of the guess are enough to hold the number fast.
    if power_at(start) >= power:
        high = start
        while high - step > low and power_at(high - step) >= power:
            high, step = high - step, 2 * step
        low = max(low, high - step)
    else:
        low = start
        while low + step < high and power_at(low + step) < power:
            low, step = low + step, 2 * step
        high = min(high, low + step)
    if power_at(high) < power:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_at(middle) >= power else (middle, high)
    return high
