"""BUFFER's extraction against made-up buffers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.benchmarks.buffer import KIND
from server.benchmarks.contract import Extraction, Facts, Measurement, Quality

FACTS = Facts(block_bytes=512, capacity_bytes=1_000_204_886_016, rated_rpm=7200.0)
SIZES = [512 << step for step in range(18)]
TURN_MS = 60e3 / 7200


def entry_of(latency_ms: Callable[[int], float], sizes: list[int] = SIZES) -> dict[str, Any]:
    """1 GiB at each size, every request as long as `latency_ms` says."""
    requests = [max((1 << 30) // size, 1) for size in sizes]
    latency = [round(latency_ms(size) * 1e6) for size in sizes]
    return {
        "kind": "buffer",
        "params": {
            "block_bytes": 512,
            "total_bytes": 1 << 30,
            "time_limit_ns": 3_600_000_000_000,
            "threshold_bytes": 8 << 20,
            "rotation_estimate_ns": None,
        },
        "samples": {
            "series": [
                {
                    "pattern": "sizes",
                    "start_block": 0,
                    "request_blocks": [size // 512 for size in sizes],
                    "requests": requests,
                    "elapsed_ns": [n * each for n, each in zip(requests, latency, strict=True)],
                    "fastest_ns": latency,
                    "median_ns": latency,
                    "percentile_90_ns": latency,
                    "slowest_ns": latency,
                }
            ]
        },
    }


def buffered(fits_bytes: int, bus: float = 275.0, medium: float = 143.0) -> Callable[[int], float]:
    """A buffer that holds requests of up to `fits_bytes`; rates in MB/s."""

    def latency_ms(size: int) -> float:
        if size <= fits_bytes:
            return 0.06 + size / bus / 1e3
        return TURN_MS / 2 + size / medium / 1e3

    return latency_ms


def one(extraction: Extraction, metric: str) -> Measurement:
    (found,) = (m for m in extraction.measurements if m.metric == f"buffer.{metric}")
    return found


def test_the_documents_drive_has_its_plateau_from_512_kib_to_8_mib_and_halves_above() -> None:
    found = KIND.extract(entry_of(buffered(8 << 20)), FACTS)
    assert one(found, "peak_bandwidth").value == pytest.approx(275, rel=0.005)
    assert one(found, "plateau_start").value == 512
    assert one(found, "plateau_end").value == 8192
    assert one(found, "collapse").value == pytest.approx(0.5, abs=0.03)
    size = one(found, "effective_size")
    assert (size.low, size.high) == (8192, 16384)


def test_a_disk_that_answers_from_the_medium_has_no_buffer_whatever_its_bandwidth_rises_to() -> None:
    found = KIND.extract(entry_of(lambda size: TURN_MS + size / 143e3), FACTS)
    assert {m.value for m in found.measurements} == {None}
    assert "no buffer" in one(found, "peak_bandwidth").reason


def test_the_probes_estimate_of_a_turn_stands_in_for_a_missing_rating() -> None:
    entry = entry_of(lambda size: TURN_MS + size / 143e3)
    facts = Facts(block_bytes=512, capacity_bytes=FACTS.capacity_bytes)
    assert one(KIND.extract(entry, facts), "peak_bandwidth").quality is Quality.POOR
    entry["params"]["rotation_estimate_ns"] = 8_333_333
    assert one(KIND.extract(entry, facts), "peak_bandwidth").value is None


def test_without_a_collapse_the_size_is_declined_and_the_peak_says_that_it_is_unproven() -> None:
    found = KIND.extract(entry_of(buffered(1 << 40)), FACTS)
    assert one(found, "effective_size").value is None
    assert one(found, "plateau_end").value is None
    assert "collapse" in one(found, "peak_bandwidth").reason
    assert one(found, "peak_bandwidth").quality is Quality.POOR


def test_the_peak_is_the_buffers_even_where_the_medium_is_faster_than_small_hits() -> None:
    found = KIND.extract(entry_of(buffered(64 << 10, bus=30.0, medium=28.0)), FACTS)
    assert one(found, "peak_bandwidth").value == pytest.approx(65536 / (0.06 + 65536 / 30e3) / 1e3, rel=1e-3)


def test_a_single_disturbed_size_is_not_taken_for_the_end_of_the_buffer() -> None:
    hits = buffered(8 << 20)
    found = KIND.extract(entry_of(lambda size: hits(size) * (1.6 if size == 1 << 20 else 1)), FACTS)
    assert (one(found, "effective_size").low, one(found, "effective_size").high) == (8192, 16384)


def test_a_buffer_that_answers_only_some_of_the_requests_is_not_trusted() -> None:
    """Look-ahead overwrites what was read: after 14 answers from the buffer the medium is asked again."""
    entry = entry_of(buffered(64 << 10, bus=10.0, medium=2.0))
    series = entry["samples"]["series"][0]
    for index, blocks in enumerate(series["request_blocks"]):
        if blocks * 512 <= 64 << 10:
            series["elapsed_ns"][index] += round(series["requests"][index] / 15 * 1.5 * TURN_MS * 1e6)
    found = KIND.extract(entry, FACTS)
    assert one(found, "peak_bandwidth").quality is Quality.POOR
    assert "only some" in one(found, "effective_size").reason


def test_a_busy_host_does_not_look_like_a_buffer_that_answers_in_part() -> None:
    entry = entry_of(buffered(8 << 20))
    series = entry["samples"]["series"][0]
    series["elapsed_ns"] = [
        elapsed + round(requests * 0.34e6)
        for elapsed, requests in zip(series["elapsed_ns"], series["requests"], strict=True)
    ]
    assert one(KIND.extract(entry, FACTS), "effective_size").low == 8192


def test_a_run_cut_short_after_two_sizes_says_so() -> None:
    found = KIND.extract(entry_of(buffered(8 << 20), SIZES[:2]), FACTS)
    assert "before the run ended" in one(found, "peak_bandwidth").reason


def test_the_picture_marks_where_the_buffer_ends_on_a_logarithmic_axis() -> None:
    entry = entry_of(buffered(8 << 20))
    (chart,) = KIND.charts(entry, FACTS, KIND.extract(entry, FACTS))
    assert chart.x.scale == "log"
    plateau, end = chart.marks
    assert end.x == pytest.approx(8192 * math.sqrt(2))
    assert plateau.low is not None
    assert plateau.high is not None
    assert chart.series[0].x[0] <= plateau.low < plateau.high <= 8192
    assert min(chart.series[0].x) > 0


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.integers(1, 1_073_741_824),
            st.integers(1, 1_099_511_627_776),
            *[st.integers(0, 2_592_000_000_000_000)] * 5,
        ),
        max_size=20,
    )
)
def test_whatever_the_schema_allows_is_answered_with_finite_numbers_or_reasons(
    rows: list[tuple[int, ...]],
) -> None:
    entry = entry_of(buffered(1), [])
    names = ("request_blocks", "requests", "elapsed_ns", "fastest_ns", "median_ns", "percentile_90_ns")
    entry["samples"]["series"][0] |= {name: [row[k] for row in rows] for k, name in enumerate(names)}
    for facts in (FACTS, Facts(block_bytes=512, capacity_bytes=1 << 40)):
        found = KIND.extract(entry, facts)
        KIND.charts(entry, facts, found)
        json.dumps(dict(found.details), allow_nan=False)
        for m in found.measurements:
            assert all(number is None or math.isfinite(number) for number in (m.value, m.low, m.high)), m
            assert (m.value is None) == (m.quality is Quality.NONE)
            assert m.value is not None or m.reason
            assert m.value is None or (
                m.low is not None and m.high is not None and m.low <= m.value <= m.high
            )
