"""Maxtor, Tables 2 and 3 and section 6.1: the paired interval of two disks comes out, with what is printed
wrong."""

from __future__ import annotations

import math

import pytest

from server.stats.paired import compare_paired
from server.stats.results import Decision

POSITIONS = ("2.75", "15.25", "27.75", "40.25", "52.75", "65.25", "77.75", "90.25", "100")
SLOW_SPINDLE = (48, 47, 46, 45.5, 44.1, 41, 37, 34.1, 29.5)
FAST_SPINDLE = (42.5, 41, 40.5, 39.5, 37.5, 33, 31.1, 27.5, 23)
PRINTED_SQUARES = (
    *(0.622345679, 0.08345679, 0.622345679, 0.08345679),
    *(0.096790123, 2.927901235, 0.151234568, 0.096790123),
)
"""Table 3 ends with the eighth of nine rows."""
RESULT = compare_paired(
    dict(zip(POSITIONS, SLOW_SPINDLE, strict=True)),
    dict(zip(POSITIONS, FAST_SPINDLE, strict=True)),
    level=0.9,
)


def test_the_mean_is_cut_off_in_print_and_not_rounded() -> None:
    assert RESULT.difference is not None
    assert RESULT.difference.value == pytest.approx(56.6 / 9)
    assert f"{RESULT.difference.value:.2f}" == "6.29"
    assert math.floor(RESULT.difference.value * 100) / 100 == 6.28


def test_the_standard_deviation_is_cut_off_too() -> None:
    assert RESULT.stdev is not None
    assert f"{RESULT.stdev:.3f}" == "0.769"
    assert math.floor(RESULT.stdev * 1000) / 1000 == 0.768


def test_the_ninth_row_is_missing_from_table_3_but_not_from_its_sum() -> None:
    mean = sum(RESULT.differences) / 9
    squares = [(value - mean) ** 2 for value in RESULT.differences]
    assert squares[:8] == pytest.approx(PRINTED_SQUARES, abs=1e-9)
    assert RESULT.differences[8] == pytest.approx(6.5)
    assert f"{sum(PRINTED_SQUARES):.2f}" == "4.68"
    assert f"{sum(squares):.2f}" == "4.73"


def test_the_half_width_is_that_of_the_cut_off_deviation() -> None:
    assert f"{1.86 * 0.768 / 3:.3f}" == "0.476"
    assert RESULT.difference is not None
    assert RESULT.difference.half_width == pytest.approx(0.4766, abs=5e-5)


def test_the_printed_bounds_are_swapped_and_belong_to_the_full_mean() -> None:
    assert (f"{56.6 / 9 + 0.476:.3f}", f"{56.6 / 9 - 0.476:.3f}") == ("6.765", "5.813")
    assert (f"{6.28 + 0.476:.3f}", f"{6.28 - 0.476:.3f}") == ("6.756", "5.804")
    assert RESULT.difference is not None
    assert (f"{RESULT.difference.low:.3f}", f"{RESULT.difference.high:.3f}") == ("5.812", "6.765")


def test_the_decision_is_the_documents() -> None:
    assert RESULT.decision is Decision.A_HIGHER
