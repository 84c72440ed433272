"""A claim against numbers: each form, each direction, and what can't be compared."""

from __future__ import annotations

import numpy as np
import pytest

from server.benchmarks.contract import Direction
from server.claims.verdicts import (
    Evidence,
    Outcome,
    Quantity,
    Terms,
    evidence_of_summary,
    evidence_of_values,
    judge,
)
from tools.verdicts_simulated import SCENARIOS, Scenario, simulate

OUTER = [151.72, 152.17, 151.30, 151.31, 151.74, 152.17, 152.17, 151.74, 151.74, 152.18]
INNER = [73.54, 72.32, 73.75, 73.95, 73.95, 74.16, 74.16, 74.57, 75.18, 74.21]
"""The hdparm samples of the OLP notes."""


def terms(form: str, value: float, direction: Direction = Direction.HIGHER, **fields: object) -> Terms:
    low = None if form == "maximum" else value
    high = None if form == "minimum" else value
    given: dict[str, object] = {"low": low, "high": high, "unit": "MB/s"} | fields
    return Terms(form=form, direction=direction, **given)  # type: ignore[arg-type]  # fields of the test's choice


def around(centre: float, half: float = 0.5, units: int = 5) -> Evidence:
    return Evidence(centre, centre - half, centre + half, half, units, units, units)


def test_st2000nm0001_meets_its_maximum_at_the_outer_rim() -> None:
    verdict = judge(terms("maximum", 152), evidence_of_values(OUTER, units=1))
    assert verdict.outcome == Outcome.MET
    assert verdict.words.startswith("151.8")


def test_st2000nm0001_exceeds_its_minimum_at_the_inner_rim_by_a_fifth() -> None:
    verdict = judge(terms("minimum", 62), evidence_of_values(INNER, units=1))
    assert verdict.outcome == Outcome.EXCEEDED
    assert verdict.by_percent == pytest.approx((73.979 / 62 - 1) * 100)


def test_hd103sjs_media_rate_is_not_comparable_with_a_host_rate() -> None:
    evidence = evidence_of_summary(143, 8, count=96, units=96)
    verdict = judge(terms("maximum", 250, quantity=Quantity.RAW_MEDIA), evidence)
    assert verdict.outcome == Outcome.NOT_COMPARABLE
    assert "250 MB/s is the rate at the head" in verdict.words
    assert "143" in verdict.words


def test_an_interface_rate_is_a_limit_and_the_share_reached_is_told() -> None:
    claim = terms("maximum", 300, quantity=Quantity.INTERFACE)
    below = judge(claim, Evidence(275, None, None, None, 1, 96))
    above = judge(claim, Evidence(320, None, None, None, 1, 96))
    assert below.outcome == above.outcome == Outcome.NOT_COMPARABLE
    assert "275 MB/s is 92 % of it." in below.words
    assert "one of the two is wrong" in above.words


@pytest.mark.parametrize(
    ("form", "direction", "measured", "outcome"),
    [
        ("minimum", Direction.HIGHER, 110, "exceeded"),
        ("minimum", Direction.HIGHER, 100.6, "met"),
        ("minimum", Direction.HIGHER, 90, "missed"),
        ("maximum", Direction.HIGHER, 110, "exceeded"),
        ("maximum", Direction.HIGHER, 90, "missed"),
        ("maximum", Direction.LOWER, 90, "exceeded"),
        ("maximum", Direction.LOWER, 99.4, "met"),
        ("maximum", Direction.LOWER, 110, "missed"),
        ("minimum", Direction.LOWER, 110, "missed"),
        ("minimum", Direction.LOWER, 90, "exceeded"),
        ("minimum", Direction.NEITHER, 110, "met"),
        ("minimum", Direction.NEITHER, 90, "missed"),
        ("maximum", Direction.NEITHER, 90, "met"),
        ("maximum", Direction.NEITHER, 110, "missed"),
        ("typical", Direction.HIGHER, 97, "met"),
        ("typical", Direction.HIGHER, 107, "exceeded"),
        ("typical", Direction.HIGHER, 93, "missed"),
        ("typical", Direction.LOWER, 103, "met"),
        ("typical", Direction.LOWER, 107, "missed"),
        ("typical", Direction.LOWER, 93, "exceeded"),
        ("typical", Direction.NEITHER, 100.2, "met"),
        ("typical", Direction.NEITHER, 102, "missed"),
        ("typical", Direction.NEITHER, 98, "missed"),
    ],
)
def test_each_form_in_each_direction(form: str, direction: Direction, measured: float, outcome: str) -> None:
    assert judge(terms(form, 100, direction), around(measured, 0.05)).outcome == outcome


@pytest.mark.parametrize(
    ("direction", "measured", "outcome"),
    [
        (Direction.HIGHER, 70, "met"),
        (Direction.HIGHER, 50, "missed"),
        (Direction.HIGHER, 90, "exceeded"),
        (Direction.LOWER, 50, "exceeded"),
        (Direction.LOWER, 90, "missed"),
        (Direction.NEITHER, 50, "missed"),
        (Direction.NEITHER, 90, "missed"),
        (Direction.NEITHER, 70, "met"),
    ],
)
def test_a_range_holds_what_lies_in_it(direction: Direction, measured: float, outcome: str) -> None:
    claim = terms("range", 0, direction, low=60.0, high=80.0)
    assert judge(claim, around(measured)).outcome == outcome


def test_an_interval_across_the_edge_is_inconclusive_and_says_what_would_decide() -> None:
    drives = list(np.random.default_rng(1).normal(92, 3.0, 6))
    verdict = judge(terms("typical", 100), evidence_of_values(drives, units=6, runs=6))
    assert verdict.outcome == Outcome.INCONCLUSIVE
    assert verdict.needed is not None and verdict.needed > 0
    assert f"About {verdict.needed} more units would decide" in verdict.words


def test_drives_that_there_are_count_towards_those_that_are_needed() -> None:
    few = judge(terms("typical", 100), Evidence(94.0, 92.0, 96.0, 2.0, 4, 4, 4))
    more = judge(terms("typical", 100), Evidence(94.0, 92.0, 96.0, 2.0, 9, 9, 9))
    assert few.needed is not None and more.needed == few.needed - 5


def test_more_drives_of_the_same_kind_do_decide() -> None:
    drives = list(np.random.default_rng(1).normal(98.5, 3.0, 200))
    assert (
        judge(terms("minimum", 100), evidence_of_values(drives, units=200, runs=200)).outcome
        == Outcome.MISSED
    )


def test_a_miss_tells_how_far_with_its_interval() -> None:
    verdict = judge(terms("minimum", 100), around(90, 1.0))
    assert "10.0 % below the claim (9.0 to 11.0 %)" in verdict.words


def test_nothing_measured_is_inconclusive_and_asks_for_four_drives() -> None:
    verdict = judge(terms("typical", 100), None)
    assert (verdict.outcome, verdict.needed) == (Outcome.INCONCLUSIVE, 4)
    two = judge(terms("typical", 100), evidence_of_values([90.0, 90.1], units=2, runs=2))
    assert (two.outcome, two.needed) == (Outcome.INCONCLUSIVE, 2)


def test_a_number_without_an_interval_can_agree_but_never_miss() -> None:
    bare = Evidence(100.1, None, None, None, 1, 0)
    assert judge(terms("typical", 100), bare).outcome == Outcome.MET
    far = Evidence(50.0, None, None, None, 1, 0)
    assert judge(terms("typical", 100), far).outcome == Outcome.INCONCLUSIVE


def test_a_number_without_an_interval_agrees_no_further_than_its_digits() -> None:
    claim = terms("typical", 9.8, tolerance=0.01)
    assert judge(claim, Evidence(10.0, None, None, None, 1, 0)).outcome == Outcome.INCONCLUSIVE
    assert judge(claim, Evidence(9.8, None, None, None, 1, 0)).outcome == Outcome.MET
    assert judge(claim, Evidence(9.7, None, None, None, 1, 0)).outcome == Outcome.INCONCLUSIVE
    of_a_run = Evidence(9.8, None, None, None, 1, 1, 1)
    assert judge(claim, of_a_run).outcome == Outcome.INCONCLUSIVE


def test_one_drive_speaks_for_itself_only() -> None:
    assert "says nothing of others" in judge(terms("minimum", 100), around(110, units=1)).words
    assert "says nothing of others" not in judge(terms("minimum", 100), around(110)).words


def test_what_counts_as_the_printed_number_is_its_rounding() -> None:
    assert judge(terms("minimum", 152), around(151.6, 0.005)).outcome == Outcome.MET
    assert judge(terms("minimum", 152), around(151.4, 0.05)).outcome == Outcome.MISSED
    assert judge(terms("minimum", 8.9), around(8.87, 0.001)).outcome == Outcome.MET


def test_a_claim_may_say_how_far_off_it_may_be() -> None:
    assert judge(terms("typical", 184, Direction.NEITHER), around(181.9, 0.1)).outcome == Outcome.MISSED
    loose = terms("typical", 184, Direction.NEITHER, tolerance=0.02)
    assert judge(loose, around(181.9, 0.1)).outcome == Outcome.MET


def test_equal_drives_give_a_verdict_and_no_division_by_nought() -> None:
    assert judge(terms("minimum", 100), evidence_of_values([100.0] * 4, units=4)).outcome == Outcome.MET
    assert judge(terms("minimum", 0), evidence_of_values([0.0, 0.1, -0.1], units=3)).by_percent == 0.0


TWO_APART = [66.0, 65.9, 66.1, 66.2, 65.8, 66.0, 66.1, 65.9, 60.1, 59.9]
"""Of these the mean is above 62, two drives are not."""


def test_a_minimum_is_what_every_drive_must_reach() -> None:
    verdict = judge(terms("minimum", 62), evidence_of_values(TWO_APART, units=10, runs=10))
    assert verdict.outcome == Outcome.INCONCLUSIVE
    assert "2 of 10 units do not reach it." in verdict.words
    upside_down = [126 - value for value in TWO_APART]
    lower = terms("maximum", 64, Direction.LOWER)
    assert judge(lower, evidence_of_values(upside_down, units=10, runs=10)).outcome == Outcome.INCONCLUSIVE
    most_fail = evidence_of_values([60.0, 60.1, 66.0, 59.9, 60.0], units=5, runs=5)
    assert judge(terms("minimum", 62), most_fail).outcome == Outcome.MISSED


def test_a_minimum_is_met_once_nearly_all_drives_are_sure_to_reach_it() -> None:
    drives = list(np.random.default_rng(3).normal(70.0, 1.0, 30))
    few = judge(terms("minimum", 62), evidence_of_values(drives[:4], units=4, runs=4))
    assert few.outcome == Outcome.INCONCLUSIVE and few.needed
    assert judge(terms("minimum", 62), evidence_of_values(drives, units=30, runs=30)).outcome == "exceeded"


@pytest.mark.parametrize("row", SCENARIOS, ids=lambda row: row.words)
def test_looking_after_every_run_misses_no_claim_wrongly_more_often_than_one_in_twenty(row: Scenario) -> None:
    found = simulate(row, sequences=400, seed=7)
    # Of 400, so many at 6 % and three standard errors of that.
    assert found.ever_missed <= 0.06 + 3 * (0.06 * 0.94 / 400) ** 0.5
