"""Rotation time and slope: the straight lines of the sawtooth.

Between two completions on one track the platter turns by the distance of the two blocks, plus whole turns.
So `elapsed = n * T + distance * tau - think`: on the circle of length T all accesses of one track lie on one
line of slope tau whatever n is, and those that cross a boundary lie beside it by the gap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from server.benchmarks.skippy.series import BoolArray, FloatArray, IntArray, Trace
from server.benchmarks.skippy.tones import FEWEST_SAMPLES, SHORTEST_TRACK_BLOCKS, gathered, tones

ROUGH, SETTLED = 0.1, 0.01
"""How little a round may still change, as a share of the median deviation: where a better fit follows, and at
the end."""
MOST_ROUNDS, SHORT_ROUNDS, LONGER = 40, 3, 1.8


# ---- Fits on the circle of one turn, and by least absolute deviations.


def wrap(value: FloatArray, turn_ms: float) -> FloatArray:
    """Map to [-turn/2, turn/2)."""
    return np.asarray(value - turn_ms * np.floor(value / turn_ms + 0.5), dtype=np.float64)


def middle(values: FloatArray) -> float:
    """The median; of an even number of values the upper one of the two in the middle."""
    return float(np.partition(values, len(values) // 2)[len(values) // 2])


def densest(values: FloatArray, turn_ms: float, width_ms: float) -> tuple[float, int]:
    """Middle of the arc of the given width that holds the most values (values on a circle), and how many."""
    ordered = np.sort(values - turn_ms * np.floor(values / turn_ms))
    twice = np.concatenate([ordered, ordered + turn_ms])
    ends = np.searchsorted(twice, ordered + width_ms, side="right")
    counts = ends - np.arange(len(ordered))
    best = int(counts.argmax())
    return float(twice[(best + ends[best] - 1) // 2] % turn_ms), int(counts[best])


def least_absolute(
    matrix: FloatArray, target: FloatArray, settled: float = SETTLED, start: FloatArray | None = None
) -> FloatArray:
    """Least absolute deviations by reweighting; the maximum-likelihood line when delays are exponential.

    A latency carries the difference of two completion delays, which is Laplace distributed. It ends where a
    round moves no fitted value by more than `settled` median deviations. Reweighting comes near from one side
    in ever smaller steps: steps are made longer once the weights are about right.
    """
    scale = np.abs(matrix).max(axis=0)
    scale[scale == 0] = 1.0
    rows = np.ascontiguousarray((matrix / scale).T)
    solution = _solved(rows @ rows.T, rows @ target) if start is None else start * scale
    typical = 0.0
    for number in range(MOST_ROUNDS):
        left = np.abs(target - solution @ rows)
        if number < SHORT_ROUNDS:
            typical = max(middle(left), 1e-9)
        weighted = rows / np.maximum(left, typical * 1e-3)
        change = _solved(weighted @ rows.T, weighted @ target) - solution
        solution = solution + (change if number < SHORT_ROUNDS else LONGER * change)
        if float(np.abs(change).sum()) < settled * typical:
            break
    return np.asarray(solution / scale, dtype=np.float64)


def _solved(square: FloatArray, side: FloatArray) -> FloatArray:
    """The solution of the normal equations, the shortest one where there are many."""
    try:
        return np.asarray(np.linalg.solve(square, side))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(square, side, rcond=None)[0])


LONGEST_TRACK_BLOCKS = 20_000
SHORTEST_TURN_MS, LONGEST_TURN_MS = 1.0, 100.0
CLEAR, CLEAR_ENOUGH = 0.7, 0.45
FEWEST_ON_LINE = 0.35
BETTER, MUCH_BETTER = 0.02, 0.1
MOST_CANDIDATES = 8
BENT = 1.6
SEARCHED = 0.012
"""Candidates nearer than this to a turn that was found lead to it again: the search reaches further."""
SAME = 0.004
FARTHEST, FARTHEST_BY_STEPS = 0.04, 0.15
"""How far a line's turn may be from the candidate; the first steps of a short track are several per cent
longer than a turn."""


@dataclass(frozen=True, slots=True)
class Lines:
    """A straight line on the circle of one turn."""

    turn_ms: float
    block_ms: float
    """Time in which one block passes under the head (the slope)."""
    offset_ms: float
    """Where the line of one track starts: minus the time between requests, as far as it is not timed."""
    concentration: float
    """Share of the first track's accesses that lie on the line, 0 to 1."""

    height_seen: bool = False
    """Whether both the line before and the line behind the edge were seen: only then is the turn sure."""
    slack_ms: float = 0.0
    """How far beside the line slipped sectors may put an access; 0 where none are looked for."""

    @property
    def track_blocks(self) -> float:
        return self.turn_ms / self.block_ms

    @property
    def sane(self) -> bool:
        """Whether a disk could turn like this at all; a fit through noise need not."""
        numbers = (self.turn_ms, self.block_ms, self.offset_ms)
        return (
            all(np.isfinite(numbers))
            and SHORTEST_TURN_MS < self.turn_ms < LONGEST_TURN_MS
            and self.block_ms > 0
            and SHORTEST_TRACK_BLOCKS <= self.track_blocks <= LONGEST_TRACK_BLOCKS
        )


@dataclass(frozen=True, slots=True)
class Turns:
    """Rotation times worth trying."""

    likely_ms: tuple[float, ...]
    """What the probe's own test found and what the drive is rated at."""
    others_ms: tuple[float, ...] = ()
    """What the first steps of the series show."""
    known_ms: float | None = None
    """The turn that another series shows."""


def turn_candidates(traces: tuple[Trace, ...], hints_ms: tuple[float, ...]) -> Turns:
    """The hints, and what the first steps of each series show.

    Step 0 takes a full turn plus one block (Skippy 4.1.1, point (1)), except where a cache answers.
    """
    likely = _distinct(hints_ms)
    firsts = [trace.latency_ms[trace.increasing & (trace.step < 6)] for trace in traces]
    every = _distinct(likely + tuple(float(np.median(first)) for first in firsts if len(first)))
    return Turns(likely, every[len(likely) : MOST_CANDIDATES])


def _distinct(values_ms: tuple[float, ...]) -> tuple[float, ...]:
    distinct: list[float] = []
    for value in values_ms:
        if SHORTEST_TURN_MS < value < LONGEST_TURN_MS and all(
            abs(value / other - 1) > SAME for other in distinct
        ):
            distinct.append(value)
    return tuple(distinct)


def first_lines(trace: Trace, turns: Turns) -> Lines | None:
    """The best line over the candidate rotation times, or None where nothing lines up.

    Where the series shows the turn that another one shows, that will do. What only the first steps show must
    explain much more than what is likely: a wrong turn that is near enough always explains something.
    """
    use = trace.chained & trace.increasing & (trace.latency_ms > 0)
    if int(use.sum()) < FEWEST_SAMPLES:
        return None
    best: Lines | None = None
    if turns.known_ms is not None:
        best = _best_tone(trace, use, turns.known_ms, None, BETTER)
        same = best is not None and abs(best.turn_ms / turns.known_ms - 1) < SAME
        if best is not None and same and best.height_seen and best.concentration > CLEAR_ENOUGH:
            return best
    for candidate in turns.likely_ms:
        best = _tried(trace, use, candidate, best, BETTER)
    better = BETTER if best is None else MUCH_BETTER
    for candidate in turns.others_ms:
        best = _tried(trace, use, candidate, best, better, FARTHEST_BY_STEPS)
    return best if best is not None and best.concentration >= FEWEST_ON_LINE else None


def _tried(
    trace: Trace,
    use: BoolArray,
    turn_ms: float,
    best: Lines | None,
    better: float,
    farthest: float = FARTHEST,
) -> Lines | None:
    """The best line of one more candidate, unless there is a clear one or the candidate is the same turn."""
    clear = best is not None and best.height_seen and best.concentration > CLEAR
    searched = best is not None and best.height_seen and abs(best.turn_ms / turn_ms - 1) < SEARCHED
    return best if clear or searched else _best_tone(trace, use, turn_ms, best, better, farthest)


def _best_tone(
    trace: Trace,
    use: BoolArray,
    turn_ms: float,
    best: Lines | None,
    better: float,
    farthest: float = FARTHEST,
) -> Lines | None:
    """The best line of one candidate's tones; `best` where none is better by so much.

    A line whose turn is further than `farthest` from the candidate, as a share of it, is none of its lines.

    A tone whose points stand no denser than those of one before is not fitted: the fit would not be better.
    """
    needed = 0.0 if best is None else best.concentration + better
    most = 0.0
    for window, frequency in tones(trace, use, turn_ms):
        inside = use & (trace.step < window)
        elapsed, distance = trace.elapsed_ms[inside], trace.distance[inside]
        turn, slope = gathered(elapsed, distance, turn_ms, turn_ms * frequency)
        dense = densest(elapsed - distance * slope, turn, turn / 50)[1] / len(elapsed)
        if dense <= most + BETTER:
            continue
        most = dense
        lines = _longest_straight(elapsed, distance, turn, slope)
        near = abs(lines.turn_ms / turn_ms - 1) < farthest
        if lines.sane and near and lines.concentration > needed:
            best, needed = lines, lines.concentration + BETTER
    return best


def _longest_straight(elapsed: FloatArray, distance: IntArray, turn_ms: float, block_ms: float) -> Lines:
    """Settle on growing stretches; keep the longest that is as straight as the best.

    Where track lengths change from head to head the line bends: only its beginning is one track's.
    """
    far = np.abs(distance)
    fits: dict[float, tuple[Lines, float]] = {}
    for shares in ((0.25, 0.5, 1.0), (0.35, 0.7)):
        for share in shares:
            inside = far <= share * far.max()
            if int(inside.sum()) >= FEWEST_SAMPLES // 2:
                fits[share] = _straightness(elapsed[inside], distance[inside], turn_ms, block_ms)
        straightest = min((spread for _, spread in fits.values()), default=0.0)
        if 1.0 in fits and fits[1.0][1] <= BENT * straightest:
            return fits[1.0][0]
    if not fits:
        return _settle(elapsed, distance, turn_ms, block_ms)
    return fits[max(share for share, (_, spread) in fits.items() if spread <= BENT * straightest)][0]


def _straightness(
    elapsed: FloatArray, distance: IntArray, turn_ms: float, block_ms: float
) -> tuple[Lines, float]:
    """The line of a stretch, and how far its points lie beside it."""
    lines = _settle(elapsed, distance, turn_ms, block_ms)
    if not (math.isfinite(lines.turn_ms) and lines.turn_ms > 0):
        # No point lies on a line whose turn is nothing or less.
        return lines, math.inf
    apart = np.abs(wrap(elapsed - distance * lines.block_ms - lines.offset_ms, lines.turn_ms))
    return lines, middle(apart) + lines.turn_ms * 2e-5


def _settle(elapsed: FloatArray, distance: IntArray, turn_ms: float, block_ms: float) -> Lines:
    """Fit the densest line by least absolute deviations; turn, slope and offset free."""
    far = np.abs(distance)
    near = far <= np.partition(far, int(0.6 * (len(far) - 1)))[int(0.6 * (len(far) - 1))]
    offset = densest((elapsed - distance * block_ms)[near], turn_ms, turn_ms / 100)[0]
    width, both = turn_ms / 50, False
    before = np.zeros(len(elapsed), dtype=np.bool_)
    for _ in range(4):
        rest = elapsed - distance * block_ms - offset
        on = np.abs(wrap(rest, turn_ms)) < width
        if int(on.sum()) < 6 or bool((on == before).all()):
            break
        before = on
        turns = np.round(rest[on] / turn_ms)
        columns = [np.ones(len(turns)), distance[on].astype(np.float64)]
        lowest = int((turns == turns.min()).sum())
        both = min(lowest, len(turns) - lowest) >= 3
        if both:
            columns.append(turns)
        fit = least_absolute(np.column_stack(columns), elapsed[on], settled=ROUGH)
        offset, block_ms = float(fit[0]), float(fit[1])
        if both:
            turn_ms = float(fit[2])
        else:
            # One line only: a whole number of turns lies below its start but for the time between requests.
            whole = round(offset / turn_ms)
            turn_ms = offset / whole if whole > 0 else turn_ms
        left = np.abs(wrap(elapsed[on] - distance[on] * block_ms - offset, turn_ms))
        width = max(7.5 * middle(left), turn_ms / 2000)
    apart = np.abs(wrap(elapsed - distance * block_ms - offset, turn_ms))
    share = float((apart < max(width, turn_ms / 400)).mean())
    return Lines(turn_ms, block_ms, float(wrap(np.asarray(offset), turn_ms)), share, both)


def turn_at_edge(trace: Trace, lines: Lines) -> tuple[float, float] | None:
    """Rotation time and its standard error from as many steps behind the edge as there are before it.

    Needs no track length: close to the edge few accesses cross a boundary, and slopes that change from head
    to head have no room to matter.
    """
    rest = trace.elapsed_ms - trace.distance * lines.block_ms - lines.offset_ms
    turns = np.round(rest / lines.turn_ms)
    use = trace.chained & trace.increasing & (np.abs(wrap(rest, lines.turn_ms)) < lines.turn_ms / 40)
    late = use & (turns == 1) & (trace.step < 0.5 * lines.track_blocks)
    if int(late.sum()) < 6 or not trace.forward:
        return None
    edge = float(np.quantile(trace.step[late], 0.95))
    near = use & (trace.step <= max(2 * edge, edge + 12)) & ((turns == 0) | (turns == 1))
    if int((near & (turns == 0)).sum()) < 6:
        return None
    distance = trace.distance[near].astype(np.float64)
    matrix = np.column_stack([np.ones(len(distance)), distance, turns[near]])
    solution = least_absolute(matrix, trace.elapsed_ms[near])
    scale = float(np.abs(trace.elapsed_ms[near] - matrix @ solution).mean())
    error = scale * float(np.sqrt(max(np.linalg.pinv(matrix.T @ matrix)[2, 2], 0.0)))
    return float(solution[2]), max(error, 1e-6 * lines.turn_ms)
