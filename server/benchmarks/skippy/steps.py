"""The steps whose crossings of boundaries are looked for, and how large the gaps at boundaries are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from server.benchmarks.skippy.lines import Lines, wrap
from server.benchmarks.skippy.series import BoolArray, FloatArray, IntArray, Trace

MOST_TRACKS = 4
"""Steps of more tracks than this are not used: longer moves of the arm are not SKIPPY's (Skippy 4.1.1)."""
SHARE_OF_FIRST = 0.25


@dataclass(frozen=True, slots=True)
class Steps:
    """Equally long columns. A boundary lies inside a step where `low < boundary <= high`, a boundary being
    the first block behind it."""

    low: FloatArray
    high: FloatArray
    rest_ms: FloatArray
    """What the gaps of all crossed boundaries add up to, modulo one turn; noise may take it below zero."""
    series: IntArray
    """Number of the series, from 0 without holes: boundaries are only followed within a series."""
    place: IntArray
    """Index of the access in its trace."""
    turn_ms: float
    block_ms: float
    noise_ms: float
    count: int
    """Number of series."""
    slack_ms: float = 0.0
    """How far beside a line slipped sectors may put a step."""

    @property
    def distance(self) -> FloatArray:
        return self.high - self.low

    def only(self, mask: BoolArray) -> Steps:
        """The steps of the mask; series keep their numbers."""
        names = ("low", "high", "rest_ms", "series", "place")
        return replace(self, **{name: getattr(self, name)[mask] for name in names})

    def pieces(self, blocks: float) -> Steps:
        """The same steps with each series cut into pieces of so many blocks."""
        number = np.floor(self.low / blocks).astype(np.int64)
        keys = self.series * (int(number.max(initial=0)) + 1) + number
        return self.numbered(keys)

    def numbered(self, keys: IntArray) -> Steps:
        """The same steps with a series for each distinct key."""
        names, series = np.unique(keys, return_inverse=True)
        return replace(self, series=series.astype(np.int64), count=len(names))

    def beside(self, gaps_ms: FloatArray | float) -> FloatArray:
        """How far each step lies beside the given sum of gaps, on the circle of one turn."""
        return np.abs(wrap(self.rest_ms - gaps_ms, self.turn_ms))

    @property
    def tolerance_ms(self) -> float:
        """How far beside a sum of gaps a step may lie and still show it."""
        return max(5 * self.noise_ms, 0.3 * self.block_ms, self.turn_ms / 2000, self.slack_ms)


def steps_of(trace: Trace, lines: Lines) -> Steps:
    """All chained steps of at most `MOST_TRACKS` tracks."""
    use = np.flatnonzero(trace.chained & (np.abs(trace.distance) <= MOST_TRACKS * lines.track_blocks))
    distance = trace.distance[use]
    apart = wrap(trace.elapsed_ms[use] - distance * lines.block_ms - lines.offset_ms, lines.turn_ms)
    close = np.abs(distance) <= 0.6 * lines.track_blocks
    low = np.minimum(trace.before[use], trace.block[use])
    names, series = np.unique(_first_block(trace.series[use], low), return_inverse=True)
    return Steps(
        low=low.astype(np.float64),
        high=np.maximum(trace.before[use], trace.block[use]).astype(np.float64),
        rest_ms=np.where(distance > 0, apart, -apart),
        series=series.astype(np.int64),
        place=use,
        turn_ms=lines.turn_ms,
        block_ms=lines.block_ms,
        noise_ms=spread(apart[close]),
        count=len(names),
        slack_ms=lines.slack_ms,
    )


SLIPPED_MOST = 3
"""Slipped sectors that a step of less than a track is expected to cross at most."""
WHOLE = 0.15
"""How near to a whole number of blocks the angle of a slipped sector lies, in blocks."""
SLIPPED_SHARE = 0.01


def slips(trace: Trace, lines: Lines) -> bool:
    """Whether steps lie beside the line by one block, two or three, and hardly any between: a sector that
    holds no data passes under the head and has no number.

    Noise as long as a block hides them, and then they do no harm.
    """
    steps = steps_of(trace, lines)
    near = steps.only(steps.distance <= lines.track_blocks)
    beside = near.rest_ms / lines.block_ms
    whole = np.round(beside)
    few = (whole >= 1) & (whole <= SLIPPED_MOST)
    on = int((few & (np.abs(beside - whole) < WHOLE)).sum())
    between = int((few & (np.abs(beside - whole) > 0.5 - WHOLE)).sum())
    return on >= max(SLIPPED_SHARE * len(beside), 4 * between, 5)


def _first_block(series: IntArray, low: IntArray) -> IntArray:
    """Of each step, the lowest block of its series: repeats of the same blocks have the same boundaries."""
    first = np.full(int(series.max(initial=0)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, series, low)
    return np.asarray(first[series], dtype=np.int64)


def spread(apart: FloatArray) -> float:
    """Scale of the noise from the residuals nearest to the line, robust against those beside it."""
    near = np.sort(np.abs(apart))
    return float(near[: max(1, len(near) // 2)].mean() * 2.0) if len(near) else 0.0


@dataclass(frozen=True, slots=True)
class Spikes:
    """What stands beside the line, seen from the steps of less than a track."""

    limit_ms: float
    """A step further beside the line than this crossed a boundary."""
    gap_ms: float
    """The most frequent gap."""
    hits: int


def find_spikes(near: Steps) -> Spikes | None:
    """The most frequent gap of steps shorter than a track; None where too few lie beside the line."""
    turn = near.turn_ms
    off = near.beside(0.0)
    limit = max(4.0 * near.noise_ms, turn / 500, near.slack_ms)
    peaks = circular_peaks(near.rest_ms[off > limit], turn, max(4 * near.noise_ms, turn / 200))
    peaks = [(centre, count) for centre, count in peaks if count >= SHARE_OF_FIRST * peaks[0][1]]
    if not peaks:
        return None
    nearest = min(abs(float(wrap(np.asarray(centre), turn))) for centre, _ in peaks)
    limit = max(nearest / 2, turn / 1000, min(near.slack_ms, 0.9 * nearest))
    return Spikes(limit, peaks[0][0], int((off > limit).sum()))


def circular_peaks(
    values: FloatArray, turn_ms: float, width_ms: float, limit: int = 5
) -> list[tuple[float, int]]:
    """The densest places of values on a circle, each with its count, most first; at least two values each."""
    left = np.sort(np.asarray(values % turn_ms))
    found: list[tuple[float, int]] = []
    while len(left) >= 2 and len(found) < limit:
        twice = np.concatenate([left, left + turn_ms])
        ends = np.searchsorted(twice, left + width_ms, side="right")
        counts = ends - np.arange(len(left))
        best = int(counts.argmax())
        if counts[best] < 2:
            break
        centre = float(np.median(twice[best : ends[best]]) % turn_ms)
        near = np.abs((left - centre + turn_ms / 2) % turn_ms - turn_ms / 2) <= width_ms
        found.append((centre, int(near.sum())))
        left = left[~near]
    return found
