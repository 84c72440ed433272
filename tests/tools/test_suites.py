"""How `make test` reads its runners' closing lines and judges a suite."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools.suites import (
    OUTAGES,
    ROOT,
    Counts,
    Outcome,
    Suite,
    count_cargo,
    count_pytest,
    count_vitest,
    groups,
    judge,
    run_group,
    suites,
    summary,
)


def test_cargo_counts_are_added_over_all_test_binaries() -> None:
    lines = [
        "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s",
        "test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s",
    ]
    assert count_cargo(lines) == Counts(passed=15, failed=2, skipped=1)


def test_a_rust_test_that_says_it_skipped_is_not_counted_as_passed() -> None:
    lines = ["skipped: no loop device: losetup needs root", "test result: ok. 4 passed; 0 failed; 0 ignored;"]
    assert count_cargo(lines) == Counts(passed=3, failed=0, skipped=1)


@pytest.mark.parametrize(
    ("closing", "expected"),
    [
        ("=== 3 failed, 9 passed, 2 skipped in 1.20s ===", Counts(9, 3, 2)),
        ("=== 1 passed, 1 error in 61.20s (0:01:01) ===", Counts(1, 1, 0)),
        ("12 passed, 1 skipped in 0.50s", Counts(12, 0, 1)),
        ("=== 2 passed, 1 xfailed in 0.50s ===", Counts(3, 0, 0)),
    ],
)
def test_pytest_counts_come_from_its_last_line(closing: str, expected: Counts) -> None:
    assert count_pytest(["FAILED 7 passed of it", closing]) == expected


def test_vitest_counts_tests_and_not_files() -> None:
    lines = [" Test Files  1 failed | 2 passed (3)", "      Tests  1 failed | 20 passed | 2 skipped (23)"]
    assert count_vitest(lines) == Counts(20, 1, 2)


def test_a_suite_that_ran_no_test_fails() -> None:
    assert judge(Counts(), 0, strict=False) == "ran no test"
    assert judge(Counts(), 5, strict=False) == "ran no test"


def test_a_suite_that_crashed_before_its_first_test_tells_its_exit_code() -> None:
    assert judge(Counts(), 101, strict=False) == "exit code 101"


def test_a_skip_fails_only_where_strict_is_asked_for() -> None:
    assert judge(Counts(passed=4, skipped=1), 0, strict=False) == ""
    assert "1 skipped" in judge(Counts(passed=4, skipped=1), 0, strict=True)


def test_the_summary_closes_with_one_plain_line_of_totals() -> None:
    outcomes = [
        Outcome("cargo", Counts(10, 0, 0), 0, 1.0, ""),
        Outcome("server", Counts(5, 1, 2), 1, 2.0, "1 failed"),
    ]
    text = summary(outcomes)
    assert text.splitlines()[-1] == "15 passed, 1 failed, 2 skipped"
    assert "FAILED: 1 failed" in text


def saying(name: str, code: str, beside: str = "") -> Suite:
    return Suite(name, (sys.executable, "-c", code), ROOT, count_pytest, beside)


def test_a_suite_runs_beside_another_one_and_is_shown_after_it(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    # Each waits for the other one: neither would end alone.
    meets = f"""
import pathlib, sys, time
mine, other = (pathlib.Path({str(tmp_path)!r}) / name for name in (NAME, OTHER))
mine.touch()
while not other.exists():
    time.sleep(0.01)
"""
    first = saying("first", f"NAME, OTHER = 'a', 'b'{meets}print('3 passed in 1.00s')")
    second = saying(
        "second", f"NAME, OTHER = 'b', 'a'{meets}print('1 failed in 1.00s'); sys.exit(1)", "first"
    )
    outcomes = run_group([first, second], strict=False)
    assert [(one.suite.strip(), one.counts, one.problem) for one in outcomes] == [
        ("first", Counts(3, 0, 0), ""),
        ("second", Counts(0, 1, 0), "1 failed"),
    ]
    said = capfd.readouterr().out
    assert said.index("---- first") < said.index("3 passed") < said.index("---- second")


def test_a_suite_that_is_asked_for_alone_runs_alone() -> None:
    every = suites(strict=False)
    vm = next(suite for suite in every if suite.name == "vm")
    assert groups([vm]) == [[vm]]
    grouped = groups(every)
    assert sorted(suite.name for group in grouped for suite in group) == sorted(one.name for one in every)
    names = [[suite.name for suite in group] for group in grouped]
    assert ["tools", "vm"] in names and ["contract", "outages"] in names
    for path in OUTAGES:
        assert (ROOT / path).is_file()
