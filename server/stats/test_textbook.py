"""Examples whose answers are printed elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from server.stats.effect import delta_interval, ranks
from server.stats.intervals import holm
from server.stats.outliers import distances
from server.stats.paired import compare_paired
from server.stats.power import noncentral_t_below, pairs_needed, power_unpaired, units_needed
from server.stats.results import Decision
from server.stats.spread import variance_components
from server.stats.strata import compare_strata
from server.stats.unpaired import compare_unpaired

# Student (1908), Biometrika 6: hours of sleep gained with two drugs; R's manual prints the tests of it.
FIRST = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SECOND = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]


def test_welch_gives_what_r_prints_for_students_sleep() -> None:
    result = compare_unpaired(np.array(FIRST), np.array(SECOND), level=0.95)
    assert (result.t, result.degrees, result.p) == pytest.approx((-1.8608, 17.776, 0.07939), rel=1e-4)
    assert result.difference is not None
    assert (result.difference.low, result.difference.high) == pytest.approx((-3.3654832, 0.2054832), abs=1e-6)
    assert result.decision is Decision.UNDECIDED


def test_paired_t_gives_what_r_prints_for_students_sleep() -> None:
    patients = [str(number) for number in range(10)]
    first, second = (dict(zip(patients, values, strict=True)) for values in (FIRST, SECOND))
    result = compare_paired(first, second, level=0.95)
    assert (result.t, result.p) == pytest.approx((-4.0621, 0.002833), rel=1e-3)
    assert result.difference is not None
    assert (result.difference.low, result.difference.high) == pytest.approx(
        (-2.4598858, -0.7001142), abs=1e-6
    )
    assert result.decision is Decision.B_HIGHER


# Hollander and Wolfe (1973), page 69: permeability of a membrane at term and earlier.
AT_TERM = np.array([0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46])
EARLIER = np.array([1.15, 0.88, 0.90, 0.74, 1.21])


def test_mann_whitney_and_the_shift_are_hollander_and_wolfes() -> None:
    result = ranks(AT_TERM, EARLIER, 0.95)
    assert result.u == 35
    assert result.p / 2 == pytest.approx(0.1272, abs=5e-5)
    assert result.shift == pytest.approx(0.305)
    assert result.shift_interval is not None
    assert (result.shift_interval.low, result.shift_interval.high) == pytest.approx((-0.15, 0.76))


def test_an_exact_p_counts_ties_as_they_are() -> None:
    # {1, 2, 2} and {2, 3, 3}: midranks 1, 3, 3 and 3, 5.5, 5.5. Of 20 splits three hold both 5.5 and no 1.
    result = ranks(np.array([1.0, 2, 2]), np.array([2.0, 3, 3]), 0.9)
    assert result.exact
    assert result.p == pytest.approx(6 / 20)


def test_kruskal_wallis_is_hollander_and_wolfes_with_the_exact_p_by_resampling() -> None:
    # Hollander and Wolfe (1973), page 116: half-time of mucociliary clearance; H 0.77143.
    groups = {"x": [2.9, 3.0, 2.5, 2.6, 3.2], "y": [3.8, 2.7, 4.0, 2.4], "z": [2.8, 3.4, 3.7, 2.2, 2.0]}
    result = compare_strata(groups, level=0.95)
    assert result.h == pytest.approx(0.77143, abs=1e-5)
    assert result.p == pytest.approx(0.71, abs=0.02)
    assert result.differs is False
    assert result.pairs == ()


def test_holm_gives_what_r_prints() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))


def test_power_gives_cohens_numbers_of_units() -> None:
    # Cohen (1988), table 2.4.1 at two-sided 0.05 and power 0.80: 393, 64 and 26; the first is 394 exactly.
    assert [units_needed(effect, 0.95) for effect in (0.2, 0.5, 0.8)] == [394, 64, 26]
    assert pairs_needed(0.5, 0.95) == 34
    assert power_unpaired(0.5, 64, 64, 0.95) == pytest.approx(0.8015, abs=1e-4)
    assert units_needed(0.001, 0.95) is None


def test_the_noncentral_t_is_right_where_scipys_is_not_a_number() -> None:
    # Owen's tables: P(T <= 1) with 10 degrees and noncentrality 0 is the central one.
    assert noncentral_t_below(1.0, 10, 0.0) == pytest.approx(0.8295534338, abs=1e-9)
    # One degree and t = 0: half of the normal tail, whatever the degrees.
    assert noncentral_t_below(0.0, 18, 11.0) == pytest.approx(1.910659544e-28, rel=1e-6)
    assert 0 <= noncentral_t_below(-1.86, 18, 11.0) < 1e-20


def test_variance_components_are_shrout_and_fleiss() -> None:
    # Shrout and Fleiss (1979), table 2: six targets, four judges; ICC(1,1) is .17.
    targets = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    result = variance_components([[float(value) for value in row] for row in targets], level=0.95)
    assert result.within_stdev is not None and result.share is not None
    assert result.within_stdev**2 == pytest.approx(6.26, abs=0.005)
    assert (result.share.value, result.share.low, result.share.high) == pytest.approx(
        (0.166, -0.133, 0.723), abs=1e-3
    )


def test_the_robust_distance_is_iglewicz_and_hoaglins() -> None:
    # 0.6745 (x - median) / MAD: median 2.1, deviations 0 0.1 0.1 0.2 7.9, their median 0.1.
    result = distances(dict(zip("abcde", (2.0, 2.1, 2.2, 1.9, 10.0), strict=True)))
    assert result.apart[0].key == "e"
    assert result.apart[0].distance == pytest.approx(0.6745 * 7.9 / 0.1, rel=1e-4)


def test_cliffs_delta_has_an_interval_where_all_of_one_group_are_above() -> None:
    found = delta_interval(9, 3, 3, 0.9)
    assert found.value == 1 and found.high == pytest.approx(1)
    assert 0 < found.low < 1
