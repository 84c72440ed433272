"""The seek curve: a root for short seeks, a line for long ones, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from server.benchmarks.seeker.groups import FloatArray, Group
from server.benchmarks.seeks import beside

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
        slope = float(weighed @ y) / float(weighed @ aside)
        level = float(weight @ y) / total
        begin = level - slope * (float(x[0]) - float(aside[0]))
        left = np.abs(y - level - slope * aside)
        limit = 1.5 * 1.4826 * _median(left) + 1e-9
        weight = np.minimum(1.0, limit / np.maximum(left, 1e-12))
    return begin, slope


def line_at(x: FloatArray, low: FloatArray, high: FloatArray, place: float) -> tuple[float, float]:
    """What the line that runs between `low` and `high` at each `x` is worth at `place`, and its 95 % error.

    Each pair holds its time for certain but for noise, so that many of them leave a line less room than
    their middles would. The line does not fall.
    """
    middle, reach = (low + high) / 2, (high - low) / 2
    scale = max(float(np.median(reach)), 1e-9)
    aside = (x - place) / max(float(np.ptp(x)), 1e-300)

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
