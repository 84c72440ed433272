"""Which of SEEKER's places follow from a challenge: the random pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from server.benchmarks.challenge import Followed, between, draws, in_order, together
from server.benchmarks.contract import Facts

GUARD_BYTES = 1 << 20
DRAWS_MOST = 20_000
"""The order of distances is drawn before the pairs; how many draws that takes hangs on the drive."""


def follows(entry: Mapping[str, Any], facts: Facts, seed: int) -> Followed | None:
    """Compare the places of the random pairs with the draws, from wherever in them the first one stands."""
    found = []
    for one in entry["samples"]["series"]:
        if one["pattern"] == "random" and one["to_blocks"]:
            found.append(_pairs(one["to_blocks"], facts, seed))
    return together(found)


def _pairs(column: list[int], facts: Facts, seed: int) -> Followed:
    drawn, blocks = draws(seed, DRAWS_MOST), facts.capacity_bytes // facts.block_bytes
    best = Followed(len(column), 0)
    for guard in (0, -(-GUARD_BYTES // facts.block_bytes)):
        expected = between(drawn, guard, blocks - guard)
        starts = np.flatnonzero(np.isin(expected, column[:8]))
        if starts.size:
            found = in_order(column, expected[starts[0] : starts[0] + 2 * len(column)])
            best = max(best, found, key=lambda one: one.following)
    return best
