"""SKIPPY in each zone (Skippy 4.2): tracks that get shorter inwards, heads and gaps that stay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from server.benchmarks.contract import Extraction, Measurement, Quality
from server.benchmarks.skippy import KIND
from server.benchmarks.skippy.series import traces_of
from server.benchmarks.skippy.test_skippy import FACTS, columns, entry_of, mock_disk, one, value
from server.benchmarks.skippy.zones import few_tracks

TRACKS = {100: 187, 200: 180, 300: 168, 400: 168, 600: 148, 700: 142, 800: 134, 900: 120}
"""Thousandths of the device to blocks of a track, somewhat as in the paper's drive."""


def between(position: int, **disk: Any) -> dict[str, Any]:
    return columns(mock_disk(**disk), region="between", position_permille=position)


def run_of(**others: Any) -> tuple[dict[str, Any], Extraction]:
    """The three regions of a drive of six surfaces, and the places between them."""
    regions = [
        columns(mock_disk(track=track, heads=6), region=region)
        for region, track in (("outer", 187), ("middle", 156), ("inner", 120))
    ]
    places = [between(at, track=track, heads=6, first_block=37 + at) for at, track in TRACKS.items()]
    entry = entry_of(*regions, *places, *others.get("more", ()))
    return entry, KIND.extract(entry, FACTS)


@pytest.fixture(scope="module")
def run() -> tuple[dict[str, Any], Extraction]:
    return run_of()


def test_each_place_has_its_own_tracks_and_the_drives_gaps_and_heads(
    run: tuple[dict[str, Any], Extraction],
) -> None:
    _entry, found = run
    for at, track in TRACKS.items():
        scope = f"{at / 10:g}"
        assert value(found, "sectors_per_track", scope) == track
        assert value(found, "head_switch_gap", scope) == pytest.approx(0.7, abs=0.02)
        assert value(found, "cylinder_switch_gap", scope) == pytest.approx(2.1, abs=0.02)
        assert value(found, "surfaces", scope) == 6
    assert one(found, "surfaces").quality is Quality.GOOD


def test_places_between_the_regions_change_none_of_the_regions_numbers(
    run: tuple[dict[str, Any], Extraction],
) -> None:
    entry, found = run
    regions = [one for one in entry["samples"]["series"] if one["region"] != "between"]
    alone = KIND.extract(entry_of(*regions), FACTS)
    numbers = {(one.metric, one.scope): one for one in found.measurements}
    assert all(numbers[one.metric, one.scope] == one for one in alone.measurements)
    assert alone.details["zones"] == []


def test_places_of_equal_tracks_are_of_one_zone_in_the_table(run: tuple[dict[str, Any], Extraction]) -> None:
    entry, found = run
    rows = found.details["zones"]
    assert [row["position"] for row in rows] == [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
    assert [row["zone"] for row in rows] == [1, 1, 2, 3, 3, 4, 5, 6, 7, 8, 8]
    (chart,) = (chart for chart in KIND.charts(entry, FACTS, found) if chart.id == "zones")
    assert "8 zones or more" in chart.summary and "6 surfaces" in chart.summary
    assert {view.key for view in chart.views} == {"tracks", "gaps", "surfaces"}


def test_a_zone_that_counts_other_surfaces_puts_the_count_in_doubt() -> None:
    odd = between(450, track=160, heads=4, first_block=5)
    _entry, found = run_of(more=(odd,))
    surfaces = one(found, "surfaces")
    assert (surfaces.value, surfaces.low, surfaces.high) == (6, 4, 6)
    assert surfaces.quality is Quality.FAIR and "4 at 45 %" in surfaces.reason


def test_a_place_that_counts_other_surfaces_than_most_says_so_and_holds_their_count() -> None:
    """Noise hid every second cylinder at one place: 38 surfaces of 19, good."""
    _entry, found = run_of(more=(between(450, track=160, heads=12, first_block=5),))
    odd, usual = one(found, "surfaces", "45"), one(found, "surfaces", "30")
    assert (odd.value, odd.low, odd.high, odd.quality) == (12, 6, 12, Quality.FAIR)
    assert odd.reason == "Most series of this run count other numbers: 6."
    assert (usual.value, usual.low, usual.high) == (6, 6, 6)


def test_a_place_that_shows_nothing_says_why() -> None:
    dead = columns([80_000 + (k * 7919) % 3000 for k in range(400)], region="between", position_permille=500)
    _entry, found = run_of(more=(dead,))
    number = one(found, "sectors_per_track", "50")
    assert number.value is None and number.reason


def test_a_place_that_turns_otherwise_than_the_run_is_not_believed() -> None:
    """No spindle does; boundaries that noise puts wrong bend the turn, and tracks with it."""
    _entry, found = run_of(more=(between(450, track=160, heads=6, turn_ms=8.333 * 1.004, first_block=5),))
    odd = one(found, "sectors_per_track", "45")
    assert odd.value is None and "not the one of the other series" in odd.reason
    assert value(found, "sectors_per_track", "40") == 168


def test_tracks_that_are_not_alike_may_hold_a_block_less_at_a_place() -> None:
    def found(quality: Quality) -> Measurement:
        return Measurement("skippy.sectors_per_track", "10", 187.0, 187.0, 188.0, 9, quality, "")

    assert few_tracks(found(Quality.FAIR)).low == 186.0
    uneven = replace(found(Quality.FAIR), value=186.02, low=186.02)
    assert few_tracks(uneven).low == 185.0
    assert few_tracks(found(Quality.GOOD)).low == 187.0


def test_a_place_between_the_regions_that_does_not_say_where_it_lies_is_left_out() -> None:
    series = columns([80_000 + (k * 7919) % 3000 for k in range(400)], region="between")
    assert "position_permille" not in series
    assert traces_of({"series": [series]}) == ()
