"""Marks by hand: who is better, where that is shown after all tests are counted, and where nothing is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from server.benchmarks.contract import Direction, Metric
from server.comparison.curves import compare_positions
from server.comparison.group_numbers import Sample
from server.comparison.matrix import Member, Row, compare
from server.comparison.wording import curves_words


def metric(key: str, direction: Direction = Direction.HIGHER) -> Metric:
    return Metric(key, key, "MB/s", direction, "Sample.", "Sample.", "Sample.", headline=True)


METRICS = {
    one.key: one
    for one in (
        metric("sample.rate"),
        metric("sample.time", Direction.LOWER),
        metric("sample.turns", Direction.NEITHER),
    )
}
RATE, TIME, TURNS = ("sample.rate", ""), ("sample.time", ""), ("sample.turns", "")


def member(
    values: dict[tuple[str, str], Sequence[float]],
    *,
    provenance: str = "probe",
    model: int = 1,
    runs: frozenset[str] = frozenset(),
    units: str = "",
    single: bool = False,
) -> Member:
    """A group of one value for each drive; drives of two groups are never the same."""
    name = units or str(next(_COUNT))
    samples = {
        place: Sample({f"{name}-{n}": (value,) for n, value in enumerate(found)})
        for place, found in values.items()
    }
    return Member(samples, provenance, model, runs, single)


def only(members: Sequence[Member], level: float = 0.95) -> Row:
    (row,) = compare(members, METRICS, level=level).rows
    return row


_COUNT = count()
LOW, HIGH = [99.0, 100.0, 101.0], [109.0, 110.0, 111.0]


def test_ten_above_with_a_scatter_of_one_is_marked_by_welchs_test_as_done_by_hand() -> None:
    row = only([member({RATE: LOW}), member({RATE: HIGH})])
    (pair,) = row.pairs
    # Both variances are 1, so the error is sqrt(2/3) and the degrees of freedom are 4.
    t = -10 / (2 / 3) ** 0.5
    assert pair.p == pytest.approx(2 * stats.t.sf(-t, 4))
    assert pair.difference is not None and pair.difference.value == pytest.approx(-10)
    assert pair.difference.half_width == pytest.approx(2.776445 * (2 / 3) ** 0.5, rel=1e-6)
    # Hedges' g: -10 standard deviations, less the bias of 4 degrees of freedom (0.7979).
    assert pair.effect == pytest.approx(-7.979, abs=1e-3)
    assert [cell.best for cell in row.cells] == [False, True]
    assert row.cells[1].better_than == (0,) and row.cells[0].worse_than == (1,)


def test_of_times_the_lower_is_better_and_of_what_has_no_better_side_none() -> None:
    both = [member({TIME: LOW, TURNS: LOW}), member({TIME: HIGH, TURNS: HIGH})]
    time, turns = compare(both, METRICS, level=0.95).rows
    assert [cell.best for cell in time.cells] == [True, False]
    assert turns.pairs[0].higher == 1 and turns.pairs[0].better is None
    assert not any(cell.better_than for cell in turns.cells)


def test_a_difference_that_alone_would_be_shown_is_not_marked_among_many() -> None:
    """Welch gives p = 0.0132 here; Holm over five numbers makes 0.066 of it."""
    a, b = [100.0, 101.0, 102.0], [103.5, 104.5, 105.5]
    alone = only([member({RATE: a}), member({RATE: b})]).pairs[0]
    assert alone.p is not None and 0.01 < alone.p < 0.05
    assert alone.better == 1
    noise = {("sample.rate", str(n)): [100.0, 104.0, 102.0] for n in range(4)}
    others = {place: [value + 0.1 for value in found] for place, found in noise.items()}
    table = compare([member({RATE: a, **noise}), member({RATE: b, **others})], METRICS, level=0.95)
    assert table.tests == 5
    (row,) = (row for row in table.rows if row.scope == "")
    assert row.pairs[0].adjusted_p == pytest.approx(5 * alone.p)
    assert row.pairs[0].better is None and not row.cells[1].best


def test_of_three_groups_the_best_is_better_than_each_other() -> None:
    row = only([member({RATE: LOW}), member({RATE: HIGH}), member({RATE: [99.5, 100.5, 101.5]})])
    assert [cell.better_than for cell in row.cells] == [(), (0, 2), ()]
    assert [cell.best for cell in row.cells] == [False, True, False]


def test_a_simulated_group_beside_a_measured_one_is_never_better_nor_worse() -> None:
    row = only([member({RATE: LOW}), member({RATE: HIGH}, provenance="simulated")])
    assert row.pairs[0].p is None and "side by side only" in row.pairs[0].reason
    assert not any(cell.better_than for cell in row.cells)


def test_groups_that_share_runs_are_not_tested() -> None:
    shared = frozenset({"run"})
    row = only([member({RATE: LOW}, runs=shared), member({RATE: HIGH}, runs=shared)])
    assert row.pairs[0].p is None and "share runs" in row.pairs[0].reason


def test_one_drive_against_many_is_not_tested() -> None:
    row = only([member({RATE: [150.0]}), member({RATE: HIGH})])
    assert row.pairs[0].p is None and "at least two of each" in row.pairs[0].reason


def test_drives_that_are_in_both_groups_are_compared_with_themselves() -> None:
    """Three drives 20 apart, each 1.0, 1.1 and 0.9 faster: Welch would see nothing."""
    before, after = [100.0, 120.0, 140.0], [101.0, 121.1, 140.9]
    row = only([member({RATE: before}, units="d"), member({RATE: after}, units="d")])
    (pair,) = row.pairs
    assert pair.method == "paired" and pair.better == 1
    # Mean 1, standard deviation 0.1: t = 1 / (0.1 / sqrt(3)) with 2 degrees of freedom.
    assert pair.p == pytest.approx(2 * stats.t.sf(10 * 3**0.5, 2))


def test_the_same_digest_under_two_models_is_not_the_same_drive() -> None:
    row = only([member({RATE: LOW}, units="d"), member({RATE: HIGH}, units="d", model=2)])
    assert row.pairs[0].method == "welch"


def test_runs_repeat_where_each_group_is_one_drive() -> None:
    one = Member({RATE: Sample({"a": (99.0, 100.0, 101.0)})}, "probe", 1, frozenset("a"), True)
    two = Member({RATE: Sample({"b": (109.0, 110.0, 111.0)})}, "probe", 1, frozenset("b"), True)
    table = compare([one, two], METRICS, level=0.95)
    assert (table.noun, table.rows[0].cells[1].n) == ("run", 3)
    assert table.rows[0].cells[1].best
    mixed = compare([one, member({RATE: HIGH})], METRICS, level=0.95)
    assert (mixed.noun, mixed.rows[0].cells[0].n) == ("unit", 1)
    assert not mixed.rows[0].decided


numbers = st.lists(
    st.floats(min_value=1, max_value=1000).map(lambda value: round(value, 3)), min_size=1, max_size=6
)


@settings(deadline=None, max_examples=60)
@given(st.lists(numbers, min_size=2, max_size=4), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_the_order_of_groups_changes_nothing(groups: list[list[float]], level: float) -> None:
    members = [member({RATE: values}, units=str(place)) for place, values in enumerate(groups)]
    first = _said(only(members, level), list(range(len(groups))))
    for order in list(permutations(range(len(groups))))[1:6]:
        row = only([members[place] for place in order], level)
        assert _said(row, list(order)) == first


def _said(row: Row, order: list[int]) -> object:
    """What a row says of the groups by their first places."""
    marks = {
        order[index]: (cell.best, tuple(sorted(order[other] for other in cell.better_than)))
        for index, cell in enumerate(row.cells)
    }
    pairs = {frozenset((order[pair.a], order[pair.b])): pytest.approx(pair.adjusted_p) for pair in row.pairs}
    return marks, pairs


@settings(deadline=None, max_examples=60)
@given(numbers, st.sampled_from([0.5, 0.9, 0.999]))
def test_a_group_against_its_like_is_never_marked(values: list[float], level: float) -> None:
    row = only([member({RATE: values}, units="a"), member({RATE: values}, units="b")], level)
    assert not row.decided


def profile(**units: dict[str, float]) -> dict[tuple[str, str], dict[str, float]]:
    """Units' values by place, as a group has them."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for unit, values in units.items():
        for place, value in values.items():
            found.setdefault(("sample.rate", f"read/{place}"), {})[unit] = value
    return found


def test_curves_are_compared_at_the_places_that_both_have_and_in_the_order_of_the_device() -> None:
    a = profile(u={"100": 10.0, "2.75": 30.0, "50": 20.0}, v={"2.75": 30.2, "50": 20.0})
    b = profile(w={"50": 15.2, "2.75": 25.1, "90": 1.0}, x={"50": 15.0, "2.75": 25.1})
    (curves,) = compare_positions(a, b, METRICS, level=0.9)
    assert (curves.scope, curves.by_position.keys) == ("read", ("2.75", "50"))
    assert curves.by_position.differences == pytest.approx((5.0, 4.9))
    assert curves.units.difference is not None
    assert curves.units.difference.value == pytest.approx(4.95)
    assert curves.better == 0 and curves.by_position.only_a == ("100",)


def test_places_of_one_unit_make_nothing_better() -> None:
    # Nine places agree, and yet it is one drive against one: the next ones may differ as much.
    a = profile(u={str(index): 100.0 + index + 0.01 * (index % 3) for index in range(9)})
    b = profile(
        v={str(index): 99.0 + index for index in range(9)}, w={str(index): 80.0 for index in range(9)}
    )
    for other in (profile(v={str(index): 99.0 + index for index in range(9)}), b):
        (curves,) = compare_positions(a, other, METRICS, level=0.9)
        assert (curves.higher, curves.better, curves.units.difference) == (None, None, None)
        assert "at least two of each are needed" in curves_words(curves)


def test_one_common_place_is_no_curve() -> None:
    first, second = {("sample.rate", "1"): {"u": 1.0}}, {("sample.rate", "1"): {"v": 2.0}}
    assert compare_positions(first, second, METRICS, level=0.9) == ()
