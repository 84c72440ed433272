"""Welch's test out of count, mean and variance: what a table of hundreds of pairs can afford.

The same test as `unpaired.welch`, whose groups would be summed up anew for each pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy import special

from server.stats.intervals import t_quantile
from server.stats.results import Interval
from server.stats.samples import SAME
from server.stats.unpaired import Welch


@dataclass(frozen=True, slots=True)
class Moments:
    """What Welch's test needs of a group."""

    n: int
    mean: float
    variance: float
    """Nought for one value, and where values differ by no more than floating point does."""


def moments(values: Sequence[float]) -> Moments:
    """Return count, mean and variance of at least one value."""
    n = len(values)
    mean = math.fsum(values) / n
    least, most = min(values), max(values)
    if n < 2 or most - least <= SAME * max(abs(least), abs(most)):
        return Moments(n, mean, 0.0)
    return Moments(n, mean, math.fsum((value - mean) ** 2 for value in values) / (n - 1))


def welch_of(a: Moments, b: Moments, level: float) -> Welch | None:
    """Return Welch's test of A minus B; None where a group does not scatter."""
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
