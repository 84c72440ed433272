"""Fits on the circle of one turn, and by least absolute deviations."""

from __future__ import annotations

import numpy as np

from server.benchmarks.skippy.series import FloatArray

ROUGH, SETTLED = 0.1, 0.01
"""How little a round may still change, as a share of the median deviation: where a better fit follows, and at
the end."""
MOST_ROUNDS, SHORT_ROUNDS, LONGER = 40, 3, 1.8


def wrap(value: FloatArray, turn_ms: float) -> FloatArray:
    """Map to [-turn/2, turn/2)."""
    return np.asarray(value - turn_ms * np.floor(value / turn_ms + 0.5), dtype=np.float64)


def middle(values: FloatArray) -> float:
    """The median; of an even number of values the upper one of the two in the middle."""
    return float(np.partition(values, len(values) // 2)[len(values) // 2])


def densest(values: FloatArray, turn_ms: float, width_ms: float) -> tuple[float, int]:
    """Middle of the arc of the given width that holds the most values (values on a circle), and how many."""
    ordered = np.sort(values - turn_ms * np.floor(values / turn_ms))
    twice = np.concatenate([ordered, ordered + turn_ms])
    ends = np.searchsorted(twice, ordered + width_ms, side="right")
    counts = ends - np.arange(len(ordered))
    best = int(counts.argmax())
    return float(twice[(best + ends[best] - 1) // 2] % turn_ms), int(counts[best])


def least_absolute(
    matrix: FloatArray, target: FloatArray, settled: float = SETTLED, start: FloatArray | None = None
) -> FloatArray:
    """Least absolute deviations by reweighting; the maximum-likelihood line when delays are exponential.

    A latency carries the difference of two completion delays, which is Laplace distributed. It ends where a
    round moves no fitted value by more than `settled` median deviations. Reweighting comes near from one side
    in ever smaller steps: steps are made longer once the weights are about right.
    """
    scale = np.abs(matrix).max(axis=0)
    scale[scale == 0] = 1.0
    rows = np.ascontiguousarray((matrix / scale).T)
    solution = _solved(rows @ rows.T, rows @ target) if start is None else start * scale
    typical = 0.0
    for number in range(MOST_ROUNDS):
        left = np.abs(target - solution @ rows)
        if number < SHORT_ROUNDS:
            typical = max(middle(left), 1e-9)
        weighted = rows / np.maximum(left, typical * 1e-3)
        change = _solved(weighted @ rows.T, weighted @ target) - solution
        solution = solution + (change if number < SHORT_ROUNDS else LONGER * change)
        if float(np.abs(change).sum()) < settled * typical:
            break
    return np.asarray(solution / scale, dtype=np.float64)


def _solved(square: FloatArray, side: FloatArray) -> FloatArray:
    """The solution of the normal equations, the shortest one where there are many."""
    try:
        return np.asarray(np.linalg.solve(square, side))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(square, side, rcond=None)[0])
