"""Where tracks end: the length of a track in addresses, found from the positions of the spikes.

A step whose access lies beside the line crossed a boundary, one on the line did not. The blocks are known
exactly, so the boundaries must lie inside the first kind of interval and outside the second: only one whole
number of blocks per track agrees with hundreds of intervals at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from server.benchmarks.skippy.series import BoolArray, FloatArray, IntArray

CANDIDATES_FROM, CANDIDATES_TO = 0.82, 1.06


@dataclass(frozen=True, slots=True)
class Period:
    """A distance at which boundaries come again, and how well the steps agree with it."""

    length: int
    phase: int
    """First block behind a boundary, modulo `length`."""
    agreement: float
    """Share of the steps that agree, 0 to 1."""
    margin: float
    """By how many steps the next best length agrees less."""
    low: int
    high: int
    """The lengths that the steps cannot tell from the best one."""
    steps: int


def best_period(low: IntArray, high: IntArray, hit: BoolArray, lengths: IntArray) -> Period | None:
    """Vote for the boundary period. Intervals are (low, high]; `hit` says whether one lies inside."""
    if len(low) == 0 or len(lengths) == 0:
        return None
    votes = [_votes(low, high, hit, int(length)) for length in lengths]
    scores = np.array([score for score, _ in votes])
    best = int(scores.argmax())
    close = lengths[scores >= scores[best] - 1.5]
    others = np.delete(scores, best)
    return Period(
        length=int(lengths[best]),
        phase=votes[best][1],
        agreement=float(scores[best]) / len(low),
        margin=float(scores[best] - others.max()) if len(others) else 0.0,
        low=int(close.min()),
        high=int(close.max()),
        steps=len(low),
    )


def _votes(low: IntArray, high: IntArray, hit: BoolArray, length: int) -> tuple[float, int]:
    """Most agreeing steps over all phases, and the middle of the phases that reach it."""
    span = np.minimum(high - low, length)
    sign = np.where(hit, 1.0, -1.0)
    first = (low + 1) % length
    last = first + span
    edges = np.zeros(2 * length + 1)
    np.add.at(edges, first, sign)
    np.add.at(edges, last, -sign)
    covered = np.cumsum(edges)[: 2 * length]
    score = covered[:length] + covered[length:] + float((~hit).sum())
    top = np.flatnonzero(score >= score.max() - 1e-9)
    return float(score.max()), _middle(top, length)


def _middle(places: IntArray, length: int) -> int:
    """Middle of the longest run of places on a circle."""
    if len(places) == length:
        return int(places[0])
    breaks = np.flatnonzero(np.diff(np.concatenate([places, [places[0] + length]])) > 1)
    start = int(places[(breaks[0] + 1) % len(places)])
    turned = np.sort((places - start) % length)
    runs = np.split(turned, np.flatnonzero(np.diff(turned) > 1) + 1)
    longest = max(runs, key=len)
    return int((start + longest[len(longest) // 2]) % length)


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Track and cylinder boundaries as address arithmetic."""

    track_blocks: int
    heads: int
    """Tracks between two cylinder boundaries; 1 where only one sort of boundary is told apart."""
    cylinder_blocks: int
    """`heads * track_blocks`, less the blocks that each cylinder keeps as spares."""
    start: int
    """First block of some cylinder."""

    def tracks_before(self, block: IntArray) -> IntArray:
        cylinder = np.floor_divide(block - self.start, self.cylinder_blocks)
        inside = block - self.start - cylinder * self.cylinder_blocks
        track = np.minimum(inside // self.track_blocks, self.heads - 1)
        return np.asarray(cylinder * self.heads + track, dtype=np.int64)

    def crossed(self, before: IntArray, after: IntArray) -> tuple[IntArray, IntArray]:
        """Head boundaries and cylinder boundaries between two blocks, negative on the way down."""
        tracks = self.tracks_before(after) - self.tracks_before(before)
        cylinders = np.floor_divide(after - self.start, self.cylinder_blocks) - np.floor_divide(
            before - self.start, self.cylinder_blocks
        )
        return tracks - cylinders, np.asarray(cylinders, dtype=np.int64)


def circular_peaks(
    values: FloatArray, turn_ms: float, width_ms: float, limit: int = 5
) -> list[tuple[float, int]]:
    """The densest places of values on a circle, each with its count, most first; at least two values each."""
    left = np.sort(np.asarray(values % turn_ms))
    found: list[tuple[float, int]] = []
    while len(left) >= 2 and len(found) < limit:
        twice = np.concatenate([left, left + turn_ms])
        ends = np.searchsorted(twice, left + width_ms, side="right")
        counts = ends - np.arange(len(left))
        best = int(counts.argmax())
        if counts[best] < 2:
            break
        centre = float(np.median(twice[best : ends[best]]) % turn_ms)
        near = np.abs((left - centre + turn_ms / 2) % turn_ms - turn_ms / 2) <= width_ms
        found.append((centre, int(near.sum())))
        left = left[~near]
    return found


SHIFT_PENALTY = 4.0


@dataclass(frozen=True, slots=True)
class Path:
    """Crossings of each step along the most likely course of the boundaries."""

    heads: IntArray
    cylinders: IntArray
    cost: float
    """Mean misfit, 0 to 1, shifts included."""
    shifts: tuple[tuple[int, int], ...]
    """(block, change of the boundaries' place in blocks): spare areas and slipped sectors on the way."""


def follow_boundaries(
    before: IntArray,
    after: IntArray,
    rest_ms: FloatArray,
    where: Boundaries,
    gaps_ms: tuple[float, float],
    turn_ms: float,
    cap_ms: float,
) -> Path:
    """Follow the boundaries through the addresses, allowing that spare areas move them.

    A Viterbi search: the state is the place of the cylinder boundaries, a change of state costs as much as
    `SHIFT_PENALTY` misfits. The misfit of a step is its distance from the gaps it should show, capped.
    """
    order = np.argsort(np.minimum(before, after), kind="stable")
    period = where.cylinder_blocks
    places = np.arange(period, dtype=np.int64)
    came_from = np.full((len(order), period), -1, dtype=np.int32)
    total = np.zeros(period)
    for row, index in enumerate(order):
        heads, cylinders = _crossings(before[index], after[index], places, where)
        left = rest_ms[index] - heads * gaps_ms[0] - cylinders * gaps_ms[1]
        left = np.abs((left + turn_ms / 2) % turn_ms - turn_ms / 2)
        if row:
            best = int(total.argmin())
            jump = total > total[best] + SHIFT_PENALTY
            came_from[row, jump] = best
            total = np.where(jump, total[best] + SHIFT_PENALTY, total)
        total = total + np.minimum(left, cap_ms) / cap_ms
    return _walk_back(before, after, order, came_from, total, where)


def _crossings(before: int, after: int, places: IntArray, where: Boundaries) -> tuple[IntArray, IntArray]:
    tracks = np.floor_divide(after - places, where.track_blocks) - np.floor_divide(
        before - places, where.track_blocks
    )
    cylinders = np.floor_divide(after - places, where.cylinder_blocks) - np.floor_divide(
        before - places, where.cylinder_blocks
    )
    return tracks - cylinders, cylinders


def _walk_back(
    before: IntArray,
    after: IntArray,
    order: IntArray,
    came_from: NDArray[np.int32],
    total: FloatArray,
    where: Boundaries,
) -> Path:
    heads = np.zeros(len(order), dtype=np.int64)
    cylinders = np.zeros(len(order), dtype=np.int64)
    places = np.flatnonzero(total <= total.min() + 1e-9)
    place = int(places[len(places) // 2])
    shifts: list[tuple[int, int]] = []
    for row in range(len(order) - 1, -1, -1):
        index = order[row]
        head, cylinder = _crossings(before[index], after[index], np.asarray([place]), where)
        heads[index], cylinders[index] = head[0], cylinder[0]
        source = int(came_from[row, place])
        if source >= 0:
            change = (
                place - source + where.cylinder_blocks // 2
            ) % where.cylinder_blocks - where.cylinder_blocks // 2
            shifts.append((int(min(before[index], after[index])), change))
            place = source
    cost = float(total.min()) / max(len(order), 1)
    return Path(heads, cylinders, cost, tuple(reversed(shifts)))
