"""Where tracks end: the length of a track and of a cylinder in addresses, from the positions of the spikes.

A step whose access lies beside the line crossed a boundary, one on the line did not. The blocks are known
exactly, so the boundaries must lie inside the first kind of interval and outside the second: only one whole
number of blocks per track agrees with hundreds of intervals at once. The cylinder has a length of its own,
since spares may shorten its last track.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from server.benchmarks.skippy.rhythm import Beat, Rarer
from server.benchmarks.skippy.series import BoolArray, FloatArray
from server.benchmarks.skippy.steps import Steps

BEYOND_SLOPE = 1e-3
"""By how much a track may hold more addresses than the slope says it has sectors, however clean the steps."""
ENOUGH = 0.996
"""Share of the steps that agree with a length from which on no other is looked for."""
CLOSE = 1.5
MOST_STEPS = 1500
PLACES = 9
MOST_NEIGHBOURS = 8


@dataclass(frozen=True, slots=True)
class Shape:
    """Tracks and cylinders as address arithmetic; lengths are whole where tracks are."""

    track: float
    heads: int
    """Tracks between two cylinder boundaries; 1 where only one sort of boundary is told apart."""
    cylinder: float
    """`heads * track`, less the blocks that each cylinder keeps as spares in its last track."""

    def crossed(self, low: FloatArray, high: FloatArray, start: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Tracks and cylinders between two blocks; `start` is the first block of some cylinder."""
        below, above = self._tracks(low - start), self._tracks(high - start)
        return above[0] - below[0], above[1] - below[1]

    def _tracks(self, inside: FloatArray) -> tuple[FloatArray, FloatArray]:
        cylinder = np.floor(inside / self.cylinder)
        if self.heads == 1:
            return cylinder, cylinder
        track = np.minimum(np.floor((inside - cylinder * self.cylinder) / self.track), self.heads - 1)
        return cylinder * self.heads + track, cylinder


@dataclass(frozen=True, slots=True)
class Period:
    """The length of a track, and how well the steps agree with it."""

    length: float
    agreement: float
    """Share of the steps that agree, 0 to 1."""
    margin: float
    """By how many steps the next best length agrees less."""
    low: float
    high: float
    """The lengths that the steps cannot tell from the best one."""
    steps: int
    even: bool = True
    """Whether the tracks hold one whole number of blocks; `length` is their mean otherwise."""


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
    short: BoolArray
    """Steps of less than a track: those that a period is judged by."""


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
    short = steps.distance <= beat.length
    return Labelled(steps.only(sure), found[0][sure], found[1][sure], short[sure])


def most_blocks(steps: Steps, physical: float) -> float:
    """A track's addresses can't be more than the sectors that pass in a turn, as well as these are known."""
    near = steps.distance[steps.distance <= physical]
    weight = float(np.sqrt(((near - near.mean()) ** 2).sum())) if len(near) else 0.0
    error = 2 * steps.noise_ms / max(weight * steps.block_ms, 1e-9)
    return physical * (1 + BEYOND_SLOPE + min(4 * error, 0.02)) + 0.3


def thinned(labelled: Labelled) -> Labelled:
    """Evenly fewer steps: enough to find the place of a maximum."""
    stride = -(-len(labelled.tracks) // MOST_STEPS)
    mask = np.zeros(len(labelled.tracks), dtype=np.bool_)
    mask[::stride] = True
    return Labelled(
        labelled.steps.only(mask), labelled.tracks[mask], labelled.cylinders[mask], labelled.short[mask]
    )


def place(labelled: Labelled, shape: Shape, near: FloatArray, reach: float) -> Places:
    """The best place of each series' cylinders within `reach` blocks of `near`."""
    steps, start = labelled.steps, near.astype(np.float64)
    count = len(start)
    scores = np.zeros((PLACES, count))
    while True:
        shifts = reach * np.linspace(-1, 1, PLACES)
        for row, shift in enumerate(shifts):
            scores[row] = np.bincount(
                steps.series, agree(labelled, shape, start + shift).astype(np.float64), count
            )
        top = scores >= scores.max(axis=0) - 1e-9
        # The middle of the best places: an edge of them would leave the finer search one side only.
        start = start + (top * shifts[:, None]).sum(axis=0) / top.sum(axis=0)
        if reach <= 0.5:
            break
        reach = max(2 * reach / (PLACES - 1), 0.5)
    best = np.bincount(steps.series, agree(labelled, shape, start).astype(np.float64), count)
    return Places(shape, start, float(best.sum()))


def agree(labelled: Labelled, shape: Shape, start: FloatArray) -> BoolArray:
    """Which steps crossed what the shape says."""
    steps = labelled.steps
    tracks, cylinders = shape.crossed(steps.low, steps.high, start[steps.series])
    return np.asarray((tracks == labelled.tracks) & (cylinders == labelled.cylinders))


def fit_shape(labelled: Labelled, beat: Beat, rarer: Rarer | None, physical: float) -> tuple[Places, Period]:
    """The whole numbers of blocks that the most steps agree with; the mean where no whole number does."""
    heads = rarer.tracks if rarer is not None else 1
    shift = rarer.phase if rarer is not None else np.zeros(len(beat.start), dtype=np.int64)
    start = beat.start + shift * beat.length
    few = thinned(labelled)
    total = float(len(few.tracks))
    mean = place(few, Shape(beat.length, heads, heads * beat.length), start, beat.length / 2)
    whole = round(beat.length)
    best = place(few, Shape(whole, heads, heads * whole), mean.start, beat.length / 2)
    if best.score < ENOUGH * total:
        mean = _finer(few, mean, beat)
        for better in _climb(few, best, mean, beat, heads, physical):
            best = better
    plain = round(best.shape.cylinder / heads)
    if best.shape.cylinder == heads * plain and best.shape.track != plain:
        # Spares at the end of each cylinder have to explain something.
        without = place(few, Shape(plain, heads, heads * plain), best.start, beat.length / 8)
        best = without if without.score >= best.score - CLOSE else best
    period = judge(few, best, mean, physical)
    found = best if period.even else mean
    return replace(found, score=period.agreement * len(labelled.tracks)), period


def _climb(
    few: Labelled, best: Places, mean: Places, beat: Beat, heads: int, physical: float
) -> Iterator[Places]:
    """Better and better shapes: the track on a widening grid, the cylinder with it, then one by one."""
    longest = int(most_blocks(few.steps, physical))
    shortest = int(np.floor(beat.length))
    slack = max(heads * beat.length * 0.15 / beat.tracks, 1.0)
    reach = beat.length / 4
    cylinder = heads * beat.length
    for track in _spaced(shortest, min(longest, int(cylinder / max(heads - 1, 1))), 12):
        found = place(few, Shape(track, heads, round(cylinder) if heads > 1 else track), mean.start, reach)
        if found.score > best.score:
            best = found
            yield best
    step = max(int(slack / 2), 1)
    while step >= 1:
        improved = True
        while improved:
            improved = False
            for shape in _around(best.shape, step):
                if not shortest <= shape.track <= longest or shape.cylinder > heads * shape.track:
                    continue
                found = place(few, shape, best.start, max(2.0 * step, beat.length / 16))
                if found.score > best.score + 1e-9:
                    best, improved = found, True
                    yield best
        step //= 2


def _finer(few: Labelled, mean: Places, beat: Beat) -> Places:
    """The mean track to the fraction of a block, for tracks of no whole number of blocks."""
    step = 0.2 * beat.length / beat.tracks
    for _ in range(4):
        for by in (-step, -step / 2, step / 2, step):
            length = mean.shape.track + by
            shape = Shape(length, mean.shape.heads, mean.shape.heads * length)
            found = place(few, shape, mean.start, beat.length / 8)
            if found.score > mean.score:
                mean = found
        step /= 3
    return mean


def _spaced(low: int, high: int, number: int) -> list[int]:
    return sorted({round(value) for value in np.linspace(low, max(high, low), number)})


def _around(shape: Shape, step: int) -> list[Shape]:
    if shape.heads == 1:
        return [Shape(shape.track + by, 1, shape.cylinder + by) for by in (-step, step)]
    pairs = [
        (0, step),
        (0, -step),
        (step, 0),
        (-step, 0),
        (step, step * shape.heads),
        (-step, -step * shape.heads),
    ]
    return [replace(shape, track=shape.track + a, cylinder=shape.cylinder + b) for a, b in pairs]


def _neighbour(few: Labelled, best: Places, by: int) -> float:
    """Most steps that agree with a track longer by so many blocks, with the same or the longer cylinder."""
    shape, track = best.shape, best.shape.track + by
    lengths = {shape.cylinder + by * shape.heads}
    if shape.heads > 1 and shape.cylinder <= shape.heads * track:
        lengths.add(shape.cylinder)
    reach = 4.0 + abs(by) * shape.heads
    return max(
        place(few, replace(shape, track=track, cylinder=length), best.start, reach).score
        for length in lengths
    )


def judge(few: Labelled, best: Places, mean: Places | None, physical: float) -> Period:
    """How far the best track stands out among its neighbours, and whether a mean of uneven ones fits more."""
    total, shape = len(few.tracks), best.shape
    longest = most_blocks(few.steps, physical)
    others: dict[float, float] = {}
    for way in (-1, 1):
        for by in range(way, way * (MOST_NEIGHBOURS + 1), way):
            track = shape.track + by
            if track > longest:
                break
            others[track] = _neighbour(few, best, by)
            if abs(by) > 1 and others[track] < best.score - CLOSE:
                break
    close = [shape.track, *(track for track, score in others.items() if score >= best.score - CLOSE)]
    if mean is not None and mean.score >= best.score + 3:
        length, score = mean.shape.track, mean.score
        return Period(length, score / max(total, 1), 3.0, length, longest, total, False)
    margin = best.score - max(others.values(), default=0.0)
    return Period(shape.track, best.score / max(total, 1), margin, min(close), max(close), total)
