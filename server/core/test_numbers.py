"""Numbers carry no more digits than their interval."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from server.core.numbers import show, show_bytes, show_deviation, show_duration, show_stated, write

SPACE = "\N{NARROW NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("value", "low", "high", "text", "interval"),
    [
        (8.33312, 8.3302, 8.336, "8.3331", "8.3302 to 8.3360"),
        (8.33312, 8.3192, 8.347, "8.333", "8.319 to 8.347"),
        (8.33312, 8.2933, 8.3733, "8.33", "8.29 to 8.37"),
        (9.1, 7.9, 10.3, "9.1", "7.9 to 10.3"),
        (184.0, 184.0, 184.0, "184", "184"),
        (183.7, 150.0, 217.0, "180", "150 to 220"),
        (7200.2, 7197.6, 7202.7, "7200.2", "7197.6 to 7202.7"),
        (123456.0, 123000.0, 124000.0, f"123{SPACE}500", f"123{SPACE}000 to 124{SPACE}000"),
        (0.0, -0.5, 0.5, "0.0", "\N{MINUS SIGN}0.5 to 0.5"),
    ],
)
def test_a_number_is_rounded_to_what_its_interval_carries(
    value: float, low: float, high: float, text: str, interval: str
) -> None:
    shown = show(value, "ms", low=low, high=high)
    assert shown is not None
    assert (shown.value, shown.interval) == (text, interval)


def test_a_number_without_an_interval_keeps_four_significant_digits() -> None:
    assert [show(value, "").value for value in (8.333333, 0.0123456, 7200.0, 98765.4)] == [  # type: ignore[union-attr]
        "8.333",
        "0.01235",
        "7200",
        f"98{SPACE}770",
    ]


def test_a_number_without_an_interval_has_no_zeros_that_claim_precision() -> None:
    shown = show(77.7, "ms")
    assert shown is not None
    assert shown.value == "77.7"


def test_runs_that_agree_to_the_last_digit_say_nothing_of_the_digits() -> None:
    for apart in (0.0, 1e-9):
        shown = show(0.489639012, "1", low=0.489639012 - apart, high=0.489639012 + apart)
        assert shown is not None
        assert (shown.value, shown.interval) == ("0.4896", "0.4896")
    whole = show(150.0, "blocks", low=150.0, high=150.0)
    assert whole is not None
    assert (whole.value, whole.interval) == ("150", "150")


def test_a_published_number_stands_as_its_document_states_it() -> None:
    stated = [show_stated(value, "ms").value for value in (8.39, 181.9, 18.0, 142.37, 5400.0, 0.36 * 10)]
    assert stated == ["8.39", "181.9", "18", "142.37", "5400", "3.6"]


def test_a_standard_deviation_has_two_significant_digits() -> None:
    assert [show_deviation(value) for value in (0.01234, 12.34, 1234.0, 0.0)] == ["0.012", "12", "1200", "0"]


def test_the_full_number_stands_in_the_title() -> None:
    shown = show(8.333333, "ms")
    assert shown is not None
    assert shown.exact == "8.333333 ms"


def test_the_unit_one_is_not_written() -> None:
    shown = show(18.0, "1", low=18.0, high=18.0)
    assert shown is not None
    assert (shown.value, shown.unit, shown.exact) == ("18", "", "18.0")


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_what_is_no_number_is_not_shown_as_one(value: float | None) -> None:
    assert show(value, "ms") is None


@given(
    value=st.floats(-1e12, 1e12),
    spread=st.floats(1e-9, 1e9),
)
def test_rounding_never_moves_a_number_out_of_its_interval(value: float, spread: float) -> None:
    assume(spread > abs(value) * 1.001e-7)  # Less is no spread.
    shown = show(value, "ms", low=value - spread, high=value + spread)
    assert shown is not None
    written = float(shown.value.replace(SPACE, "").replace("\N{MINUS SIGN}", "-"))
    # Where the interval is below the seventh digit, the seventh digit is what is shown.
    assert abs(written - value) <= max(spread, abs(value) * 1e-6)


def test_capacities_are_decimal_and_keep_their_bytes() -> None:
    shown = show_bytes(20_000_588_955_648)
    assert shown is not None
    assert (shown.value, shown.unit) == ("20.0", "TB")
    assert shown.exact == f"20{SPACE}000{SPACE}588{SPACE}955{SPACE}648 bytes"


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (None, ""),
        (450_000_000, "450.0 ms"),
        (12_340_000_000, "12.3 s"),
        (125_000_000_000, "2 min 5 s"),
        (7_500_000_000_000, "2 h 5 min"),
    ],
)
def test_times_are_said_as_a_person_says_them(nanoseconds: int | None, text: str) -> None:
    assert show_duration(nanoseconds) == text


def test_negative_numbers_have_a_minus_sign_and_no_hyphen() -> None:
    assert write(-1.25, 2) == "\N{MINUS SIGN}1.25"
