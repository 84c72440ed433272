"""ZONED's extraction against made-up profiles and against traces with known zones."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.benchmarks.contract import Extraction, Facts, Measurement, Quality
from server.benchmarks.zoned import KIND
from server.benchmarks.zoned.extract import at_least
from server.benchmarks.zoned.zones import Zone
from tests.support import traces

REGIONS = 200
LENGTH = 1000
FACTS = Facts(block_bytes=512, capacity_bytes=512 * LENGTH * REGIONS)


def entry_of(mb_per_s: list[float]) -> dict[str, Any]:
    return {
        "kind": "zoned",
        "params": {"block_bytes": 512, "mode": "streaming", "transfer_blocks": 100},
        "samples": {
            "series": [
                {
                    "repeat": 0,
                    "offset_blocks": [LENGTH * k for k in range(len(mb_per_s))],
                    "length_blocks": [LENGTH] * len(mb_per_s),
                    "elapsed_ns": [round(LENGTH * 512 / speed * 1e3) for speed in mb_per_s],
                }
            ]
        },
    }


def one(extraction: Extraction, metric: str) -> Measurement:
    (found,) = (m for m in extraction.measurements if m.metric == f"zoned.{metric}")
    return found


def test_three_zones_are_found_with_their_boundaries_and_bandwidths() -> None:
    found = KIND.extract(entry_of([10.0] * 80 + [8.0] * 70 + [6.0] * 50), FACTS)
    assert one(found, "zone_count").value == 3
    assert one(found, "outer_bandwidth").value == pytest.approx(10)
    assert one(found, "inner_bandwidth").value == pytest.approx(6)
    assert [round(zone["start_mb"] * 1e6 / 512 / LENGTH) for zone in found.details["zones"]] == [0, 80, 150]
    assert found.details["model"] == "step"


def test_the_middle_is_the_zone_with_half_the_capacity_or_either_beside_it_where_that_is_not_known() -> None:
    clear = one(KIND.extract(entry_of([10.0] * 80 + [8.0] * 70 + [6.0] * 50), FACTS), "middle_bandwidth")
    assert clear.value == pytest.approx(8) and clear.low is not None and clear.low > 7.9
    edge = one(KIND.extract(entry_of([10.0] * 100 + [6.0] * 100), FACTS), "middle_bandwidth")
    assert edge.low is not None and edge.high is not None and edge.low <= 6 and edge.high >= 10


def test_a_last_zone_too_narrow_to_be_found_is_inside_the_inner_bandwidths_interval() -> None:
    levels = [10.0] * 70 + [9.0] * 80 + [8.0] * 48
    speeds = [level + 0.001 * (k % 3) for k, level in enumerate(levels)]
    found = KIND.extract(entry_of([*speeds, 7.9, 7.9]), FACTS)
    inner, outer = one(found, "inner_bandwidth"), one(found, "outer_bandwidth")
    assert inner.value == pytest.approx(8, rel=1e-3)
    assert inner.low is not None and inner.low <= 7.9 and inner.quality is Quality.FAIR
    assert "narrow zone" in inner.reason
    assert outer.quality is Quality.GOOD and outer.low == pytest.approx(10, rel=5e-3)
    assert one(found, "bandwidth_ratio").quality is Quality.FAIR


def scattered(levels: list[tuple[float, int]], share: float) -> list[float]:
    """A profile of these bandwidths and counts, each region slowed down by some share of its bandwidth."""
    delays = iter(np.random.default_rng(3).exponential(share, sum(count for _, count in levels)))
    return [level / (1 + next(delays)) for level, count in levels for _ in range(count)]


def test_an_end_that_scatters_more_than_a_zones_step_reaches_as_far_as_a_step_could_hide() -> None:
    found = KIND.extract(entry_of(scattered([(10.0, 12), (9.8, 28), (6.0, 160)], 0.04)), FACTS)
    outer, ratio = one(found, "outer_bandwidth"), one(found, "bandwidth_ratio")
    assert outer.value is not None and abs(outer.value / 10 - 1) > 0.015
    assert outer.quality is Quality.FAIR and ratio.quality is Quality.FAIR
    assert outer.low is not None and outer.high is not None and outer.low <= 10 <= outer.high
    assert "scatter" in outer.reason


@pytest.mark.parametrize("share", [0.06, 0.36, 0.7])
def test_regions_of_two_sorts_give_the_bandwidth_of_both_together(share: float) -> None:
    """A region that holds one more boundary of tracks is slower by its gap: a zone has both."""
    random = np.random.default_rng(7)
    slower = random.random(REGIONS) < share
    speeds = [10.0 / (1.025 if late else 1.0) for late in slower]
    found = one(KIND.extract(entry_of(speeds), FACTS), "outer_bandwidth")
    truth = 10.0 / (1 + 0.025 * share)
    assert found.value == pytest.approx(truth, rel=0.002)
    assert found.low is not None and found.high is not None and found.low <= truth <= found.high


def test_regions_that_are_all_alike_do_not_exclude_what_none_of_them_met() -> None:
    found = one(KIND.extract(entry_of([10.0] * 20 + [8.0] * 180), FACTS), "outer_bandwidth")
    assert found.low is not None and found.high is not None
    assert found.low < 10 * (1 - 0.003) and found.high > 10 * (1 + 0.003)
    assert found.quality is Quality.GOOD


def test_an_end_of_steady_regions_keeps_its_narrow_interval() -> None:
    outer = one(KIND.extract(entry_of(scattered([(10.0, 60), (6.0, 140)], 0.002)), FACTS), "outer_bandwidth")
    assert outer.quality is Quality.GOOD
    assert outer.low is not None and outer.high is not None and outer.high - outer.low < 0.08


def test_the_mean_bandwidth_is_the_capacity_over_the_time_to_read_it() -> None:
    found = KIND.extract(entry_of([10.0] * 100 + [5.0] * 100), FACTS)
    assert one(found, "mean_bandwidth").value == pytest.approx(2 / (1 / 10 + 1 / 5), rel=1e-3)


@pytest.mark.parametrize(("scatter", "quality"), [(0.002, Quality.GOOD), (0.5, Quality.FAIR)])
def test_a_mean_over_regions_that_scatter_is_good_only_where_it_is_known_closely(
    scatter: float, quality: Quality
) -> None:
    mean = one(KIND.extract(entry_of(scattered([(10.0, 60), (6.0, 140)], scatter)), FACTS), "mean_bandwidth")
    assert mean.value is not None and mean.low is not None
    assert mean.quality is quality, (mean.reason, 1 - mean.low / mean.value)
    assert (1 - mean.low / mean.value > 0.02) == (quality is Quality.FAIR)


def test_a_flat_profile_may_be_the_interfaces_in_every_bandwidth() -> None:
    found = KIND.extract(entry_of([35.0, 35.01] * 100), FACTS)
    for name in ("outer_bandwidth", "inner_bandwidth", "mean_bandwidth", "bandwidth_ratio"):
        assert one(found, name).quality is Quality.POOR
        assert "interface" in one(found, name).reason


def test_a_mean_says_where_nothing_was_read_and_holds_what_may_lie_there() -> None:
    """The middle half is missing, and the boundary with it."""
    speeds = [10.0 + 0.001 * (k % 3) for k in range(REGIONS // 2)]
    speeds += [6.0 + 0.001 * (k % 3) for k in range(REGIONS // 2)]
    entry = entry_of(speeds)
    series = entry["samples"]["series"][0]
    for name in ("offset_blocks", "length_blocks", "elapsed_ns"):
        series[name] = series[name][: REGIONS // 4] + series[name][-REGIONS // 4 :]
    mean = one(KIND.extract(entry, FACTS), "mean_bandwidth")
    assert mean.quality is Quality.POOR
    assert "between 25 and 75 %" in mean.reason
    assert mean.low is not None and mean.high is not None
    for share in (0.3, 0.7):
        assert mean.low <= 1 / (share / 10 + (1 - share) / 6) <= mean.high
    assert one(KIND.extract(entry, FACTS), "zone_count").quality is Quality.POOR


def test_a_flat_profile_is_not_called_one_zone_with_confidence() -> None:
    count = one(KIND.extract(entry_of([5.0, 5.001] * 100), FACTS), "zone_count")
    assert count.quality is Quality.POOR
    assert "interface" in count.reason


def test_a_parabola_without_steps_is_described_as_one() -> None:
    shape = [10 - 4 * (k / REGIONS) ** 2 + 0.02 * math.sin(k * 12.9898) for k in range(REGIONS)]
    found = KIND.extract(entry_of(shape), FACTS)
    assert found.details["model"] == "quadratic"
    quadratic, linear = one(found, "fit_error_quadratic").value, one(found, "fit_error_linear").value
    assert quadratic is not None and linear is not None and quadratic < linear / 5


def test_one_disturbed_region_is_not_a_zone() -> None:
    profile = [10.0 + 0.01 * (k % 2) for k in range(100)] + [7.0 + 0.01 * (k % 2) for k in range(100)]
    profile[40] = 2.0
    assert one(KIND.extract(entry_of(profile), FACTS), "zone_count").value == 2


def test_a_bandwidth_that_goes_up_and_down_is_no_confident_count() -> None:
    profile = [(10.0 if k // 10 % 2 else 8.0) for k in range(REGIONS)]
    assert one(KIND.extract(entry_of(profile), FACTS), "zone_count").quality is Quality.POOR


def test_two_bandwidths_that_a_slow_interface_may_have_made_of_many_are_called_flat() -> None:
    found = KIND.extract(entry_of([5.0] * 80 + [4.9] * 120), FACTS)
    for name in ("zone_count", "bandwidth_ratio"):
        assert one(found, name).quality is Quality.POOR
        assert "flat" in one(found, name).reason


@pytest.mark.parametrize("drive", ["HP_C3323A", "QUANTUM_TORNADO_Atlas10K", "SEAGATE_ST34501N_Cheetah4LP"])
def test_the_zones_of_a_traced_drive_are_found_where_they_are(drive: str) -> None:
    truth = traces.truth(drive)
    found = KIND.extract(traces.zoned_entry(drive, "zoned_1MiB_fastbus"), traces.facts(drive))
    zones = found.details["zones"]
    assert len(zones) == len(truth["zones"])
    for zone, true in zip(zones, truth["zones"], strict=True):
        assert zone["start_mb"] == pytest.approx(true["first_lba"] * 512e-6, abs=0.012 * zones[-1]["end_mb"])


def test_zones_join_without_gaps_and_cover_the_device() -> None:
    drive = "HP_C3323A"
    found = KIND.extract(traces.zoned_entry(drive, "zoned_1MiB_fastbus"), traces.facts(drive))
    zones = found.details["zones"]
    assert zones[0]["start_mb"] == 0
    assert all(before["end_mb"] == after["start_mb"] for before, after in pairwise(zones))


@settings(max_examples=60, deadline=None)
@given(
    columns=st.lists(
        st.tuples(
            st.integers(0, 35_184_372_088_831),
            st.integers(1, 35_184_372_088_831),
            st.integers(0, 2_592_000_000_000_000),
        ),
        max_size=40,
    )
)
def test_whatever_the_schema_allows_is_answered_with_finite_numbers_or_reasons(
    columns: list[tuple[int, int, int]],
) -> None:
    entry = entry_of([])
    names = ("offset_blocks", "length_blocks", "elapsed_ns")
    entry["samples"]["series"][0] |= {name: [row[k] for row in columns] for k, name in enumerate(names)}
    found = KIND.extract(entry, FACTS)
    KIND.charts(entry, FACTS, found)
    json.dumps(dict(found.details), allow_nan=False)
    for m in found.measurements:
        assert all(number is None or math.isfinite(number) for number in (m.value, m.low, m.high)), m
        assert (m.value is None) == (m.quality is Quality.NONE)
        assert m.value is not None or m.reason


def test_a_count_with_waves_inside_the_zones_says_how_many_there_are_at_least() -> None:
    """Heads and spares come and go with the place of a region: stretches of a zone differ, up and down."""
    speeds = [
        20.0 * 0.97 ** (k // 36) * (1 + 0.012 * math.copysign(1.0, math.sin(k / 2.9))) for k in range(14 * 36)
    ]
    found = one(KIND.extract(entry_of(speeds), FACTS), "zone_count")
    assert found.value is not None and found.value > 14
    assert found.quality is not Quality.GOOD
    assert found.low is not None and found.high is not None
    assert 8 <= found.low <= 14 <= found.high


def test_zones_that_fall_by_less_than_a_neighbour_rises_are_not_counted_for_sure() -> None:
    def zone(mb_per_s: float) -> Zone:
        return Zone(0.0, 1.0, 0.0, 0.0, mb_per_s, mb_per_s, mb_per_s, 9)

    assert at_least([zone(speed) for speed in (10.0, 9.5, 9.0, 8.5)]) == 4
    assert at_least([zone(speed) for speed in (10.0, 9.5, 9.8, 9.0, 8.5)]) == 4
    assert at_least([zone(10.0)]) == 1


def test_zones_whose_intervals_meet_are_not_counted_apart() -> None:
    def zone(mb_per_s: float, half_width: float) -> Zone:
        return Zone(0.0, 1.0, 0.0, 0.0, mb_per_s, mb_per_s - half_width, mb_per_s + half_width, 9)

    assert at_least([zone(speed, 0.02) for speed in (16.0, 15.61, 15.4)]) == 3
    assert at_least([zone(speed, 0.17) for speed in (16.0, 15.61, 15.4)]) == 2


def test_a_parabola_s_zones_give_a_linear_error_several_times_that_of_a_parabola() -> None:
    """Skippy 5.2: the quadratic fit is 2 to 10 times better, from the ends alone 10 to 20 times."""
    random = np.random.default_rng(5)
    speeds = [10.0 - 4.0 * (k / REGIONS) ** 2 + 0.02 * float(random.normal()) for k in range(REGIONS)]
    found = KIND.extract(entry_of(speeds), FACTS)
    for name, least in (("fits", 2.0), ("ends", 10.0), ("fit_over_ends", 2.0)):
        ratio = one(found, f"error_ratio_{name}")
        assert ratio.value is not None and ratio.value > least
        errors = {"fits": ("linear", "quadratic"), "ends": ("linear_ends", "quadratic_ends")}
        if name in errors:
            over, under = (one(found, f"fit_error_{model}").value or 0.0 for model in errors[name])
            assert ratio.value == pytest.approx(over / under)


def test_a_profile_that_rises_inwards_is_known_no_better_than_by_what_it_rises() -> None:
    """A drive that loses turns gives one rate or another by where a request falls: 23.8, of a true 23.5."""
    profile = [23.8] * 60 + [22.5] * 10 + [23.8] * 60 + [18.0] * 70
    found = KIND.extract(entry_of(profile), FACTS)
    for name, true in (("outer_bandwidth", 23.5), ("inner_bandwidth", 17.7), ("mean_bandwidth", 21.2)):
        number = one(found, name)
        assert number.low is not None and number.high is not None and number.low <= true <= number.high
        assert number.quality is Quality.FAIR
        assert "faster again by 5.8%" in number.reason
    assert one(found, "zone_count").quality is not Quality.GOOD


def test_what_rises_inwards_is_added_to_what_the_regions_leave_open() -> None:
    """A drive that loses a turn at some places scatters within a stretch as well."""
    random = np.random.default_rng(7)
    scatter = [1 + 0.03 * float(random.normal()) for _region in range(60)]
    profile = [23.8 * one for one in scatter] + [22.5] * 10 + [23.8] * 60 + [18.0] * 70
    outer = one(KIND.extract(entry_of(profile), FACTS), "outer_bandwidth")
    steady = one(KIND.extract(entry_of([23.8] * 60 + profile[60:]), FACTS), "outer_bandwidth")
    assert outer.value is not None and outer.low is not None and outer.high is not None
    assert steady.value is not None and steady.low is not None and steady.high is not None
    assert outer.low / outer.value < steady.low / steady.value - 0.003
    assert outer.high / outer.value > steady.high / steady.value + 0.003
