"""Which of SKIPPY's places follow from a challenge: the block at which each series begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.benchmarks.challenge import LANE_STEP, Followed, draws, together
from server.benchmarks.contract import Facts


def follows(entry: Mapping[str, Any], facts: Facts, seed: int) -> Followed | None:
    """Compare the lowest block of each series with the remainder that the nonce asks for: series begin at the
    first such block behind their own place."""
    remainder = int(draws(seed, 1)[0]) % LANE_STEP
    found = []
    for one in entry["samples"]["series"]:
        steps = one["step_blocks"]
        down = one["variant"] == "backward"
        lowest = one["start_block"] - sum(step + 1 for step in steps) if down else one["start_block"]
        # Of a series that misses a step the lowest block is not known.
        if not down or (one["offset_blocks"] and min(one["offset_blocks"]) == lowest):
            found.append(Followed(1, int(lowest % LANE_STEP == remainder)))
    return together(found)
