"""The frequency at which the numbers of several series beat together, each series with a phase of its own."""

from __future__ import annotations

import numpy as np

from server.benchmarks.skippy.series import FloatArray, IntArray

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
    place = (middle / cell).astype(np.int64)
    cells = int(place.max()) + 1
    size = 1 << int(np.ceil(np.log2(OVERSAMPLING * cells)))
    signal = weight * np.exp(-2j * np.pi * frequency * middle)
    shift = np.fft.fftfreq(size, cell)
    near = np.abs(shift) <= half
    total = np.zeros(int(near.sum()))
    for begin in range(0, count, max(1, MOST_CELLS // size)):
        rows = min(max(1, MOST_CELLS // size), count - begin)
        mine = (series >= begin) & (series < begin + rows)
        at = (series[mine] - begin) * cells + place[mine]
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
    for place in range(len(grid)):
        total = np.add.reduceat(row, begins)
        powers[place] = (total.real**2 + total.imag**2) @ shares
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
