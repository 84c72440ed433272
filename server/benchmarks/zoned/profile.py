"""Bandwidth by position, and its division into zones."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import ruptures
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

BYTES_PER_MB = 1e6
MOST_POINTS = 3000
FEWEST_IN_ZONE = 3
SMALLEST_STEP = 0.007
"""Relative change of bandwidth below which two stretches are one zone."""
PENALTY = 3.0
"""Times sigma squared times ln n: the cost of one more zone (two parameters and a margin)."""


@dataclass(frozen=True, slots=True)
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

    def __len__(self) -> int:
        return len(self.position_mb)


@dataclass(frozen=True, slots=True)
class Zone:
    """A stretch of equal bandwidth."""

    start_mb: float
    end_mb: float
    start_low_mb: float
    """The boundary to the zone before lies between `start_low_mb` and `start_high_mb`."""
    start_high_mb: float
    mb_per_s: float
    low: float
    high: float
    count: int


def profile_of(entry: Mapping[str, Any], block_bytes: int, capacity_bytes: int) -> Profile | None:
    """All repeats together; None where no region took any time."""
    parts = []
    for series in entry["samples"].get("series", ()):
        columns = [np.asarray([float(v) for v in series[name]]) for name in COLUMNS]
        if len({len(column) for column in columns}) == 1 and len(columns[0]):
            parts.append(np.stack(columns))
    if not parts:
        return None
    offset, length, elapsed_ns = np.concatenate(parts, axis=1)
    good = (elapsed_ns > 0) & (length > 0)
    if not good.any():
        return None
    start = offset[good] * block_bytes / BYTES_PER_MB
    size = length[good] * block_bytes / BYTES_PER_MB
    speed = size / (elapsed_ns[good] / 1e9)
    order = np.argsort(start, kind="stable")
    start, size, speed = _thinned(*_together(start[order], size[order], speed[order]))
    middle = start + size / 2
    capacity = max(capacity_bytes / BYTES_PER_MB, float((start + size).max()))
    return Profile(middle, start, start + size, speed, _shares(middle, capacity), capacity)


COLUMNS = ("offset_blocks", "length_blocks", "elapsed_ns")


def _together(
    start: FloatArray, size: FloatArray, speed: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Repeats of one region by their median: readings of a region that straddles a boundary are no zone."""
    first = np.flatnonzero(np.concatenate([[True], np.diff(start) > 0]))
    ends = np.append(first[1:], len(start))
    if len(first) == len(start):
        return start, size, speed
    pairs = list(zip(first, ends, strict=True))
    speeds = np.array([float(np.median(speed[low:high])) for low, high in pairs])
    return start[first], np.array([float(size[low:high].max()) for low, high in pairs]), speeds


def _thinned(
    start: FloatArray, size: FloatArray, speed: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Neighbours together (by their median) where there are more regions than the search for zones needs."""
    if len(start) <= MOST_POINTS:
        return start, size, speed
    groups = np.array_split(np.arange(len(start)), MOST_POINTS)
    starts = np.array([start[group[0]] for group in groups])
    sizes = np.array([start[group[-1]] + size[group[-1]] - start[group[0]] for group in groups])
    speeds = np.array([float(np.median(speed[group])) for group in groups])
    return starts, sizes, speeds


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
    return float(max(1.4826 * np.median(steps), lower.mean() * 1.2533) / np.sqrt(2))


def zones_of(profile: Profile) -> list[Zone]:
    """Change points of the mean by penalised least squares, then neighbours that do not differ joined."""
    speed = profile.mb_per_s
    if len(profile) < 4:
        return [_zone(profile, 0, len(profile))]
    noise = max(noise_of(speed), 1e-4 * float(np.median(np.abs(speed))), 1e-12)
    cleaned = _without_outliers(speed, noise)
    search = ruptures.KernelCPD(kernel="linear", min_size=2).fit(cleaned.reshape(-1, 1) / noise)
    ends = [int(end) for end in search.predict(pen=PENALTY * np.log(len(speed)))]
    return [_zone(profile, low, high) for low, high in _joined(cleaned, noise, [0, *ends])]


def _without_outliers(speed: FloatArray, noise: float) -> FloatArray:
    """Single regions far from both neighbours take the value of the neighbourhood."""
    around = np.array([np.median(speed[max(0, i - 2) : i + 3]) for i in range(len(speed))])
    return np.where(np.abs(speed - around) > 6 * noise, around, speed)


def _joined(speed: FloatArray, noise: float, bounds: list[int]) -> list[tuple[int, int]]:
    """Join neighbours whose difference is below their errors or below what a zone step can be."""
    bounds = sorted(set(bounds))
    while len(bounds) > 2:
        worst, worst_ratio = -1, 1.0
        for k in range(1, len(bounds) - 1):
            before, after = speed[bounds[k - 1] : bounds[k]], speed[bounds[k] : bounds[k + 1]]
            step = abs(float(before.mean()) - float(after.mean()))
            needed = max(
                4 * noise * np.sqrt(1 / len(before) + 1 / len(after)),
                SMALLEST_STEP * float(np.abs(before.mean())),
            )
            ratio = step / needed if needed > 0 else 1.0
            if min(len(before), len(after)) < FEWEST_IN_ZONE <= len(speed) // 10:
                # Two regions beside a boundary are one that straddles it, not a zone.
                ratio = min(ratio, step / max(float(np.ptp(speed)), 1e-12) / 10)
            if ratio < worst_ratio:
                worst, worst_ratio = k, ratio
        if worst < 0:
            break
        del bounds[worst]
    return list(itertools.pairwise(bounds))


def _zone(profile: Profile, low: int, high: int) -> Zone:
    speed = profile.mb_per_s[low:high]
    middle = float(np.median(speed))
    spread = 1.4826 * float(np.median(np.abs(speed - middle)))
    error = float(1.96 * 1.2533 * max(spread, float(np.std(speed)) / 3) / np.sqrt(len(speed)))
    start_low = float(profile.start_mb[low - 1]) if low else 0.0
    start_high = float(profile.end_mb[low]) if low else 0.0
    last = high >= len(profile)
    return Zone(
        start_mb=(float(profile.end_mb[low - 1]) + float(profile.start_mb[low])) / 2 if low else 0.0,
        end_mb=profile.capacity_mb
        if last
        else (float(profile.end_mb[high - 1]) + float(profile.start_mb[high])) / 2,
        start_low_mb=start_low,
        start_high_mb=start_high,
        mb_per_s=middle,
        low=middle - error,
        high=middle + error,
        count=high - low,
    )
