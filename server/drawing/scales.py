"""Axes' scales: which pixel a value has, and where the ticks are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from server.benchmarks.contract import Axis

_NARROW = "\u202f"
_SUFFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k"))


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on an axis, in its unit, and its words."""

    value: float
    words: str


@dataclass(frozen=True, slots=True)
class Scale:
    """Turns values of an axis into pixels."""

    low: float
    high: float
    start_px: float
    end_px: float
    log: bool = False
    ticks: tuple[Tick, ...] = ()

    def at(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the pixels of values. On a logarithmic axis what is not above nought lies at its start."""
        numbers = np.asarray(values, dtype=np.float64)
        low, high = self.low, self.high
        if self.log:
            numbers = np.log10(np.maximum(numbers, low))
            low, high = math.log10(low), math.log10(high)
        share = (numbers - low) / (high - low)
        # What lies far outside is clipped; its number need not be long.
        return np.clip(self.start_px + share * (self.end_px - self.start_px), -9999.0, 9999.0)

    def one(self, value: float) -> float:
        """Return the pixel of a value."""
        return float(self.at(value))


def scale_of(
    axis: Axis,
    values: Sequence[float] | NDArray[np.float64],
    pixels: tuple[float, float],
    *,
    from_nought: bool = False,
    room: float = 0.0,
    whole_ticks: bool = False,
    most_ticks: int = 8,
) -> Scale:
    """Return an axis' scale for what is drawn on it: from nought, with a share of room at both ends, or as
    far as the next tick (`whole_ticks`) where that is asked for."""
    if axis.categories:
        count = len(axis.categories)
        ticks = tuple(Tick(float(index), words) for index, words in enumerate(axis.categories))
        return Scale(-0.5, count - 0.5, *pixels, ticks=ticks)
    numbers = np.asarray(values, dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    if axis.scale == "log" and (numbers > 0).any():
        return _logarithmic(numbers[numbers > 0], pixels, whole_ticks, most_ticks)
    low, high = (float(numbers.min()), float(numbers.max())) if numbers.size else (0.0, 1.0)
    return _linear(low, high, pixels, from_nought, room, whole_ticks, most_ticks)


def _linear(
    low: float,
    high: float,
    pixels: tuple[float, float],
    from_nought: bool,
    room: float,
    whole_ticks: bool,
    most_ticks: int,
) -> Scale:
    spread = high - low
    if room:
        # Where nought is near, the axis may as well begin there.
        begin = 0.0 if 0 <= low < 0.25 * spread else low - room * (spread or abs(low) or 1.0)
        low, high = begin, high + room * (spread or abs(high) or 1.0)
    if from_nought:
        low, high = min(low, 0.0), max(high, 0.0)
    if high <= low:
        low, high = low - (abs(low) * 0.05 or 0.5), high + (abs(high) * 0.05 or 0.5)
    step = nice_step((high - low) / most_ticks)
    if whole_ticks:
        low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    ticks = tuple(
        Tick(index * step, tick_words(index * step, step)) for index in range(int(first), int(last) + 1)
    )
    return Scale(low, high, *pixels, ticks=ticks)


def _logarithmic(
    numbers: NDArray[np.float64], pixels: tuple[float, float], whole_ticks: bool, most_ticks: int
) -> Scale:
    low, high = float(numbers.min()), float(numbers.max())
    if high <= low * 1.0001:
        low, high = low / 2, high * 2
    decades = math.log10(high / low)
    leads = (1, 2, 5) if decades < most_ticks / 3 else (1,)
    every = max(1, math.ceil(decades / most_ticks))
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    places = [lead * 10.0**power for power in powers if power % every == 0 for lead in leads]
    if whole_ticks:
        low = max((value for value in places if value <= low), default=low)
        high = min((value for value in places if value >= high), default=high)
    shown = [value for value in places if low * 0.9999 <= value <= high * 1.0001]
    ticks = tuple(Tick(value, tick_words(value, value)) for value in shown)
    return Scale(low, high, *pixels, log=True, ticks=ticks)


def nice_step(least: float) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is no smaller than `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    for lead in (1.0, 2.0, 5.0):
        if lead * power >= least * (1 - 1e-9):
            return lead * power
    return 10 * power


def tick_words(value: float, step: float) -> str:
    """Return a tick's words: as many decimals as tell it from the next, large counts shortened."""
    for size, letter in _SUFFIXES:
        if abs(value) >= (1e3 if letter == "k" and step >= 1e3 else size):
            divisor = 1e3 if letter == "k" else size
            return f"{_plain(value / divisor, step / divisor)}{letter}"
    return _plain(value, step)


def _plain(value: float, step: float) -> str:
    decimals = next(
        (n for n in range(12) if abs(step * 10**n - round(step * 10**n)) < 1e-6 * step * 10**n), 12
    )
    # Four digits are read as they are, and a year is not grouped.
    grouped = f"{value:,.{decimals}f}" if abs(value) >= 1e4 else f"{value:.{decimals}f}"
    text = grouped.replace(",", _NARROW)
    return text.removeprefix("-") if float(f"{value:.{decimals}f}") == 0 else text.replace("-", "\u2212")
