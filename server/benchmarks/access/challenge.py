"""Which of ACCESS's places follow from a challenge: the single blocks all over the disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.benchmarks.challenge import Followed, between, draws, in_order, together
from server.benchmarks.contract import Facts

MISSED = 2
"""So many times as many draws are looked through as there are samples: unreadable places are left out."""


def follows(entry: Mapping[str, Any], facts: Facts, seed: int) -> Followed | None:
    """Compare the random reads with the draws, of which the first only brings the head to a random place."""
    columns = [one["offset_blocks"] for one in entry["samples"]["series"] if one["pattern"] == "random"]
    blocks = facts.capacity_bytes // facts.block_bytes
    return together(
        [
            in_order(column, between(draws(seed, MISSED * len(column) + 1), 0, blocks)[1:])
            for column in columns
        ]
    )
