"""SEEKER's extraction against a made-up arm and against traces with known seeks."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.benchmarks.contract import Extraction, Facts, Measurement, Quality
from server.benchmarks.seeker import KIND
from server.benchmarks.seeker.curve import along_stroke, average_of, blocks_at, line_at
from server.benchmarks.seeker.groups import FloatArray, Group, Samples, groups_of, samples_of
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


def test_angles_of_two_turns_that_lie_between_each_other_leave_half_as_much_open() -> None:
    """On tracks of 199 blocks the second turn's offsets of two lie between the first's."""
    found = groups_of(samples_of(entry_of(outward=sawtooth(199, 2, 3.01))["samples"]), TURN_MS, 199)
    block_ms = TURN_MS / 199
    (group,) = found
    assert group.high_ms - group.missed_ms == pytest.approx(block_ms, rel=0.01)
    assert group.missed_ms < 3.01 <= group.high_ms
    assert group.best_ms == pytest.approx(3.01, abs=block_ms / 2)


def sawtooth(track: int, spacing: int, ready_ms: float) -> list[tuple[int, int, int, int]]:
    """Two turns of offsets of accesses that are ready so long after the one before."""
    rows = []
    for offset in range(0, 2 * track, spacing):
        turned = (offset % track) / track * TURN_MS
        latency = turned + math.ceil(max(ready_ms - turned, 0.0) / TURN_MS) * TURN_MS
        rows.append((0, 0, 100 * track + offset, round(latency * 1e6)))
    return rows


def test_the_line_through_many_intervals_is_nearer_than_their_middles() -> None:
    rng = np.random.default_rng(5)
    x = np.sqrt(np.geomspace(10, 320, 14))
    true = 2.0 + 0.05 * x
    errors = []
    for _ in range(40):
        low = true - 0.2 * rng.random(len(x))
        value, error = line_at(x, low, low + 0.2, float(x[0]))
        errors.append(value - (2.0 + 0.05 * float(x[0])))
        assert error < 0.2
    middles = 0.2 / math.sqrt(12) * math.sqrt(4 / len(x))
    assert abs(float(np.mean(errors))) < 0.015
    assert float(np.std(errors)) < 0.9 * middles


def test_the_line_does_not_fall() -> None:
    x = np.arange(8.0)
    value, _error = line_at(x, 3.0 - 0.1 * x, 3.1 - 0.1 * x, 0.0)
    assert 2.3 <= value <= 3.1


@pytest.mark.parametrize("shrinking", [0.0, 0.5, 0.8])
def test_the_average_is_that_of_all_places_on_tracks_that_get_shorter(shrinking: float) -> None:
    """SEEKER starts at the long tracks, random pairs anywhere: the same blocks are further for them."""
    rng = np.random.default_rng(3)

    def seek(apart: FloatArray) -> FloatArray:
        return np.asarray(1.0 + 9.0 * np.sqrt(apart), dtype=np.float64)

    shares = np.concatenate([np.geomspace(1e-4, 0.05, 20), np.linspace(0.1, 1.0, 12)])
    ready = seek(along_stroke(shares, shrinking)) + MEDIA_MS
    groups = [
        Group(
            "outward",
            "write",
            share * BLOCKS,
            at - 0.01,
            at - 0.01,
            at + 0.01,
            88,
            True,
            False,
            (),
            math.inf,
        )
        for share, at in zip(shares, ready, strict=True)
    ]
    start, end = (rng.integers(0, BLOCKS, 400) for _ in range(2))
    apart = np.abs(along_stroke(start / BLOCKS, shrinking) - along_stroke(end / BLOCKS, shrinking))
    latency = seek(apart) + MEDIA_MS + TURN_MS * rng.random(400)
    names = np.full(400, "random")
    pairs = Samples(names, names, np.arange(400), start, end, latency)
    ways = along_stroke(rng.random(200_000), shrinking), along_stroke(rng.random(200_000), shrinking)
    true = float(seek(np.abs(ways[0] - ways[1])).mean()) + MEDIA_MS
    found = average_of(groups, pairs, TURN_MS, BLOCKS)
    assert found is not None
    assert found.value == pytest.approx(true, rel=0.01)
    # The mean wait of 400 pairs alone is known to a hundredth of a turn and more.
    assert found.error < 1.96 * TURN_MS / math.sqrt(12 * 400)
    alone = average_of(groups, None, TURN_MS, BLOCKS)
    assert alone is not None and alone.value == alone.level <= true * 1.005
    assert alone.usual >= true * 0.995


def test_places_on_the_stroke_and_back() -> None:
    places = np.linspace(0, 1, 9)
    for shrinking in (0.0, 0.3, 0.95):
        assert blocks_at(along_stroke(places, shrinking), shrinking) == pytest.approx(places, abs=1e-9)


def test_without_random_pairs_the_average_is_fair_and_says_how_far_it_may_be() -> None:
    found = one(KIND.extract(entry_of(outward=outward()), FACTS), "average")
    assert found.quality is Quality.FAIR
    assert "Without random pairs" in found.reason
    assert found.high is not None and found.value is not None and found.high > 1.03 * found.value


def test_a_seek_to_the_next_cylinder_that_lies_off_the_curve_is_told_as_it_is() -> None:
    """The first of the distances takes a way of its own, as on drives with a short seek for neighbours."""
    near = [
        (group, start, target, latency - 800_000 if group == 0 else latency)
        for group, start, target, latency in outward()
    ]
    found = one(KIND.extract(entry_of(outward=near), FACTS), "minimum")
    assert found.value == pytest.approx(seek_ms(TRACK * 40) + MEDIA_MS - 0.8, abs=0.1)


def test_what_a_seek_may_be_less_stays_less_without_the_media() -> None:
    """Where the interval reaches far down and hardly up, the difference from the baseline does the same."""
    short = [(9, a, b, c) for _, a, b, c in group_of(0, TRACK * 3)]
    rows = [*short, *outward()]
    found = KIND.extract(entry_of(outward=rows, baseline=group_of(0, 0)), FACTS)
    both, alone = one(found, "minimum"), one(found, "minimum", "without_mtm")
    assert both.value is not None and both.low is not None and both.high is not None
    assert alone.value is not None and alone.low is not None and alone.high is not None
    assert both.value - both.low > 2 * (both.high - both.value)
    assert alone.value - alone.low > 1.5 * (alone.high - alone.value)


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


def test_writes_to_shingled_tracks_are_the_media_caches() -> None:
    shingled = replace(FACTS, write_cache=False, shingled=True)
    found = one(KIND.extract(entry_of(outward=outward()), shingled), "full_stroke")
    assert found.quality is Quality.POOR
    assert "shingled" in found.reason


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


def test_two_arms_that_share_the_blocks_have_no_full_stroke() -> None:
    """Beyond the middle the other arm answers from where it stands: near its own beginning."""
    bases = (
        [TRACK * 40 * 2**k for k in range(6)]
        + [BLOCKS // 20 * k for k in range(2, 20)]
        + [BLOCKS - 2 * TRACK]
    )
    rows = []
    for number, base in enumerate(bases):
        beyond = max(base - BLOCKS // 2, 0)
        for group, start, target, latency in group_of(number, max(beyond, TRACK * 40) if beyond else base):
            moved = target + base - max(beyond, TRACK * 40) if beyond else target
            rows.append((group, start, moved, latency))
    found = KIND.extract(entry_of(outward=rows), FACTS)
    for metric in ("full_stroke", "average"):
        assert one(found, metric).value is None
        assert "arms" in one(found, metric).reason
    assert found.details["curve"] is None


def test_arms_that_the_device_tells_of_have_no_stroke_though_the_seeks_look_like_one_arms() -> None:
    found = KIND.extract(entry_of(outward=outward()), replace(FACTS, arms=2))
    assert {one(found, metric).value for metric in ("full_stroke", "average")} == {None}
    assert "2 actuators" in one(found, "average").reason and found.details["curve"] is None


def bent(number: int, base: int) -> list[tuple[int, int, int, int]]:
    """As `group_of`, of an arm that has further to go for the same blocks over the last tenth."""
    late_ns = round(4e6 * max(base / BLOCKS - 0.9, 0.0) / 0.1)
    return [
        (group, start, target, latency + late_ns) for group, start, target, latency in group_of(number, base)
    ]


def test_a_curve_measured_to_98_percent_has_the_rest_in_its_interval_and_is_not_good() -> None:
    bases = [BLOCKS // 50 * k for k in range(1, 50)]
    rows = [row for number, base in enumerate(bases) for row in bent(number, base)]
    found = one(KIND.extract(entry_of(outward=rows), FACTS), "full_stroke")
    truth = seek_ms(BLOCKS) + MEDIA_MS + 4.0
    assert found.quality is Quality.FAIR
    assert found.low is not None and found.high is not None and found.low <= truth <= found.high


def test_a_least_seek_that_no_cylinder_alone_was_seen_to_take_is_not_good() -> None:
    """Distances within a cylinder take longer than the shortest beyond it: one cylinder may take less yet."""
    slow = [(90 + k, a, b, t + 1_500_000) for k in range(3) for _, a, b, t in group_of(0, TRACK * (k + 2))]
    found = one(KIND.extract(entry_of(outward=[*slow, *outward()]), FACTS), "minimum")
    assert found.quality is Quality.FAIR
    assert found.low is not None and found.low <= seek_ms(2 * TRACK) + MEDIA_MS <= (found.high or 0)
    assert "single cylinder" in found.reason


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


def test_no_distance_s_shortest_latency_lies_below_the_shortest_seek() -> None:
    """On some arms the nearest cylinder is not the soonest: the curve must not hide what was met."""
    rows = [(g, a, b, latency - 600_000 if g == 1 else latency) for g, a, b, latency in outward()]
    found = one(KIND.extract(entry_of(outward=rows), FACTS), "minimum")
    met = min(latency for group, _, _, latency in rows if group == 1) / 1e6
    assert found.value is not None and found.value <= met


SKEW_MS, SWITCH_MS = 0.26, 0.5


def backward(spacing: int, group: int = 0) -> list[tuple[int, int, int, int]]:
    """Reads at a place and then lower by ever more, each pair on fresh tracks, as a baseline of reads is."""
    rows = []
    for index, offset in enumerate(range(1 + group, 2 * TRACK, spacing)):
        origin = (20 + 3 * index) * TRACK + (37 * index**2 + 71 * group) % TRACK
        target = origin - offset
        tracks = origin // TRACK - target // TRACK
        turned = (-offset / TRACK * TURN_MS - tracks * SKEW_MS) % TURN_MS
        ready = MEDIA_MS + (SWITCH_MS if tracks else 0.0)
        rows.append((group, origin, target, round((turned + TURN_MS * (turned < ready)) * 1e6)))
    return rows


def test_an_angle_missed_behind_a_narrow_skew_says_nothing_of_the_track() -> None:
    """A skew of 3 % of a turn counted as no gap, and the switch behind it as time to media."""
    pairs = [row for group in range(3) for row in backward(5, group)]
    found = one(KIND.extract(entry_of(outward=outward(), baseline=pairs), FACTS), "baseline", "")
    assert found.low is not None and found.high is not None and found.low <= MEDIA_MS <= found.high
    assert found.quality in (Quality.GOOD, Quality.FAIR)


def test_a_baseline_between_angles_far_apart_is_fair_and_says_so() -> None:
    pairs = [row for group in range(3) for row in group_of(group, 0)[::8]]
    found = one(KIND.extract(entry_of(outward=outward(), baseline=pairs), FACTS), "baseline", "")
    assert found.low is not None and found.high is not None and found.low <= MEDIA_MS <= found.high
    assert found.quality is Quality.FAIR
    assert "Few angles" in found.reason


def test_a_head_switch_far_away_is_no_seek() -> None:
    """Blocks that go there and back over the cylinders come by the same one again, hundreds of tracks on."""
    rows = [(g, a, b, latency - 2_500_000 if g == 4 else latency) for g, a, b, latency in outward()]
    found = one(KIND.extract(entry_of(outward=rows), FACTS), "minimum")
    least = seek_ms(TRACK * 40) + MEDIA_MS
    assert found.value == pytest.approx(least, abs=0.15)
    assert found.low is not None and found.high is not None and found.low <= least <= found.high
    assert found.quality is Quality.FAIR
    assert "there and back" in found.reason
