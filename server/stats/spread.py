"""How far units scatter, and how much of it lies between groups (one-way variance components)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from server.stats.intervals import check_level, mean_interval, stdev_interval, usable, varies
from server.stats.results import Interval


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean, standard deviation and coefficient of variation over units."""

    n: int
    mean: float | None
    mean_interval: Interval | None
    stdev: float | None
    stdev_interval: Interval | None
    variation: float | None
    """Standard deviation over mean, as a share; None where the mean is not above nought."""
    reason: str
    """Why there is no deviation; empty where there is one."""


@dataclass(frozen=True, slots=True)
class Components:
    """Variance within groups and between them."""

    groups: int
    n: int
    within_stdev: float | None
    between_stdev: float | None
    """Nought where groups differ no more than their members do: the estimate was not above it."""
    share: Interval | None
    """Intraclass correlation: the share of the variance that lies between groups; its interval may reach
    below nought."""
    reason: str


def spread_over_units(values: Sequence[float | None], *, level: float) -> Spread:
    """Describe one value per unit; Eridano's spread across units is `variation`."""
    check_level(level)
    known = usable(values)
    if known.size == 0:
        return Spread(0, None, None, None, None, None, "No unit has a value.")
    mean = float(known.mean())
    if known.size == 1:
        return Spread(1, mean, None, None, None, None, "One unit alone has no spread.")
    if not varies(known):
        return Spread(known.size, mean, None, 0.0, None, None, "All units have the same value.")
    stdev = float(known.std(ddof=1))
    return Spread(
        n=known.size,
        mean=mean,
        mean_interval=mean_interval(known, level),
        stdev=stdev,
        stdev_interval=stdev_interval(known, level),
        variation=stdev / mean if mean > 0 else None,
        reason="",
    )


def variance_components(groups: Sequence[Sequence[float | None]], *, level: float) -> Components:
    """Split the variance of several groups (Searle, Casella and McCulloch 1992, 3.6) into within and between.

    The interval is exact for groups of one size (Shrout and Fleiss 1979, ICC(1,1)); otherwise it takes their
    mean size n0. Groups without a value do not count.
    """
    tail = (1 - check_level(level)) / 2
    samples = [values for given in groups if (values := usable(given)).size]
    n, count = sum(values.size for values in samples), len(samples)
    if count < 2:
        return Components(count, n, None, None, None, "There are fewer than two groups.")
    if n == count:
        return Components(
            count, n, None, None, None, "No group has two members, so nothing tells how they scatter."
        )
    together = np.concatenate(samples)
    if not varies(together):
        return Components(count, n, 0.0, 0.0, None, "All values are the same.")
    sizes = np.asarray([values.size for values in samples], dtype=np.float64)
    size = (n - float((sizes**2).sum()) / n) / (count - 1)
    # By group, without a loop: a model may have thousands of drives.
    ends = np.cumsum(sizes).astype(np.int64)
    means = np.add.reduceat(together, np.r_[0, ends[:-1]]) / sizes
    between = float((sizes * (means - together.mean()) ** 2).sum()) / (count - 1)
    within = float(((together - np.repeat(means, sizes.astype(np.int64))) ** 2).sum()) / (n - count)
    variance = max(0.0, (between - within) / size)
    if within == 0:
        return Components(count, n, 0.0, variance**0.5, None, "Members of a group have the same value.")
    ratio = between / within
    high, low = (ratio / float(special.fdtri(count - 1, n - count, 1 - t)) for t in (1 - tail, tail))
    share, low, high = ((f - 1) / (f + size - 1) for f in (ratio, low, high))
    return Components(count, n, within**0.5, variance**0.5, Interval(share, low, high, level), "")
