"""Latencies from buckets: order statistics and moments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Z95 = 1.96


@dataclass(frozen=True, slots=True)
class Latencies:
    """Latencies of answered requests, ascending, in milliseconds."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    upto: NDArray[np.int64]
    """Requests up to and with each bucket."""
    mean: float
    minimum: float
    maximum: float

    @property
    def count(self) -> int:
        return int(self.upto[-1])

    @property
    def middle(self) -> NDArray[np.float64]:
        return (self.low + self.high) / 2

    def at_rank(self, rank: float) -> int:
        """The bucket of the request of that rank, counted from 0; ranks beyond the ends are the ends."""
        inside = min(max(rank, 0.0), float(self.count - 1))
        return int(np.searchsorted(self.upto, int(inside), side="right"))

    def quantile(self, share: float) -> tuple[float, float, float]:
        """The value below which `share` of the requests lie, and its 95 % interval from order statistics."""
        rank = share * (self.count - 1)
        reach = Z95 * (self.count * share * (1 - share)) ** 0.5
        value = float(self.middle[self.at_rank(rank)])
        low = float(self.low[self.at_rank(rank - reach)])
        high = float(self.high[self.at_rank(rank + reach)])
        return value, min(low, value), max(high, value)

    @property
    def deviation(self) -> float:
        """Standard deviation with n - 1, each request at the middle of its bucket."""
        if self.count < 2:
            return 0.0
        counts = np.diff(self.upto, prepend=0)
        square = float((counts * (self.middle - self.mean) ** 2).sum())
        return math.sqrt(square / (self.count - 1))


def latencies_of(buckets: Mapping[str, Any] | None, bits: int) -> Latencies | None:
    """The latencies of `reads` or `writes` of a series; None where there are none or they make no sense."""
    if not buckets or not buckets["low_ns"]:
        return None
    low = np.asarray(buckets["low_ns"], dtype=np.float64)
    counts = np.asarray(buckets["requests"], dtype=np.int64)
    order = np.argsort(low, kind="stable")
    low, counts = low[order], counts[order]
    # The width that a bucket of this lower bound has.
    exponent = np.floor(np.log2(np.maximum(low, 1.0)))
    width = np.exp2(np.maximum(exponent - bits, 0.0))
    minimum, maximum = float(buckets["minimum_ns"]), float(buckets["maximum_ns"])
    if minimum > maximum:
        return None
    total = int(counts.sum())
    return Latencies(
        low=np.clip(low, minimum, maximum) / 1e6,
        high=np.clip(low + width, minimum, maximum) / 1e6,
        upto=np.cumsum(counts),
        mean=float(buckets["total_ns"]) / total / 1e6,
        minimum=minimum / 1e6,
        maximum=maximum / 1e6,
    )
