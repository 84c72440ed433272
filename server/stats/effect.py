"""How large a difference is, in standard deviations (Hedges 1981; interval by the noncentral t)."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy import optimize

from server.stats.intervals import small_sample_factor
from server.stats.noncentral import noncentral_t_above, noncentral_t_below
from server.stats.results import Interval
from server.stats.samples import Values, check_level


def pooled_stdev(*groups: Values) -> float | None:
    """Return the standard deviation within groups; None where no group has two values."""
    degrees = sum(group.size - 1 for group in groups if group.size > 1)
    if degrees == 0:
        return None
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in groups if group.size > 1)
    return math.sqrt(squares / degrees)


def hedges_g(a: Values, b: Values, level: float) -> Interval | None:
    """Return Hedges' g with its interval; None for fewer than two values in a group or no scatter."""
    if a.size < 2 or b.size < 2:
        return None
    stdev = pooled_stdev(a, b)
    if not stdev:
        return None
    degrees = a.size + b.size - 2
    weight = math.sqrt(a.size * b.size / (a.size + b.size))
    t = float(a.mean() - b.mean()) / stdev * weight
    factor = small_sample_factor(degrees)
    low, high = (factor * bound / weight for bound in noncentrality_bounds(t, degrees, level))
    return Interval(factor * t / weight, low, high, level)


def noncentrality_bounds(t: float, degrees: int, level: float) -> tuple[float, float]:
    """Return the noncentralities under which `t` is at the ends of what is to be expected."""
    tail = (1 - check_level(level)) / 2
    return (
        _root(lambda delta: noncentral_t_above(t, degrees, delta) - tail, t),
        _root(lambda delta: tail - noncentral_t_below(t, degrees, delta), t),
    )


def _root(rising: Callable[[float], float], t: float) -> float:
    """Return where a rising function of the noncentrality is nought."""
    reach = 10.0
    while rising(t - reach) >= 0 or rising(t + reach) <= 0:
        reach *= 2
    return float(optimize.brentq(rising, t - reach, t + reach, xtol=1e-9))
