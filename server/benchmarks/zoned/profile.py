"""Bandwidth by position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.core.robust import median, quantiles

# ---- The samples as regions by position; repeats of one region, and regions of one cell, put together.

FloatArray = NDArray[np.float64]

BYTES_PER_MB = 1e6
COLUMNS = ("offset_blocks", "length_blocks", "elapsed_ns")
NO_CELL = -1.0
FULL_CELL = 0.75
"""A cell that kept fewer of its regions than this does not have the heads of its neighbours in it."""


@dataclass(frozen=True, slots=True)
class Regions:
    """Equally long columns, by position."""

    start_mb: FloatArray
    size_mb: FloatArray
    mb_per_s: FloatArray
    group: FloatArray
    """Number of the cell, or NO_CELL."""


def regions_of(entry: Mapping[str, Any], block_bytes: int) -> Regions | None:
    """None where no region took any time."""
    parts = []
    for series in entry["samples"].get("series", ()):
        columns = [np.asarray(series[name], dtype=np.float64) for name in COLUMNS]
        cells = series.get("group") or np.full(len(columns[0]), NO_CELL)
        columns.append(np.asarray(cells, dtype=np.float64))
        if len({len(column) for column in columns}) == 1 and len(columns[0]):
            parts.append(np.stack(columns))
    if not parts:
        return None
    offset, length, elapsed_ns, group = np.concatenate(parts, axis=1)
    good = (elapsed_ns > 0) & (length > 0)
    if not good.any():
        return None
    if (group[good] != NO_CELL).any():
        # Single regions of such a drive show a head, not a zone.
        good &= group != NO_CELL
    start = offset[good] * block_bytes / BYTES_PER_MB
    size = length[good] * block_bytes / BYTES_PER_MB
    speed = size / (elapsed_ns[good] / 1e9)
    order = np.lexsort((start, group[good]))
    return Regions(start[order], size[order], speed[order], group[good][order])


def together(regions: Regions) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Start, size and bandwidth of each place: a cell, or a region with its repeats."""
    if (regions.group != NO_CELL).any():
        return _cells(regions)
    return _repeats(regions.start_mb, regions.size_mb, regions.mb_per_s)


def _repeats(
    start: FloatArray, size: FloatArray, speed: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Repeats of one region by their median: readings of a region that straddles a boundary are no zone."""
    first = np.flatnonzero(np.concatenate([[True], np.diff(start) > 0]))
    ends = np.append(first[1:], len(start))
    if len(first) == len(start):
        return start, size, speed
    pairs = list(zip(first, ends, strict=True))
    speeds = np.array([median(speed[low:high]) for low, high in pairs])
    return start[first], np.array([float(size[low:high].max()) for low, high in pairs]), speeds


def _cells(regions: Regions) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The bandwidth of a cell is its blocks over the time to read them: the mean of its heads' slownesses."""
    first = np.flatnonzero(np.concatenate([[True], np.diff(regions.group) > 0]))
    ends = np.append(first[1:], len(regions.group))
    usual = median(ends - first)
    rows = [
        (
            float(regions.start_mb[low]),
            float((regions.start_mb + regions.size_mb)[low:high].max()) - float(regions.start_mb[low]),
            1 / level(1 / regions.mb_per_s[low:high]),
        )
        for low, high in zip(first, ends, strict=True)
        if high - low >= FULL_CELL * usual
    ]
    start, size, speed = (np.array(column) for column in zip(*sorted(rows), strict=True))
    return start, size, speed


def scatter_in_cells(regions: Regions) -> float:
    """Standard error of a cell's mean as a share of it; 0 without cells.

    How its regions differ, over the root of how many they are. All cells meet their heads alike, so that it
    does not average out over cells.
    """
    return _scatter(regions, of_mean=True)


def scatter_of_regions(regions: Regions) -> float:
    """Standard deviation of the regions of a cell as a share of their mean; 0 without cells."""
    return _scatter(regions, of_mean=False)


def _scatter(regions: Regions, *, of_mean: bool) -> float:
    if not (regions.group != NO_CELL).any():
        return 0.0
    slowness = 1 / regions.mb_per_s
    first = np.flatnonzero(np.concatenate([[True], np.diff(regions.group) > 0]))
    ends = np.append(first[1:], len(slowness))
    cells = [slowness[low:high] for low, high in zip(first, ends, strict=True) if high - low > 1]
    if not cells:
        return 0.0
    spreads = [1.4826 * median(np.abs(one - median(one))) for one in cells]
    shares = [
        spread / float(np.mean(one)) / (np.sqrt(len(one)) if of_mean else 1.0)
        for spread, one in zip(spreads, cells, strict=True)
    ]
    return median(shares)


def late_share(regions: Regions) -> float:
    """By which share places take longer where late regions count in full: what seldom comes, in each of them,
    may be the drive's own."""
    in_cells = bool((regions.group != NO_CELL).any())
    places = regions.group if in_cells else regions.start_mb
    usual = level if in_cells else median
    times = 1 / regions.mb_per_s
    first = np.flatnonzero(np.concatenate([[True], np.diff(places) != 0]))
    ends = np.append(first[1:], len(times))
    # A place that was read once takes what it usually takes.
    shares = np.zeros(len(first))
    for at in np.flatnonzero(ends - first > 1):
        one = times[first[at] : ends[at]]
        shares[at] = one.mean() / usual(one) - 1
    return max(level(shares), 0.0)


def level(slowness: FloatArray) -> float:
    """The mean, in which a disturbed region counts no more than the slowest undisturbed one could."""
    lower, upper = quantiles(slowness, 0.25, 0.75)
    return float(np.minimum(slowness, upper + 1.5 * (upper - lower)).mean())


def thinned(
    start: FloatArray, size: FloatArray, speed: FloatArray, most: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Neighbours together (by their median) where there are more regions than the search for zones needs."""
    if len(start) <= most:
        return start, size, speed
    groups = np.array_split(np.arange(len(start)), most)
    starts = np.array([start[group[0]] for group in groups])
    sizes = np.array([start[group[-1]] + size[group[-1]] - start[group[0]] for group in groups])
    speeds = np.array([median(speed[group]) for group in groups])
    return starts, sizes, speeds


MOST_POINTS = 3000


@dataclass(frozen=True)
class Profile:
    """Regions in order of position."""

    position_mb: FloatArray
    """Middle of each region, in MB from the start of the device."""
    start_mb: FloatArray
    end_mb: FloatArray
    mb_per_s: FloatArray
    share: FloatArray
    """Part of the device for which each region stands; the parts sum to 1."""
    capacity_mb: float
    in_cells: bool
    """Whether a point is a cell, a stretch in which all heads take part, and not a single region."""
    regions: Regions | None = None
    """What it was made of."""

    def __len__(self) -> int:
        return len(self.position_mb)

    @cached_property
    def cell_error(self) -> float:
        """Standard error of a cell's bandwidth as a share of it, the same way for all cells; 0 without
        cells."""
        return 0.0 if self.regions is None else scatter_in_cells(self.regions)

    @cached_property
    def overlapping(self) -> bool:
        """Whether regions of a cell hold what was read just before, which the buffer may still have had."""
        return self.regions is not None and _overlapping(self.regions)

    @cached_property
    def left_out(self) -> float:
        """By which share all takes longer where late regions count in full."""
        return 0.0 if self.regions is None else late_share(self.regions)


def profile_of(entry: Mapping[str, Any], block_bytes: int, capacity_bytes: int) -> Profile | None:
    """All repeats together; None where no region took any time."""
    regions = regions_of(entry, block_bytes)
    if regions is None:
        return None
    in_cells = bool((regions.group >= 0).any())
    start, size, speed = together(regions)
    if not in_cells:
        start, size, speed = thinned(start, size, speed, MOST_POINTS)
    middle = start + size / 2
    capacity = max(capacity_bytes / BYTES_PER_MB, float((start + size).max()))
    shares = _shares(middle, capacity)
    return Profile(middle, start, start + size, speed, shares, capacity, in_cells, regions)


OVERLAPPING = 0.1
"""By this share of them, and in so many cases, regions overlap by no chance: narrow bands left no room."""


def _overlapping(regions: Regions) -> bool:
    """Whether the next region of a cell usually begins before the end of the one that was read before it."""
    ends = regions.start_mb + (1 - OVERLAPPING) * regions.size_mb
    together = (regions.group[1:] == regions.group[:-1]) & (regions.group[1:] != NO_CELL)
    again = together & (regions.start_mb[1:] < ends[:-1])
    return bool(again.sum() > OVERLAPPING * max(together.sum(), 1))


def _shares(position: FloatArray, capacity: float) -> FloatArray:
    """Half the way to each neighbour, so that places measured densely do not count more."""
    edges = np.concatenate([[0.0], (position[1:] + position[:-1]) / 2, [capacity]])
    width = np.maximum(np.diff(edges), 0.0)
    total = float(width.sum())
    return np.asarray(width / total if total > 0 else np.full(len(position), 1 / len(position)))


def noise_of(speed: FloatArray) -> float:
    """Standard deviation between neighbours, robust against steps and outliers."""
    if len(speed) < 3:
        return 0.0
    steps = np.abs(np.diff(speed))
    # A profile with few distinct values has a median step of zero: the mean of the lower nine tenths has not.
    lower = np.sort(steps)[: max(1, int(len(steps) * 0.9))]
    return float(max(1.4826 * median(steps), lower.mean() * 1.2533) / np.sqrt(2))


RISE = 0.008
RISES_ONE_IN = 5


def heads_differ(profile: Profile) -> bool:
    """Whether single regions go up and down as heads do, not down in steps as zones do.

    In cells all heads take part, so that they can't.
    """
    if profile.in_cells or len(profile) < 2 * RISES_ONE_IN:
        return False
    rises = int((profile.mb_per_s[1:] > profile.mb_per_s[:-1] * (1 + RISE)).sum())
    return rises * RISES_ONE_IN > len(profile)


def head_spread(entry: Mapping[str, Any], block_bytes: int) -> float:
    """By what share heads differ: in cells as their regions do, else as neighbours that no zone explains."""
    profile = profile_of(entry, block_bytes, 0)
    if profile is None or profile.regions is None:
        return 0.0
    if profile.in_cells:
        return scatter_of_regions(profile.regions)
    return noise_of(profile.mb_per_s) / median(profile.mb_per_s) if heads_differ(profile) else 0.0
