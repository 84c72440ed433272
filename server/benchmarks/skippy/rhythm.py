"""How often boundaries come: the rhythm, before any whole number is fixed.

The middles of the steps that crossed a boundary beat with the mean length of a track; a periodogram finds it
although steps are long, some are missed and each series starts anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from server.benchmarks.skippy.series import FloatArray, IntArray
from server.benchmarks.skippy.steps import MOST_TRACKS, Spikes, Steps

# ---- Frequency at which the numbers of several series beat together, each series with a phase of its own.

CELLS = 24
"""Cells in which numbers are gathered, for each period of half the range of frequencies."""
OVERSAMPLING = 4
ENOUGH = 0.01
"""How well the frequency is found, in periods over the longest series."""
FINER = 9
MOST_CELLS = 2_000_000


def beating(
    middle: FloatArray, weight: FloatArray, series: IntArray, count: int, between: tuple[float, float]
) -> float:
    """The frequency of the given range with the most power; series count by their own weights alone."""
    lowest, highest = between
    frequency, half = (lowest + highest) / 2, (highest - lowest) / 2
    span = max(float(middle.max(initial=0.0)), 1.0)
    power = np.bincount(series, weight**2, count)
    shares = 1 / np.where(power > 0, power, 1.0)
    if half * span > 1:
        frequency = _rough(middle, weight, series, count, frequency, half, shares)
        half = 0.5 / span
    half = min(half, highest - lowest)
    order = np.argsort(series, kind="stable")
    middle, weight, series = middle[order], weight[order], series[order]
    begins = np.flatnonzero(np.diff(series, prepend=-1))
    shares = shares[series[begins]]
    while half * span > ENOUGH:
        grid = frequency + half * np.linspace(-1, 1, FINER)
        frequency = _top(grid, _power(grid, middle, weight, begins, shares))
        half *= 2 / (FINER - 1) / 2
    return frequency


def _rough(
    middle: FloatArray, weight: FloatArray, series: IntArray, count: int,
    frequency: float, half: float, shares: FloatArray,
) -> float:  # fmt: skip
    """By one Fourier transform: turned back by the middle frequency, what is left is slow and fits in few
    cells."""
    cell = 1 / (CELLS * half)
    cell_of = (middle / cell).astype(np.int64)
    cells = int(cell_of.max()) + 1
    size = 1 << int(np.ceil(np.log2(OVERSAMPLING * cells)))
    signal = weight * np.exp(-2j * np.pi * frequency * middle)
    shift = np.fft.fftfreq(size, cell)
    near = np.abs(shift) <= half
    total = np.zeros(int(near.sum()))
    for begin in range(0, count, max(1, MOST_CELLS // size)):
        rows = min(max(1, MOST_CELLS // size), count - begin)
        mine = (series >= begin) & (series < begin + rows)
        at = (series[mine] - begin) * cells + cell_of[mine]
        gathered = np.bincount(at, signal.real[mine], rows * cells) + 1j * np.bincount(
            at, signal.imag[mine], rows * cells
        )
        spectrum = np.fft.fft(gathered.reshape(rows, cells), size, axis=1)[:, near]
        total += shares[begin : begin + rows] @ (spectrum.real**2 + spectrum.imag**2)
    return frequency + float(shift[near][int(total.argmax())])


def _power(
    grid: FloatArray, middle: FloatArray, weight: FloatArray, begins: IntArray, shares: FloatArray
) -> FloatArray:
    """Exact powers on a grid of equal distances, of series that stand behind one another."""
    row = weight * np.exp(2j * np.pi * grid[0] * middle)
    step = np.exp(2j * np.pi * (grid[1] - grid[0]) * middle)
    powers = np.empty(len(grid))
    for index in range(len(grid)):
        total = np.add.reduceat(row, begins)
        powers[index] = (total.real**2 + total.imag**2) @ shares
        row *= step
    return powers


def _top(grid: FloatArray, powers: FloatArray) -> float:
    """The top of the parabola through the highest point and its neighbours."""
    best = int(powers.argmax())
    if not 0 < best < len(grid) - 1:
        return float(grid[best])
    left, top, right = (float(power) for power in powers[best - 1 : best + 2])
    bend = left - 2 * top + right
    aside = 0.5 * (left - right) / bend if bend < 0 else 0.0
    return float(grid[best] + aside * (grid[1] - grid[0]))


SHORTEST_SHARE = 0.6
LONGEST_SHARE = 1.01
"""The mean track's addresses as a share of what passes in a turn: spares take some."""
REACHES = (0.9, 1.5, 2.2, 3.1, float(MOST_TRACKS))
UNCOUNTED = 0.2


@dataclass(frozen=True, slots=True)
class Beat:
    """Boundaries of series k lie near `start[k] + n * length`."""

    length: float
    start: FloatArray
    tracks: float
    """Tracks of the longest series: how well the length is known."""


def find_beat(steps: Steps, spikes: Spikes, track: float) -> Beat | None:
    """The mean track, first from steps shorter than a track, then from longer ones."""
    near = steps.only(steps.distance <= REACHES[0] * track)
    hit = near.beside(0.0) > spikes.limit_ms
    if int(hit.sum()) < 4:
        return None
    rate = float(hit.sum() / near.distance.sum())
    width = max(0.12, 3.0 / float(hit.sum()))
    lowest = max(rate * (1 - width), 1 / (LONGEST_SHARE * track))
    # A rarer gap may be too small to have been counted.
    highest = min(rate * (1 + width + UNCOUNTED), 1 / (SHORTEST_SHARE * track))
    if lowest >= highest:
        return None
    beat = _strongest(near.only(hit), near.low[hit], near.high[hit], lowest, highest)
    for reach in REACHES[1:]:
        more = steps.only(steps.distance <= reach * track)
        if len(more.low) > len(near.low) * 1.02:
            beat = _longer(more, spikes, beat)
            near = more
    return beat


def _longer(steps: Steps, spikes: Spikes, beat: Beat) -> Beat:
    """The same with steps of several tracks: all whole tracks of a step are taken off it."""
    whole = np.floor(steps.distance / beat.length)
    high = steps.high - whole * beat.length
    less, more = steps.beside(whole * spikes.gap_ms), steps.beside((whole + 1) * spikes.gap_ms)
    hit = (more < less) & (more < spikes.limit_ms) & (high > steps.low)
    if int(hit.sum()) < 8:
        return beat
    frequency, slack = 1 / beat.length, 0.4 / (beat.tracks * beat.length)
    return _strongest(
        steps.only(hit), steps.low[hit], high[hit], frequency - slack, frequency + slack, beat.start
    )


def _strongest(
    steps: Steps, low: FloatArray, high: FloatArray, lowest: float, highest: float,
    before: FloatArray | None = None,
) -> Beat:  # fmt: skip
    """The frequency at which the middles of the intervals beat most; short intervals weigh more.

    Series without an interval start where they did `before`.
    """
    count = steps.count
    first = np.full(count, np.inf)
    np.minimum.at(first, steps.series, low)
    first[np.isinf(first)] = 0.0
    middle = (low + high + 1) / 2 - first[steps.series]
    weight = np.maximum(1 - (high - low) * lowest, 0.02)
    frequency = beating(middle, weight, steps.series, count, (lowest, highest))
    signal = weight * np.exp(2j * np.pi * frequency * middle)
    total = np.bincount(steps.series, signal.real, count) + 1j * np.bincount(steps.series, signal.imag, count)
    start = first + np.angle(total) / (2 * np.pi * frequency)
    if before is not None:
        start = np.where(np.abs(total) > 0, start, before)
    return Beat(1 / frequency, start, max(float(middle.max()) * frequency, 1.0))
