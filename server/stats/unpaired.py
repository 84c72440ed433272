"""Two groups of independent units: Welch's t, with ranks beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy import special

from server.stats.effect import hedges_g, pooled_stdev, ranks
from server.stats.intervals import SAME, Values, check_level, t_quantile, usable
from server.stats.power import decide, needed_units
from server.stats.results import Decision, Interval, Ranks, Unpaired


@dataclass(frozen=True, slots=True)
class Welch:
    """Welch's test of A minus B."""

    difference: Interval
    t: float
    degrees: float
    p: float


def compare_unpaired(
    a: Sequence[float | None] | Values,
    b: Sequence[float | None] | Values,
    *,
    level: float,
    margin: float | None = None,
) -> Unpaired:
    """Compare the units of A with those of B: one value for each unit; what is no number is left out.

    Welch's interval decides. Where a group does not scatter at all, ranks do.
    """
    check_level(level)
    first, second = usable(a), usable(b)
    sums = [moments(group) if group.size else None for group in (first, second)]
    test = welch(sums[0], sums[1], level) if sums[0] and sums[1] else None
    by_ranks = ranks(first, second, level) if first.size and second.size else None
    decision, reason = _outcome(test, by_ranks, first, second, margin)
    difference = float(first.mean() - second.mean()) if by_ranks else 0.0
    needed = None
    if decision is Decision.UNDECIDED:
        sizes = (first.size, second.size)
        needed = needed_units(difference, pooled_stdev(first, second), sizes, level, margin)
    return Unpaired(
        level=level,
        n_a=first.size,
        n_b=second.size,
        mean_a=float(first.mean()) if first.size else None,
        mean_b=float(second.mean()) if second.size else None,
        stdev_a=float(first.std(ddof=1)) if first.size > 1 else None,
        stdev_b=float(second.std(ddof=1)) if second.size > 1 else None,
        difference=test.difference if test else None,
        t=test.t if test else None,
        degrees=test.degrees if test else None,
        p=_deciding_p(test, by_ranks, first, second),
        ranks=by_ranks,
        effect=hedges_g(first, second, level) if test else None,
        needed=needed,
        decision=decision,
        reason=reason,
    )


def _deciding_p(test: Welch | None, by_ranks: Ranks | None, a: Values, b: Values) -> float | None:
    if test:
        return test.p
    return by_ranks.p if by_ranks and min(a.size, b.size) > 1 else None


def _outcome(
    test: Welch | None, by_ranks: Ranks | None, a: Values, b: Values, margin: float | None
) -> tuple[Decision, str]:
    if by_ranks is None:
        return Decision.NOT_COMPARABLE, "One of the two has no value at all."
    if min(a.size, b.size) < 2:
        return Decision.UNDECIDED, (
            f"There are {a.size} and {b.size} units. One unit alone does not tell how far units of its kind "
            "scatter; at least two of each are needed."
        )
    if test:
        return decide(test.difference, margin), _ranks_disagree(test, by_ranks)
    return _by_ranks_alone(by_ranks, test_level=by_ranks.delta.level)


def _by_ranks_alone(by_ranks: Ranks, *, test_level: float) -> tuple[Decision, str]:
    """Decide without Welch's test: a group without scatter."""
    why = "The values of one group are all the same, so ranks decide."
    alpha = 1 - test_level
    if by_ranks.p <= alpha:
        return (Decision.A_HIGHER if by_ranks.delta.value > 0 else Decision.B_HIGHER), why
    if by_ranks.smallest_p > alpha:
        why += f" So few units can't decide at this level: at best p would be {by_ranks.smallest_p:.2g}."
    return Decision.UNDECIDED, why


def _ranks_disagree(test: Welch, by_ranks: Ranks) -> str:
    """Return a sentence where the ranks see it otherwise, though they could have seen it."""
    alpha = 1 - test.difference.level
    if (test.p <= alpha) == (by_ranks.p <= alpha) or by_ranks.smallest_p > alpha:
        return ""
    if test.p <= alpha:
        return "The ranks alone would not show it (Mann-Whitney)."
    return "The ranks alone would show a difference (Mann-Whitney): single values stretch the interval."


# ---- Welch's test out of count, mean and variance: groups of a large table are summed up once for all pairs.


@dataclass(frozen=True, slots=True)
class Moments:
    """What Welch's test needs of a group."""

    n: int
    mean: float
    variance: float
    """Nought for one value, and where values differ by no more than floating point does."""


def moments(values: Sequence[float] | Values) -> Moments:
    """Return count, mean and variance of at least one value."""
    n = len(values)
    mean = math.fsum(values) / n
    least, most = float(min(values)), float(max(values))
    if n < 2 or most - least <= SAME * max(abs(least), abs(most)):
        return Moments(n, mean, 0.0)
    return Moments(n, mean, math.fsum((value - mean) ** 2 for value in values) / (n - 1))


def welch(a: Moments, b: Moments, level: float) -> Welch | None:
    """Return Welch's test (1947) with Satterthwaite's degrees of freedom; None where a group has fewer than
    two values or does not scatter, since its variance is then not known."""
    if not a.variance or not b.variance:
        return None
    shares = (a.variance / a.n, b.variance / b.n)
    error = math.sqrt(sum(shares))
    degrees = sum(shares) ** 2 / (shares[0] ** 2 / (a.n - 1) + shares[1] ** 2 / (b.n - 1))
    difference = a.mean - b.mean
    t = difference / error
    half = t_quantile(level, degrees) * error
    interval = Interval(difference, difference - half, difference + half, level)
    return Welch(interval, t, degrees, 2 * float(special.stdtr(degrees, -abs(t))))


def mean_interval_of(group: Moments, level: float) -> Interval | None:
    """Return the t interval of the mean; None where the group does not scatter."""
    if not group.variance:
        return None
    half = t_quantile(level, group.n - 1) * math.sqrt(group.variance / group.n)
    return Interval(group.mean, group.mean - half, group.mean + half, level)


def pooled_stdev_of(a: Moments, b: Moments) -> float | None:
    """Return the standard deviation within two groups; None where neither has two values."""
    degrees = a.n + b.n - 2
    return math.sqrt(((a.n - 1) * a.variance + (b.n - 1) * b.variance) / degrees) if degrees else None
