"""How large a difference is, in standard deviations (Hedges 1981; interval by the noncentral t)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy import optimize, stats

from server.stats.intervals import Values, check_level, small_sample_factor
from server.stats.power import noncentral_t_above, noncentral_t_below
from server.stats.results import Interval, Ranks


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


# ---- Mann-Whitney, the Hodges-Lehmann shift and Cliff's delta: what holds without normal values.

EXACT_SPLITS = 20_000
"""Up to so many ways to split the values, p counts them all, ties or none."""


def ranks(a: Values, b: Values, level: float) -> Ranks:
    """Compare two groups of at least one value each by ranks."""
    splits = math.comb(a.size + b.size, a.size)
    exact = splits <= EXACT_SPLITS
    above = a[:, None] - b[None, :]
    u = float((above > 0).sum() + (above == 0).sum() / 2)
    p = _exact_p(a, b) if exact else float(stats.mannwhitneyu(a, b, method="asymptotic").pvalue)
    return Ranks(
        u=u,
        p=p,
        exact=exact,
        smallest_p=min(1.0, 2 / splits),
        shift=float(np.median(above)),
        shift_interval=shift_interval(a, b, level),
        delta=delta_interval(u, a.size, b.size, level),
    )


def _exact_p(a: Values, b: Values) -> float:
    """Return the two-sided p over all splits of the values that were found (Lehmann 1975, 1.4 and 1.6).

    Midranks are doubled, so that sums of ranks are integers; the number of splits of each sum is counted.
    """
    doubled = np.rint(2 * stats.rankdata(np.concatenate([a, b]))).astype(np.int64)
    ways = np.zeros((a.size + 1, int(doubled.sum()) + 1), dtype=np.int64)
    ways[0, 0] = 1
    for rank in doubled.tolist():
        ways[1:, rank:] += ways[:-1, :-rank].copy()
    center = a.size * (a.size + b.size + 1)  # Of the doubled ranks.
    found = abs(int(doubled[: a.size].sum()) - center)
    sums = ways[a.size]
    extreme = sums[np.abs(np.arange(sums.size) - center) >= found]
    return float(extreme.sum() / sums.sum())


def shift_interval(a: Values, b: Values, level: float) -> Interval | None:
    """Return the Hodges-Lehmann shift with the interval that inverts the Mann-Whitney test
    (Hollander and Wolfe 1973, 4.2 and 4.3); None where no interval of these sizes has that level."""
    differences = np.sort((a[:, None] - b[None, :]).ravel())
    rank = _critical_rank(a.size, b.size, (1 - check_level(level)) / 2)
    if rank < 1:
        return None
    low, high = float(differences[rank - 1]), float(differences[-rank])
    return Interval(float(np.median(differences)), low, high, level)


def _critical_rank(n_a: int, n_b: int, tail: float) -> int:
    """Return the largest k with P(U <= k - 1) <= tail: the k-th smallest and largest differences bound it."""
    if n_a * n_b > 2500:
        spread = math.sqrt(n_a * n_b * (n_a + n_b + 1) / 12)
        return math.floor(n_a * n_b / 2 - float(stats.norm.isf(tail)) * spread)
    below = np.cumsum(_null_counts(n_a, n_b)) / math.comb(n_a + n_b, n_a)
    return int(np.searchsorted(below, tail * (1 + 1e-12), side="right"))


@lru_cache(maxsize=256)
def _null_counts(n_a: int, n_b: int) -> tuple[int, ...]:
    """Return how many splits give U = 0, 1, ... n_a * n_b without ties: a Gaussian binomial."""
    counts = [1]
    for k in range(1, n_a + 1):
        longer = counts + [0] * (n_b + k)
        for index in range(len(longer) - 1, n_b + k - 1, -1):
            longer[index] -= longer[index - n_b - k]
        for index in range(k, len(longer)):
            longer[index] += longer[index - k]
        counts = longer[: k * n_b + 1]
    return tuple(counts)


def delta_interval(u: float, n_a: int, n_b: int, level: float) -> Interval:
    """Return Cliff's delta with Newcombe's interval (2006, part 2, method 5), which is never empty at the
    ends."""
    theta = u / (n_a * n_b)
    z = float(stats.norm.isf((1 - check_level(level)) / 2))
    low = _bound(theta, z, n_a, n_b)
    high = 1 - _bound(1 - theta, z, n_a, n_b)
    return Interval(2 * theta - 1, 2 * low - 1, 2 * high - 1, level)


def _bound(theta: float, z: float, n_a: int, n_b: int) -> float:
    """Return the lowest probability that agrees with `theta`."""
    if theta <= 0:
        return 0.0
    half = (n_a + n_b) / 2 - 1

    def excess(candidate: float) -> float:
        pairs = 1 + half * ((1 - candidate) / (2 - candidate) + candidate / (1 + candidate))
        return theta - candidate - z * math.sqrt(candidate * (1 - candidate) * pairs / (n_a * n_b))

    # At one the variance vanishes, and one itself would be a root.
    end = min(theta, 1 - 1e-9)
    return float(optimize.brentq(excess, 0.0, end)) if excess(end) < 0 else theta
