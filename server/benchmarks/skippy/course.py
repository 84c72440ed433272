"""The cheapest course through states that cost differently from place to place; each move has a price."""

from __future__ import annotations

import numpy as np

from server.benchmarks.skippy.series import FloatArray, IntArray

BLOCK = 8
"""Places taken together at first; moves are so expensive that two are further apart."""


def cheapest_course(costs: FloatArray, price: float) -> list[tuple[int, int]]:
    """Where the course enters which state, from place 0 on; `costs` holds a row for each state."""
    sums = costs.sum(axis=1)
    best = int(sums.argmin())
    if float(sums[best]) <= float(costs.min(axis=0).sum()) + price:
        # Even a course that costs the least at every place would not pay for one move.
        return [(0, best)]
    sums = np.add.reduceat(costs, np.arange(0, costs.shape[1], BLOCK), axis=1).T
    path = _by_blocks(sums, price)
    moves = np.flatnonzero(np.diff(path)) + 1
    return [(0, int(path[0])), *((_exactly(costs, path, int(at)), int(path[at])) for at in moves)]


def _by_blocks(sums: FloatArray, price: float) -> IntArray:
    moved = np.zeros(sums.shape, dtype=np.bool_)
    cheapest: list[int] = []
    total = np.zeros(sums.shape[1])
    for cost, moves in zip(sums, moved, strict=True):
        best = int(total.argmin())
        limit = total[best] + price
        np.greater(total, limit, out=moves)
        np.minimum(total, limit, out=total)
        total += cost
        cheapest.append(best)
    path = np.zeros(len(sums), dtype=np.int64)
    state = int(total.argmin())
    for row in range(len(sums) - 1, -1, -1):
        path[row] = state
        state = cheapest[row] if moved[row, state] else state
    return path


def _exactly(costs: FloatArray, path: IntArray, at: int) -> int:
    """The place next to the beginning of a block at which a move costs the least."""
    begin, end = (at - 1) * BLOCK, min((at + 1) * BLOCK, costs.shape[1])
    more = costs[path[at - 1], begin:end] - costs[path[at], begin:end]
    return begin + int(np.concatenate([[0.0], np.cumsum(more)]).argmin())
