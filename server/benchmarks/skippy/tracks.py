"""Where tracks end: the length of a track and of a cylinder in addresses, from the positions of the spikes.

A step whose access lies beside the line crossed a boundary, one on the line did not. The blocks are known
exactly, so the boundaries must lie inside the first kind of interval and outside the second: only one whole
number of blocks per track agrees with hundreds of intervals at once. The cylinder has a length of its own,
since spares may shorten its last track.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from server.benchmarks.skippy.boundaries import Labelled, Places, Shape
from server.benchmarks.skippy.placing import place, places
from server.benchmarks.skippy.rarer import Rarer
from server.benchmarks.skippy.rhythm import Beat
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
        best = _climb(few, best, mean, beat, physical)
        mean = _finer(few, mean, beat, best.score - FAR_BEHIND * total)
    plain = round(best.shape.cylinder / heads)
    if best.shape.cylinder == heads * plain and best.shape.track != plain:
        # Spares at the end of each cylinder have to explain something.
        without = place(few, Shape(plain, heads, heads * plain), best.start, beat.length / 8)
        best = without if without.score >= best.score - CLOSE else best
    period = judge(few, best, mean, physical)
    if period.even and period.margin < -CLOSE:
        # What nearly all steps agree with was taken without a search, and a neighbour explains the rest too.
        best = _climb(few, best, mean, beat, physical)
        period = judge(few, best, mean, physical)
    found = best if period.even else mean
    return replace(found, score=period.agreement * len(labelled.tracks)), period


def _climb(few: Labelled, best: Places, mean: Places, beat: Beat, physical: float) -> Places:
    """A better shape: the track on a widening grid, the cylinder with it, then one by one."""
    heads = best.shape.heads
    longest = int(most_blocks(few.steps, physical))
    shortest = int(np.floor(beat.length))
    slack = max(heads * beat.length * 0.15 / beat.tracks, 1.0)
    cylinder = heads * beat.length
    # Where most steps agree already the best length is next to this one.
    spaced = 12 if best.score < NEAR * len(few.tracks) else 0
    tracks = _spaced(shortest, min(longest, int(cylinder / max(heads - 1, 1))), spaced)
    shapes = [Shape(track, heads, round(cylinder) if heads > 1 else track) for track in tracks]
    if shapes:
        found = places(few, shapes, mean.start, [beat.length / 4] * len(shapes))
        best = max(best, *found, key=lambda one: one.score)
    step = max(int(slack / 2), 1)
    while step >= 1:
        before = None
        while best is not before:
            before = best
            shapes = [
                shape
                for shape in _around(best.shape, step)
                if shortest <= shape.track <= longest and shape.cylinder <= heads * shape.track
            ]
            while shapes:
                better = _first_better(few, shapes, best, max(2.0 * step, beat.length / 16))
                shapes = shapes[better[0] + 1 :] if better else []
                best = better[1] if better else best
        step //= 2
    return best


def _first_better(
    few: Labelled, shapes: list[Shape], best: Places, reach: float
) -> tuple[int, Places] | None:
    """The first shape that more steps agree with, and its number; those behind it go on from its places."""
    for number, found in enumerate(places(few, shapes, best.start, [reach] * len(shapes))):
        if found.score > best.score:
            return number, found
    return None


def _finer(few: Labelled, mean: Places, beat: Beat, needed: float) -> Places:
    """The mean track to the fraction of a block, for tracks of no whole number of blocks; it is left where it
    is when it stays below the score that is `needed`."""
    step = 0.2 * beat.length / beat.tracks
    heads = mean.shape.heads
    for number in range(4):
        left = [-step, -step / 2, step / 2, step]
        while left:
            lengths = [mean.shape.track + by for by in left]
            shapes = [Shape(length, heads, heads * length) for length in lengths]
            better = _first_better(few, shapes, mean, beat.length / 8)
            left = left[better[0] + 1 :] if better else []
            mean = better[1] if better else mean
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


def _neighbours(few: Labelled, best: Places, sides: list[int]) -> list[float]:
    """Most steps that agree with tracks longer by so many blocks, with the same or the longer cylinder."""
    shapes, reaches, owners = [], [], []
    for by in sides:
        shape, track = best.shape, best.shape.track + by
        lengths = {shape.cylinder + by * shape.heads}
        if shape.heads > 1 and shape.cylinder <= shape.heads * track:
            lengths.add(shape.cylinder)
        shapes += [replace(shape, track=track, cylinder=length) for length in lengths]
        reaches += [4.0 + abs(by) * shape.heads] * len(lengths)
        owners += [by] * len(lengths)
    found = places(few, shapes, best.start, reaches)
    return [max(one.score for one, owner in zip(found, owners, strict=True) if owner == by) for by in sides]


def judge(few: Labelled, best: Places, mean: Places | None, physical: float) -> Period:
    """How far the best track stands out among its neighbours, and whether a mean of uneven ones fits more."""
    total, shape = len(few.tracks), best.shape
    longest = most_blocks(few.steps, physical)
    others: dict[float, float] = {}
    going = [way for way in (-1, 1) if shape.track + way <= longest]
    for by in range(1, MOST_NEIGHBOURS + 1):
        sides = [way * by for way in going]
        if not sides:
            break
        scores = _neighbours(few, best, sides)
        others |= {shape.track + side: score for side, score in zip(sides, scores, strict=True)}
        going = [
            way
            for way, score in zip(going, scores, strict=True)
            if shape.track + way * (by + 1) <= longest and (by == 1 or score >= best.score - CLOSE)
        ]
    close = [shape.track, *(track for track, score in others.items() if score >= best.score - CLOSE)]
    if mean is not None and mean.score >= best.score + 3:
        length, score = mean.shape.track, mean.score
        return Period(length, score / max(total, 1), 3.0, length, longest, total, False)
    margin = best.score - max(others.values(), default=0.0)
    return Period(shape.track, best.score / max(total, 1), margin, min(close), max(close), total)
