"""Where to look for the lines: the slope as a tone in the angles of the completions, sharpened by gathering.

Times are in turns of the platter here, so that whole numbers of 32 bits wrap round where the platter does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from server.benchmarks.skippy.series import BoolArray, FloatArray, IntArray, Trace

ComplexArray = NDArray[np.complex128]
CircleArray = NDArray[np.uint32]

SHORTEST_TRACK_BLOCKS = 8
FEWEST_SAMPLES = 16
WINDOW_TURNS = (0.35, 1.3)
GROWTH = 1.4
OVERSAMPLING = 16
MOST_TONES = 3
CELLS = 64
BINS_BITS = 8
CIRCLE = 2.0**32
MOST_GATHERED = 400
"""The search needs no more than some hundred points; the fit behind it uses all."""
TURN_SHARE, SLOPE_SHARE = 0.02, 0.08
"""How far from the first guess the turn may be, and the slope as turns over the longest step."""
NARROWING = 6.0
FIRST_TURNS, TURNS, SLOPES = 7, 31, 41


def tones(trace: Trace, use: BoolArray, turn_ms: float) -> list[tuple[int, float]]:
    """Turns per block, from the spectrum of the completions' angles, in windows of about one track.

    Pairs of the window in steps and the tone, the clearest first.
    """
    step = trace.step[use]
    sign = 2j if trace.forward else -2j
    angle = np.exp(sign * np.pi / turn_ms * trace.elapsed_ms[use])
    longest = int(step.max()) + 1
    signal = np.bincount(step, angle.real, longest) + 1j * np.bincount(step, angle.imag, longest)
    counts = np.cumsum(np.bincount(step, minlength=longest))
    found: list[tuple[float, int, float]] = []
    window = 16
    while window <= longest * GROWTH:
        count = int(counts[min(window, longest) - 1])
        if count >= FEWEST_SAMPLES / 2:
            power = _spectrum(signal, window)
            peak = int(power.argmax())
            turns = peak / OVERSAMPLING
            if WINDOW_TURNS[0] <= turns <= WINDOW_TURNS[1]:
                found.append((float(power[peak]) / count, window, turns / window))
        window = int(window * GROWTH) + 1
    found.sort(reverse=True)
    return [(window, frequency) for _, window, frequency in found[:MOST_TONES]]


def _spectrum(signal: ComplexArray, window: int) -> FloatArray:
    """Power of the tones of the first `window` steps, 1 / OVERSAMPLING turns in the window apart.

    Steps are gathered in a few cells: only the tones of about one turn in the window matter, those far above
    need no more than to be seen.
    """
    cells = min(window, CELLS)
    edges = np.arange(cells) * window // cells
    inside = edges[edges < min(len(signal), window)]
    sums = np.add.reduceat(signal[:window], inside)
    power = np.abs(np.fft.fft(sums, OVERSAMPLING * cells))[: OVERSAMPLING * cells // SHORTEST_TRACK_BLOCKS]
    power[: int(WINDOW_TURNS[0] * OVERSAMPLING)] = 0
    return np.asarray(power)


def gathered(elapsed: FloatArray, distance: IntArray, turn_ms: float, block_ms: float) -> tuple[float, float]:
    """Sharpen turn and slope: the pair that gathers the angles in the fewest places.

    The turn matters where lines of different numbers of turns fall together, the slope on each of them: one
    grid of both, then each in turn.
    """
    stride = -(-len(distance) // MOST_GATHERED)
    elapsed, distance = elapsed[::stride], distance[::stride]
    reach = max(int(np.abs(distance).max()), 1)
    slope_width, turn_width = SLOPE_SHARE * turn_ms / reach, TURN_SHARE * turn_ms
    turn, slope = turn_ms, block_ms
    around = np.linspace(-1, 1, SLOPES)
    found = _best_slopes(
        elapsed, distance, turn + turn_width * np.linspace(-1, 1, FIRST_TURNS), slope + slope_width * around
    )
    _, slope, turn = max(found)
    turns = turn + 2 * turn_width / (FIRST_TURNS - 1) * np.linspace(-1, 1, TURNS)
    turn = _best_turn(elapsed, distance, np.clip(turns, turn_ms - turn_width, turn_ms + turn_width), slope)
    slopes = slope + slope_width / NARROWING * around
    return turn, _best_slopes(elapsed, distance, np.array([turn]), slopes)[0][1]


def _best_slopes(
    elapsed: FloatArray, distance: IntArray, turns: FloatArray, slopes: FloatArray
) -> list[tuple[float, float, float]]:
    """Of each turn, how much the angles gather in few places under the best of the slopes, that slope, and
    the turn."""
    found, blocks = [], distance.astype(np.uint32)
    for turn_ms in turns:
        turned = _round(slopes / turn_ms)[:, None] * blocks
        scores = _gathering(np.subtract(_round(elapsed / turn_ms), turned, out=turned))
        best = int(scores.argmax())
        found.append((float(scores[best]), float(slopes[best]), float(turn_ms)))
    return found


def _best_turn(elapsed: FloatArray, distance: IntArray, turns: FloatArray, slope: float) -> float:
    rest = elapsed - distance * slope
    return float(turns[int(_gathering(_round(rest[None, :] / turns[:, None])).argmax())])


def _round(turns: FloatArray) -> CircleArray:
    """Turns as 32 bits of one turn; whole turns fall off."""
    return np.asarray(((turns - np.floor(turns)) * CIRCLE).astype(np.int64), dtype=np.uint32)


def _gathering(angles: CircleArray) -> FloatArray:
    """Of each row, the sum of the squares of how many angles share a place; the angles are used up."""
    rows, bins = len(angles), 1 << BINS_BITS
    angles >>= np.uint32(32 - BINS_BITS)
    angles += (bins * np.arange(rows, dtype=np.uint32))[:, None]
    counts = np.bincount(angles.ravel(), minlength=bins * rows).reshape(rows, bins).astype(np.float64)
    alone = np.einsum("ij,ij->i", counts, counts)
    beside = np.einsum("ij,ij->i", counts[:, 1:], counts[:, :-1]) + counts[:, 0] * counts[:, -1]
    # The sum of (a + b)^2 over neighbours, each place being a neighbour twice.
    return np.asarray(2 * (alone + beside))
