"""How often boundaries come: the rhythm, before any whole number is fixed.

The middles of the steps that crossed a boundary beat with the mean length of a track; a periodogram finds it
although steps are long, some are missed and each series starts anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from server.benchmarks.skippy.beating import beating
from server.benchmarks.skippy.series import FloatArray
from server.benchmarks.skippy.steps import MOST_TRACKS, Spikes, Steps

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
