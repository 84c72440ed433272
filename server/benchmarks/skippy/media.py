"""Minimum time to media: where the sawtooth falls, as a probability and not as one point.

An access is served in the current turn if the platter has at least the threshold left to turn, and a turn
later otherwise. Angles come in whole blocks, so the threshold is only known between the last miss and the
first hit (the bracket); a late start of the host turns hits into misses, never misses into hits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from server.benchmarks.skippy.model import Model
from server.benchmarks.skippy.series import BoolArray, FloatArray, IntArray, Trace

GRID = 1500
FADED = 12.0
"""Hits further above a threshold than so many times the lateness say nothing more about it."""
FINER, FINEST = 8.0, 32
"""Cells of the histogram in the time by which starts are late, and at most in a step of the grid."""
FEWEST_MISSES = 4
"""Accesses before the edge, on one track, without which its place is not believed."""
FEWEST_ACROSS = 2
"""Accesses across a boundary on either side of the edge, without which its place is not believed."""
LEAST_LATE = 5e-6
"""Share of a turn below which no clock and no fit tells lateness from none."""
STRAY = 3e-3
"""Probability that an access goes astray for reasons outside the model."""
LOG_STRAY = float(np.log(STRAY))
TAIL = 0.025 / 3
"""Probability that the threshold lies beyond either end of a region's interval. What three regions have in
common then holds it with 95 %."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """Shortest latency of a one-block access, transfer included, with an interval of at least 95 %."""

    latency_ms: float
    low_ms: float
    high_ms: float
    step: float
    """The loop index at which the sawtooth falls (STM)."""
    hits: int
    misses: int


def find_threshold(trace: Trace, model: Model) -> Threshold | None:
    """None where the samples do not show both sides of the edge on one track."""
    gaps = model.gaps
    if gaps is None:
        return None
    one_track = (gaps.heads == 0) & (gaps.cylinders == 0)
    # Accesses that cross a boundary need longer: that they came in time says something, that they did not
    # says nothing.
    return _threshold(trace, model, one_track, np.ones_like(one_track))


def threshold_across(trace: Trace, model: Model | None, cylinder: bool) -> Threshold | None:
    """The shortest latency across one boundary between heads, or between cylinders (Skippy 4.1.4).

    The skew lets some of these accesses be served in the turn in which others come too late. None where the
    samples do not show both.
    """
    if model is None or model.gaps is None:
        return None
    heads, cylinders = np.abs(model.gaps.heads), np.abs(model.gaps.cylinders)
    across = (heads == 0) & (cylinders == 1) if cylinder else (heads == 1) & (cylinders == 0)
    found = _threshold(trace, model, across, across)
    bracketed = found is not None and found.hits >= FEWEST_ACROSS and found.misses >= FEWEST_ACROSS
    return found if bracketed else None


def _threshold(trace: Trace, model: Model, own: BoolArray, heard: BoolArray) -> Threshold | None:
    """From accesses whose threshold is asked for, and others of which those in time are heard."""
    steady = model.exact.copy()
    steady[1:] &= model.inliers[:-1] | ~trace.chained[1:]
    # What is left to turn counts from when the request was handed over, not from the completion before.
    think_ms = trace.elapsed_ms - trace.latency_ms
    left_ms = model.angle_ms - think_ms
    hit = left_ms[steady & heard & (model.whole == 0)]
    missed = left_ms[steady & own & (model.whole == 1)]
    in_time = left_ms[steady & own & (model.whole == 0)]
    if len(missed) < 2 or len(in_time) < 2:
        return None
    late = max(model.noise_ms, LEAST_LATE * model.lines.turn_ms)
    coarse = np.linspace(0.0, model.lines.turn_ms, GRID)
    widest = max(late, 2 * float(coarse[1]))
    likely = float(coarse[int(_posterior(coarse, hit, missed, widest, STRAY).argmax())])
    stray = _stray(in_time, missed, likely + FADED * late + model.lines.block_ms)
    reach = 6 * model.lines.block_ms + 10 * widest
    grid = np.linspace(max(likely - reach, 0.0), likely + reach, GRID)
    # Hits far above the threshold and misses below it say nothing; the rest is few.
    near = hit[hit <= grid[-1] + FADED * late]
    weight = _posterior(grid, near, missed[missed >= grid[0]], late, stray)
    cumulative = np.cumsum(weight)
    low, high = (float(grid[int(np.searchsorted(cumulative, q))]) for q in (TAIL, 1 - TAIL))
    middle = float((grid * weight).sum())
    offset = model.lines.offset_ms
    return Threshold(
        latency_ms=middle + offset,
        low_ms=low + offset,
        high_ms=high + offset,
        step=(middle + float(np.median(think_ms))) / model.lines.block_ms - 1,
        hits=int((in_time < middle + 4 * model.lines.block_ms).sum()),
        misses=len(missed),
    )


def _stray(hit: FloatArray, missed: FloatArray, above_ms: float) -> float:
    """How likely an access is missed for reasons outside the model: the share of those that had more than
    time enough and were missed all the same."""
    hits, misses = int((hit > above_ms).sum()), int((missed > above_ms).sum())
    return max(STRAY, misses / (hits + misses + 1))


def _posterior(
    grid: FloatArray, hit: FloatArray, missed: FloatArray, late_ms: float, stray: float
) -> FloatArray:
    """Probability of each threshold: starts are late by an exponential time of mean `late_ms`, and a share
    `stray` is missed whatever time it had.

    What a threshold says of an access depends on how far above it the access is, so the sum over all accesses
    is a convolution of their histogram, with cells finer than the time by which starts are late.
    """
    finer = int(np.clip(np.ceil(FINER * (grid[1] - grid[0]) / late_ms), 1, FINEST))
    cell = float(grid[1] - grid[0]) / finer
    count = finer * len(grid)
    reach = int(min(np.ceil(FADED * late_ms / cell), count)) + 1
    above = (np.arange(reach) + 0.5) * cell / late_ms
    of_hit = np.maximum(np.log(-np.expm1(-above)), LOG_STRAY)
    astray = float(np.log(stray))
    of_miss = np.maximum(-above, astray)
    total = _summed(hit, grid[0], cell, finer, count, of_hit, LOG_STRAY, 0.0)
    total += _summed(missed, grid[0], cell, finer, count, of_miss, 0.0, astray)
    weight = np.exp(total - total.max())
    return np.asarray(weight / weight.sum())


def _summed(
    angles: FloatArray, begin: float, cell: float, finer: int, count: int, kernel: FloatArray,
    below: float, beyond: float,
) -> FloatArray:  # fmt: skip
    """Of every `finer`-th of `count` cells, the sum over the angles of `kernel` by the cells they lie above
    it, of `below` where they lie below it, of `beyond` where the kernel ends before."""
    size = count + len(kernel)
    place = np.clip(np.floor((angles - begin) / cell), -1, size).astype(np.int64) + 1
    cells, many = np.unique(place, return_counts=True)
    until = np.concatenate([[0], np.cumsum(many)])
    grid = np.arange(0, count, finer)
    before = until[np.searchsorted(cells, grid, side="right")]
    within = until[np.searchsorted(cells, grid + len(kernel), side="right")] - before
    inside = (cells > 0) & (cells <= size)
    near = _correlated(cells[inside] - 1, many[inside], kernel, finer, count)
    return np.asarray(near + below * before + beyond * (len(angles) - before - within))


def _correlated(cells: IntArray, many: IntArray, kernel: FloatArray, finer: int, count: int) -> FloatArray:
    """Of every `finer`-th of `count` cells, how `many` angles the cells from there on have times the kernel.

    Where cells are fine the kernel reaches over few steps of the grid, and the sum is written out. Only where
    it reaches far a transform costs less.
    """
    if finer > 1:
        back = np.arange(-(-len(kernel) // finer))
        beside = (cells % finer)[:, None] + back * finer
        place = (cells // finer)[:, None] - back
        use = (beside < len(kernel)) & (place >= 0) & (place < -(-count // finer))
        weight = kernel[np.where(use, beside, 0)] * many[:, None]
        return np.bincount(place[use], weight[use], -(-count // finer)).astype(np.float64)
    counts = np.bincount(cells, many, count + len(kernel))
    length = 1 << (len(counts) - 1).bit_length()
    spectrum = np.fft.rfft(counts, length) * np.conj(np.fft.rfft(kernel, length))
    return np.asarray(np.fft.irfft(spectrum, length)[:count])


def share_regions(found: list[tuple[Threshold, float]]) -> list[Threshold]:
    """Narrow the brackets of one variant's regions by one another.

    The overhead is the controller's and the same everywhere. The transfer of the block, which is the region's
    (second of each pair, ms), adds to it, unless the slower bus hides it: the interval holds both readings
    that the brackets allow. Where they allow none each region is wrong about itself by more than it says.
    """
    if len(found) < 2:
        return [one for one, _ in found]
    added, hidden = ([block_ms for _, block_ms in found], [0.0] * len(found))
    readings = [own_ms for own_ms in (added, hidden) if np.diff(_common(found, own_ms))[0] > 0] or [added]
    bounds = [_shared(found, own_ms) for own_ms in readings]
    shared = []
    for (one, block_ms), *each in zip(found, *bounds, strict=True):
        low_ms, high_ms = min(low for low, _ in each), max(high for _, high in each)
        middle_ms = (low_ms + high_ms) / 2
        step = one.step + (middle_ms - one.latency_ms) / block_ms
        shared.append(replace(one, latency_ms=middle_ms, low_ms=low_ms, high_ms=high_ms, step=step))
    return shared


def _common(found: list[tuple[Threshold, float]], own_ms: list[float]) -> tuple[float, float]:
    """What all brackets have in common beside the part that is each region's own; nothing where the second
    number is the lower one."""
    parts = [(one.low_ms - own, one.high_ms - own) for (one, _), own in zip(found, own_ms, strict=True)]
    return max(low for low, _ in parts), min(high for _, high in parts)


def _shared(found: list[tuple[Threshold, float]], own_ms: list[float]) -> list[tuple[float, float]]:
    """Each region's bounds from what all have in common; from all of theirs where that is nothing."""
    low, high = _common(found, own_ms)
    if low >= high:
        low = min(one.low_ms - own for (one, _), own in zip(found, own_ms, strict=True))
        high = max(one.high_ms - own for (one, _), own in zip(found, own_ms, strict=True))
    middle = (low + high) / 2
    # What a few intervals have in common may be a sliver: noise averages no better than with the root of how
    # many there are. And the overhead need not be the same to the last microsecond.
    narrowest = min(one.high_ms - one.low_ms for one, _ in found) / 2
    least = min(block_ms for _, block_ms in found) / 4
    reach = max((high - low) / 2, narrowest / float(np.sqrt(len(found))), least)
    return [(middle - reach + own, middle + reach + own) for own in own_ms]
