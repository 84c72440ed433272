"""What holds for any data: swapping, scaling, order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from server.stats.intervals import holm
from server.stats.outliers import distances
from server.stats.paired import compare_paired
from server.stats.results import Decision
from server.stats.strata import compare_strata
from server.stats.unpaired import compare_unpaired, moments, welch

SWAPPED = {Decision.A_HIGHER: Decision.B_HIGHER, Decision.B_HIGHER: Decision.A_HIGHER}
# Whole numbers, so that ties occur and sums are exact.
group = st.lists(st.integers(-40, 40).map(float), min_size=2, max_size=9)
quick = settings(max_examples=60, deadline=None)


@quick
@given(group, group)
def test_swapping_two_groups_swaps_the_result(a: list[float], b: list[float]) -> None:
    there, back = compare_unpaired(a, b, level=0.9), compare_unpaired(b, a, level=0.9)
    assert back.decision is SWAPPED.get(there.decision, there.decision)
    assert there.ranks is not None and back.ranks is not None
    assert back.ranks.p == pytest.approx(there.ranks.p)
    assert back.ranks.delta.value == pytest.approx(-there.ranks.delta.value)
    assert back.ranks.delta.low == pytest.approx(-there.ranks.delta.high, abs=1e-9)
    if there.difference is not None and back.difference is not None:
        assert (back.difference.low, back.difference.high) == pytest.approx(
            (-there.difference.high, -there.difference.low)
        )
    if there.effect is not None and back.effect is not None:
        assert back.effect.low == pytest.approx(-there.effect.high, abs=1e-6)


@quick
@given(group, group, st.sampled_from([0.001, 0.5, 8.0, 1000.0]), st.integers(-50, 50))
def test_a_decision_does_not_depend_on_the_unit_of_measure(
    a: list[float], b: list[float], factor: float, shift: int
) -> None:
    plain = compare_unpaired(a, b, level=0.9)
    scaled = compare_unpaired([factor * (v + shift) for v in a], [factor * (v + shift) for v in b], level=0.9)
    assume(plain.p is None or abs(plain.p - 0.1) > 1e-9)
    assert scaled.decision is plain.decision
    if plain.difference is not None and scaled.difference is not None:
        assert scaled.difference.low == pytest.approx(factor * plain.difference.low, abs=1e-9)
    if plain.effect is not None and scaled.effect is not None:
        assert scaled.effect.value == pytest.approx(plain.effect.value, abs=1e-9)


@quick
@given(group, group, st.randoms())
def test_the_order_of_units_does_not_matter(a: list[float], b: list[float], random: Any) -> None:
    mixed_a, mixed_b = random.sample(a, len(a)), random.sample(b, len(b))
    one, other = compare_unpaired(a, b, level=0.9), compare_unpaired(mixed_a, mixed_b, level=0.9)
    assert one.decision is other.decision
    assert other.p == pytest.approx(one.p)


@quick
@given(st.lists(group, min_size=2, max_size=3), st.randoms())
def test_the_order_of_strata_does_not_matter(groups: list[list[float]], random: Any) -> None:
    named = {str(index): values for index, values in enumerate(groups)}
    mixed = {
        name: random.sample(named[name], len(named[name])) for name in random.sample(list(named), len(named))
    }
    one, other = compare_strata(named, level=0.9), compare_strata(mixed, level=0.9)
    assert one.differs is other.differs
    assert (one.p is None) is (other.p is None)
    if one.p is not None:
        assert other.p == pytest.approx(one.p)


@quick
@given(group)
def test_two_strata_give_dunns_z_as_the_root_of_h(b: list[float]) -> None:
    a = [value + 200 for value in range(9)]
    result = compare_strata({"a": a, "b": b}, level=0.5)
    assume(result.pairs)
    from scipy import stats

    assert result.h is not None
    assert result.pairs[0].adjusted_p == pytest.approx(2 * stats.norm.sf(np.sqrt(result.h)))


@quick
@given(group, group)
def test_pairing_swaps_too(a: list[float], b: list[float]) -> None:
    size = min(len(a), len(b))
    first, second = ({str(n): values[n] for n in range(size)} for values in (a, b))
    there, back = (compare_paired(*pair, level=0.9) for pair in ((first, second), (second, first)))
    assert back.decision is SWAPPED.get(there.decision, there.decision)
    assert back.reason == there.reason
    assert back.p == pytest.approx(there.p)


@quick
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_never_lowers_a_p_and_keeps_their_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(p <= a <= 1 for p, a in zip(p_values, adjusted, strict=True))
    order = np.argsort(p_values, kind="stable")
    assert (np.diff(np.asarray(adjusted)[order]) >= 0).all()


@quick
@given(st.lists(st.integers(-1000, 1000).map(float), min_size=5, max_size=20), st.sampled_from([0.01, 3.0]))
def test_robust_distances_do_not_depend_on_the_unit_of_measure(values: list[float], factor: float) -> None:
    named = {str(index): value for index, value in enumerate(values)}
    plain = distances(named)
    scaled = distances({key: factor * value for key, value in named.items()})
    assert [unit.key for unit in plain.apart] == [unit.key for unit in scaled.apart]


@quick
@given(group, group, st.sampled_from([0.5, 0.9, 0.999]))
def test_welch_out_of_moments_is_welch_out_of_values(a: list[float], b: list[float], level: float) -> None:
    found = welch(moments(a), moments(b), level)
    assert (found is None) == (len(set(a)) == 1 or len(set(b)) == 1)
    if found is not None:
        other = stats.ttest_ind(a, b, equal_var=False)
        interval = other.confidence_interval(level)
        assert found.p == pytest.approx(other.pvalue, rel=1e-6, abs=1e-12)
        assert found.difference.low == pytest.approx(interval.low, rel=1e-6, abs=1e-6)
        assert found.degrees == pytest.approx(other.df, rel=1e-6)
