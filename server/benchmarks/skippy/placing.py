"""Where cylinders of given shapes lie: the places of each series' boundaries that most steps agree with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from server.benchmarks.skippy.boundaries import Labelled, Places, Shape, agree, positions
from server.benchmarks.skippy.series import BoolArray, FloatArray, IntArray

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
