"""The columns of a pattern, and rates with what they differ by from their neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.benchmarks.contract import Facts
from server.core.robust import median

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Columns:
    """What was measured of one pattern, in the document's order; times of 0 are left out."""

    offset_blocks: FloatArray
    length_blocks: FloatArray
    """Of the buffer's pattern: the stretch that was read before its first block was read again."""
    elapsed_ns: FloatArray

    def __len__(self) -> int:
        return len(self.elapsed_ns)

    def mb_per_s(self, facts: Facts) -> FloatArray:
        """MB of 10^6 bytes."""
        return np.asarray(self.length_blocks * facts.block_bytes / self.elapsed_ns * 1e3)

    def share(self, facts: Facts) -> FloatArray:
        """Where each stretch begins, in per cent of the disk."""
        return np.asarray(100 * self.offset_blocks * facts.block_bytes / max(facts.capacity_bytes, 1))


def columns_of(entry: Mapping[str, Any], pattern: str) -> Columns:
    """All series of a pattern together; empty where there is none."""
    rows = [
        row
        for one in entry["samples"]["series"]
        if one["pattern"] == pattern
        for row in zip(one["offset_blocks"], _lengths(one), one["elapsed_ns"], strict=False)
        if row[2] > 0
    ]
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    return Columns(table[:, 0], table[:, 1], table[:, 2])


def _lengths(one: Mapping[str, Any]) -> Sequence[int]:
    lengths: Sequence[int] = one.get("stream_blocks") or one["length_blocks"]
    return lengths


def scatter_of(rates: FloatArray) -> float:
    """Standard deviation of single rates about the line through their two neighbours; 0 for too few.

    Robust, so that the edge of a zone is no scatter: from the median of second differences, whose
    variance is six times that of a rate.
    """
    if len(rates) < 5:
        return 0.0
    second = rates[2:] - 2 * rates[1:-1] + rates[:-2]
    return 1.4826 * median(np.abs(second)) / 6**0.5


def delays_of(rates: FloatArray) -> float:
    """Root mean square of how far rates lie below both neighbours, as delays that are rare and long make them
    and no zone does."""
    if len(rates) < 5:
        return 0.0
    dips = np.minimum(rates[2:], rates[:-2]) - rates[1:-1]
    return float(np.sqrt(np.mean(np.maximum(dips, 0.0) ** 2)))
