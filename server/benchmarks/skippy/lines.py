"""Rotation time and slope: the straight lines of the sawtooth.

Between two completions on one track the platter turns by the distance of the two blocks, plus whole turns.
So `elapsed = n * T + distance * tau - think`: on the circle of length T all accesses of one track lie on one
line of slope tau whatever n is, and those that cross a boundary lie beside it by the gap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from server.benchmarks.skippy.series import BoolArray, FloatArray, IntArray, Trace

SHORTEST_TRACK_BLOCKS = 8
LONGEST_TRACK_BLOCKS = 20_000
SHORTEST_TURN_MS, LONGEST_TURN_MS = 1.0, 100.0
FEWEST_SAMPLES = 16
CLEAR = 0.7
MOST_GATHERED = 600
BINS = 256
WINDOW_TURNS = (0.35, 1.3)


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


def wrap(value: FloatArray, turn_ms: float) -> FloatArray:
    """Map to [-turn/2, turn/2)."""
    return np.asarray((value + turn_ms / 2) % turn_ms - turn_ms / 2, dtype=np.float64)


def turn_candidates(traces: tuple[Trace, ...], hints_ms: tuple[float, ...]) -> tuple[float, ...]:
    """Rotation times worth trying: the hints, and what the first steps of each series show.

    Step 0 takes a full turn plus one block (Skippy 4.1.1, point (1)), except where a cache answers.
    """
    found = [hint for hint in hints_ms if SHORTEST_TURN_MS < hint < LONGEST_TURN_MS]
    for trace in traces:
        first = trace.latency_ms[trace.increasing & (trace.step < 6)]
        if len(first):
            found.append(float(np.median(first)))
    distinct: list[float] = []
    for value in found:
        if SHORTEST_TURN_MS < value < LONGEST_TURN_MS and all(
            abs(value / other - 1) > 0.004 for other in distinct
        ):
            distinct.append(value)
    return tuple(distinct[:8])


def first_lines(trace: Trace, candidates_ms: tuple[float, ...]) -> Lines | None:
    """The best line over the candidate rotation times, or None where nothing lines up."""
    use = trace.chained & trace.increasing & (trace.latency_ms > 0)
    if int(use.sum()) < FEWEST_SAMPLES:
        return None
    best: Lines | None = None
    for candidate in candidates_ms:
        for window, frequency in _tones(trace, use, candidate):
            lines = _hough(trace, use & (trace.step < window), candidate, candidate * frequency)
            if lines.sane and (best is None or lines.concentration > best.concentration + 0.02):
                best = lines
        if best is not None and best.height_seen and best.concentration > CLEAR:
            break
    if best is None or best.concentration < 0.35:
        return None
    return best


def _tones(trace: Trace, use: BoolArray, turn_ms: float) -> list[tuple[int, float]]:
    """Turns per block, from the spectrum of the completions' angles, in windows of about one track."""
    sign = 1.0 if trace.forward else -1.0
    found: list[tuple[float, int, float]] = []
    longest = int(trace.step[use].max()) + 1
    window = 16
    while window <= longest * 1.4:
        inside = use & (trace.step < window)
        count = int(inside.sum())
        if count >= FEWEST_SAMPLES / 2:
            size = 16 * window
            signal = np.zeros(size, dtype=np.complex128)
            np.add.at(
                signal, trace.step[inside], np.exp(2j * np.pi * sign * trace.elapsed_ms[inside] / turn_ms)
            )
            power = np.abs(np.fft.fft(signal))[: size // (2 * SHORTEST_TRACK_BLOCKS // 2)]
            power[: max(1, int(WINDOW_TURNS[0] * 16))] = 0
            peak = int(power.argmax())
            if WINDOW_TURNS[0] <= peak / 16 <= WINDOW_TURNS[1]:
                found.append((float(power[peak]) / count, window, peak / size))
        window = int(window * 1.4) + 1
    found.sort(reverse=True)
    return [(window, frequency) for _, window, frequency in found[:3]]


def _hough(trace: Trace, use: BoolArray, turn_ms: float, block_ms: float) -> Lines:
    """Sharpen turn and slope: the pair that gathers the angles in the fewest places."""
    distance = trace.distance[use]
    elapsed = trace.elapsed_ms[use]
    # The search needs no more than some hundred points; the fit behind it uses all.
    stride = -(-len(distance) // MOST_GATHERED)
    reach = int(np.abs(distance).max())
    slope, turn = block_ms, turn_ms
    slope_width, turn_width = 0.08 * turn_ms / max(reach, 1), 0.02 * turn_ms
    for _ in range(3):
        slopes = slope + slope_width * np.linspace(-1, 1, 41)
        turns = turn + turn_width * np.linspace(-1, 1, 31)
        found = [
            (*_gathering(elapsed[::stride], distance[::stride], float(candidate), slopes), float(candidate))
            for candidate in turns
        ]
        _, slope, turn = max(found)
        slope_width, turn_width = slope_width / 6, turn_width / 6
    return _longest_straight(elapsed, distance, turn, slope)


def _longest_straight(elapsed: FloatArray, distance: IntArray, turn_ms: float, block_ms: float) -> Lines:
    """Settle on growing stretches; keep the longest that is as straight as the best.

    Where track lengths change from head to head the line bends: only its beginning is one track's.
    """
    far = np.abs(distance)
    fits: list[tuple[Lines, float]] = []
    for share in (0.25, 0.35, 0.5, 0.7, 1.0):
        inside = far <= share * far.max()
        if int(inside.sum()) < FEWEST_SAMPLES // 2:
            continue
        lines = _settle(elapsed[inside], distance[inside], turn_ms, block_ms)
        apart = np.abs(
            wrap(elapsed[inside] - distance[inside] * lines.block_ms - lines.offset_ms, lines.turn_ms)
        )
        fits.append((lines, float(np.median(apart)) + lines.turn_ms * 2e-5))
    if not fits:
        return _settle(elapsed, distance, turn_ms, block_ms)
    straightest = min(spread for _, spread in fits)
    return [lines for lines, spread in fits if spread <= 1.6 * straightest][-1]


def _gathering(
    elapsed: FloatArray, distance: IntArray, turn_ms: float, slopes: FloatArray
) -> tuple[float, float]:
    """How much the angles gather in few places under the best of the slopes, and that slope."""
    angle = ((elapsed[None, :] - distance[None, :] * slopes[:, None]) / turn_ms) % 1.0
    places = (angle * BINS).astype(np.int64) % BINS + BINS * np.arange(len(slopes))[:, None]
    counts = np.bincount(places.ravel(), minlength=BINS * len(slopes)).reshape(len(slopes), BINS)
    smooth = counts + np.roll(counts, 1, axis=1)
    score = (smooth.astype(np.float64) ** 2).sum(axis=1)
    best = int(score.argmax())
    return float(score[best]), float(slopes[best])


def _settle(elapsed: FloatArray, distance: IntArray, turn_ms: float, block_ms: float) -> Lines:
    """Fit the densest line by least absolute deviations; turn, slope and offset free."""
    rest = (elapsed - distance * block_ms) % turn_ms
    near = np.abs(distance) <= np.quantile(np.abs(distance), 0.6)
    offset = densest(rest[near], turn_ms, turn_ms / 100)
    width, both = turn_ms / 50, False
    for _ in range(4):
        apart = wrap(elapsed - distance * block_ms - offset, turn_ms)
        on = np.abs(apart) < width
        if int(on.sum()) < 6:
            break
        turns = np.round((elapsed[on] - distance[on] * block_ms - offset) / turn_ms)
        columns = [np.ones(int(on.sum())), distance[on].astype(np.float64)]
        both = min(int((turns == turns.min()).sum()), int((turns != turns.min()).sum())) >= 3
        if both:
            columns.append(turns)
            fit = least_absolute(np.column_stack(columns), elapsed[on])
            offset, block_ms, turn_ms = float(fit[0]), float(fit[1]), float(fit[2])
        else:
            fit = least_absolute(np.column_stack(columns), elapsed[on])
            offset, block_ms = float(fit[0]), float(fit[1])
            # One line only: a whole number of turns lies below its start but for the time between requests.
            whole = round(offset / turn_ms)
            turn_ms = offset / whole if whole > 0 else turn_ms
        left = np.abs(wrap(elapsed[on] - distance[on] * block_ms - offset, turn_ms))
        width = max(5 * float(np.median(left)) * 1.5, turn_ms / 2000)
    apart = np.abs(wrap(elapsed - distance * block_ms - offset, turn_ms))
    share = float((apart < max(width, turn_ms / 400)).mean())
    return Lines(turn_ms, block_ms, float(wrap(np.asarray(offset), turn_ms)), share, both)


def densest(values: FloatArray, turn_ms: float, width_ms: float) -> float:
    """Middle of the arc of the given width that holds the most values (values on a circle)."""
    ordered = np.sort(values % turn_ms)
    twice = np.concatenate([ordered, ordered + turn_ms])
    ends = np.searchsorted(twice, ordered + width_ms, side="right")
    best = int((ends - np.arange(len(ordered))).argmax())
    return float(np.median(twice[best : ends[best]]) % turn_ms)


def least_absolute(matrix: FloatArray, target: FloatArray, rounds: int = 40) -> FloatArray:
    """Least absolute deviations by reweighting; the maximum-likelihood line when delays are exponential.

    A latency carries the difference of two completion delays, which is Laplace distributed.
    """
    scale = np.abs(matrix).max(axis=0)
    scale[scale == 0] = 1.0
    scaled = matrix / scale
    weight = np.ones(len(target))
    solution = np.zeros(matrix.shape[1])
    for _ in range(rounds):
        weighted = scaled.T * weight
        before = solution
        solution = _solved(weighted @ scaled, weighted @ target)
        left = np.abs(target - scaled @ solution)
        if float(np.abs(solution - before).max()) < 1e-10 * max(float(np.abs(solution).max()), 1e-9):
            break
        weight = 1.0 / np.maximum(left, max(float(np.median(left)) * 1e-3, 1e-9))
        weight /= weight.max()
    return np.asarray(solution / scale, dtype=np.float64)


def _solved(square: FloatArray, side: FloatArray) -> FloatArray:
    """The solution of the normal equations, the shortest one where there are many."""
    try:
        return np.asarray(np.linalg.solve(square, side))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(square, side, rcond=None)[0])


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
