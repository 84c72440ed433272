"""The samples as cells of a surface, and the law behind them: t = stretches t0 + size / rate(position)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.core.robust import median

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

ROUNDS = 12
HUBER = 2.5
"""Residuals beyond so many deviations count less: single transfers meet retries and other load."""
LONG = 50.0
"""A long transfer takes so many times what the time of a short one scatters by."""
HIT = 0.4
"""A transfer that took less than this part of what the law says was not fetched from the medium."""


@dataclass(frozen=True, slots=True)
class Samples:
    """One direction's transfers."""

    position: IntArray
    size_bytes: FloatArray
    stretches: FloatArray
    elapsed_ns: FloatArray

    def __len__(self) -> int:
        return len(self.position)

    @property
    def mb_per_s(self) -> FloatArray:
        return np.asarray(self.size_bytes / self.elapsed_ns * 1e3)


@dataclass(frozen=True, slots=True)
class Law:
    """Of one direction. `rate` and its errors by position number; positions without samples are missing."""

    fixed_ns: float
    fixed_error_ns: float
    """Standard error."""
    rate: Mapping[int, float]
    """MB/s."""
    rate_error: Mapping[int, float]
    scatter_ns: float
    """Standard deviation of one transfer's time around the law, of what does not grow with its size."""
    spread: float
    """Relative deviation of long transfers: places beside each other differ by it."""
    misfit: float
    """Median of |ln(time / law)|."""
    hits: int
    """Transfers far faster than the law."""

    def time_ns(self, position: int, size_bytes: float, stretches: float = 1.0) -> float:
        return stretches * self.fixed_ns + size_bytes / self.rate[position] * 1e3


def samples_of(entry: Mapping[str, Any], variant: str) -> Samples | None:
    """All of a direction's transfers, or None where there is none that took any time."""
    params = entry["params"]
    rows: list[tuple[int, int, int]] = []
    for series in entry["samples"]["series"]:
        if series["variant"] == variant:
            columns = zip(series["length_blocks"], series["elapsed_ns"], strict=False)
            rows += [(series["position"], length, elapsed) for length, elapsed in columns if elapsed > 0]
    if not rows:
        return None
    table = np.asarray(rows, dtype=np.float64)
    size = table[:, 1] * params["block_bytes"]
    stretches = np.ceil(size / params["stretch_bytes"]) if variant == "write" else np.ones(len(size))
    return Samples(table[:, 0].astype(np.int64), size, stretches, table[:, 2])


def law_of(samples: Samples) -> Law | None:
    """Fit by least squares on times, weighted by what scatters: rotation for short transfers, the medium for
    long ones. None where the sizes do not tell the fixed time from the rate."""
    positions = np.unique(samples.position)
    columns = np.searchsorted(positions, samples.position)
    design = np.zeros((len(samples), 1 + len(positions)))
    design[:, 0] = samples.stretches
    design[np.arange(len(samples)), 1 + columns] = samples.size_bytes
    ranges = [np.ptp(samples.size_bytes[columns == k]) for k in range(len(positions))]
    if len(samples) < len(positions) + 3 or min(ranges) <= 0:
        return None
    time = samples.elapsed_ns
    scatter = np.full(len(time), 1e6) + 0.01 * time
    solved = np.zeros(design.shape[1])
    for _ in range(ROUNDS):
        solved, rest = _weighted(design, time, scatter)
        spread = _scatter(samples, time, rest)
        distance = np.abs(rest) / spread
        # Farther out counts less (Huber 1964): a wider scatter is a smaller weight.
        scatter = spread * np.sqrt(np.maximum(distance / HUBER, 1.0))
    if (solved[1:] <= 0).any():
        return None
    covariance = np.linalg.pinv((design / scatter[:, None]).T @ (design / scatter[:, None]))
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    fitted = np.maximum(design @ solved, 1.0)
    return Law(
        fixed_ns=float(solved[0]),
        fixed_error_ns=float(errors[0]),
        rate={int(p): float(1e3 / solved[1 + k]) for k, p in enumerate(positions)},
        rate_error={
            int(p): float(1e3 / solved[1 + k] * errors[1 + k] / solved[1 + k])
            for k, p in enumerate(positions)
        },
        scatter_ns=float(_scatter(samples, time, time - design @ solved).min()),
        spread=_spread(time, fitted, float(_scatter(samples, time, time - design @ solved).min())),
        misfit=median(np.abs(np.log(time / fitted))),
        hits=int((time < HIT * fitted).sum()),
    )


def _weighted(design: FloatArray, time: FloatArray, scatter: FloatArray) -> tuple[FloatArray, FloatArray]:
    # Times per byte are far smaller than times: columns of one size keep the solution exact.
    scale = np.maximum(np.abs(design).max(axis=0), 1e-12)
    solved, *_ = np.linalg.lstsq(design / scale / scatter[:, None], time / scatter, rcond=None)
    solved = np.asarray(solved / scale)
    return solved, np.asarray(time - design @ solved)


def _scatter(samples: Samples, time: FloatArray, rest: FloatArray) -> FloatArray:
    """Of each transfer: a constant part, from the shorter half, and a part that grows with the time."""
    shorter = samples.size_bytes <= median(samples.size_bytes)
    constant = _deviation(rest[shorter])
    longer = rest[~shorter] / time[~shorter] if (~shorter).any() else rest / time
    share = min(max(_deviation(longer), 1e-4), 0.2)
    return np.asarray(np.sqrt((max(constant, 1e3) ** 2) * samples.stretches + (share * time / 2) ** 2))


def _spread(time: FloatArray, fitted: FloatArray, scatter: float) -> float:
    """Of transfers so long that the scatter of short ones is lost in them; 0 where there are too few."""
    long = fitted > LONG * scatter
    return _deviation((time / fitted - 1)[long]) if int(long.sum()) > 3 else 0.0


def _deviation(rest: FloatArray) -> float:
    """Between a robust deviation, which a uniform wait overstates, and the plain one, which outliers do."""
    robust = 1.4826 * median(np.abs(rest))
    return min(robust, float(np.sqrt(np.mean(rest**2)))) if len(rest) else 0.0
