"""Intervals of a mean and of a standard deviation (Student 1908; Jain 1991, chapter 13)."""

from __future__ import annotations

import math

import numpy as np
from scipy import special, stats

from server.stats.results import Interval
from server.stats.samples import Values, check_level


def t_quantile(level: float, degrees: float) -> float:
    """Return the quantile of Student's t that leaves (1 - level) / 2 above it."""
    return -float(special.stdtrit(degrees, (1 - check_level(level)) / 2))


def mean_interval(values: Values, level: float) -> Interval | None:
    """Return mean and t interval; None for fewer than two values."""
    if values.size < 2:
        return None
    mean = float(values.mean())
    half = t_quantile(level, values.size - 1) * float(values.std(ddof=1)) / math.sqrt(values.size)
    return Interval(mean, mean - half, mean + half, level)


def stdev_interval(values: Values, level: float) -> Interval | None:
    """Return the standard deviation and its chi-square interval, which holds for normal values only; None
    for fewer than two."""
    if values.size < 2:
        return None
    degrees, stdev = values.size - 1, float(values.std(ddof=1))
    tail = (1 - check_level(level)) / 2
    low, high = (stdev * math.sqrt(degrees / float(stats.chi2.isf(t, degrees))) for t in (tail, 1 - tail))
    return Interval(stdev, low, high, level)


def small_sample_factor(degrees: float) -> float:
    """Return Hedges' J, which takes the bias out of a standardised difference (Hedges 1981, equation 6e)."""
    if degrees <= 1:
        return 0.0
    half = degrees / 2
    return float(np.exp(math.lgamma(half) - math.lgamma(half - 0.5)) / math.sqrt(half))
