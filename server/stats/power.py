"""How many units a decision takes: power of the t tests by the noncentral t (Cohen 1988, chapter 2)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy import special

from server.stats.intervals import Values, t_quantile
from server.stats.results import Decision, Interval, Needed

# ---- The noncentral t, by its definition: a shifted normal over the root of a chi-square share.
#
# scipy's own (1.17) gives nan for some ordinary arguments, for example t -1.9, 18 degrees, noncentrality
# 11.

_NODES = 160
_TAIL = 1e-13
"""What is left out of the integral on either side."""


def noncentral_t_below(t: float, degrees: float, noncentrality: float) -> float:
    """Return P(T <= t), good to about 1e-10."""
    scale, weight = _chi_nodes(degrees)
    return float(weight @ special.ndtr(t * scale - noncentrality))


def noncentral_t_above(t: float, degrees: float, noncentrality: float) -> float:
    """Return P(T > t), without the loss of digits of one minus a number close to one."""
    scale, weight = _chi_nodes(degrees)
    return float(weight @ special.ndtr(noncentrality - t * scale))


@lru_cache(maxsize=4096)
def _chi_nodes(degrees: float) -> tuple[Values, Values]:
    """Return values of sqrt(chi-square / degrees) with the weights of Gauss-Legendre over them."""
    half = degrees / 2
    low = math.sqrt(float(special.gammaincinv(half, _TAIL)) / half)
    high = math.sqrt(float(special.gammainccinv(half, _TAIL)) / half)
    nodes, weights = _legendre()
    scale = (high - low) / 2 * nodes + (high + low) / 2
    log_density = (degrees - 1) * np.log(scale) - half * scale**2
    weight = weights * np.exp(log_density - log_density.max())
    return scale, weight / weight.sum()


@lru_cache(maxsize=1)
def _legendre() -> tuple[Values, Values]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights


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


# ---- From an interval to a decision, and what a decision would still take.


def decide(difference: Interval, margin: float | None = None) -> Decision:
    """Return what an interval of A minus B decides.

    Within the margin on both sides the two are equivalent (Schuirmann 1987, two one-sided tests, here with
    the interval of the full level, which is the stricter choice). Without a margin nothing is equivalent.
    """
    if margin is not None and -margin < difference.low and difference.high < margin:
        return Decision.EQUIVALENT
    if difference.low > 0:
        return Decision.A_HIGHER
    if difference.high < 0:
        return Decision.B_HIGHER
    return Decision.UNDECIDED


def needed_pairs(
    difference: Interval | None, stdev: float | None, n: int, margin: float | None
) -> Needed | None:
    """Return how many pairs would decide; the difference looked for is the margin, or the one found."""
    if difference is None or not stdev:
        return None
    wanted = margin or abs(difference.value)
    count = pairs_needed(wanted / stdev, difference.level)
    return Needed(wanted, count, None if count is None else max(0, count - n), None, POWER)


def needed_units(
    difference: float, stdev: float | None, sizes: tuple[int, int], level: float, margin: float | None
) -> Needed | None:
    """Return how many units of each group would decide."""
    if not stdev:
        return None
    wanted = margin or abs(difference)
    count = units_needed(wanted / stdev, level)
    if count is None:
        return Needed(wanted, None, None, None, POWER)
    return Needed(wanted, count, max(0, count - sizes[0]), max(0, count - sizes[1]), POWER)
