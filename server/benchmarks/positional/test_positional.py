"""POSITIONAL's extraction against made-up samples and against those of the OLP notes."""

from __future__ import annotations

import json
import math
import statistics
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.benchmarks.contract import Extraction, Facts, Measurement, Quality
from server.benchmarks.positional import KIND

FACTS = Facts(block_bytes=512, capacity_bytes=2_000_398_934_016)
SAMPLE_NS = 3_000_000_000
STARTS = {"outer": 0, "middle": 1_953_514_584, "inner": 3_876_505_503}

OLP = {
    "outer": [151.72, 152.17, 151.30, 151.31, 151.74, 152.17, 152.17, 151.74, 151.74, 152.18],
    "middle": [123.41, 123.42, 123.42, 123.42, 123.43, 123.42, 123.43, 121.73, 123.77, 123.43],
    "inner": [73.54, 72.32, 73.75, 73.95, 73.95, 74.16, 74.16, 74.57, 75.18, 74.21],
}


def entry_of(rates: dict[str, list[float]], elapsed_ns: int = SAMPLE_NS) -> dict[str, Any]:
    """Samples of that many MB/s."""
    return {
        "kind": "positional",
        "params": {
            "block_bytes": 512,
            "transfer_blocks": 4096,
            "sample_ns": SAMPLE_NS,
            "samples_per_position": 10,
        },
        "samples": {
            "series": [
                {
                    "position": position,
                    "offset_blocks": [STARTS[position]] * len(values),
                    "length_blocks": [round(rate * elapsed_ns / 1e3 / 512) for rate in values],
                    "elapsed_ns": [elapsed_ns] * len(values),
                }
                for position, values in rates.items()
            ]
        },
    }


def one(extraction: Extraction, metric: str, scope: str = "") -> Measurement:
    (found,) = (m for m in extraction.measurements if (m.metric, m.scope) == (f"positional.{metric}", scope))
    return found


def test_the_samples_of_the_notes_give_the_means_and_deviations_that_the_notes_state() -> None:
    found = KIND.extract(entry_of(OLP), FACTS)
    for position, mean, deviation in (
        ("outer", 151.82, 0.34),
        ("middle", 123.29, 0.56),
        ("inner", 73.98, 0.74),
    ):
        assert one(found, "mean_bandwidth", position).value == pytest.approx(mean, abs=0.006)
        assert one(found, "deviation", position).value == pytest.approx(deviation, abs=0.006)
        assert one(found, "mean_bandwidth", position).quality is Quality.GOOD
    assert one(found, "inner_to_outer").value == pytest.approx(73.98 / 151.82, abs=1e-4)


def test_the_interval_holds_chance_the_way_to_the_place_and_what_the_stretch_may_be_off() -> None:
    """Chance and a turn either way, and upwards what the first access takes of a sample."""
    chance = 2.262 * statistics.stdev(OLP["outer"]) / math.sqrt(10)
    for rpm, turn_ms in ((7200.0, 8.333), (4200.0, 14.286), (None, 16.667)):
        facts = replace(FACTS, rated_rpm=rpm)
        mean = one(KIND.extract(entry_of(OLP), facts), "mean_bandwidth", "outer")
        assert mean.value is not None and mean.high is not None and mean.low is not None
        assert mean.value - mean.low == pytest.approx(chance + mean.value * turn_ms / 3000, rel=2e-2)
        above = mean.value * (2 * turn_ms + 20) / 3000
        assert mean.high - mean.value == pytest.approx(chance + above, rel=2e-2)


def test_a_position_without_samples_has_a_reason_and_takes_the_ratio_with_it() -> None:
    found = KIND.extract(entry_of({"outer": OLP["outer"]}), FACTS)
    assert one(found, "mean_bandwidth", "inner").value is None
    assert "inner" in one(found, "inner_to_outer").reason
    assert one(found, "mean_bandwidth", "outer").value is not None


def test_a_single_sample_has_a_mean_of_poor_quality_and_no_deviation() -> None:
    found = KIND.extract(entry_of({"outer": [150.0], "inner": [70.0]}), FACTS)
    assert one(found, "mean_bandwidth", "outer").quality is Quality.POOR
    assert one(found, "deviation", "outer").value is None


def test_samples_that_differ_widely_are_not_trusted() -> None:
    found = KIND.extract(entry_of({"outer": [150.0, 150.0, 60.0, 150.0, 150.0], "inner": [70.0] * 5}), FACTS)
    assert one(found, "mean_bandwidth", "outer").quality is Quality.POOR
    assert one(found, "inner_to_outer").quality is Quality.POOR


def test_samples_that_the_end_of_the_device_cut_short_are_not_trusted() -> None:
    found = KIND.extract(entry_of({"outer": [150.0] * 10}, elapsed_ns=SAMPLE_NS // 10), FACTS)
    assert one(found, "mean_bandwidth", "outer").quality is Quality.POOR
    assert "ended" in one(found, "mean_bandwidth", "outer").reason


def test_the_picture_shows_every_sample_at_its_position() -> None:
    entry = entry_of(OLP)
    (chart,) = KIND.charts(entry, FACTS, KIND.extract(entry, FACTS))
    assert len(chart.series[0].x) == 30
    assert chart.series[1].y == pytest.approx((151.82, 123.29, 73.98), abs=0.01)


@settings(max_examples=60, deadline=None)
@given(
    columns=st.lists(
        st.tuples(
            st.sampled_from(["outer", "middle", "inner"]),
            st.integers(1, 35_184_372_088_831),
            st.integers(0, 2_592_000_000_000_000),
        ),
        max_size=12,
    )
)
def test_whatever_the_schema_allows_is_answered_with_finite_numbers_or_reasons(
    columns: list[tuple[str, int, int]],
) -> None:
    entry = entry_of({position: [] for position in ("outer", "middle", "inner")})
    for series in entry["samples"]["series"]:
        rows = [row for row in columns if row[0] == series["position"]]
        series |= {
            "offset_blocks": [0] * len(rows),
            "length_blocks": [row[1] for row in rows],
            "elapsed_ns": [row[2] for row in rows],
        }
    found = KIND.extract(entry, FACTS)
    KIND.charts(entry, FACTS, found)
    json.dumps(dict(found.details), allow_nan=False)
    for m in found.measurements:
        assert all(number is None or math.isfinite(number) for number in (m.value, m.low, m.high)), m
        assert (m.value is None) == (m.quality is Quality.NONE)
        assert m.value is not None or m.reason
