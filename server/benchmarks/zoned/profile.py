"""Bandwidth by position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from server.benchmarks.zoned.regions import (
    BYTES_PER_MB,
    FloatArray,
    regions_of,
    scatter_in_cells,
    thinned,
    together,
)

MOST_POINTS = 3000


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
    in_cells: bool
    """Whether a point is a cell, a stretch in which all heads take part, and not a single region."""
    cell_error: float = 0.0
    """Standard error of a cell's bandwidth as a share of it, the same way for all cells; 0 without cells."""

    def __len__(self) -> int:
        return len(self.position_mb)


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
    error = scatter_in_cells(regions)
    return Profile(middle, start, start + size, speed, _shares(middle, capacity), capacity, in_cells, error)


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
