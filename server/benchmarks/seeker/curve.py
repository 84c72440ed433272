"""The seek curve: a root for short seeks, a line for long ones, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares
from scipy.special import ndtr

from server.benchmarks.seeker.groups import FloatArray, Group, Samples
from server.benchmarks.seeks import beside, places_of_pairs

FEWEST_FOR_FIT = 6


@dataclass(frozen=True, slots=True)
class Curve:
    """`a + b * sqrt(d)` below the crossover, `c + e * d` above; d in blocks, times in ms, MTM included."""

    a: float
    b: float
    c: float
    e: float
    crossover: float
    error_ms: float
    """Root mean square of the residuals."""
    longest: float
    """Largest distance behind the fit."""

    def at(self, distance: FloatArray) -> FloatArray:
        short = self.a + self.b * np.sqrt(distance)
        return np.asarray(
            np.where(distance < self.crossover, short, self.c + self.e * distance), dtype=np.float64
        )


def distinct(groups: list[Group]) -> tuple[FloatArray, FloatArray]:
    """Distances and their times; groups of one distance count by their median."""
    places = np.array([group.distance for group in groups])
    times = np.array([group.best_ms for group in groups])
    keys = np.unique(places)
    return keys, np.array([float(np.median(times[places == key])) for key in keys])


def fit_curve(groups: list[Group]) -> Curve | None:
    """Try every crossover between two distances; each side by least squares, outliers weighted down."""
    distance, time = distinct([group for group in groups if group.covered and group.distance > 0])
    if len(distance) < FEWEST_FOR_FIT:
        return None
    best: Curve | None = None
    candidates = range(3, len(distance) - 2)
    for split in candidates:
        a, b = _robust(np.sqrt(distance[:split]), time[:split])
        c, e = _robust(distance[split:], time[split:])
        fitted = np.concatenate([a + b * np.sqrt(distance[:split]), c + e * distance[split:]])
        # Near the crossover both parts must agree, or the curve has a step that no arm makes.
        edge = float(distance[split])
        step = a + b * np.sqrt(edge) - (c + e * edge)
        error = float(np.sqrt((np.mean((time - fitted) ** 2) * len(time) + step**2) / len(time)))
        if best is None or error < best.error_ms:
            best = Curve(a, b, c, e, edge, error, float(distance[-1]))
    return best


def _robust(x: FloatArray, y: FloatArray) -> tuple[float, float]:
    """Straight line by reweighted least squares; returns intercept and slope."""
    weight = np.ones(len(x))
    begin = slope = 0.0
    for _ in range(15):
        total = float(weight.sum())
        aside = x - float(weight @ x) / total
        weighed = weight * aside
        lever = float(weighed @ aside)
        if lever <= 0:
            # All but one distance count for nothing, and one has no slope.
            break
        slope = float(weighed @ y) / lever
        level = float(weight @ y) / total
        begin = level - slope * (float(x[0]) - float(aside[0]))
        left = np.abs(y - level - slope * aside)
        limit = 1.5 * 1.4826 * _median(left) + 1e-9
        weight = np.minimum(1.0, limit / np.maximum(left, 1e-12))
    return begin, slope


def line_at(x: FloatArray, low: FloatArray, high: FloatArray, at: float) -> tuple[float, float]:
    """What the line that runs between `low` and `high` at each `x` is worth at `place`, and its 95 % error.

    Each pair holds its time for certain but for noise, so that many of them leave a line less room than
    their middles would. The line does not fall.
    """
    middle, reach = (low + high) / 2, (high - low) / 2
    if not np.ptp(x):
        # All at one distance: a line through one place may be worth whatever was met there.
        return _median(middle), float(max(high.max() - _median(middle), _median(middle) - low.min()))
    scale = max(float(np.median(reach)), 1e-9)
    aside = (x - at) / max(float(np.ptp(x)), 1e-300)

    def misses(terms: FloatArray) -> FloatArray:
        return beside(terms[0] + terms[1] * aside - middle, reach)

    begin, slope = _robust(aside, middle)
    start = [begin, slope] if slope > 0 else [_median(middle), scale]
    found = least_squares(
        misses, start, bounds=([-np.inf, 0.0], np.inf), loss="soft_l1", f_scale=scale / 4, x_scale="jac"
    )
    value, slope = float(found.x[0]), float(found.x[1])
    left = value + slope * aside - middle
    centre = float(aside.mean())
    lever = 1 / len(x) + centre**2 / max(float(((aside - centre) ** 2).sum()), 1e-300)
    return value, 1.96 * float(np.std(left)) * float(np.sqrt(lever))


def _median(values: FloatArray) -> float:
    half = len(values) // 2
    ordered = np.partition(values, (half - 1, half)) if len(values) > 1 else values
    return float(ordered[half]) if len(values) % 2 else float(ordered[half - 1] + ordered[half]) / 2


# ---- The mean seek over two places chosen at random, from seeks out of one place and from random pairs.
#
# SEEKER's distances are blocks counted from the longest tracks. Where tracks get shorter the arm moves
# further for the same number of blocks, so that the curve alone tells too little for random pairs. How much
# shorter they get is one number, and the pairs tell it: each waits between nothing and a turn longer than
# its seek takes.

STEPS = 2000
"""Quantiles of the places that the mean is taken over."""
SHRINKING = np.linspace(0.0, 0.95, 96)
"""Shares by which the square of a track's length may fall over the device: from none to tracks of a fifth."""
BLUR = 0.02
"""Standard deviation of what the curve and the pairs leave open, as a share of a turn."""
STRAYS, STRAY_TURNS = 0.02, 10.0
"""So many pairs something else holds up, by up to so many turns."""
USUAL = 0.8
"""As far as tracks shrink on common drives: the innermost are then 0.45 of the outermost."""


@dataclass(frozen=True, slots=True)
class Average:
    """Mean seek over random pairs of places with its time to media, in ms."""

    value: float
    """As the pairs' waits tell how tracks shrink; without pairs that of tracks that do not."""
    error: float
    """95 % of what the pairs leave open; nought without pairs."""
    level: float
    """Of tracks that do not shrink: the least that it can be."""
    usual: float
    """Of tracks that shrink as on common drives."""
    beyond: float
    """Share of the random pairs that are further apart than any distance measured."""


def along_stroke(places: FloatArray, shrinking: float) -> FloatArray:
    """Where on the stroke (0 to 1) a share of the blocks lies.

    At constant linear density a track's blocks go with its radius, and what lies outside it with the square:
    `1 - shrinking * u` is the square of a track's length at the share `u` of the blocks.
    """
    if shrinking < 1e-9:
        return places
    rest = np.sqrt(np.maximum(1 - shrinking * places, 0.0))
    return np.asarray((1 - rest) / (1 - np.sqrt(1 - shrinking)), dtype=np.float64)


def blocks_at(stroke: FloatArray, shrinking: float) -> FloatArray:
    """The share of the blocks that ends at a place of the stroke: the inverse of `along_stroke`."""
    if shrinking < 1e-9:
        return stroke
    rest = 1 - stroke * (1 - np.sqrt(1 - shrinking))
    return np.asarray((1 - rest**2) / shrinking, dtype=np.float64)


def average_of(
    groups: list[Group], pairs: Samples | None, turn_ms: float, capacity_blocks: float
) -> Average | None:
    """The mean over random pairs; None for too few groups."""
    distance, time = distinct([group for group in groups if group.covered and group.distance > 0])
    if len(distance) < FEWEST_FOR_FIT or capacity_blocks <= 0:
        return None
    share = distance / capacity_blocks

    def seeks(start: FloatArray, end: FloatArray, shrinking: float) -> FloatArray:
        apart = np.abs(along_stroke(start, shrinking) - along_stroke(end, shrinking))
        return np.asarray(np.interp(blocks_at(apart, shrinking), share, time), dtype=np.float64)

    places = places_of_pairs(STEPS)
    beyond = float((np.abs(places[0] - places[1]) > share[-1]).mean())
    usual, level = (float(seeks(*places, one).mean()) for one in (USUAL, 0.0))
    if pairs is None:
        return Average(level, 0.0, level, usual, beyond)
    start, end = (np.clip(at / capacity_blocks, 0.0, 1.0) for at in (pairs.origin, pairs.target))
    likely = np.array([_likelihood(pairs.latency_ms - seeks(start, end, one), turn_ms) for one in SHRINKING])
    weight = np.exp(likely - likely.max())
    weight /= weight.sum()
    means = np.array([float(seeks(*places, one).mean()) for one in SHRINKING])
    value = float(weight @ means)
    error = 1.96 * float(np.sqrt(weight @ (means - value) ** 2))
    return Average(value, error, level, usual, beyond)


def _likelihood(waits_ms: FloatArray, turn_ms: float) -> float:
    """Log likelihood of waits that are even over a turn, but for what is blurred and for strays."""
    blur = BLUR * turn_ms
    inside = (ndtr(waits_ms / blur) - ndtr((waits_ms - turn_ms) / blur)) / turn_ms
    return float(np.log((1 - STRAYS) * inside + STRAYS / (STRAY_TURNS * turn_ms)).sum())
