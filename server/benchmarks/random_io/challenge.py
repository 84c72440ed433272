"""Which of RANDOM_IO's places follow from a challenge: the first requests of each combination."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from server.benchmarks.challenge import Followed, between, draws, together
from server.benchmarks.contract import Facts

GUARD_BYTES = 1 << 20
"""Nothing is asked of the first and last MiB where the run writes."""
CASES_MOST = 64
SEED_FACTOR = 1_000_003


def follows(entry: Mapping[str, Any], facts: Facts, seed: int) -> Followed | None:
    """Compare the requests that stand one by one with the draws of their combination, in whichever order they
    were answered."""
    series = entry["samples"]["series"]
    if entry["params"]["seed"] != seed % 2**53:
        return together([Followed(len(one["first"]["offset_blocks"]), 0) for one in series])
    found, case = [], 0
    for one in series:
        best, case = _combination(one, facts, seed, case)
        found.append(best)
    return together(found)


def _combination(one: Mapping[str, Any], facts: Facts, seed: int, case: int) -> tuple[Followed, int]:
    """Return how the requests of a combination follow, and which number may be the next one's: combinations
    that the machine could not do are left out."""
    positions = np.asarray(one["first"]["offset_blocks"], dtype=np.int64)
    best, at = Followed(positions.size, 0), case
    for number in range(case, CASES_MOST):
        drawn = draws(seed * SEED_FACTOR + number, 2 * one["requests"])
        for guarded in (False, True):
            expected = _positions_of(drawn, one["request_blocks"], facts, guarded=guarded)
            following = int(np.isin(positions, expected).sum())
            if following > best.following:
                best, at = Followed(positions.size, following), number + 1
        if best.following > positions.size / 2:
            break
    return best, at


def _positions_of(drawn: Any, step: int, facts: Facts, *, guarded: bool) -> Any:
    """Return the places that draws stand for: stretches of one request's length, one after the other."""
    margin = -(-GUARD_BYTES // facts.block_bytes) if guarded else 0
    first = -(-margin // step) * step
    count = (facts.capacity_bytes // facts.block_bytes - margin - first) // step
    return first + between(drawn, 0, count) * step
