"""Coverage is a bar: intervals that seldom hold the truth fail, however near their numbers are."""

from __future__ import annotations

import pytest

from server.benchmarks.contract import Measurement, Quality
from tools.accuracy.cases import Row
from tools.accuracy.coverage import coverage_of, failures, table


def rows(held: int, missed: int, quality: Quality = Quality.GOOD, *, exact: bool = True) -> list[Row]:
    """Numbers 1 % off at most, which any bar of errors lets through."""
    found = Measurement("zoned.outer_bandwidth", "", 100.0, 99.9, 100.1, 40, quality)
    return [
        Row("A", "clean", "zoned.outer_bandwidth", "", truth, found, 2.0, "ok", exact)
        for truth in [100.0] * held + [101.0] * missed
    ]


@pytest.mark.parametrize(
    ("held", "missed", "quality", "fails"),
    [
        (93, 7, Quality.GOOD, False),
        (92, 8, Quality.GOOD, True),
        (90, 10, Quality.FAIR, False),
        (89, 11, Quality.FAIR, True),
        (10, 90, Quality.POOR, False),
        (49, 50, Quality.GOOD, False),
    ],
)
def test_good_and_fair_intervals_have_to_hold_the_truth_in_enough_of_a_hundred_cases(
    held: int, missed: int, quality: Quality, fails: bool
) -> None:
    assert bool(failures(coverage_of(rows(held, missed, quality)))) is fails


def test_a_stand_in_for_the_truth_is_not_to_be_held() -> None:
    assert failures(coverage_of(rows(0, 200, exact=False))) == []


def test_the_table_has_a_line_for_each_metric_with_the_share_of_each_quality() -> None:
    mixed = rows(92, 8) + rows(3, 1, Quality.FAIR) + rows(0, 2, exact=False)
    line = "| zoned.outer_bandwidth | 106 | 102 | 92.0 % (!) | 4 | 75.0 % |  |  | 0 |"
    assert line in table(coverage_of(mixed)).splitlines()


def test_a_number_without_ends_states_that_it_is_exact() -> None:
    found = Measurement("zoned.zone_count", "", 8.0, None, None, 40, Quality.GOOD)
    cases = [Row("A", "clean", "zoned.zone_count", "", truth, found, 0.5, "ok") for truth in (8.0, 9.0)]
    assert [row.holds for row in cases] == [True, False]
