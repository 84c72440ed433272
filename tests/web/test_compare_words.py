"""What a comparison of several groups says of those pairs that it does not decide."""

from __future__ import annotations

from typing import Any

import pytest

from server.comparison.matrix import Pair, Row
from server.comparison.wording import row_words
from server.web.views.claims import _off


def pair(a: int, b: int, *, p: float | None, higher: int | None = None) -> Pair:
    values: dict[str, Any] = dict.fromkeys(Pair.__dataclass_fields__)
    return Pair(**{**values, "a": a, "b": b, "p": p, "higher": higher, "equal": False})


def words(*pairs: Pair) -> str:
    row = Row("zoned.outer_bandwidth", "", None, (), pairs)
    return row_words(row, level=0.95, noun="unit", tests=3)


def test_pairs_that_were_not_tested_are_not_called_alike() -> None:
    decided, tested, untested = pair(0, 2, p=0.001, higher=0), pair(0, 1, p=0.4), pair(1, 2, p=None)
    assert words(decided, untested) == "A is higher than C. The other pairs can't be tested."
    assert words(decided, tested) == "A is higher than C. Between the others no difference is shown."
    assert words(decided, tested, untested) == (
        "A is higher than C. Between the others no difference is shown, or none can be tested."
    )


@pytest.mark.parametrize(
    ("percent", "text"),
    [(0.006, "0.0 %"), (-0.006, "0.0 %"), (12.44, "+12.4 %"), (-9.6, "\N{MINUS SIGN}9.6 %")],
)
def test_a_distance_that_is_nought_as_written_has_no_sign(percent: float, text: str) -> None:
    assert _off(percent) == text
