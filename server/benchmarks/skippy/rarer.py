"""Which boundaries are the rarer ones, from what steps show beside the common gap.

With the mean length of a track every step knows the numbers of the boundaries it crossed, and what deviates
in every n-th of them is the cylinder's gap.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from server.benchmarks.skippy.lines import wrap
from server.benchmarks.skippy.rhythm import Beat
from server.benchmarks.skippy.series import BoolArray, FloatArray, IntArray
from server.benchmarks.skippy.steps import Spikes, Steps

MOST_BETWEEN = 512
MOST_PERIODS = 12
MOST_MULTIPLES = 8
FEWEST_AGAIN = 2
CLEAR_Z2 = 40.0
MOST_SHOWN = 0.7
CLEAR_AGAIN_Z2 = 30.0
"""What the rarer boundaries have to be worth without the clearest of each series."""
NEAR_EDGE = 0.12


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
    relative = (np.stack([steps.low, steps.high]) - beat.start[steps.series]) / beat.length
    number = np.floor(relative)
    crossed = number[1] - number[0]
    beside = wrap(steps.rest_ms - crossed * spikes.gap_ms, steps.turn_ms)
    use = crossed >= 1
    # A step that ends near a boundary may have crossed one more or one less than the mean track says.
    aside = np.abs(relative - np.round(relative))
    edge = np.flatnonzero(use & (np.minimum(aside[0], aside[1]) < NEAR_EDGE))
    ends, rest = steps.rest_ms[edge], crossed[edge]
    other = np.minimum(*(np.abs(wrap(ends - (rest + by) * spikes.gap_ms, steps.turn_ms)) for by in (-1, 1)))
    use[edge] = other >= np.abs(beside[edge]) / 2
    before, after = number.astype(np.int64)
    crossings = _crossings(steps.only(use), before[use], after[use], beside[use])
    best: Rarer | None = None
    best_z2 = CLEAR_Z2
    # Deviations count up to a limit: one that is far off must not outweigh many.
    caps_ms = (steps.turn_ms / 16, 8 * steps.noise_ms + steps.turn_ms / 2000)
    for found, z2 in _fold(crossings, caps_ms, spikes.gap_ms):
        if found is not None and z2 > best_z2:
            best, best_z2 = found, 1.5 * z2
    return best


@dataclass(frozen=True, slots=True)
class Crossings:
    """Steps over boundaries, which are counted from a first one in each series."""

    steps: Steps
    before: IntArray
    after: IntArray
    beside: FloatArray
    """By how much the gaps of each step deviate from as many common ones, in milliseconds."""
    first: IntArray
    """Per series, the number of its first boundary."""
    counts: FloatArray
    """How many steps crossed each boundary, a row for each series."""
    places: tuple[IntArray, IntArray]
    """Where the boundaries of each step begin and end in the rows behind one another."""

    def sums(self, deviation: FloatArray) -> FloatArray:
        """Sum of the deviations over each boundary, a row for each series."""
        rows, size = len(self.counts), self.counts.shape[1] + 1
        opened, closed = (np.bincount(place, deviation, rows * size) for place in self.places)
        return np.cumsum((opened - closed).reshape(rows, size), axis=1)[:, :-1]


def _crossings(steps: Steps, before: IntArray, after: IntArray, beside: FloatArray) -> Crossings:
    first = np.full(steps.count, np.iinfo(np.int64).max)
    np.minimum.at(first, steps.series, before + 1)
    first[first == np.iinfo(np.int64).max] = 0
    opens, closes = before + 1 - first[steps.series], after + 1 - first[steps.series]
    size = int(closes.max(initial=0)) + 1
    opens, closes = opens + steps.series * size, closes + steps.series * size
    total = size * steps.count
    counts = np.bincount(opens, minlength=total) - np.bincount(closes, minlength=total)
    crossed = np.cumsum(counts.reshape(steps.count, size), axis=1)[:, :-1].astype(np.float64)
    return Crossings(steps, before, after, beside, first, crossed, (opens, closes))


def _fold(
    crossings: Crossings, caps_ms: tuple[float, ...], common_ms: float
) -> list[tuple[Rarer | None, float]]:
    """The number of tracks at which deviations come again, and how clearly (square of a z-score), for each
    limit up to which deviations count."""
    counts = crossings.counts
    deviations = [np.clip(crossings.beside, -cap_ms, cap_ms) for cap_ms in caps_ms]
    everything = [float((deviation**2).sum()) for deviation in deviations]
    if counts.shape[1] < 4 or 0 in everything:
        return []
    pieces = int((counts.max(axis=1) > 0).sum())
    sums = np.stack([crossings.sums(deviation) for deviation in deviations])
    number = len(crossings.beside)
    found: list[tuple[Rarer | None, float]] = []
    periods = _best_periods(sums, counts, [2 * power / number * pieces for power in everything])
    for one, power, (best, way, score) in zip(sums, everything, periods, strict=True):
        if not best:
            found.append((None, 0.0))
            continue
        rare, phases = _phases(crossings, one, best, way)
        seen, again, score_again = _coming_again(rare, way * one, counts)
        clear = number / max(power - score, 1e-6 * power)
        if again < FEWEST_AGAIN or score_again * clear < CLEAR_AGAIN_Z2:
            found.append((None, 0.0))
            continue
        z2 = score * clear
        told = _told(crossings, common_ms, best, phases, seen)
        found.append((told if told is not None and _shown(told, crossings, rare, common_ms) else None, z2))
    return found


def _phases(crossings: Crossings, sums: FloatArray, period: int, way: float) -> tuple[BoolArray, IntArray]:
    """Which boundaries are the rarer ones and were crossed, a row for each series, and the number of the
    rarer ones of each series modulo the period."""
    counts = crossings.counts
    folded = _folded(_padded(sums[None], counts), counts.shape[1], period)[0]
    phase = np.maximum(way * folded, 0.0).argmax(axis=1)
    rare = (np.arange(counts.shape[1]) % period == phase[:, None]) & (counts > 0)
    return rare, (crossings.first + phase) % period


def _coming_again(rare: BoolArray, sums: FloatArray, counts: FloatArray) -> tuple[int, int, float]:
    """How many of the rarer boundaries were crossed, how many of them beside the clearest of their series,
    and the score of these.

    A single step that is far off makes the boundary that it crossed the clearest, and the phase is chosen by
    it: in many series chance finds such phases for any period. What it does not find is that the boundaries
    of the same phase that are left deviate as well.
    """
    rows = np.arange(len(rare))
    clearest = np.where(rare, sums, -np.inf).argmax(axis=1)
    left = rare.copy()
    left[rows, clearest] = False
    sum_left, count_left = (left * sums).sum(axis=1), (left * counts).sum(axis=1)
    score = float((sum_left * np.abs(sum_left) / np.maximum(count_left, 1.0)).sum())
    return int(rare.sum()), int(left.sum()), score


def _shown(told: Rarer, crossings: Crossings, rare: BoolArray, common_ms: float) -> bool:
    """Whether most of the rarer boundaries show the rarer gap: those of a series that shows it nowhere
    speak against it, though steps over several boundaries are no measure of the gap."""
    means = crossings.sums(crossings.beside)[rare] / crossings.counts[rare]
    turn = crossings.steps.turn_ms
    base, more = (wrap(np.array(gap - common_ms), turn) for gap in (told.common_ms, told.rare_ms))
    return float((np.abs(means - more) < np.abs(means - base)).mean()) >= MOST_SHOWN


def _best_periods(
    sums: FloatArray, counts: FloatArray, prices: list[float]
) -> list[tuple[int, float, float]]:
    """Of each of the sums, the period at which those of one sign add up to the most, its sign and its score;
    0 where none does.

    The more phases there are to choose from, the more chance alone finds in each piece: a period has to be
    worth a price times the logarithm of their number.
    """
    promising = [set(_promising(one, counts).tolist()) for one in sums]
    best = [(0, 1.0, 0.0) for _ in prices]
    worths = [0.0] * len(prices)
    padded = _padded(sums, counts)
    for period in sorted(set().union(*promising)):
        folded = _folded(padded, counts.shape[1], period)
        above = np.maximum(folded.max(axis=2), 0.0).sum(axis=1).tolist()
        below = np.maximum(-folded.min(axis=2), 0.0).sum(axis=1).tolist()
        for number, price in enumerate(prices):
            if period not in promising[number]:
                continue
            for sign, score in ((1.0, above[number]), (-1.0, below[number])):
                worth = score - price * float(np.log(period))
                # Multiples of a period explain as much: the first that does is the one.
                if worth > worths[number] * 1.0001:
                    best[number], worths[number] = (period, sign, score), worth
    return best


def _promising(sums: FloatArray, counts: FloatArray) -> IntArray:
    """The few periods at which deviations come again, in order: by their products at all multiples of each.

    What comes again in every n-th boundary correlates with itself n, 2n, 3n boundaries further on.
    """
    longest = min(MOST_BETWEEN, sums.shape[1] // 2)
    if longest <= MOST_PERIODS:
        return np.arange(2, longest + 1)
    clearest: list[IntArray] = []
    size = _fast_length(2 * sums.shape[1])
    periods = np.arange(2, longest + 1)
    multiples = periods[:, None] * np.arange(1, MOST_MULTIPLES + 1)
    inside = multiples < sums.shape[1]
    at, many = np.minimum(multiples, sums.shape[1] - 1), np.sqrt(inside.sum(axis=1))
    crossed = counts > 0
    number = max(int(np.count_nonzero(crossed)), 1)
    for sign in (1.0, -1.0):
        side = np.maximum(sign * sums, 0.0)
        side -= np.where(crossed, side.sum() / number, 0.0)
        spectrum = np.fft.rfft(side, size, axis=1)
        again = np.fft.irfft((spectrum.real**2 + spectrum.imag**2).sum(axis=0), size)
        # The noise of the sum grows with the root of how many products there are.
        clear = np.where(inside, again[at], 0.0).sum(axis=1) / many
        clearest.append(periods[np.argsort(-clear)[:MOST_PERIODS]])
    return np.unique(np.concatenate(clearest))


def _fast_length(least: int) -> int:
    """A length at least as long that a Fourier transform is quick at: 4 to 8 times a power of two."""
    power = 1 << max((least - 1).bit_length() - 3, 0)
    return next(by * power for by in (4, 5, 6, 7, 8) if by * power >= least)


def _padded(sums: FloatArray, counts: FloatArray) -> FloatArray:
    """The sums and behind them the counts, with room for the rest of a last period in each row."""
    size = counts.shape[1]
    padded = np.zeros((len(sums) + 1, len(counts), size + min(MOST_BETWEEN, size // 2)))
    padded[:-1, :, :size], padded[-1, :, :size] = sums, counts
    return padded


def _folded(padded: FloatArray, size: int, period: int) -> FloatArray:
    """Scores of all phases (last axis) of all series, those of sums below zero as numbers below zero."""
    whole = -(-size // period)
    shape = (*padded.shape[:2], whole, period)
    folded = padded[:, :, : whole * period].reshape(shape).sum(axis=2)
    return np.asarray(folded[:-1] * np.abs(folded[:-1]) / np.maximum(folded[-1], 1.0))


def _told(crossings: Crossings, common_ms: float, tracks: int, phases: IntArray, seen: int) -> Rarer | None:
    """Both gaps from the steps over one boundary; None where the rarer ones are not of one kind."""
    before, after, deviation = crossings.before, crossings.after, crossings.beside
    mine = phases[crossings.steps.series]
    rare = np.floor((after - mine) / tracks) - np.floor((before - mine) / tracks)
    single = after - before == 1 if bool((after - before == 1).any()) else rare >= 0
    inside, outside = deviation[single & (rare == 1)], deviation[single & (rare == 0)]
    if len(inside) < 3 or len(outside) < 3:
        return None
    more, base = float(np.median(inside)), float(np.median(outside))
    own = float((np.abs(inside - more) < np.abs(inside - base)).mean())
    others = float((np.abs(outside - base) < np.abs(outside - more)).mean())
    if own < MOST_SHOWN or others < 0.8:
        return None
    turn = crossings.steps.turn_ms
    before_ms = float(np.abs(deviation).sum())
    after_ms = float(np.abs(wrap(deviation - base - rare * (more - base), turn)).sum())
    share = 1 - after_ms / before_ms if before_ms > 0 else 0.0
    return Rarer(tracks, phases, (common_ms + base) % turn, (common_ms + more) % turn, share, seen)
