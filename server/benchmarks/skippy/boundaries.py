"""Tracks and cylinders as address arithmetic, and what each step shows of the boundaries it crossed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from server.benchmarks.skippy.rarer import Rarer
from server.benchmarks.skippy.rhythm import Beat
from server.benchmarks.skippy.series import BoolArray, FloatArray
from server.benchmarks.skippy.steps import Steps


@dataclass(frozen=True, slots=True)
class Position:
    """Tracks and cylinders counted from a first one, and the blocks from the beginning of the track."""

    track: FloatArray
    cylinder: FloatArray
    inside: FloatArray
    first: FloatArray
    """1 where the track is its cylinder's first, 0 elsewhere."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Tracks and cylinders as address arithmetic; lengths are whole where tracks are."""

    track: float
    heads: int
    """Tracks between two cylinder boundaries; 1 where only one sort of boundary is told apart."""
    cylinder: float
    """`heads * track`, less the blocks that each cylinder keeps as spares in its last track."""

    @property
    def last(self) -> float:
        """Blocks of a cylinder's last track."""
        return self.cylinder - (self.heads - 1) * self.track

    def crossed(self, low: FloatArray, high: FloatArray, start: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Tracks and cylinders between two blocks; `start` is the first block of some cylinder."""
        below, above = self.position(low - start), self.position(high - start)
        return above.track - below.track, above.cylinder - below.cylinder

    def position(self, blocks: FloatArray) -> Position:
        """Where blocks lie, counted from the first one of a cylinder."""
        return positions(blocks, self.track, self.heads, self.cylinder)


def positions(
    blocks: FloatArray, track: float | FloatArray, heads: int, cylinder: float | FloatArray
) -> Position:
    """The same for lengths of tracks and cylinders that go with the blocks as arrays do."""
    number = np.floor(blocks / cylinder)
    inside = blocks - number * cylinder
    if heads == 1:
        return Position(number, number, inside, np.ones_like(inside))
    within = np.minimum(np.floor(inside / track), heads - 1)
    return Position(number * heads + within, number, inside - within * track, (within == 0) * 1.0)


@dataclass(frozen=True, slots=True)
class Places:
    """A shape with the place of each series' cylinders, and how many steps agree with it."""

    shape: Shape
    start: FloatArray
    score: float


@dataclass(frozen=True, slots=True)
class Labelled:
    """Steps that show how many boundaries of which sort they crossed."""

    steps: Steps
    tracks: FloatArray
    cylinders: FloatArray
    reachable: float
    """Share of all steps that lie near some sum of the gaps: no boundaries explain more."""


def label(steps: Steps, beat: Beat, rarer: Rarer | None, common_ms: float) -> Labelled:
    """What each step crossed, read from its gaps alone; steps that might show two things are left out."""
    tolerance = steps.tolerance_ms
    heads = rarer.tracks if rarer is not None else 1
    head_ms, more = (rarer.common_ms, rarer.rare_ms - rarer.common_ms) if rarer else (common_ms, 0.0)
    tracks = np.floor(steps.distance / beat.length)
    cylinders = np.floor(steps.distance / (beat.length * heads))
    best = np.full(len(tracks), np.inf)
    second = best.copy()
    found = np.zeros((2, len(tracks)))
    for extra in (0, 1):
        for rare in (0, 1) if rarer is not None else (0,):
            rows = np.stack([tracks + extra, cylinders + rare])
            apart = steps.beside(rows[0] * head_ms + rows[1] * more)
            apart[rows[1] > rows[0]] = np.inf
            better = apart < best
            second = np.where(better, best, np.minimum(second, apart))
            found = np.where(better, rows, found)
            best = np.where(better, apart, best)
    sure = (best <= tolerance) & (second > np.maximum(tolerance, 2 * best))
    if rarer is None:
        found[1] = found[0]
    reachable = float((best <= 2 * tolerance).mean()) if len(best) else 0.0
    return Labelled(steps.only(sure), found[0][sure], found[1][sure], reachable)


def agree(labelled: Labelled, shape: Shape, start: FloatArray) -> BoolArray:
    """Which steps crossed what the shape says."""
    steps = labelled.steps
    tracks, cylinders = shape.crossed(steps.low, steps.high, start[steps.series])
    return np.asarray((tracks == labelled.tracks) & (cylinders == labelled.cylinders))
