"""Temperature's extraction against made-up weeks whose step is known."""

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
from scipy import stats

from server.benchmarks.contract import Extraction, Facts, Measurement, Quality
from server.benchmarks.temperature import KIND
from server.benchmarks.temperature.changepoint import line

FACTS = Facts(block_bytes=512, capacity_bytes=10**12)
BYTES = 128 << 20
HOUR = 3_600_000_000_000


def swings(hours: int) -> float:
    """15 to 35 °C, there and back in two days."""
    return 25 + 10 * math.sin(2 * math.pi * hours / 48)


def entry_of(
    factor: Callable[[int, float], float] = lambda _hour, _celsius: 1.0,
    course: Callable[[int], float] = swings,
    *,
    noise: float = 0.01,
    hours: int = 168,
    variant: str = "write",
    cache: bool | None = False,
    seed: int = 1,
) -> dict[str, Any]:
    """An hour's transfer has `factor(hour, celsius)` times 130 MB/s."""
    dice = random.Random(seed)
    celsius = [round(course(hour)) for hour in range(hours)]
    rates = [130 * factor(hour, warm) * (1 + noise * dice.gauss(0, 1)) for hour, warm in enumerate(celsius)]
    series = {
        "variant": variant,
        "offset_blocks": [0] * hours,
        "length_blocks": [BYTES // 512] * hours,
        "start_ns": [hour * HOUR for hour in range(hours)],
        "elapsed_ns": [round(BYTES / rate * 1e3) for rate in rates],
        "temperature_celsius": celsius,
    }
    params = {
        "block_bytes": 512,
        "rounds": 168,
        "interval_ns": HOUR,
        "transfer_bytes": BYTES,
        "write_cache": cache,
    }
    return {"kind": "temperature", "params": params, "samples": {"series": [series]}}


def one(extraction: Extraction, name: str, scope: str = "write") -> Measurement:
    (found,) = (m for m in extraction.measurements if (m.metric, m.scope) == (f"temperature.{name}", scope))
    return found


def cold(_hour: int, celsius: float) -> float:
    return 0.24 if celsius <= 19 else 1.0


def test_the_documents_step_is_found_between_19_and_20_degrees() -> None:
    found = KIND.extract(entry_of(cold), FACTS)
    threshold = one(found, "threshold")
    assert (threshold.value, threshold.low, threshold.high) == (19.5, 19, 20)
    assert threshold.quality is Quality.GOOD
    share = one(found, "share_left")
    assert share.value == pytest.approx(0.24, rel=0.02)
    assert one(found, "bandwidth").value == pytest.approx(130, rel=0.01)
    assert found.details["write"]["verdict"] == "step"


def test_a_step_that_slows_the_warm_side_is_found_too() -> None:
    found = KIND.extract(entry_of(lambda _hour, celsius: 0.7 if celsius >= 30 else 1.0), FACTS)
    assert one(found, "threshold").value == 29.5
    assert one(found, "share_left").value == pytest.approx(0.7, rel=0.02)
    assert one(found, "bandwidth").value == pytest.approx(130, rel=0.01)


@pytest.mark.parametrize("seed", range(8))
def test_a_bandwidth_that_does_not_depend_on_temperature_has_no_step_and_says_how_small(seed: int) -> None:
    found = KIND.extract(entry_of(noise=0.03, seed=seed), FACTS)
    threshold = one(found, "threshold")
    assert threshold.value is None and "would have been seen" in threshold.reason
    slope = one(found, "slope")
    assert slope.low is not None and slope.high is not None and slope.low - 0.05 < 0 < slope.high + 0.05
    assert found.details["write"]["verdict"] == "independent"


def test_a_gradual_change_is_a_slope_and_no_step() -> None:
    found = KIND.extract(entry_of(lambda _hour, celsius: 1 + 0.01 * (celsius - 25)), FACTS)
    assert one(found, "threshold").value is None
    assert "gradually" in one(found, "threshold").reason
    assert one(found, "slope").value == pytest.approx(1.0, rel=0.1)


def test_a_change_at_a_moment_is_not_laid_on_temperature() -> None:
    found = KIND.extract(entry_of(lambda hour, _celsius: 0.5 if hour > 100 else 1.0), FACTS)
    assert one(found, "threshold").value is None
    restless = lambda hour: 35 - hour / 10 + 3 * math.sin(hour / 4)  # noqa: E731
    moment = one(
        KIND.extract(entry_of(lambda hour, _celsius: 0.5 if hour > 100 else 1.0, restless), FACTS),
        "threshold",
    )
    assert moment.value is None and "moment" in moment.reason
    falling = lambda hour: 35 - hour / 10  # noqa: E731
    once = KIND.extract(entry_of(cold, falling), FACTS)
    threshold = one(once, "threshold")
    assert threshold.quality is Quality.POOR and "once" in threshold.reason


def test_a_week_at_one_temperature_carries_nothing() -> None:
    found = KIND.extract(entry_of(cold, lambda hour: 18 + hour % 4), FACTS)
    for name in ("threshold", "share_left", "slope"):
        refused = one(found, name)
        assert refused.value is None and "°C" in refused.reason
    assert one(found, "span", "").value == 3


def test_a_gap_in_the_readings_widens_the_interval() -> None:
    gap = lambda hour: 14 if (hour // 12) % 2 else 26 + hour % 5  # noqa: E731
    threshold = one(KIND.extract(entry_of(cold, gap), FACTS), "threshold")
    assert (threshold.low, threshold.high) == (14, 26)
    assert threshold.quality is Quality.FAIR


def test_a_few_disturbed_hours_do_not_move_the_step() -> None:
    entry = entry_of(cold)
    for hour in (3, 40, 77, 120, 130):
        entry["samples"]["series"][0]["elapsed_ns"][hour] *= 4
    threshold = one(KIND.extract(entry, FACTS), "threshold")
    assert (threshold.low, threshold.high) == (19, 20)


def test_an_interrupted_week_says_how_far_it_came() -> None:
    threshold = one(KIND.extract(entry_of(cold, hours=9), FACTS), "threshold")
    assert threshold.value is None and "9 samples" in threshold.reason


def test_writes_with_the_cache_on_are_marked() -> None:
    found = KIND.extract(entry_of(cold, cache=True), FACTS)
    assert one(found, "threshold").quality is Quality.FAIR


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 9_007_199_254_740_991),
            st.integers(1, 4_194_304),
            st.integers(0, 2_592_000_000_000_000),
            st.integers(-100, 300),
        ),
        max_size=60,
    )
)
def test_whatever_the_schema_allows_is_answered_with_finite_numbers_or_reasons(
    rows: list[tuple[int, int, int, int]],
) -> None:
    entry = entry_of(hours=1)
    names = ("start_ns", "length_blocks", "elapsed_ns", "temperature_celsius")
    entry["samples"]["series"][0] |= {name: [row[k] for row in rows] for k, name in enumerate(names)}
    found = KIND.extract(entry, FACTS)
    KIND.charts(entry, FACTS, found)
    json.dumps(dict(found.details), allow_nan=False)
    for m in found.measurements:
        assert all(number is None or math.isfinite(number) for number in (m.value, m.low, m.high)), m
        assert m.value is None or (m.low is not None and m.high is not None and m.low <= m.value <= m.high), m
        assert (m.value is None) == (m.quality is Quality.NONE)
        assert m.value is not None or m.reason


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("hours", [168, 24 * 700])
def test_equal_transfers_and_days_that_repeat_have_a_slope_and_no_warning(hours: int) -> None:
    def day(hour: int) -> float:
        return 20 + hour % 24 % 12

    flat = one(KIND.extract(entry_of(course=day, noise=0.0, hours=hours), FACTS), "slope")
    assert (flat.value, flat.low, flat.high) == pytest.approx((0, 0, 0), abs=1e-6)

    def warmer(_hour: int, celsius: float) -> float:
        return 1 + 0.001 * (celsius - 20)

    slope = one(KIND.extract(entry_of(warmer, day, noise=0.002, hours=hours), FACTS), "slope")
    assert slope.value == pytest.approx(0.1, abs=0.02)
    assert slope.low is not None and slope.high is not None and slope.low < 0.1 < slope.high


def test_the_slope_and_its_bounds_are_those_of_theil_and_sen() -> None:
    randomly = np.random.default_rng(2)
    at = randomly.normal(25, 5, 150)
    values = 0.01 * at + randomly.normal(0, 0.05, 150)
    expected = stats.theilslopes(values, at)
    assert line(values, at) == pytest.approx(tuple(expected), abs=2e-4)
