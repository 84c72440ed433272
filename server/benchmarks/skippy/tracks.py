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
from server.benchmarks.skippy.series import BoolArray, FloatArray, IntArray
from server.benchmarks.skippy.steps import Steps

BEYOND_SLOPE = 1e-3
"""By how much a track may hold more addresses than the slope says it has sectors, however clean the steps."""
ENOUGH = 0.996
"""Share of the steps that agree with a length from which on no other is looked for."""
NEAR = 0.95
FAR_BEHIND = 0.01
CLOSE = 1.5
MOST_STEPS = 1500
MOST_NEIGHBOURS = 8


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
        cylinder = np.floor(blocks / self.cylinder)
        inside = blocks - cylinder * self.cylinder
        if self.heads == 1:
            return Position(cylinder, cylinder, inside, np.ones_like(inside))
        track = np.minimum(np.floor(inside / self.track), self.heads - 1)
        return Position(
            cylinder * self.heads + track, cylinder, inside - track * self.track, (track == 0) * 1.0
        )


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
    return replace(
        labelled,
        steps=labelled.steps.only(mask),
        tracks=labelled.tracks[mask],
        cylinders=labelled.cylinders[mask],
    )


def place(labelled: Labelled, shape: Shape, near: FloatArray, reach: float) -> Places:
    """The best place of each series' cylinders within `reach` blocks of `near`.

    As the cylinders are moved along, what a step crosses changes where a boundary passes one of its ends: at
    two places at most, since no boundary is followed by the next within the reach. Between those places
    nothing changes, so the sums over all steps are exact.
    """
    steps = labelled.steps
    reach = min(reach, shape.track / 2)
    begin = near - reach
    moved = _moves_of_one if shape.heads == 1 else _moves
    first, moves = moved(labelled, shape, begin[steps.series], 2 * reach)
    aside, more = _middle_of_best(moves, len(near), 2 * reach)
    start = begin + aside
    if 2 * reach > shape.last:
        return Places(shape, start, float(agree(labelled, shape, start).sum()))
    return Places(shape, start, first + more)


@dataclass(frozen=True, slots=True)
class Moves:
    """How the agreement of steps changes while the cylinders move upwards: equally long columns."""

    series: IntArray
    at: FloatArray
    """How far the cylinders have moved at the change."""
    change: FloatArray
    """By how much more steps agree from there on."""


def _moves(labelled: Labelled, shape: Shape, begin: FloatArray, width: float) -> tuple[float, Moves]:
    """How many steps agree at first, and the changes on the way of so many blocks."""
    steps = labelled.steps
    low, high = shape.position(steps.low - begin), shape.position(steps.high - begin)
    tracks = high.track - low.track - labelled.tracks
    cylinders = high.cylinder - low.cylinder - labelled.cylinders
    # A boundary that passes the lower end comes into the step, one that passes the higher end leaves it.
    lower = low.inside < high.inside
    agrees = (tracks == 0) & (cylinders == 0)
    between = (tracks == np.where(lower, -1, 1)) & (cylinders == np.where(lower, -low.first, high.first))
    behind = (tracks == 0) & (cylinders == high.first - low.first)
    changes = (_change(agrees, between), _change(between, behind))
    return float(np.count_nonzero(agrees)), _within(steps.series, low.inside, high.inside, changes, width)


def _moves_of_one(labelled: Labelled, shape: Shape, begin: FloatArray, width: float) -> tuple[float, Moves]:
    """The same where all boundaries are of one sort: past both its ends a step agrees as it did before."""
    steps = labelled.steps
    below, above = steps.low - begin, steps.high - begin
    low, high = np.floor(below / shape.track), np.floor(above / shape.track)
    inside = below - low * shape.track, above - high * shape.track
    missing = high - low - labelled.tracks
    agrees = missing == 0
    change = _change(agrees, missing == np.where(inside[0] < inside[1], -1, 1))
    return float(np.count_nonzero(agrees)), _within(steps.series, *inside, (change, -change), width)


def _change(before: BoolArray, after: BoolArray) -> FloatArray:
    return after.astype(np.float64) - before


def _within(
    series: IntArray, low: FloatArray, high: FloatArray, changes: tuple[FloatArray, FloatArray], width: float
) -> Moves:
    """The changes that come within the width: each step's at the nearer of its ends, then at the other."""
    early, late = np.minimum(low, high), np.maximum(low, high)
    first = np.flatnonzero((changes[0] != 0) & (early < width))
    second = np.flatnonzero((changes[1] != 0) & (late < width))
    return Moves(
        np.concatenate([series[first], series[second]]),
        np.concatenate([early[first], late[second]]),
        np.concatenate([changes[0][first], changes[1][second]]),
    )


def _middle_of_best(moves: Moves, count: int, width: float) -> tuple[FloatArray, float]:
    """Of each series, the middle of the longest stretch in which the most steps agree; and by how many more
    steps agree there in all than at first."""
    every = np.arange(count)
    series = np.concatenate([every, moves.series, every])
    at = np.concatenate([np.zeros(count), moves.at, np.full(count, width)])
    change = np.concatenate([np.zeros(count), moves.change, np.zeros(count)])
    order = np.argsort(series * (width + 1.0) + at, kind="stable")
    series, at = series[order], at[order]
    total = np.cumsum(change[order])
    begins = np.searchsorted(series, every)
    length = np.append(np.diff(at), 0.0)
    score = np.where(length > 0, total - total[begins][series], -np.inf)
    highest = np.maximum.reduceat(score, begins)
    length[score < highest[series]] = 0.0
    longest = np.maximum.reduceat(length, begins)
    place = np.where(length == longest[series], np.arange(len(at)), len(at))
    best = np.minimum.reduceat(place, begins)
    return at[best] + longest / 2, float(highest.sum())


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
        for better in _climb(few, best, mean, beat, heads, physical):
            best = better
        mean = _finer(few, mean, beat, best.score - FAR_BEHIND * total)
    plain = round(best.shape.cylinder / heads)
    if best.shape.cylinder == heads * plain and best.shape.track != plain:
        # Spares at the end of each cylinder have to explain something.
        without = place(few, Shape(plain, heads, heads * plain), best.start, beat.length / 8)
        best = without if without.score >= best.score - CLOSE else best
    period = judge(few, best, mean, physical)
    if period.even and period.margin < -CLOSE:
        # What nearly all steps agree with was taken without a search, and a neighbour explains the rest too.
        for better in _climb(few, best, mean, beat, heads, physical):
            best = better
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
    # Where most steps agree already the best length is next to this one.
    spaced = 12 if best.score < NEAR * len(few.tracks) else 0
    for track in _spaced(shortest, min(longest, int(cylinder / max(heads - 1, 1))), spaced):
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


def _finer(few: Labelled, mean: Places, beat: Beat, needed: float) -> Places:
    """The mean track to the fraction of a block, for tracks of no whole number of blocks; it is left where it
    is when it stays below the score that is `needed`."""
    step = 0.2 * beat.length / beat.tracks
    for number in range(4):
        for by in (-step, -step / 2, step / 2, step):
            length = mean.shape.track + by
            shape = Shape(length, mean.shape.heads, mean.shape.heads * length)
            found = place(few, shape, mean.start, beat.length / 8)
            if found.score > mean.score:
                mean = found
        step /= 3
        if number and mean.score < needed:
            break
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
