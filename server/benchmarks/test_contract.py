"""What no extraction may give, whichever kind it is of."""

from __future__ import annotations

import pytest

from server.benchmarks.contract import Extraction
from tests.support.kinds import measurement


@pytest.mark.parametrize(("low", "high"), [(2.0, 0.5), (1.1, 2.0), (0.0, 0.9), (None, 0.9), (1.1, None)])
def test_an_interval_that_leaves_its_value_out_is_refused(low: float | None, high: float | None) -> None:
    with pytest.raises(ValueError, match="is not between"):
        measurement("skippy.mtm", 1.0, low=low, high=high)


def test_what_rounding_puts_beyond_an_end_is_put_on_it() -> None:
    found = measurement("skippy.mtm", 0.3, low=0.1 + 0.2, high=0.3)
    assert (found.low, found.high) == (0.3, 0.3)


def test_one_place_has_one_number() -> None:
    with pytest.raises(ValueError, match="extracted twice"):
        Extraction((measurement("skippy.mtm", 1.0), measurement("skippy.mtm", 2.0)))
