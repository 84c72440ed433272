"""Fluctuation's extraction against made-up courses whose noise, drift and jumps are known."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.benchmarks.contract import Extraction, Facts, Measurement, Quality
from server.benchmarks.fluctuation import KIND
from server.benchmarks.fluctuation.course import Course, jumps_of

FACTS = Facts(block_bytes=512, capacity_bytes=10**12)
BYTES = 128 << 20
HOUR = 3_600_000_000_000


def entry_of(
    factor: Callable[[float], float] = lambda _hours: 1.0,
    *,
    noise: float = 0.02,
    pause_ns: int = 10**9,
    rounds: int = 24,
    seed: int = 1,
    variant: str = "read",
    cache: bool | None = False,
) -> dict[str, Any]:
    """Times of transfers that take `factor(hours)` times as long as the medium needs."""
    dice = random.Random(seed)
    columns: list[dict[str, Any]] = [
        {
            "variant": variant,
            "position": k,
            "offset_blocks": [],
            "length_blocks": [],
            "start_ns": [],
            "elapsed_ns": [],
        }
        for k in range(15)
    ]
    now = 0
    for _ in range(rounds):
        for position, series in enumerate(columns):
            rate = 143 - 71 * position / 14
            time = BYTES / rate * 1e3 * factor(now / HOUR) * max(1 + noise * dice.gauss(0, 1), 0.1)
            series["offset_blocks"].append(position)
            series["length_blocks"].append(BYTES // 512)
            series["start_ns"].append(now)
            series["elapsed_ns"].append(round(time))
            now += round(time)
        now += pause_ns
    params: dict[str, Any] = {"block_bytes": 512, "positions": 15, "rounds": rounds, "transfer_bytes": BYTES}
    params |= {"pause_ns": pause_ns, "write_cache": cache}
    return {"kind": "fluctuation", "params": params, "samples": {"series": columns}}


def one(extraction: Extraction, name: str, scope: str) -> Measurement:
    (found,) = (m for m in extraction.measurements if (m.metric, m.scope) == (f"fluctuation.{name}", scope))
    return found


def test_mean_and_deviation_by_position_are_those_of_the_disk() -> None:
    found = KIND.extract(entry_of(noise=0.05), FACTS)
    mean, deviation = one(found, "mean", "1s/read/00"), one(found, "deviation", "1s/read/00")
    assert mean.value == pytest.approx(143, rel=0.03)
    assert deviation.low is not None and deviation.high is not None
    assert deviation.low < 0.05 * 143 < deviation.high
    assert one(found, "variation", "1s/read").value == pytest.approx(0.05, rel=0.1)
    assert one(found, "mean", "1s/read/93").count == 24


def test_a_day_and_a_quarter_of_an_hour_have_scopes_of_their_own() -> None:
    found = KIND.extract(entry_of(pause_ns=HOUR), FACTS)
    assert {m.scope.split("/")[0] for m in found.measurements} == {"1h"}


@pytest.mark.parametrize("seed", range(8))
def test_noise_alone_is_neither_drift_nor_jump(seed: int) -> None:
    found = KIND.extract(entry_of(noise=0.04, seed=seed), FACTS)
    drift = one(found, "drift", "1s/read")
    assert one(found, "jumps", "1s/read").value == 0
    assert drift.low is not None and drift.high is not None
    # One in twenty intervals misses by chance; none misses by much.
    assert drift.low - 1 < 0 < drift.high + 1


def test_a_drift_is_measured_and_is_no_jump() -> None:
    # 5 % slower over the day.
    found = KIND.extract(entry_of(lambda hours: 1 + 0.05 * hours / 23, pause_ns=HOUR), FACTS)
    drift = one(found, "drift", "1h/read")
    expected = 100 * (1 / 1.05 - 1)
    assert drift.low is not None and drift.high is not None
    assert drift.low < expected < drift.high < 0
    assert one(found, "jumps", "1h/read").value == 0


def test_a_jump_is_found_where_it_is_and_is_no_drift() -> None:
    found = KIND.extract(entry_of(lambda hours: 1.06 if hours > 11.5 else 1.0, pause_ns=HOUR), FACTS)
    assert one(found, "jumps", "1h/read").value == 1
    (jump,) = found.details["jumps"]["read"]
    assert jump["hours"] == pytest.approx(12, abs=1.2)
    assert jump["factor"] == pytest.approx(1 / 1.06, rel=0.01)
    drift = one(found, "drift", "1h/read")
    assert drift.low is not None and drift.high is not None and drift.low < 0 < drift.high


@pytest.mark.parametrize("period", [6.0, 12.0, 48.0])
def test_a_slow_wave_is_no_jump_and_no_certain_drift(period: float) -> None:
    wave = lambda hours: 1 + 0.05 * math.sin(2 * math.pi * hours / period)  # noqa: E731
    found = KIND.extract(entry_of(wave, noise=0.005, pause_ns=HOUR), FACTS)
    assert one(found, "jumps", "1h/read").value == 0
    drift = one(found, "drift", "1h/read")
    assert drift.quality is not Quality.GOOD
    assert drift.low is not None and drift.high is not None and drift.low < 0 < drift.high


def test_one_transfer_that_was_disturbed_is_no_jump() -> None:
    entry = entry_of()
    entry["samples"]["series"][4]["elapsed_ns"][9] *= 3
    assert one(KIND.extract(entry, FACTS), "jumps", "1s/read").value == 0


def test_an_interrupted_run_says_what_it_can() -> None:
    found = KIND.extract(entry_of(rounds=1), FACTS)
    for name in ("variation", "drift", "jumps"):
        assert one(found, name, "1s/read").value is None
    few = one(KIND.extract(entry_of(rounds=4), FACTS), "variation", "1s/read")
    assert few.quality is Quality.POOR


def test_writes_with_the_cache_on_are_marked() -> None:
    found = KIND.extract(entry_of(variant="write", cache=True), FACTS)
    variation = one(found, "variation", "1s/write")
    assert variation.quality is Quality.FAIR and "write cache" in variation.reason


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["read", "write"]),
            st.integers(0, 14),
            st.lists(
                st.tuples(
                    st.integers(0, 9_007_199_254_740_991),
                    st.integers(1, 4_194_304),
                    st.integers(0, 2_592_000_000_000_000),
                ),
                max_size=40,
            ),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_whatever_the_schema_allows_is_answered_with_finite_numbers_or_reasons(
    rows: list[tuple[str, int, list[tuple[int, int, int]]]],
) -> None:
    entry = entry_of(rounds=1)
    entry["samples"]["series"] = [
        {
            "variant": variant,
            "position": position,
            "offset_blocks": [0] * len(columns),
            "start_ns": [column[0] for column in columns],
            "length_blocks": [column[1] for column in columns],
            "elapsed_ns": [column[2] for column in columns],
        }
        for variant, position, columns in rows
    ]
    found = KIND.extract(entry, FACTS)
    KIND.charts(entry, FACTS, found)
    json.dumps(dict(found.details), allow_nan=False)
    for m in found.measurements:
        assert all(number is None or math.isfinite(number) for number in (m.value, m.low, m.high)), m
        assert m.value is None or (m.low is not None and m.high is not None and m.low <= m.value <= m.high), m
        assert (m.value is None) == (m.quality is Quality.NONE)
        assert m.value is not None or m.reason


def test_a_jump_in_a_run_longer_than_the_search_takes_is_found_at_its_sample() -> None:
    drawn = np.random.default_rng(5)
    rates = 100 * np.exp(drawn.normal(0, 0.004, 10_000) - 0.05 * (np.arange(10_000) >= 6_174))
    course = Course(np.arange(10_000) / 60, np.zeros(10_000, dtype=np.int64), rates)
    (jump,) = jumps_of(course)
    assert abs(jump.index - 6_174) <= 1
    assert jump.factor == pytest.approx(0.951, abs=0.002)
