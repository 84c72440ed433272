"""Units, and what a document's number becomes in another one."""

from __future__ import annotations

import pytest

from server.core.units import UnitError, convert, convert_stated


@pytest.mark.parametrize(
    ("value", "unit", "to", "wanted"),
    [
        (9.68, "MiB/s", "MB/s", 10.15),
        (16.15, "MiB/s", "MB/s", 16.935),
        (2.1, "MiB/s", "MB/s", 2.202),
        (8, "MiB", "KiB", 8192),
        (32, "MiB", "KiB", 32768),
        (1, "GiB", "KiB", 1048576),
        (1, "TB", "GB", 1000),
        (30, "%", "1", 0.3),
        (8.9, "ms", "ms", 8.9),
        (3, "Gbit/s", "MB/s", 375),
        (0, "s", "ms", 0),
    ],
)
def test_a_printed_number_keeps_its_digits_and_no_more(
    value: float, unit: str, to: str, wanted: float
) -> None:
    assert convert_stated(value, unit, to) == pytest.approx(wanted, rel=1e-12)


def test_a_conversion_is_exact_before_rounding() -> None:
    assert convert(151.82, "MiB/s", "MB/s") == pytest.approx(159.19480832)


@pytest.mark.parametrize(("unit", "words"), [("ms", "unit of time"), ("furlong", "is not known")])
def test_what_does_not_become_the_other_is_refused(unit: str, words: str) -> None:
    with pytest.raises(UnitError, match=words):
        convert(1, unit, "MB/s")
