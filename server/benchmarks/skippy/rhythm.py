"""How often boundaries come, and which of them are rarer: the rhythm, before any whole number is fixed.

The middles of the steps that crossed a boundary beat with the mean length of a track; a periodogram finds it
although steps are long, some are missed and each series starts anywhere. With that length every step knows
the numbers of the boundaries it crossed, and what deviates in every n-th of them is the cylinder's gap.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from server.benchmarks.skippy.beating import beating
from server.benchmarks.skippy.fitting import wrap
from server.benchmarks.skippy.series import FloatArray, IntArray
from server.benchmarks.skippy.steps import MOST_TRACKS, Spikes, Steps

SHORTEST_SHARE = 0.6
LONGEST_SHARE = 1.01
"""The mean track's addresses as a share of what passes in a turn: spares take some."""
REACHES = (0.9, 1.5, 2.2, 3.1, float(MOST_TRACKS))
MOST_BETWEEN = 512
MOST_PERIODS = 12
MOST_MULTIPLES = 8
FEWEST_AGAIN = 2
CLEAR_Z2 = 40.0
NEAR_EDGE = 0.12
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


@dataclass(frozen=True, slots=True)
class Rarer:
    """One boundary in every `tracks` has another gap."""

    tracks: int
    phase: IntArray
    """Per series, the number modulo `tracks` of the boundaries that are the rarer ones."""
    common_ms: float
    rare_ms: float
    share: float
    """Share of the deviations from the common gap that the rarer gap explains, 0 to 1."""
    seen: int
    """Rarer boundaries that were crossed."""

    @property
    def swapped(self) -> Rarer | None:
        """The other way round, where both boundaries come equally often; None where they do not."""
        if self.tracks != 2:
            return None
        return replace(self, phase=1 - self.phase, common_ms=self.rare_ms, rare_ms=self.common_ms)


def find_rarer(steps: Steps, spikes: Spikes, beat: Beat) -> Rarer | None:
    """Which boundaries differ, by how often they come and not by size; None where all look alike."""
    before = np.floor((steps.low - beat.start[steps.series]) / beat.length).astype(np.int64)
    after = np.floor((steps.high - beat.start[steps.series]) / beat.length).astype(np.int64)
    crossed = (after - before).astype(np.float64)
    beside = wrap(steps.rest_ms - crossed * spikes.gap_ms, steps.turn_ms)
    # A step that ends near a boundary may have crossed one more or one less than the mean track says.
    other = np.minimum(
        steps.beside((crossed - 1) * spikes.gap_ms), steps.beside((crossed + 1) * spikes.gap_ms)
    )
    inside = np.stack([steps.low, steps.high]) - beat.start[steps.series]
    edge = np.abs(inside / beat.length - np.round(inside / beat.length)).min(axis=0) < NEAR_EDGE
    use = (crossed >= 1) & ~(edge & (other < np.abs(beside) / 2))
    best: Rarer | None = None
    best_z2 = CLEAR_Z2
    for cap in (steps.turn_ms / 16, 8 * steps.noise_ms + steps.turn_ms / 2000):
        found, z2 = _fold(steps.only(use), before[use], after[use], beside[use], cap, spikes.gap_ms)
        if found is not None and z2 > best_z2:
            best, best_z2 = found, 1.5 * z2
    return best


def _fold(
    steps: Steps, before: IntArray, after: IntArray, beside: FloatArray, cap_ms: float, common_ms: float
) -> tuple[Rarer | None, float]:
    """The number of tracks at which deviations come again, and how clearly (square of a z-score).

    Deviations count up to `cap_ms`: one that is far off must not outweigh many.
    """
    deviation = np.clip(beside, -cap_ms, cap_ms)
    sums, counts, first = _by_boundary(steps, before, after, deviation)
    longest = sums.shape[1]
    everything = float((deviation**2).sum())
    if longest < 4 or everything == 0:
        return None, 0.0
    pieces = int((counts.max(axis=1) > 0).sum())
    noise = everything / len(deviation)
    best, way, best_score = _best_period(sums, counts, 2 * noise * pieces)
    if best == 0:
        return None, 0.0
    phase = np.maximum(way * _folded(sums, counts, best), 0.0).argmax(axis=1)
    phases = (first + phase) % best
    met = np.array([int((row[start::best] > 0).sum()) for row, start in zip(counts, phase, strict=True)])
    seen, again = int(met.sum()), int(np.maximum(met - 1, 0).sum())
    z2 = best_score * len(deviation) / max(everything - best_score, 1e-6 * everything)
    if again < FEWEST_AGAIN:
        return None, 0.0
    return _told(steps, before, after, beside, common_ms, best, phases, seen), z2


def _by_boundary(
    steps: Steps, before: IntArray, after: IntArray, deviation: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Sum of the deviations and number of the steps over each boundary, a row for each series, and the number
    of each row's first boundary."""
    first = np.full(steps.count, np.iinfo(np.int64).max)
    np.minimum.at(first, steps.series, before + 1)
    first[first == np.iinfo(np.int64).max] = 0
    opens, closes = before + 1 - first[steps.series], after + 1 - first[steps.series]
    size = int(closes.max(initial=0)) + 1
    opens, closes = opens + steps.series * size, closes + steps.series * size
    total = size * steps.count
    sums = np.bincount(opens, deviation, total) - np.bincount(closes, deviation, total)
    counts = np.bincount(opens, minlength=total) - np.bincount(closes, minlength=total)
    shape = (steps.count, size)
    return (
        np.cumsum(sums.reshape(shape), axis=1)[:, :-1],
        np.cumsum(counts.reshape(shape), axis=1)[:, :-1].astype(np.float64),
        first,
    )


def _best_period(sums: FloatArray, counts: FloatArray, price: float) -> tuple[int, float, float]:
    """The period at which sums of one sign add up to the most, its sign and its score; 0 where none does.

    The more phases there are to choose from, the more chance alone finds in each piece: a period has to be
    worth `price` times the logarithm of their number.
    """
    best, way, best_score, best_worth = 0, 1.0, 0.0, 0.0
    for period in _promising(sums, counts):
        folded = _folded(sums, counts, int(period))
        scores = np.maximum(folded.max(axis=1), 0.0).sum(), np.maximum(-folded.min(axis=1), 0.0).sum()
        for sign, score in zip((1.0, -1.0), scores, strict=True):
            worth = float(score) - price * float(np.log(period))
            # Multiples of a period explain as much: the first that does is the one.
            if worth > best_worth * 1.0001:
                best, way, best_score, best_worth = int(period), sign, float(score), worth
    return best, way, best_score


def _promising(sums: FloatArray, counts: FloatArray) -> IntArray:
    """The few periods at which deviations come again, in order: by their products at all multiples of each.

    What comes again in every n-th boundary correlates with itself n, 2n, 3n boundaries further on.
    """
    longest = min(MOST_BETWEEN, sums.shape[1] // 2)
    if longest <= MOST_PERIODS:
        return np.arange(2, longest + 1)
    clearest: list[IntArray] = []
    size = 1 << int(np.ceil(np.log2(2 * sums.shape[1])))
    for sign in (1.0, -1.0):
        side = np.maximum(sign * sums, 0.0)
        side -= np.where(counts > 0, side.sum() / max(int((counts > 0).sum()), 1), 0.0)
        again = np.fft.irfft((np.abs(np.fft.rfft(side, size, axis=1)) ** 2).sum(axis=0), size)[
            : sums.shape[1]
        ]
        periods = np.arange(2, longest + 1)
        multiples = periods[:, None] * np.arange(1, MOST_MULTIPLES + 1)
        inside = multiples < len(again)
        # The noise of the sum grows with the root of how many products there are.
        products = np.where(inside, again[np.minimum(multiples, len(again) - 1)], 0.0)
        clear = products.sum(axis=1) / np.sqrt(inside.sum(axis=1))
        clearest.append(periods[np.argsort(-clear)[:MOST_PERIODS]])
    return np.unique(np.concatenate(clearest))


def _folded(sums: FloatArray, counts: FloatArray, period: int) -> FloatArray:
    """Scores of all phases (last axis) of all series, those of sums below zero as numbers below zero."""
    rows, size = sums.shape
    padded = np.zeros((2, rows, -(-size // period) * period))
    padded[0, :, :size], padded[1, :, :size] = sums, counts
    folded = padded.reshape(2, rows, -1, period).sum(axis=2)
    return np.asarray(folded[0] * np.abs(folded[0]) / np.maximum(folded[1], 1.0))


def _told(
    steps: Steps, before: IntArray, after: IntArray, deviation: FloatArray, common_ms: float,
    tracks: int, phases: IntArray, seen: int,
) -> Rarer | None:  # fmt: skip
    """Both gaps from the steps over one boundary; None where the rarer ones are not of one kind."""
    mine = phases[steps.series]
    rare = np.floor((after - mine) / tracks) - np.floor((before - mine) / tracks)
    single = after - before == 1 if bool((after - before == 1).any()) else rare >= 0
    inside, outside = deviation[single & (rare == 1)], deviation[single & (rare == 0)]
    if len(inside) < 3 or len(outside) < 3:
        return None
    more, base = float(np.median(inside)), float(np.median(outside))
    own = float((np.abs(inside - more) < np.abs(inside - base)).mean())
    others = float((np.abs(outside - base) < np.abs(outside - more)).mean())
    if own < 0.7 or others < 0.8:
        return None
    turn = steps.turn_ms
    before_ms = float(np.abs(deviation).sum())
    after_ms = float(np.abs(wrap(deviation - base - rare * (more - base), turn)).sum())
    share = 1 - after_ms / before_ms if before_ms > 0 else 0.0
    return Rarer(tracks, phases, (common_ms + base) % turn, (common_ms + more) % turn, share, seen)
