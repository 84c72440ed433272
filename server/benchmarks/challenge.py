"""What of a run follows from an archive's nonce: the probe draws places from it, and whoever has the nonce
can
draw them again. Pure; the probe's side is `client/probe/src/run/challenge.rs` and `Random` in `stats.rs`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Draws = NDArray[np.uint64]
DOMAIN = b"diskatlas-challenge-v1\n"
LANE_STEP = 256
"""Where a kind may begin a little further on, it begins at a block with a drawn remainder by this."""


@dataclass(frozen=True, slots=True)
class Followed:
    """How many of a kind's places were looked at, and how many of them follow from the nonce."""

    positions: int
    following: int


def seed_of(nonce: str) -> int:
    """Return the 64 bits that a run under a challenge draws from."""
    return int.from_bytes(hashlib.sha256(DOMAIN + nonce.encode()).digest()[:8], "little")


def draws(seed: int, count: int) -> Draws:
    """Return the first numbers of the probe's generator (SplitMix64)."""
    with np.errstate(over="ignore"):
        mixed = np.uint64(seed % 2**64) + np.uint64(0x9E3779B97F4A7C15) * np.arange(
            1, count + 1, dtype=np.uint64
        )
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def between(drawn: Draws, low: int, high: int) -> NDArray[np.int64]:
    """Return draws as whole numbers in `low..high`, as the probe does."""
    return low + (drawn % np.uint64(max(high - low, 1))).astype(np.int64)


def in_order(column: Any, expected: NDArray[np.int64]) -> Followed:
    """Return how many of a column's places come in the order of what was expected, some of which may be
    missing: a place that could not be read is left out of the samples."""
    at, following = 0, 0
    for position in column:
        ahead = np.flatnonzero(expected[at:] == position)
        if ahead.size:
            at += int(ahead[0]) + 1
            following += 1
    return Followed(len(column), following)


def together(found: list[Followed]) -> Followed | None:
    """Return several as one; None where nothing was looked at."""
    positions = sum(one.positions for one in found)
    return Followed(positions, sum(one.following for one in found)) if positions else None
