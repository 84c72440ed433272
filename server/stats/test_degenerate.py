"""Data that carry no decision get none, and a reason; nothing is ever nan."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from server.stats.outliers import distances
from server.stats.paired import compare_paired
from server.stats.results import Decision
from server.stats.spread import spread_over_units, variance_components
from server.stats.strata import compare_strata
from server.stats.unpaired import compare_unpaired


def numbers_of(node: Any) -> list[float]:
    """Every number of a result."""
    if isinstance(node, dict):
        return [number for child in node.values() for number in numbers_of(child)]
    if isinstance(node, list | tuple):
        return [number for child in node for number in numbers_of(child)]
    return [node] if isinstance(node, float) else []


NAN = float("nan")
GROUPS: list[tuple[list[float | None], list[float | None], Decision]] = [
    ([], [], Decision.NOT_COMPARABLE),
    ([1.0], [], Decision.NOT_COMPARABLE),
    ([NAN, None, float("inf")], [1.0, 2.0], Decision.NOT_COMPARABLE),
    ([1.0], [2.0], Decision.UNDECIDED),
    ([1.0], [2.0, 2.1, 2.2], Decision.UNDECIDED),
    ([5.0, 5.0], [5.0, 5.0], Decision.UNDECIDED),
    ([5.0, 5.0], [6.0, 6.0], Decision.UNDECIDED),
    ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], Decision.UNDECIDED),
    ([4.0] * 5, [6.0] * 5, Decision.B_HIGHER),
    ([0.1 + 0.2, 0.3, 0.3], [0.3, 0.3, 0.1 + 0.2], Decision.UNDECIDED),
    ([1.0, 2.0, 3.0, NAN], [1.0, 2.0, None, 3.0], Decision.UNDECIDED),
]


@pytest.mark.parametrize(("a", "b", "decision"), GROUPS)
def test_groups_that_carry_no_decision_get_none(
    a: list[float | None], b: list[float | None], decision: Decision
) -> None:
    result = compare_unpaired(a, b, level=0.9)
    assert result.decision is decision
    assert all(math.isfinite(number) for number in numbers_of(asdict(result)))
    assert result.reason or result.difference is not None


def test_groups_of_which_one_does_not_scatter_say_that_ranks_decide() -> None:
    assert "ranks decide" in compare_unpaired([4.0] * 5, [6.0] * 5, level=0.9).reason
    few = compare_unpaired([4.0] * 3, [6.0] * 3, level=0.95)
    assert few.decision is Decision.UNDECIDED and "at best p would be 0.1" in few.reason


def test_positions_that_are_not_shared_are_named_and_not_paired() -> None:
    result = compare_paired({"1": 5.0, "2": 6.0, "4": 9.0}, {"1": 4.0, "3": 1.0, "2": 5.5}, level=0.9)
    assert (result.keys, result.only_a, result.only_b) == (("1", "2"), ("4",), ("3",))


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ({"x": 1.0, "y": 2.0}, {"p": 1.0, "q": 2.0}, "no position in common"),
        ({"x": 1.0}, {"x": 2.0}, "one position in common"),
        ({"x": 1.0, "y": 2.0}, {"x": 1.0, "y": 2.0}, "the same value at every position"),
        ({"x": 48.1, "y": 42.3}, {"x": 47.1, "y": 41.3}, "the same at every position"),
        ({"x": 0.1 + 0.2, "y": 0.3}, {"x": 0.1, "y": 0.1}, "the same at every position"),
        ({"x": NAN}, {"x": 1.0}, "no value at all"),
        ({}, {}, "no value at all"),
    ],
)
def test_pairs_that_carry_no_interval_say_why(a: dict[str, float], b: dict[str, float], words: str) -> None:
    result = compare_paired(a, b, level=0.9)
    assert words in result.reason
    assert not result.decision.differs and result.difference is None and result.p is None


def test_groups_too_small_for_any_result_are_not_tested() -> None:
    result = compare_strata({"S1": [1.0, 2.0], "S2": [30.0, 40.0]}, level=0.95)
    assert result.differs is None and result.p is None
    assert "With 2 and 2 units no result could be told from chance at 95 %" in result.reason


def test_strata_without_scatter_or_without_a_second_group_are_not_tested() -> None:
    assert compare_strata({"S1": [3.0] * 9, "S2": [3.0] * 9}, level=0.9).differs is None
    assert compare_strata({"S1": [3.0, 4.0], "S2": [NAN, None]}, level=0.9).differs is None
    assert compare_strata({}, level=0.9).differs is None


def test_few_units_or_units_without_scatter_have_none_that_stands_apart() -> None:
    assert "With 4 units" in distances({"a": 1, "b": 1.1, "c": 0.9, "d": 50}).reason
    same = distances(dict(zip("abcdef", (5.0, 5.0, 5.0, 5.0, 5.0, 9.0), strict=True)))
    assert same.apart == () and "the same value" in same.reason


def test_units_closer_than_a_measurement_is_certain_do_not_stand_apart() -> None:
    values = dict(zip("abcdefgh", (5.0, 5.001, 5.0, 5.002, 5.0, 5.001, 5.001, 5.1), strict=True))
    assert distances(values).apart
    assert distances(values, resolution=0.05).apart == ()


def test_spreads_without_data_say_so() -> None:
    assert spread_over_units([], level=0.9).reason
    assert spread_over_units([3.0], level=0.9).reason == "One unit alone has no spread."
    assert spread_over_units([3.0, 3.0], level=0.9).stdev == 0
    assert spread_over_units([-1.0, 1.0], level=0.9).variation is None
    assert variance_components([[1.0], [2.0], [3.0]], level=0.9).reason
    assert variance_components([[1.0, 2.0]], level=0.9).reason
    assert variance_components([[1.0, 1.0], [2.0, 2.0]], level=0.9).between_stdev == pytest.approx(
        np.sqrt(0.5)
    )


@pytest.mark.parametrize("level", [0.0, 1.0, 90.0, -0.1])
def test_a_level_that_is_none_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        compare_paired({"a": 1.0}, {"a": 2.0}, level=level)
