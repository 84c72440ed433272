"""SEEKER's extraction against a made-up arm and against traces with known seeks."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.benchmarks.contract import Extraction, Facts, Measurement, Quality
from server.benchmarks.seeker import KIND
from tests.support import traces

TURN_MS, TRACK, MEDIA_MS = 8.0, 200, 1.0
BLOCKS = 2_000_000
FACTS = Facts(block_bytes=512, capacity_bytes=512 * BLOCKS)


def seek_ms(distance: int) -> float:
    return 0.0 if distance < TRACK else 1.0 + 0.008 * math.sqrt(distance)


def group_of(number: int, base: int) -> list[tuple[int, int, int, int]]:
    """Two turns of offsets at one distance, on a disk without skew."""
    rows = []
    for offset in range(1, 2 * TRACK, 3):
        target = base + offset
        ready = seek_ms(base) + MEDIA_MS
        turned = (target % TRACK) / TRACK * TURN_MS
        latency = turned + math.ceil(max(ready - turned, 0.0) / TURN_MS) * TURN_MS
        rows.append((number, 0, target, round(latency * 1e6)))
    return rows


def entry_of(**patterns: list[tuple[int, int, int, int]]) -> dict[str, Any]:
    names = ("group", "from_blocks", "to_blocks", "latency_ns")
    return {
        "kind": "seeker",
        "params": {
            "block_bytes": 512,
            "rotation_estimate_ns": round(TURN_MS * 1e6),
            "turns": 2,
            "track_blocks_estimate": TRACK,
        },
        "samples": {
            "series": [
                {"variant": "write", "pattern": pattern}
                | {name: [row[k] for row in rows] for k, name in enumerate(names)}
                for pattern, rows in patterns.items()
            ]
        },
    }


def outward() -> list[tuple[int, int, int, int]]:
    bases = (
        [TRACK * 40 * 2**k for k in range(8)]
        + [BLOCKS // 10 * k for k in range(6, 10)]
        + [BLOCKS - 2 * TRACK]
    )
    return [row for number, base in enumerate(bases) for row in group_of(number, base)]


def one(extraction: Extraction, metric: str, scope: str = "with_mtm") -> Measurement:
    (found,) = (m for m in extraction.measurements if (m.metric, m.scope) == (f"seeker.{metric}", scope))
    return found


def test_a_made_up_arm_gives_back_its_seeks_with_and_without_the_time_to_media() -> None:
    found = KIND.extract(entry_of(outward=outward(), baseline=group_of(0, 0)), FACTS)
    least, longest = seek_ms(TRACK * 40), seek_ms(BLOCKS)
    assert one(found, "minimum").value == pytest.approx(least + MEDIA_MS, abs=0.15)
    assert one(found, "full_stroke").value == pytest.approx(longest + MEDIA_MS, abs=0.3)
    assert one(found, "baseline", "").value == pytest.approx(MEDIA_MS, abs=0.15)
    assert one(found, "minimum", "without_mtm").value == pytest.approx(least, abs=0.25)


def test_without_a_baseline_there_is_a_reason_instead_of_a_difference() -> None:
    found = one(KIND.extract(entry_of(outward=outward()), FACTS), "average", "without_mtm")
    assert found.value is None
    assert "baseline" in found.reason


def test_the_average_weighs_short_distances_more() -> None:
    found = KIND.extract(entry_of(outward=outward()), FACTS)
    steps = [(k + 0.5) / 2000 for k in range(2000)]
    true = sum(2 * (1 - u) * seek_ms(int(u * BLOCKS)) for u in steps) / 2000 + MEDIA_MS
    assert one(found, "average").value == pytest.approx(true, rel=0.04)


def test_latencies_that_do_not_rise_with_the_distance_are_a_caches_and_give_no_seek() -> None:
    fallen = [(g, a, b, 20_000_000 - t) for g, a, b, t in outward()]
    found = one(KIND.extract(entry_of(outward=fallen), FACTS), "minimum")
    assert found.value is None
    assert "cache" in found.reason


def test_writes_with_the_write_cache_on_are_poor_whatever_they_look_like() -> None:
    cached = Facts(block_bytes=512, capacity_bytes=512 * BLOCKS, write_cache=True)
    found = one(KIND.extract(entry_of(outward=outward()), cached), "full_stroke")
    assert found.quality is Quality.POOR
    assert "write cache" in found.reason


def test_random_pairs_that_contradict_the_curve_make_it_poor() -> None:
    pairs = [(k, 0, 1000 * (k * 37 % 1900), 30_000_000) for k in range(100)]
    found = one(KIND.extract(entry_of(outward=outward(), random=pairs), FACTS), "full_stroke")
    assert found.quality is Quality.POOR
    assert "contradict" in found.reason


def test_a_curve_that_stops_short_of_the_end_says_so() -> None:
    short = [row for number, k in enumerate(range(1, 8)) for row in group_of(number, BLOCKS // 10 * k)]
    found = one(KIND.extract(entry_of(outward=short), FACTS), "full_stroke")
    assert found.quality is Quality.FAIR
    assert "covers" in found.reason


@pytest.mark.parametrize("drive", traces.drives())
def test_seeks_of_a_traced_drive_are_near_the_truth(drive: str) -> None:
    truth = traces.truth(drive)
    media_ms = truth["local"]["outer"]["phase_sweep_write"]["min_latency_same_track_ms"]
    found = KIND.extract(traces.seeker_entry(drive), traces.facts(drive))
    shortest = min(seek for _, seek in traces.seek_truth(drive)) + media_ms
    longest = truth["seek_curve"][-1]["write_ms"] + media_ms
    assert one(found, "minimum").value == pytest.approx(shortest, rel=0.09)
    assert one(found, "full_stroke").value == pytest.approx(longest, rel=0.09)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 3),
            st.integers(0, 35_184_372_088_831),
            st.integers(0, 35_184_372_088_831),
            st.integers(0, 600_000_000_000),
        ),
        max_size=60,
    ),
    pattern=st.sampled_from(["baseline", "outward", "inward", "random"]),
)
def test_whatever_the_schema_allows_is_answered_with_finite_numbers_or_reasons(
    rows: list[tuple[int, int, int, int]], pattern: str
) -> None:
    entry = entry_of(**{pattern: rows})
    found = KIND.extract(entry, FACTS)
    KIND.charts(entry, FACTS, found)
    json.dumps(dict(found.details), allow_nan=False)
    for m in found.measurements:
        assert all(number is None or math.isfinite(number) for number in (m.value, m.low, m.high)), m
        assert (m.value is None) == (m.quality is Quality.NONE)
        assert m.value is not None or m.reason


def test_accesses_that_something_disturbed_are_left_out() -> None:
    late = [(group, origin, target, latency // 3) for group, origin, target, latency in outward()]
    both = entry_of(outward=[*outward(), *late])
    both["samples"]["series"][0]["disturbed"] = [0] * len(outward()) + [1] * len(late)
    assert (
        KIND.extract(both, FACTS).measurements
        == KIND.extract(entry_of(outward=outward()), FACTS).measurements
    )
