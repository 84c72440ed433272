"""Boundaries that do not go on evenly: spare areas and slipped sectors move all that lie behind them.

Each piece of a series finds its own place of the boundaries; the most likely course through these places then
says where they moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from server.benchmarks.skippy.boundaries import Labelled, Places, Shape, agree, label
from server.benchmarks.skippy.rarer import Rarer, find_rarer
from server.benchmarks.skippy.rhythm import Beat, find_beat
from server.benchmarks.skippy.series import BoolArray, FloatArray, IntArray
from server.benchmarks.skippy.steps import Spikes, Steps
from server.benchmarks.skippy.tracks import Period, fit_shape, judge

# ---- The cheapest course through states that cost differently from place to place; each move has a price.

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


PIECES = (64, 24)
"""Tracks of a piece, where whole series do not serve: first the length that most often does, then a short
one. Longer ones are of no use where short ones explain more: the boundaries move too often."""
GAIN = 0.01
ENOUGH = 0.97
STEADY_AGREEMENT, STEADY_EXPLAINED = 0.985, 0.93
CLEAR_AGREEMENT, CLEAR_EXPLAINED = 0.96, 0.9
REACHED = 0.02
"""How near to the share of the steps that any boundaries could explain is as near as noise lets come."""
MOST_ROUNDS = 4
WORTH_ANOTHER = 0.004
"""How much more a round must have explained for another to follow it."""
FEWEST_LABELLED = 12
MOVE_COST = 4.0
"""A move of the boundaries must explain more than so many steps."""
MOST_STATES = 48
CLEARLY = 3.0
"""Standard deviations by which more steps must agree with one reading than with the other."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Boundaries that explain the steps; the steps' series are the pieces within which nothing moves."""

    steps: Steps
    labelled: Labelled
    places: Places
    period: Period
    rarer: Rarer | None
    common_ms: float
    explained: float
    """Share of all steps that show what these boundaries say, ambiguous ones included."""
    shifts: tuple[tuple[int, int], ...] = ()
    """(block, change of the boundaries' place in blocks): spare areas and slipped sectors on the way."""
    told: bool = True
    """Whether the steps say which boundary is the cylinder's. Where both come equally often only the spares
    at the end of a cylinder do."""
    rival: Period | None = None
    """The track if it were the other one, where the steps do not exclude that."""
    at_once: float = 0.0
    """What was explained before the series were cut into pieces."""

    @property
    def enough(self) -> bool:
        """Whether what is left is noise: pieces would not explain more."""
        explained = self.explained
        steady = self.period.agreement >= STEADY_AGREEMENT and explained >= STEADY_EXPLAINED
        near = self.rarer is not None and explained >= self.labelled.reachable - REACHED
        return self.period.even and (steady or explained >= ENOUGH or (near and self.clear))

    @property
    def clear(self) -> bool:
        """Whether whole tracks explain most steps: other pieces could only explain some more."""
        sure = self.period.even and self.period.agreement >= CLEAR_AGREEMENT
        return sure and self.explained >= CLEAR_EXPLAINED

    def better_than(self, other: Fit) -> bool:
        """Whether it explains more; a mean gives way to whole numbers that explain about as much."""
        if self.period.even and not other.period.even:
            return self.explained >= other.explained - GAIN / 2
        return self.explained > other.explained + (GAIN if other.period.even else GAIN / 3)


def fit_moving(steps: Steps, spikes: Spikes, physical: float, at_once: float = -1.0) -> Fit | None:
    """Boundaries that explain the steps: the whole series if they can, or pieces of them, joined again.

    None where no boundaries do, or where those of the whole series explain no more than `at_once`.
    """
    best = fit_steps(steps, spikes, physical)
    whole = 0.0 if best is None else best.explained
    if whole <= at_once:
        return None
    for tracks in PIECES:
        if best is not None and best.enough:
            break
        found = fit_steps(steps.pieces(tracks * physical), spikes, physical)
        found = None if found is None else _joined(steps, found, spikes, physical)
        better = found is not None and (best is None or found.better_than(best))
        best = found if better else best
        # Pieces of another length do not help where those before did not, or where little is left to explain.
        if best is not None and (best.clear or not better):
            break
    if best is not None and best.steps is not steps:
        best = _judged(best, physical)
    return best if best is None else replace(with_rival(best), at_once=whole)


def _explained(steps: Steps, places: Places, rarer: Rarer | None, common_ms: float) -> float:
    tracks, cylinders = places.shape.crossed(steps.low, steps.high, places.start[steps.series])
    head_ms = rarer.common_ms if rarer is not None else common_ms
    more_ms = rarer.rare_ms - rarer.common_ms if rarer is not None else 0.0
    near = steps.beside(tracks * head_ms + cylinders * more_ms) <= 2 * steps.tolerance_ms
    return float(near.mean())


def _joined(whole: Steps, pieces: Fit, spikes: Spikes, physical: float) -> Fit:
    """The pieces joined where nothing moves between them.

    What the joined pieces have in common shows more than each by itself, such as a gap that is rare in a
    piece; so they are fitted anew while that explains more.
    """
    best = follow(whole, pieces)
    for _ in range(MOST_ROUNDS):
        again = fit_steps(best.steps, spikes, physical)
        joined = None if again is None else follow(whole, again)
        if joined is None or joined.explained <= best.explained + WORTH_ANOTHER:
            return best if joined is None or joined.explained <= best.explained else joined
        best = joined
    return best


def fit_steps(steps: Steps, spikes: Spikes, physical: float) -> Fit | None:
    """Rhythm, then whole numbers, with the boundaries of each of the steps' series by themselves."""
    beat = find_beat(steps, spikes, physical)
    if beat is None:
        return None
    rarer = find_rarer(steps, spikes, beat)
    fit = _one_way(steps, spikes, beat, rarer, physical)
    swapped = rarer.swapped if rarer is not None else None
    if fit is None or swapped is None:
        return fit
    other = _one_way(steps, spikes, beat, swapped, physical)
    return replace(fit, told=False) if other is None else surer(fit, other)


def _one_way(steps: Steps, spikes: Spikes, beat: Beat, rarer: Rarer | None, physical: float) -> Fit | None:
    """The whole numbers if these boundaries are the rarer ones."""
    labelled = label(steps, beat, rarer, spikes.gap_ms)
    if len(labelled.tracks) < FEWEST_LABELLED:
        return None
    places, period = fit_shape(labelled, beat, rarer, physical)
    explained = _explained(steps, places, rarer, spikes.gap_ms)
    return Fit(steps, labelled, places, period, rarer, spikes.gap_ms, explained)


def surer(one: Fit, other: Fit) -> Fit:
    """The fit that more steps agree with, of two that take different boundaries for the cylinder's.

    Only steps that agree with one of them alone say anything; how many more there must be than chance would
    have is counted in standard deviations of their number.
    """
    if other.places.score > one.places.score:
        one, other = other, one
    agrees = [agree(fit.labelled, fit.places.shape, fit.places.start) for fit in (one, other)]
    _, mine, theirs = np.intersect1d(
        one.labelled.steps.place, other.labelled.steps.place, assume_unique=True, return_indices=True
    )
    here, there = agrees[0][mine], agrees[1][theirs]
    gained, lost = int((here & ~there).sum()), int((there & ~here).sum())
    told = gained - lost >= CLEARLY * max(float(np.sqrt(gained + lost)), 1.0)
    return replace(one, told=told, rival=None if told else other.period)


def with_rival(fit: Fit) -> Fit:
    """The track with an interval that holds all that the reading which is not excluded leaves open."""
    if fit.rival is None:
        return fit
    low, high = min(fit.period.low, fit.rival.low), max(fit.period.high, fit.rival.high)
    return replace(fit, period=replace(fit.period, low=low, high=high))


def follow(whole: Steps, fit: Fit) -> Fit:
    """Join the pieces along the most likely course; `whole` holds the same steps by series."""
    shape = fit.places.shape
    pieces = np.zeros(len(whole.low), dtype=np.int64)
    states = np.zeros(len(whole.low))
    shifts: list[tuple[int, int]] = []
    keys = 0
    known = np.zeros(int(whole.place.max(initial=0)) + 1, dtype=np.bool_)
    known[fit.labelled.steps.place] = True
    labelled = known[whole.place]
    mine = [_in_order(whole, number) for number in range(whole.count)]
    starts = [_states(fit.places.start[np.unique(fit.steps.series[here])], shape) for here in mine]
    for here, start, path in zip(mine, starts, _paths(fit, whole, mine, starts, labelled), strict=True):
        moved = np.flatnonzero(np.diff(path)) + 1
        for at in moved:
            by = (start[path[at]] - start[path[at - 1]] + shape.cylinder / 2) % shape.cylinder
            shifts.append((int(whole.low[here[at]]), round(by - shape.cylinder / 2)))
        pieces[here] = keys + np.searchsorted(moved, np.arange(len(here)), side="right")
        states[here] = start[path]
        keys += len(moved) + 1
    steps = whole.numbered(pieces)
    start = np.zeros(steps.count)
    start[steps.series] = states
    return _again(steps, fit, start, tuple(shifts))


def _states(starts: FloatArray, shape: Shape) -> FloatArray:
    """Distinct places of the cylinders, the most frequent first."""
    inside = np.round(starts % shape.cylinder)
    values, counts = np.unique(inside, return_counts=True)
    return np.asarray(values[np.argsort(-counts)][:MOST_STATES])


def _in_order(whole: Steps, number: int) -> IntArray:
    """The steps of a series in the order of their addresses."""
    mine = np.flatnonzero(whole.series == number)
    return np.asarray(mine[np.argsort(whole.low[mine], kind="stable")])


def _paths(
    fit: Fit, whole: Steps, mine: list[IntArray], starts: list[FloatArray], labelled: BoolArray
) -> list[IntArray]:
    """The state of each step of each series, in the order of addresses: the course that costs the least."""
    told = [np.flatnonzero(labelled[here]) for here in mine]
    costs = [_misses(fit, whole, here[at], start) for here, at, start in zip(mine, told, starts, strict=True)]
    paths = [np.zeros(len(here), dtype=np.int64) for here in mine]
    for path, at, course in zip(paths, told, cheapest_courses(costs, MOVE_COST), strict=True):
        for place, state in course:
            path[at[place] if place else 0 :] = state
    return paths


def _misses(fit: Fit, whole: Steps, here: IntArray, starts: FloatArray) -> FloatArray:
    """1 where a labelled step does not agree with a state, 0 elsewhere; a row for each state."""
    at = np.searchsorted(fit.labelled.steps.place, whole.place[here])
    found = fit.places.shape.crossed(whole.low[here], whole.high[here], starts[:, None])
    misses = (found[0] != fit.labelled.tracks[at]) | (found[1] != fit.labelled.cylinders[at])
    return np.asarray(misses, dtype=np.float64)


def _again(steps: Steps, fit: Fit, start: FloatArray, shifts: tuple[tuple[int, int], ...]) -> Fit:
    """Agreement over the joined pieces; how far it stands out is judged where the search has ended."""
    series = steps.series[np.searchsorted(steps.place, fit.labelled.steps.place)]
    labelled = replace(fit.labelled, steps=replace(fit.labelled.steps, series=series, count=steps.count))
    score = float(agree(labelled, fit.places.shape, start).sum())
    places = Places(fit.places.shape, start, score)
    period = replace(fit.period, agreement=score / max(len(labelled.tracks), 1))
    explained = _explained(steps, places, fit.rarer, fit.common_ms)
    return replace(
        fit, steps=steps, labelled=labelled, places=places, period=period, explained=explained, shifts=shifts
    )


def _judged(fit: Fit, physical: float) -> Fit:
    """The joined pieces with the margin by which their track stands out."""
    period = judge(fit.labelled, fit.places, None, physical)
    if not fit.period.even:
        period = replace(period, low=fit.period.low, high=fit.period.high, even=False)
    return replace(fit, period=period)
