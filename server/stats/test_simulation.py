"""How often intervals cover and decisions err, on seeded draws. The bounds are four standard errors wide."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from server.stats.effect import hedges_g, ranks
from server.stats.intervals import Values
from server.stats.outliers import distances
from server.stats.paired import compare_paired
from server.stats.results import Decision, Interval
from server.stats.spread import spread_over_units, variance_components
from server.stats.strata import compare_strata
from server.stats.unpaired import compare_unpaired

LEVEL = 0.9
DRAWS = 250
SLACK = 4 * math.sqrt(LEVEL * (1 - LEVEL) / DRAWS)
Draw = Callable[[np.random.Generator], tuple[Interval | None, float]]


def paired(rng: np.random.Generator) -> tuple[Interval | None, float]:
    base = rng.normal(100, 20, 9)
    a, b = base + 3 + rng.normal(0, 1, 9), base + rng.normal(0, 1, 9)
    result = compare_paired(*({str(n): v for n, v in enumerate(x)} for x in (a, b)), level=LEVEL)
    return result.difference, 3.0


def welch(rng: np.random.Generator) -> tuple[Interval | None, float]:
    return compare_unpaired(rng.normal(5, 4, 4), rng.normal(3, 1, 9), level=LEVEL).difference, 2.0


def effect(rng: np.random.Generator) -> tuple[Interval | None, float]:
    return hedges_g(rng.normal(0.8, 1, 8), rng.normal(0, 1, 6), LEVEL), 0.8


def shift(rng: np.random.Generator) -> tuple[Interval | None, float]:
    a, b = rng.standard_t(3, 9) + 1, rng.standard_t(3, 8)
    return ranks(a, b, LEVEL).shift_interval, 1.0


def delta(rng: np.random.Generator) -> tuple[Interval | None, float]:
    truth = math.erf(1 / 2)  # P(A > B) - P(A < B) of two normal values one deviation apart.
    return ranks(rng.normal(1, 1, 10), rng.normal(0, 1, 12), LEVEL).delta, truth


def deviation(rng: np.random.Generator) -> tuple[Interval | None, float]:
    return spread_over_units(rng.normal(100, 7, 6).tolist(), level=LEVEL).stdev_interval, 7.0


def intraclass(rng: np.random.Generator) -> tuple[Interval | None, float]:
    units = [rng.normal(rng.normal(0, 2), 1, 3).tolist() for _ in range(8)]
    return variance_components(units, level=LEVEL).share, 0.8


@pytest.mark.parametrize("draw", [paired, welch, effect, shift, delta, deviation, intraclass])
def test_an_interval_at_90_percent_covers_in_90_percent(draw: Draw) -> None:
    rng = np.random.default_rng(90)
    covered = 0
    for _ in range(DRAWS):
        interval, truth = draw(rng)
        assert interval is not None
        covered += interval.low <= truth <= interval.high
    # Ranks of few units reach a level in steps, so theirs may cover more.
    highest = LEVEL + SLACK + (0.04 if draw in (shift, delta) else 0)
    assert LEVEL - SLACK <= covered / DRAWS <= highest


@pytest.mark.parametrize("sizes", [(2, 2), (3, 3), (2, 9), (8, 8), (5, 30)])
@pytest.mark.parametrize("shape", ["normal", "exponential", "steps"])
def test_units_of_one_kind_are_called_different_no_more_often_than_the_level_allows(
    sizes: tuple[int, int], shape: str
) -> None:
    rng = np.random.default_rng(7)
    wrong = 0
    for _ in range(DRAWS):
        a, b = (like_units(rng, shape, size) for size in sizes)
        wrong += compare_unpaired(a, b, level=LEVEL).decision.differs
    # Welch's test is not exact for skewed values in unlike groups; twice the level is the bar there.
    allowed = 0.2 if shape == "exponential" else 1 - LEVEL
    assert wrong / DRAWS <= allowed + SLACK


def test_equivalence_is_seldom_said_of_what_lies_at_the_margin() -> None:
    rng = np.random.default_rng(11)
    wrong = sum(
        compare_unpaired(rng.normal(2, 1, 8), rng.normal(0, 1, 8), level=LEVEL, margin=2.0).decision
        is Decision.EQUIVALENT
        for _ in range(DRAWS)
    )
    assert wrong / DRAWS <= 0.05 + SLACK


def test_strata_of_one_kind_are_called_different_no_more_often_than_the_level_allows() -> None:
    rng = np.random.default_rng(13)
    draws = 80
    for sizes in ((3, 3, 3), (8, 6, 7)):
        wrong = sum(bool(compare_strata(strata_of(rng, sizes), level=LEVEL).differs) for _ in range(draws))
        assert wrong / draws <= 0.1 + 4 * math.sqrt(0.09 / draws)


@pytest.mark.parametrize("n", [5, 8, 20])
def test_one_set_of_like_units_in_a_hundred_has_one_that_stands_apart(n: int) -> None:
    rng = np.random.default_rng(17)
    named = sum(
        bool(distances({str(k): float(v) for k, v in enumerate(rng.normal(140, 3, n))}).apart)
        for _ in range(1000)
    )
    assert named / 1000 <= 0.01 + 4 * math.sqrt(0.01 * 0.99 / 1000)


def test_a_unit_far_from_eleven_others_is_named() -> None:
    rng = np.random.default_rng(19)
    found = sum(
        [unit.key for unit in distances(dict(enumerate_units(rng.normal(140, 3, 11))) | {"far": 180.0}).apart]
        == ["far"]
        for _ in range(200)
    )
    assert found / 200 >= 0.95


def like_units(rng: np.random.Generator, shape: str, n: int) -> Values:
    """Draw units of one kind, all shapes about 100."""
    if shape == "exponential":
        return 100 + rng.exponential(5, n)
    return rng.normal(100, 5, n) if shape == "normal" else np.round(rng.normal(100, 0.6, n))


def strata_of(rng: np.random.Generator, sizes: tuple[int, ...]) -> dict[str, list[float]]:
    """Draw groups of one kind."""
    return {str(index): rng.normal(0, 1, size).tolist() for index, size in enumerate(sizes)}


def enumerate_units(values: Values) -> list[tuple[str, float]]:
    """Name some values."""
    return [(str(index), float(value)) for index, value in enumerate(values)]
