"""The law behind the sizes: t = t0 + size / rate (OLP, write tests)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from server.benchmarks.sync_write.sizes import MAD_TO_SIGMA, Size

RELATIVE_ERROR = 0.005
"""What a size may be off the line by itself: track boundaries fall differently at each size."""
HUBER = 1.345
ROUNDS = 25
FEWEST_SIZES = 4
LEVEL = 0.95
BELOW_CORNER = 0.45
"""Shorter than this share of a track, a write crosses to the next one less often than not."""
LEAST_LEVER = 0.1
"""The data of the longest of the short writes must take this share of a turn for the slope to be told."""


@dataclass(frozen=True, slots=True)
class Line:
    """latency = intercept + size * slope, with standard errors and the misfit as a share of the latency."""

    intercept_ms: float
    slope_ms_per_byte: float
    intercept_error: float
    slope_error: float
    factor: float
    """Standard errors to half of an interval: Student's quantile."""
    misfit: float
    count: int

    @property
    def mb_per_s(self) -> float:
        return 1 / self.slope_ms_per_byte / 1e3


def law_of(sizes: Sequence[Size]) -> Line | None:
    """The line through the sizes' means; None where there are too few or they do not grow with the size."""
    errors = [float(np.hypot(one.error_ms, RELATIVE_ERROR * one.mean_ms)) for one in sizes]
    return _line([one.bytes for one in sizes], [one.mean_ms for one in sizes], errors)


def on_track(sizes: Sequence[Size], law: Line, turn_ms: float) -> Line | None:
    """The line through the medians of writes that stay on their track; None where it can't be told.

    A write of a share p of a track crosses to the next one with chance p, and is then the slower for it: the
    median of the others is the quantile (1 - p) / 2 of all.
    """
    corner = turn_ms / law.slope_ms_per_byte
    short = [one for one in sizes if one.bytes <= BELOW_CORNER * corner]
    stayed = [float(np.quantile(one.latency_ms, (1 - one.bytes / corner) / 2)) for one in short]
    errors = [one.median_error_ms + 1e-4 * one.median_ms for one in short]
    line = _line([one.bytes for one in short], stayed, errors)
    if line is None or line.slope_ms_per_byte * short[-1].bytes < LEAST_LEVER * turn_ms:
        return None
    return line


def _line(sizes: Sequence[int], latency_ms: Sequence[float], errors: Sequence[float]) -> Line | None:
    """Least squares weighted by the errors, with Huber's weights against single sizes that are off."""
    if len(sizes) < FEWEST_SIZES:
        return None
    unit = float(max(sizes))
    design = np.column_stack([np.ones(len(sizes)), np.array(sizes, dtype=np.float64) / unit])
    latency, sigma = np.array(latency_ms), np.maximum(np.array(errors), 1e-9)
    weights = np.ones(len(sizes))
    solution, scale = np.zeros(2), 1.0
    for _ in range(ROUNDS):
        solution = _solve(design, latency, weights / sigma**2)
        residual = (latency - design @ solution) / sigma
        scale = max(1.0, MAD_TO_SIGMA * float(np.median(np.abs(residual))))
        weights = np.minimum(1.0, HUBER * scale / np.maximum(np.abs(residual), 1e-12))
    if solution[1] <= 0:
        return None
    covariance = np.linalg.pinv((design * (weights / sigma**2)[:, None]).T @ design) * scale**2
    misfit = float(np.sqrt(np.mean(((latency - design @ solution) / latency) ** 2)))
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0))
    return Line(
        float(solution[0]),
        float(solution[1]) / unit,
        float(deviations[0]),
        float(deviations[1]) / unit,
        float(stats.t.ppf((1 + LEVEL) / 2, len(sizes) - 2)),
        misfit,
        len(sizes),
    )


def _solve(
    design: NDArray[np.float64], latency: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    root = np.sqrt(weights)
    found, *_ = np.linalg.lstsq(design * root[:, None], latency * root, rcond=None)
    return np.asarray(found, dtype=np.float64)
