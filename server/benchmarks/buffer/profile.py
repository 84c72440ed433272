"""BUFFER's samples as bandwidth by request size, and where it collapses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FALL = 0.85
"""A size whose bandwidth is below this share of the best before it may not fit."""
BACK = 0.95
"""A size behind a fall that reaches this share of the best before it says that the fall was none."""
LOST_MS = 0.5
"""More than a busy host adds to a request on average, and less than misses do that cost a turn each."""
LOST_SHARE = 1.25
NINTH_DECILE = 1.2816
"""Standard deviations from the median to the ninth decile of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One entry for each request size, in increasing order; MB is 10^6 bytes."""

    size_bytes: NDArray[np.float64]
    requests: NDArray[np.int64]
    mb_per_s: NDArray[np.float64]
    error_mb_per_s: NDArray[np.float64]
    """Half of the 95 % interval, from the spread of the latencies."""
    median_ms: NDArray[np.float64]
    mean_ms: NDArray[np.float64]
    fastest_ms: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.size_bytes)


def profile_of(entry: Mapping[str, Any], block_bytes: int) -> Profile | None:
    """Bandwidth by size; None where nothing was read in a measurable time."""
    columns = ("request_blocks", "requests", "elapsed_ns", "median_ns", "percentile_90_ns", "fastest_ns")
    rows = {
        row[0]: row
        for series in entry["samples"]["series"]
        if series["pattern"] == "sizes"
        for row in zip(*(series[name] for name in columns), strict=True)
        if row[2] > 0
    }
    if not rows:
        return None
    table = np.array([rows[blocks] for blocks in sorted(rows)], dtype=np.float64)
    blocks, requests, elapsed, median, high, fastest = table.T
    rate = blocks * block_bytes * requests / elapsed * 1e3
    spread = np.maximum(high - median, 0) / NINTH_DECILE
    error = rate * 1.96 * spread * np.sqrt(requests) / elapsed
    return Profile(
        blocks * block_bytes,
        requests.astype(np.int64),
        rate,
        error,
        median / 1e6,
        elapsed / requests / 1e6,
        fastest / 1e6,
    )


def answered_in_part(profile: Profile, held: int) -> int | None:
    """Index of the first of the `held` sizes at which the buffer answered some requests and others not.

    A request that misses waits for the medium, most of a turn: it shows in the mean where misses are rare,
    in the median where they are not.
    """
    late, typical, quick = profile.mean_ms[:held], profile.median_ms[:held], profile.fastest_ms[:held]
    rare = (late - typical > LOST_MS) & (late > LOST_SHARE * typical)
    often = (typical - quick > LOST_MS) & (typical > LOST_SHARE * quick)
    found = np.flatnonzero(rare | often)
    return int(found[0]) if len(found) else None


def collapse_of(profile: Profile) -> int | None:
    """Index of the first size that the buffer does not hold; None where the bandwidth never collapses.

    A buffer that answers two requests of n blocks answers one of 2 n in no more than their time: with the
    size the bandwidth rises or stays. A fall that later sizes take back was noise.
    """
    rate = profile.mb_per_s
    for index in range(1, len(rate)):
        best = rate[:index].max()
        if rate[index] < FALL * best and (rate[index:] < BACK * best).all():
            return index
    return None
