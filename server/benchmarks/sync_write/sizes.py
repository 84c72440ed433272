"""SYNC_WRITE's samples by state of the write cache and size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

STATES = {False: "off", True: "on", None: "unknown"}
MAD_TO_SIGMA = 1.4826
WINDOW_SIGMAS = 5.0
WINDOW_TURNS = 0.5


@dataclass(frozen=True, slots=True)
class Size:
    """All writes of one size in one state."""

    bytes: int
    latency_ms: NDArray[np.float64]
    """In the order of the writes."""
    median_ms: float
    mean_ms: float
    """Of the latencies near the median: a turn lost to somebody else is not the drive's."""
    error_ms: float
    """Standard error of the mean."""
    median_error_ms: float

    @property
    def count(self) -> int:
        return len(self.latency_ms)

    @property
    def mb_per_s(self) -> float:
        """Bytes over time of all writes, as dd states it; MB is 10^6 bytes."""
        return self.bytes * self.count / float(self.latency_ms.sum()) / 1e3

    def begins_within(self, limit_ms: float, first: int) -> bool:
        """Whether the first few writes were all answered in less."""
        return self.count >= first and bool((self.latency_ms[:first] < limit_ms).all())


def sizes_of(entry: Mapping[str, Any], block_bytes: int, turn_ms: float | None) -> dict[str, list[Size]]:
    """The sizes of each state that was measured, in increasing order, without writes that took no time."""
    found: dict[str, list[Size]] = {}
    for series in entry["samples"]["series"]:
        latency = np.array(series["latency_ns"], dtype=np.float64) / 1e6
        latency = latency[latency > 0]
        if len(latency):
            sizes = found.setdefault(STATES[series["write_cache"]], [])
            size_bytes = int(series["request_blocks"]) * block_bytes
            if all(one.bytes != size_bytes for one in sizes):
                sizes.append(_size(size_bytes, latency, turn_ms))
    for sizes in found.values():
        sizes.sort(key=lambda one: one.bytes)
    return found


def _size(size_bytes: int, latency: NDArray[np.float64], turn_ms: float | None) -> Size:
    median = float(np.median(latency))
    sigma = MAD_TO_SIGMA * float(np.median(np.abs(latency - median)))
    near = near_median(latency, turn_ms)
    error = float(near.std(ddof=1)) / len(near) ** 0.5 if len(near) > 1 else float(near[0])
    return Size(size_bytes, latency, median, float(near.mean()), error, 1.2533 * sigma / len(latency) ** 0.5)


def near_median(latency: NDArray[np.float64], turn_ms: float | None) -> NDArray[np.float64]:
    """The latencies within five robust deviations or half a turn of the median, whichever is wider."""
    median = float(np.median(latency))
    sigma = MAD_TO_SIGMA * float(np.median(np.abs(latency - median)))
    window = max(WINDOW_SIGMAS * sigma, WINDOW_TURNS * (median if turn_ms is None else turn_ms))
    return latency[np.abs(latency - median) <= window]
