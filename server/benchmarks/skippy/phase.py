"""The turn from the phase of the platter over whole series.

The times between completions know the turn from single missed turns alone, so a delay that grows with the
time waited passes for a longer turn. The completions themselves lie on one clock: after hundreds of turns a
delay of some microseconds no longer matters, and what an access took too long its successor takes less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from server.benchmarks.skippy.lines import wrap
from server.benchmarks.skippy.model import Model
from server.benchmarks.skippy.series import BoolArray, Estimate, FloatArray, IntArray, Trace

FEWEST_POINTS = 40
FEWEST_OF_SEGMENT = 8
MOST_ROUNDS = 5
BESIDE = 16
"""Completions on either side of which the means tell whether the level goes on."""
CLEAR = 6.0
"""Standard errors by which it has to differ."""
MOST_SHIFTS = 30
FAR = 5.0
"""Mean residuals beyond which a completion was delayed by something rare."""
LEAST_SHARE = 1e-10
"""Smallest eigenvalue of the scaled columns' products from which on they say different things."""
MOST_CORRELATED = 0.98


@dataclass(frozen=True, slots=True)
class _Chains:
    """Accesses that follow one another without a break, by what is known of the platter's phase."""

    segment: IntArray
    """Number of the stretch within which the phase goes on."""
    use: BoolArray
    """Which completions show it: those that something delayed do not."""
    turns: FloatArray
    """Whole turns beyond the model, for each access."""
    rest_ms: FloatArray
    """What the model and whole turns leave of the time since the completion before."""


def turn_by_phase(trace: Trace, model: Model) -> Estimate | None:
    """The turn and its standard error; None where too few completions follow each other on a known course."""
    if model.gaps is None or model.cached:
        return None
    chains = _chains(trace, model)
    segments, points, counts = np.unique(chains.segment[chains.use], return_inverse=True, return_counts=True)
    kept = counts[points] >= FEWEST_OF_SEGMENT
    if int(kept.sum()) < FEWEST_POINTS:
        return None
    columns = [chains.turns, trace.distance, model.gaps.heads, model.gaps.cylinders]
    columns += [] if trace.timed_ends else [np.ones(len(trace.block))]
    sums = np.stack([np.cumsum(column, dtype=np.float64)[chains.use][kept] for column in columns])
    rest = np.cumsum(chains.rest_ms)[chains.use][kept]
    found = _slope(sums, rest, points[kept], len(segments))
    if found is None:
        return None
    more_ms, error_ms, count = found
    return Estimate(model.lines.turn_ms + more_ms, max(error_ms, 1e-7 * model.lines.turn_ms), count)


def _chains(trace: Trace, model: Model) -> _Chains:
    lines, gaps, exact = model.lines, model.gaps, model.exact
    assert gaps is not None
    turn_ms = lines.turn_ms
    modelled = (
        trace.distance * lines.block_ms
        + gaps.heads * gaps.head_ms
        + gaps.cylinders * (gaps.cylinder_ms or 0.0)
        # Ends that are timed leave no time between requests out.
        + (0.0 if trace.timed_ends else lines.offset_ms)
    )
    beyond = trace.elapsed_ms - modelled
    turns = np.round(beyond / turn_ms)
    follows = model.used.copy()
    follows[0] = False
    follows[1:] &= trace.before[1:] == trace.block[:-1]
    follows[1:] &= trace.series[1:] == trace.series[:-1]
    # A completion that came late takes from the next access what it took too long: two together show it.
    near_ms = 3 * max(float(np.abs(model.apart_ms[exact]).max(initial=0.0)), turn_ms / 2000)
    both = np.zeros(len(beyond))
    both[:-1] = beyond[:-1] + beyond[1:]
    late = ~exact & follows & (np.abs(wrap(both, turn_ms)) <= min(near_ms, turn_ms / 20))
    late[:-1] &= follows[1:]
    late[-1:] = False
    behind = np.concatenate([[False], late[:-1]])
    late &= ~behind
    behind = np.concatenate([[False], late[:-1]])
    after = np.flatnonzero(behind)
    turns[after] = np.round(both[after - 1] / turn_ms) - turns[after - 1]
    goes_on = follows & (exact | late | behind)
    return _Chains(np.cumsum(~goes_on), ~late, turns, beyond - turns * turn_ms)


def _slope(
    columns: FloatArray, rest: FloatArray, segment: IntArray, count: int
) -> tuple[float, float, int] | None:
    """By how much the first column's factor is more, its standard error, and how many points say so.

    Each segment has a level of its own. Rounds leave out what lies far beside.
    """
    use = np.ones(len(rest), dtype=np.bool_)
    found: tuple[float, float, int] | None = None
    for number in range(MOST_ROUNDS):
        levelled = _levelled(np.vstack([columns, rest]), segment, use, count)
        matrix, target = levelled[:-1], levelled[-1]
        scale = np.sqrt((matrix[:, use] ** 2).sum(axis=1))
        there = scale > 0
        if not there[0] or int(use.sum()) < FEWEST_POINTS:
            return found
        matrix = matrix[there] / scale[there, None]
        square = matrix[:, use] @ matrix[:, use].T
        if float(np.linalg.eigvalsh(square)[0]) < LEAST_SHARE:
            return found
        inverse = np.linalg.inv(square)
        solution = inverse @ (matrix[:, use] @ target[use])
        apart = target - solution @ matrix
        error = float(np.sqrt((apart[use] ** 2).mean() * inverse[0, 0])) * _wandering(apart, use, segment)
        found = float(solution[0] / scale[0]), error / float(scale[0]), int(use.sum())
        limit = FAR * float(np.abs(apart[use]).mean()) + 1e-9
        before, use = use, np.abs(apart) <= limit
        steps = _level_shifts(apart[use], segment[use]) if number < MOST_ROUNDS - 1 else []
        if not steps and bool((before == use).all()):
            break
        for place in np.flatnonzero(use)[steps]:
            moved = (segment == segment[place]) & (np.arange(len(segment)) >= place)
            segment = np.where(moved, count, segment)
            count += 1
    return found


def _level_shifts(apart: FloatArray, segment: IntArray) -> list[int]:
    """Where the residuals go on at another level within a segment.

    A boundary with a gap of its own that noise nearly hides, such as the head switch of a serpentine by
    surface, moves all completions behind it.
    """
    if len(apart) < 2 * BESIDE:
        return []
    sums = np.concatenate([[0.0], np.cumsum(apart)])
    middle = np.arange(BESIDE, len(apart) - BESIDE + 1)
    within = segment[middle - BESIDE] == segment[middle + BESIDE - 1]
    shift = np.abs(sums[middle + BESIDE] - 2 * sums[middle] + sums[middle - BESIDE]) / BESIDE
    noise = 1.4826 * float(np.median(np.abs(np.diff(apart)))) / np.sqrt(2)
    left = np.where(within, shift, 0.0)
    found: list[int] = []
    while len(found) < MOST_SHIFTS and left.max(initial=0.0) > CLEAR * noise * np.sqrt(2 / BESIDE) + 1e-9:
        index = int(left.argmax())
        found.append(int(middle[index]))
        left[max(index - BESIDE, 0) : index + BESIDE] = 0.0
    return found


def _levelled(rows: FloatArray, segment: IntArray, use: BoolArray, count: int) -> FloatArray:
    """Each row less its segment's mean over what is used."""
    number = np.maximum(np.bincount(segment[use], minlength=count), 1)
    means = np.stack([np.bincount(segment[use], row[use], count) / number for row in rows])
    return np.asarray(rows - means[:, segment])


def _wandering(apart: FloatArray, use: BoolArray, segment: IntArray) -> float:
    """By how much neighbours that deviate alike make the error larger than independent ones would."""
    pairs = use[1:] & use[:-1] & (segment[1:] == segment[:-1])
    power = float((apart[use] ** 2).mean())
    if not pairs.any() or power <= 0:
        return 1.0
    alike = float((apart[1:][pairs] * apart[:-1][pairs]).mean()) / power
    alike = min(max(alike, 0.0), MOST_CORRELATED)
    return float(np.sqrt((1 + alike) / (1 - alike)))
