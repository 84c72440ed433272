"""The cheapest course through states that cost differently from place to place; each move has a price."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from server.benchmarks.skippy.series import BoolArray, FloatArray, IntArray

BLOCK = 8
"""Places taken together at first; moves are so expensive that two are further apart."""


def cheapest_courses(costs: Sequence[FloatArray], price: float) -> list[list[tuple[int, int]]]:
    """Where the course of each series enters which state, from place 0 on.

    `costs` holds the costs of each series, in it a row for each state and a column for each place.
    """
    courses: list[list[tuple[int, int]]] = []
    moving: list[int] = []
    for number, cost in enumerate(costs):
        sums = cost.sum(axis=1)
        best = int(sums.argmin())
        courses.append([(0, best)])
        # Even a course that costs the least at every place might not pay for one move.
        if float(sums[best]) > float(cost.min(axis=0).sum()) + price:
            moving.append(number)
    for number, path in zip(moving, _by_blocks([costs[number] for number in moving], price), strict=True):
        moves = np.flatnonzero(np.diff(path)) + 1
        entered = _exactly(costs[number], path, moves)
        courses[number] = [(0, int(path[0])), *zip(entered.tolist(), path[moves].tolist(), strict=True)]
    return courses


def _by_blocks(costs: list[FloatArray], price: float) -> list[IntArray]:
    """The states of each series' blocks of places (Viterbi); all series go on together."""
    if not costs:
        return []
    rows = [-(-cost.shape[1] // BLOCK) for cost in costs]
    most = max(len(cost) for cost in costs)
    # A state that a series does not have costs too much; behind its end nothing costs anything.
    sums = np.zeros((max(rows), len(costs), most))
    for number, cost in enumerate(costs):
        sums[: rows[number], number, len(cost) :] = np.inf
        blocks = np.add.reduceat(cost, np.arange(0, cost.shape[1], BLOCK), axis=1)
        sums[: rows[number], number, : len(cost)] = blocks.T
    totals = np.zeros((len(sums) + 1, *sums.shape[1:]))
    limit = np.empty((len(costs), 1))
    for cost, before, after in zip(sums, totals, totals[1:], strict=False):
        np.minimum.reduce(before, axis=1, keepdims=True, out=limit)
        limit += price
        np.minimum(before, limit, out=after)
        after += cost
    cheapest = totals.argmin(axis=2)
    moved = totals > totals.min(axis=2, keepdims=True) + price
    return [_back(cheapest[: rows[n] + 1, n], moved[: rows[n], n]) for n in range(len(costs))]


def _back(cheapest: IntArray, moved: BoolArray) -> IntArray:
    """The states from the last block back; a state that was moved to was reached from the cheapest one."""
    path = np.zeros(len(moved), dtype=np.int64)
    state = int(cheapest[-1])
    for row in range(len(moved) - 1, -1, -1):
        path[row] = state
        state = int(cheapest[row]) if moved[row, state] else state
    return path


def _exactly(costs: FloatArray, path: IntArray, moves: IntArray) -> IntArray:
    """The places next to the beginnings of blocks at which moves cost the least."""
    begin = (moves - 1)[:, None] * BLOCK
    at = begin + np.arange(2 * BLOCK)
    beyond = at >= costs.shape[1]
    at[beyond] = 0
    before, behind = path[moves - 1][:, None], path[moves][:, None]
    more = np.where(beyond, np.inf, costs[before, at] - costs[behind, at])
    sums = np.cumsum(more, axis=1)
    aside = np.where(sums.min(axis=1) < 0, sums.argmin(axis=1) + 1, 0)
    return np.asarray(begin[:, 0] + aside, dtype=np.int64)
