"""A small version of `make false-alarms`, and its arithmetic."""

from __future__ import annotations

import pytest

from tests.support.probe import probe_path, simtool_path
from tools.false_alarms import KINDS, NOISES, Judgement, drives_of, interval, judge, plans, render

RUNS = 40
SEED = 50_001


def test_runs_spread_over_drives_noises_kinds_and_writing() -> None:
    drives = [f"drive{number}" for number in range(12)]
    made = plans(drives, 1000, 1)
    assert [plan.seed for plan in made] == list(range(1, 1001))
    assert {plan.drive for plan in made} == set(drives)
    for drive in drives:
        mine = [plan for plan in made if plan.drive == drive]
        assert {(plan.kinds, plan.noise) for plan in mine} == {(k, n) for k in KINDS for n in NOISES}
        assert {plan.writes for plan in mine} == {"destroy", "none"}


def test_an_interval_of_no_event_in_a_thousand_ends_below_four_in_a_thousand() -> None:
    low, high = interval(0, 1000)
    assert low == 0.0
    assert high == pytest.approx(1 - 0.025 ** (1 / 1000))


def test_the_table_names_every_run_that_was_held() -> None:
    fine = Judgement(1, "sim:one,seed=1", "none", "skippy", {"no_time": "passed"}, {})
    held = Judgement(2, "sim:two,seed=2", "none", "zoned", {"no_time": "held"}, {"no_time": "Sample words."})
    text = render([fine, held], "make false-alarms")
    assert "of 2 runs, 1 held without cause, 50.00 % (1.26 to 98.74 %)" in text
    assert "`sim:two,seed=2` zoned, writes none, idle: Sample words." in text


@pytest.mark.timeout(1800)
@pytest.mark.probe
def test_no_simulated_drive_is_held_without_cause() -> None:
    probe = probe_path()
    if probe is None or simtool_path() is None:
        pytest.skip("the probe or diskatlas-simtool is not built: call `make build simtool`")
    judged = [judge(probe, plan, before=()) for plan in plans(drives_of(), RUNS, SEED)]
    assert [(one.device, one.kinds, one.held) for one in judged if one.held] == []
