"""One mechanism is never taken for two; two are told apart by what they can't share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from server.model_stats.mechanism.features import Reading, RunReadings, fingerprints
from server.model_stats.mechanism.groups import Mechanisms, mechanisms
from server.model_stats.mechanism.wording import mechanisms_words

Numbers = dict[tuple[str, str], tuple[float, float]]
"""Metric and scope: value and half of its interval."""

ROTATION = ("skippy.rotation_time", "")
TRACK = ("skippy.sectors_per_track", "outer")
HEAD = ("skippy.head_switch_gap", "outer")
CYLINDER = ("skippy.cylinder_switch_gap", "outer")
SURFACES = ("skippy.surfaces", "")
BANDWIDTH = ("zoned.outer_bandwidth", "")
ONE: Numbers = {
    ROTATION: (8.333, 0.01),
    TRACK: (1000.0, 4.0),
    HEAD: (0.8, 0.05),
    CYLINDER: (1.3, 0.05),
    SURFACES: (4.0, 0.0),
    BANDWIDTH: (61.0, 0.4),
}
OTHER: Numbers = ONE | {TRACK: (1400.0, 6.0), SURFACES: (2.0, 0.0), BANDWIDTH: (85.0, 0.5)}


def run(
    unit: str, numbers: Numbers, *, number: int = 0, quality: str = "good", block_bytes: int = 512
) -> RunReadings:
    """A run with these numbers."""
    readings = tuple(
        Reading(metric, scope, value, value - half, value + half, quality)
        for (metric, scope), (value, half) in numbers.items()
    )
    return RunReadings(f"{unit}-{number}", unit, block_bytes, readings)


def drawn(unit: str, numbers: Numbers, rng: np.random.Generator, number: int = 0) -> RunReadings:
    """The same with errors as large as the intervals say, surfaces left as they are."""
    return run(
        unit, {key: (v + rng.normal(0, h / 1.96), h) for key, (v, h) in numbers.items()}, number=number
    )


def found(*runs: RunReadings) -> Mechanisms:
    return mechanisms(fingerprints(runs))


def test_units_of_one_mechanism_make_one_group_and_no_sentence() -> None:
    rng = np.random.default_rng(1)
    result = found(*(drawn(f"u{n}", ONE, rng) for n in range(12)))
    assert not result.several
    assert mechanisms_words(result) == ""


def test_two_mechanisms_are_named_with_their_units_runs_and_what_separates_them() -> None:
    result = found(run("a", ONE), run("b", ONE), run("c", OTHER), run("d", ONE), run("e", OTHER))
    assert [group.units for group in result.groups] == [("a", "b", "d"), ("c", "e")]
    assert result.groups[1].runs == ("c-0", "e-0")
    assert {one.feature.family for one in result.separations} == {"tracks", "surfaces", "zones"}
    assert mechanisms_words(result) == (
        "Two mechanisms are sold under this name: three units and two units differ in track at the outer "
        "edge (500 against 700 KiB), surfaces (4 against 2) and outer bandwidth (61 against 85 MB/s)."
    )


def test_a_mechanism_known_from_one_drive_says_so() -> None:
    assert "may be another model under a wrong name" in mechanisms_words(
        found(run("a", ONE), run("b", OTHER))
    )


def test_twenty_runs_of_one_drive_are_one_drive_however_much_they_differ() -> None:
    runs = [run("a", ONE if number % 2 else OTHER, number=number) for number in range(20)]
    assert not found(*runs).several
    assert not found(*runs, run("b", ONE)).several


def test_one_wrong_number_makes_no_second_mechanism() -> None:
    wrong = ONE | {SURFACES: (8.0, 0.0)}
    assert not found(run("a", ONE), run("b", wrong)).several


def test_a_bus_that_halves_bandwidths_makes_no_second_mechanism() -> None:
    slow = ONE | {BANDWIDTH: (33.0, 0.1), ("zoned.inner_bandwidth", ""): (33.0, 0.1)}
    assert not found(run("a", ONE), run("b", slow)).several


def test_a_bridge_that_shows_larger_blocks_makes_no_second_mechanism() -> None:
    large = run("b", ONE | {TRACK: (125.0, 0.5)}, block_bytes=4096)
    result = found(run("a", ONE), large)
    assert not result.several
    assert result.groups[0].typical["skippy.sectors_per_track/outer"] == pytest.approx(500, rel=0.01)


def test_poor_measurements_say_nothing() -> None:
    result = found(run("a", ONE), run("b", ONE), run("c", OTHER, quality="poor"))
    assert not result.several
    assert result.left_out == ("c",)


def test_numbers_without_an_interval_or_without_a_value_say_nothing() -> None:
    bare = run("b", OTHER)
    readings = tuple(replace(reading, low=None, high=None) for reading in bare.readings[:3])
    nothing = tuple(replace(reading, value=None) for reading in bare.readings[3:])
    assert not found(run("a", ONE), replace(bare, readings=readings + nothing)).several


def test_a_drive_known_by_little_joins_the_only_group_it_fits_and_bridges_none() -> None:
    fits_both = {ROTATION: ONE[ROTATION], HEAD: ONE[HEAD]}
    fits_one = {SURFACES: OTHER[SURFACES], BANDWIDTH: OTHER[BANDWIDTH]}
    result = found(run("a", ONE), run("b", OTHER), run("c", fits_both), run("d", fits_one))
    assert [group.units for group in result.groups] == [("b", "d"), ("a",)]
    assert result.left_out == ("c",)


def test_a_gradual_change_over_units_makes_no_second_mechanism() -> None:
    steps = [
        ONE | {TRACK: (1000.0 + 40 * n, 4.0), BANDWIDTH: (61.0 + 3 * n, 0.4), HEAD: (0.8 + 0.05 * n, 0.05)}
        for n in range(10)
    ]
    assert found(run("first", steps[0]), run("last", steps[-1])).several
    assert not found(*(run(f"u{n}", numbers) for n, numbers in enumerate(steps))).several


def test_nothing_measured_gives_no_group() -> None:
    result = found(run("a", {}))
    assert result.groups == () and result.left_out == ("a",)
    assert mechanisms_words(result) == ""


def test_order_does_not_matter() -> None:
    runs = [run("a", ONE), run("b", OTHER), run("c", ONE), run("d", OTHER), run("e", OTHER)]
    assert found(*runs) == found(*reversed(runs))


def test_units_that_scatter_as_manufacture_does_are_seldom_taken_for_two_mechanisms() -> None:
    rng = np.random.default_rng(3)
    scatter = {ROTATION: 0.002, TRACK: 0.01, HEAD: 0.03, CYLINDER: 0.03, SURFACES: 0.0, BANDWIDTH: 0.05}
    flagged = 0
    for _ in range(300):
        units = [
            {key: (v * (1 + rng.normal(0, scatter[key])), h) for key, (v, h) in ONE.items()} for _ in range(6)
        ]
        flagged += found(*(drawn(f"u{n}", numbers, rng) for n, numbers in enumerate(units))).several
    assert flagged <= 3
