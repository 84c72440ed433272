"""Writes that a cache answers: each latency shows where the access before it went."""

from __future__ import annotations

from typing import Any

import pytest

from server.benchmarks.skippy import KIND
from server.benchmarks.skippy.test_skippy import FACTS, columns, entry_of, mock_disk, one

STRIDE = 268
GAPS: dict[str, Any] = {"head_ms": 1.5226, "cylinder_ms": 1.9677, "mtm_ms": 0.6}


def one_late(series: dict[str, Any]) -> dict[str, Any]:
    """The same walk on a drive that answers a write as soon as the one before it is on the medium."""
    first, *rest = series["latency_ns"]
    return series | {"latency_ns": [first, first, *rest[:-1]]}


def walks(track: int, heads: int, **where: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A growing and a constant series as the probe makes them of a place between the regions."""
    grown = columns(mock_disk(track, heads, steps=track * 24 // 25, **GAPS), **where)
    many = 475
    constant = columns(
        mock_disk(track, heads, first_block=99, stride=STRIDE, steps=many, **GAPS),
        pattern="constant",
        step_blocks=[STRIDE - 1] * many,
        offset_blocks=[STRIDE * (step + 1) for step in range(many)],
        **where,
    )
    return grown, constant


@pytest.mark.parametrize("track", [1147, 1274])
def test_two_walks_of_cached_writes_make_no_track_a_block_too_long(track: int) -> None:
    """Read as if each write showed its own place, steps that grow by a block stretch tracks by about a block,
    and all but one in a hundred of the clear ones agree with that."""
    found = KIND.extract(entry_of(*map(one_late, walks(track, 5))), FACTS)
    sectors = one(found, "sectors_per_track", "outer")
    assert sectors.low is not None and sectors.high is not None
    assert sectors.low <= track <= sectors.high
    assert "write cache answers" in one(found, "mtm", "outer/write").reason


def test_two_walks_of_writes_that_no_cache_answers_are_read_as_they_are() -> None:
    found = KIND.extract(entry_of(*walks(1274, 5)), FACTS)
    sectors = one(found, "sectors_per_track", "outer")
    assert (sectors.value, sectors.low) == (1274, 1274)
    assert "write cache" not in one(found, "mtm", "outer/write").reason
