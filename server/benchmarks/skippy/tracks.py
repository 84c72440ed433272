"""Where tracks end: the length of a track and of a cylinder in addresses, from the positions of the spikes.

A step whose access lies beside the line crossed a boundary, one on the line did not. The blocks are known
exactly, so the boundaries must lie inside the first kind of interval and outside the second: only one whole
number of blocks per track agrees with hundreds of intervals at once. The cylinder has a length of its own,
since spares may shorten its last track.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from server.benchmarks.skippy.boundaries import Labelled, Places, Shape, agree, positions
from server.benchmarks.skippy.rarer import Rarer
from server.benchmarks.skippy.rhythm import Beat
from server.benchmarks.skippy.series import BoolArray, FloatArray, IntArray
from server.benchmarks.skippy.shorter import longest_track
from server.benchmarks.skippy.steps import Steps

# ---- Where cylinders of given shapes lie: the places of each series' boundaries that most steps agree with.

NOWHERE = np.iinfo(np.int64).min
"""The score of a stretch that has no length."""


def place(labelled: Labelled, shape: Shape, near: FloatArray, reach: float) -> Places:
    """The best place of each series' cylinders within `reach` blocks of `near`."""
    return places(labelled, [shape], near, [reach])[0]


def places(
    labelled: Labelled, shapes: Sequence[Shape], near: FloatArray, reaches: Sequence[float]
) -> list[Places]:
    """The same for several shapes of as many heads, each with a reach of its own: much cheaper together.

    As the cylinders are moved along, what a step crosses changes where a boundary passes one of its ends: at
    two places at most, since no boundary is followed by the next within the reach. Between those places
    nothing changes, so the sums over all steps are exact.
    """
    reach = np.array([min(most, shape.track / 2) for shape, most in zip(shapes, reaches, strict=True)])
    begin = near - reach[:, None]
    # Where all reach equally far, the steps lie the same for all.
    begun = begin[:1] if bool((reach == reach[0]).all()) else begin
    moved = _moves_of_one if shapes[0].heads == 1 else _moves
    first, moves = moved(labelled, shapes, begun, 2 * reach)
    aside, more = _middle_of_best(moves, len(near), 2 * reach)
    start = begin + aside
    found = []
    for number, shape in enumerate(shapes):
        score = float(first[number] + more[number])
        if 2 * reach[number] > shape.last:
            score = float(agree(labelled, shape, start[number]).sum())
        found.append(Places(shape, start[number], score))
    return found


@dataclass(frozen=True, slots=True)
class Moves:
    """How the agreement of steps changes while the cylinders move upwards: equally long columns."""

    series: IntArray
    """Those of the first shape, then those of the next one and so on."""
    at: FloatArray
    """How far the cylinders have moved at the change."""
    change: IntArray
    """By how much more steps agree from there on."""


def _ends(labelled: Labelled, begin: FloatArray) -> FloatArray:
    """Both ends of the steps from where their cylinders begin: for each shape the low and the high ones."""
    steps = labelled.steps
    from_begin = np.take(begin, steps.series, axis=1)
    return np.stack([steps.low - from_begin, steps.high - from_begin], axis=1)


def _column(values: Sequence[float]) -> FloatArray:
    return np.array(values, dtype=np.float64)[:, None, None]


def _moves(
    labelled: Labelled, shapes: Sequence[Shape], begin: FloatArray, width: FloatArray
) -> tuple[IntArray, Moves]:
    """How many steps agree at first with each shape, and the changes on the way of so many blocks."""
    track, cylinder = (_column([getattr(shape, name) for shape in shapes]) for name in ("track", "cylinder"))
    found = positions(_ends(labelled, begin), track, shapes[0].heads, cylinder)
    tracks = found.track[:, 1] - found.track[:, 0] - labelled.tracks
    cylinders = found.cylinder[:, 1] - found.cylinder[:, 0] - labelled.cylinders
    low, high = found.first[:, 0], found.first[:, 1]
    # A boundary that passes the lower end comes into the step, one that passes the higher end leaves it.
    way = np.copysign(1.0, found.inside[:, 0] - found.inside[:, 1])
    same = tracks == 0
    agrees = same & (cylinders == 0)
    between = (tracks == way) & (cylinders == np.where(way < 0, -low, high))
    behind = same & (cylinders == high - low)
    return agrees.sum(axis=1), _within(labelled, found.inside, (agrees, between, behind), width)


def _moves_of_one(
    labelled: Labelled, shapes: Sequence[Shape], begin: FloatArray, width: FloatArray
) -> tuple[IntArray, Moves]:
    """The same where all boundaries are of one sort: past both its ends a step agrees as it did before."""
    track = _column([shape.track for shape in shapes])
    ends = _ends(labelled, begin)
    number = np.floor(ends / track)
    inside = ends - number * track
    missing = number[:, 1] - number[:, 0] - labelled.tracks
    agrees = missing == 0
    between = missing == np.copysign(1.0, inside[:, 0] - inside[:, 1])
    return agrees.sum(axis=1), _within(labelled, inside, (agrees, between, agrees), width)


def _within(
    labelled: Labelled, inside: FloatArray, agrees: tuple[BoolArray, BoolArray, BoolArray], width: FloatArray
) -> Moves:
    """The changes that come within the width: each step's at the nearer of its ends, then at the other.

    `agrees` says whether steps do before the first, between both and behind the second.
    """
    early = np.minimum(inside[:, 0], inside[:, 1])
    late = np.maximum(inside[:, 0], inside[:, 1])
    before, between, behind = agrees
    first = np.flatnonzero((before != between) & (early < width[:, None]))
    second = np.flatnonzero((between != behind) & (late < width[:, None]))
    shapes, count = len(width), labelled.steps.count
    series = (labelled.steps.series + count * np.arange(shapes)[:, None]).ravel()
    change = 2 * between.view(np.int8).ravel() - 1
    return Moves(
        np.concatenate([series[first], series[second]]),
        np.concatenate([early.ravel()[first], late.ravel()[second]]),
        np.concatenate([change[first], -change[second]]),
    )


def _middle_of_best(moves: Moves, count: int, width: FloatArray) -> tuple[FloatArray, IntArray]:
    """Of each series under each shape, the middle of the longest stretch in which the most steps agree; and
    under each shape by how many more steps agree there in all than at first."""
    total = count * len(width)
    every, nothing = np.arange(total), np.zeros(total, dtype=np.int64)
    series = np.concatenate([every, moves.series, every])
    at = np.concatenate([nothing, moves.at, np.repeat(width, count)])
    order = np.argsort(series * (float(width.max()) + 1.0) + at, kind="stable")
    series, at = series[order], at[order]
    agree = np.cumsum(np.concatenate([nothing, moves.change, nothing])[order])
    begins = np.searchsorted(series, every)
    score = agree - agree[begins][series]
    length = np.zeros(len(at))
    np.subtract(at[1:], at[:-1], out=length[:-1])
    score[length <= 0] = NOWHERE
    highest = np.maximum.reduceat(score, begins)
    top = np.flatnonzero(score == highest[series])
    longest = np.maximum.reduceat(length[top], np.searchsorted(series[top], every))
    top = top[length[top] == longest[series[top]]]
    best = top[np.searchsorted(series[top], every)]
    shape = (len(width), count)
    return (at[best] + longest / 2).reshape(shape), highest.reshape(shape).sum(axis=1)


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
    # No cylinder holds more than as many tracks as it has heads.
    fewest = shortest if heads == 1 else -(-round(cylinder) // heads)
    tracks = _spaced(fewest, min(longest, int(cylinder / max(heads - 1, 1))), spaced)
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
        (step, step),
        (-step, -step),
        (step, -step),
        (-step, step),
    ]
    return [replace(shape, track=shape.track + a, cylinder=shape.cylinder + b) for a, b in pairs]


def _neighbours(few: Labelled, best: Places, sides: list[int]) -> list[tuple[float, float]]:
    """Most steps that agree with tracks longer by so many blocks, in cylinders of about the same length or
    longer by as much for each track: with spares at their end, and if heads may differ as well."""
    shapes, reaches, owners = [], [], []
    for by in sides:
        shape, track = best.shape, best.shape.track + by
        lengths = {shape.cylinder + by * shape.heads}
        if shape.heads > 1:
            lengths |= {shape.cylinder + beside for beside in (-1, 0, 1)}
        shapes += [replace(shape, track=track, cylinder=length) for length in lengths]
        reaches += [4.0 + abs(by) * shape.heads] * len(lengths)
        owners += [by] * len(lengths)
    found = list(zip(places(few, shapes, best.start, reaches), owners, strict=True))
    # A last track longer than the others is none that spares leave.
    spared = [(one, by) for one, by in found if one.shape.cylinder <= one.shape.heads * one.shape.track]

    def most(some: list[tuple[Places, int]], by: int) -> float:
        return max(one.score for one, owner in some if owner == by)

    return [(most(spared, by), most(found, by)) for by in sides]


def judge(few: Labelled, best: Places, mean: Places | None, physical: float) -> Period:
    """How far the best track stands out among its neighbours, and whether a mean of uneven ones fits more."""
    total, shape = len(few.tracks), best.shape
    longest = most_blocks(few.steps, physical)
    others: dict[float, float] = {}
    uneven = False
    going = [way for way in (-1, 1) if shape.track + way <= longest]
    for by in range(1, MOST_NEIGHBOURS + 1):
        sides = [way * by for way in going]
        if not sides:
            break
        scores = _neighbours(few, best, sides)
        others |= {shape.track + side: spared for side, (spared, _) in zip(sides, scores, strict=True)}
        uneven |= any(most >= best.score for _, most in scores)
        going = [
            way
            for way, (score, _) in zip(going, scores, strict=True)
            if shape.track + way * (by + 1) <= longest and (by == 1 or score >= best.score - CLOSE)
        ]
    close = [shape.track, *(track for track, score in others.items() if score >= best.score - CLOSE)]
    if mean is not None and mean.score >= best.score + 3:
        length, score = mean.shape.track, mean.score
        # Noise in the slope can put the most that a turn holds below the mean that fits.
        low, high = min(length, longest), max(length, longest)
        return Period(length, score / max(total, 1), 3.0, low, high, total, False)
    margin = 0.0 if uneven else best.score - max(others.values(), default=0.0)
    if shape.heads == 1:
        close.append(longest_track(few, best, longest))
    return Period(shape.track, best.score / max(total, 1), margin, min(close), max(close), total)
