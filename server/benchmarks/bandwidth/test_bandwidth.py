"""The bandwidth surface's extraction against made-up disks whose law is known."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.benchmarks.bandwidth import KIND
from server.benchmarks.contract import Extraction, Facts, Measurement, Quality

FACTS = Facts(block_bytes=512, capacity_bytes=10**12)
SIZES = [512 << power for power in range(22)]
STRETCH = 128 << 20


def entry_of(
    variants: tuple[str, ...] = ("read",),
    sizes: list[int] | None = None,
    *,
    fixed_ms: float = 15.0,
    outer: float = 143.0,
    inner: float = 72.0,
    turn_ms: float = 8.3,
    cache: bool | None = False,
    buffer: int = 0,
    repeats: int = 1,
) -> dict[str, Any]:
    """Transfers that wait for `fixed_ms` on average, evenly over a turn; `buffer` bytes come at 280 MB/s."""
    dice = random.Random(1)
    sizes = SIZES if sizes is None else sizes
    series = []
    for repeat in range(repeats):
        for position in range(16):
            rate = outer + (inner - outer) * position / 15
            for variant in variants:
                times = []
                for size in sizes:
                    stretches = math.ceil(size / STRETCH) if variant == "write" else 1
                    waits = sum(fixed_ms + turn_ms * (dice.random() - 0.5) for _ in range(stretches))
                    held = min(size, buffer * stretches)
                    medium = waits * 1e6 + (size - held) / rate * 1e3
                    times.append(round(max(held / 280 * 1e3, medium) if held < size else size / 280 * 1e3))
                series.append(
                    {
                        "variant": variant,
                        "repeat": repeat,
                        "position": position,
                        "offset_blocks": [position * 122_000_000] * len(sizes),
                        "length_blocks": [size // 512 for size in sizes],
                        "elapsed_ns": times,
                    }
                )
    params = {
        "block_bytes": 512,
        "positions": 16,
        "sizes_bytes": sizes,
        "left_out_bytes": [],
        "repeats": repeats,
    }
    params |= {"stretch_bytes": STRETCH, "dummy_reads": 64, "write_cache": cache}
    return {"kind": "bandwidth", "params": params, "samples": {"series": series}}


def one(extraction: Extraction, name: str, scope: str) -> Measurement:
    (found,) = (m for m in extraction.measurements if (m.metric, m.scope) == (f"bandwidth.{name}", scope))
    return found


@pytest.mark.parametrize("direction", ["read", "write"])
def test_peak_sizes_fixed_time_and_ratio_are_those_of_the_disk(direction: str) -> None:
    found = KIND.extract(entry_of((direction,)), FACTS)
    fixed, half = one(found, "fixed_time", direction), one(found, "half_peak_size", direction)
    assert fixed.value == pytest.approx(15, rel=0.03) and fixed.low <= 15 <= fixed.high  # type: ignore[operator]
    assert half.value == pytest.approx(15 * 0.143, rel=0.03)
    assert one(found, "outer_inner_ratio", direction).value == pytest.approx(143 / 72, rel=0.01)
    assert {one(found, name, direction).quality for name in ("peak", "fixed_time", "half_peak_size")} == {
        Quality.GOOD
    }


def test_the_peak_is_the_longest_transfer_at_the_start() -> None:
    peak = one(KIND.extract(entry_of(), FACTS), "peak", "read")
    expected = (1 << 30) / (15e6 + (1 << 30) / 143 * 1e3) * 1e3
    assert peak.value == pytest.approx(expected, rel=2e-3)
    assert peak.low is not None and peak.high is not None and peak.low <= expected <= peak.high


def test_the_size_of_95_percent_gives_95_percent() -> None:
    found = KIND.extract(entry_of(), FACTS)
    size = one(found, "size_at_95_percent", "read")
    peak = (1 << 30) / (15e6 + (1 << 30) / 143 * 1e3) * 1e3
    expected = 15 / (1 / (0.95 * peak) - 1 / 143) / 1e3
    assert size.low is not None and size.high is not None
    assert size.low <= expected <= size.high
    assert size.value == pytest.approx(expected, rel=0.08)


def test_a_shorter_suite_gives_the_same_size_and_marks_its_peak() -> None:
    short = KIND.extract(entry_of(sizes=[512 << power for power in range(0, 17, 2)]), FACTS)
    whole = KIND.extract(entry_of(), FACTS)
    sizes = [one(found, "size_at_95_percent", "read") for found in (short, whole)]
    assert sizes[0].value == pytest.approx(sizes[1].value, rel=0.1)
    peak = one(short, "peak", "read")
    assert peak.quality is Quality.POOR and "longer" in peak.reason


def test_writes_that_the_buffer_takes_give_no_sizes_and_a_marked_peak() -> None:
    found = KIND.extract(entry_of(("write",), cache=True, buffer=32 << 20), FACTS)
    for name in ("size_at_95_percent", "half_peak_size", "fixed_time", "outer_inner_ratio"):
        refused = one(found, name, "write")
        assert refused.value is None and "write cache" in refused.reason
    assert one(found, "peak", "write").quality is Quality.POOR


def test_a_cache_that_nobody_can_tell_of_is_seen_in_the_times() -> None:
    buffered = KIND.extract(entry_of(("write",), cache=None, buffer=32 << 20), FACTS)
    assert one(buffered, "fixed_time", "write").value is None
    through = KIND.extract(entry_of(("write",), cache=None), FACTS)
    assert one(through, "fixed_time", "write").value == pytest.approx(15, rel=0.03)


def test_a_short_transfer_made_once_is_not_trusted() -> None:
    found = KIND.extract(entry_of(), FACTS)
    assert one(found, "rate", "read/512/00").quality is Quality.POOR
    assert one(found, "rate", "read/1073741824/00").quality is Quality.GOOD
    assert one(found, "deviation", "read").value is None


def test_repeats_give_deviations_and_better_rows() -> None:
    found = KIND.extract(entry_of(repeats=10, sizes=[4096, 65536, 1 << 20, 1 << 26]), FACTS)
    deviation = one(found, "deviation", "read/1048576/00")
    assert deviation.value is not None and deviation.low is not None and deviation.high is not None
    assert deviation.low < deviation.value < deviation.high
    assert deviation.count == 10


def test_one_retry_of_a_second_does_not_move_the_law() -> None:
    entry = entry_of()
    entry["samples"]["series"][3]["elapsed_ns"][5] += 1_000_000_000
    assert one(KIND.extract(entry, FACTS), "fixed_time", "read").value == pytest.approx(15, rel=0.03)


def test_short_transfers_that_a_buffer_answered_are_named() -> None:
    entry = entry_of()
    for series in entry["samples"]["series"][::2]:
        series["elapsed_ns"][4:8] = [400_000] * 4
    fixed = one(KIND.extract(entry, FACTS), "fixed_time", "read")
    assert fixed.quality is Quality.POOR and "buffer" in fixed.reason


def test_one_size_gives_a_peak_and_no_law() -> None:
    found = KIND.extract(entry_of(sizes=[1 << 20]), FACTS)
    assert one(found, "peak", "read").quality is Quality.POOR
    assert one(found, "fixed_time", "read").value is None


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["read", "write"]),
            st.integers(0, 63),
            st.integers(1, 4_194_304),
            st.integers(0, 2_592_000_000_000_000),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_whatever_the_schema_allows_is_answered_with_finite_numbers_or_reasons(
    rows: list[tuple[str, int, int, int]],
) -> None:
    entry = entry_of()
    columns = {"variant": 0, "position": 1}
    entry["samples"]["series"] = [
        {name: row[k] for name, k in columns.items()}
        | {"repeat": 0, "offset_blocks": [0], "length_blocks": [row[2]], "elapsed_ns": [row[3]]}
        for row in rows
    ]
    found = KIND.extract(entry, FACTS)
    KIND.charts(entry, FACTS, found)
    json.dumps(dict(found.details), allow_nan=False)
    seen = set()
    for m in found.measurements:
        assert (m.metric, m.scope) not in seen
        seen.add((m.metric, m.scope))
        assert all(number is None or math.isfinite(number) for number in (m.value, m.low, m.high)), m
        assert m.value is None or (m.low is not None and m.high is not None and m.low <= m.value <= m.high), m
        assert (m.value is None) == (m.quality is Quality.NONE)
        assert m.value is not None or m.reason
