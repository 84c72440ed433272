"""A stretch that one head read stands for its zone no further than the heads agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from server.benchmarks.contract import Facts, Quality
from server.benchmarks.heads import ONE_HEAD, of_one_head
from server.benchmarks.registry import KINDS, kinds_by_slug
from tests.support.kinds import measurement

FACTS = Facts(block_bytes=512, capacity_bytes=10**12)
HEADS = np.array([1.03, 0.98, 1.0, 1.02, 0.97, 1.01, 0.99, 1.0])


def cells(shares: np.ndarray) -> dict[str, object]:
    """An entry of ZONED with a cell after the other, each with a region of every head."""
    offsets = [1000 * k for k in range(20 * len(shares))]
    return {
        "kind": "zoned",
        "params": {"block_bytes": 512, "mode": "sampled", "transfer_blocks": 100},
        "samples": {
            "series": [
                {
                    "repeat": 0,
                    "group": [k // len(shares) for k in range(len(offsets))],
                    "offset_blocks": offsets,
                    "length_blocks": [1000] * len(offsets),
                    "elapsed_ns": [round(5e6 / shares[k % len(shares)]) for k in range(len(offsets))],
                }
            ]
        },
    }


def test_where_heads_differ_the_interval_reaches_over_them_and_says_that_one_answered() -> None:
    found = of_one_head(measurement("positional.mean_bandwidth", 100.0), replace(FACTS, head_spread=0.02))
    assert (found.low, found.high) == pytest.approx((96.08, 103.92))
    assert found.quality is Quality.FAIR
    assert ONE_HEAD in found.reason


def test_where_no_difference_was_seen_nothing_changes() -> None:
    found = measurement("positional.mean_bandwidth", 100.0)
    assert of_one_head(found, FACTS) is found


def test_zoned_tells_by_how_much_heads_differ() -> None:
    told = kinds_by_slug()["zoned"].head_spread
    assert told is not None
    assert told(cells(HEADS), 512) == pytest.approx(float(HEADS.std()), rel=0.4)
    assert told(cells(np.ones(8)), 512) == 0


def test_some_kind_tells_and_those_that_read_stretches_ask() -> None:
    assert [kind.slug for kind in KINDS if kind.head_spread is not None] == ["zoned"]
    for slug in ("positional", "access", "sync_write"):
        assert kinds_by_slug()[slug].reads_stretches
