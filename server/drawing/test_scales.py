from __future__ import annotations

import pytest

from server.benchmarks.contract import Axis
from server.drawing.scales import nice_step, scale_of, tick_words


def words(axis: Axis, values: list[float], **how: bool | float) -> list[str]:
    return [tick.words for tick in scale_of(axis, values, (0, 100), **how).ticks]  # type: ignore[arg-type]


@pytest.mark.parametrize(("least", "step"), [(0.7, 1), (1, 1), (1.2, 2), (3, 5), (60, 100), (0.011, 0.02)])
def test_a_step_is_one_two_or_five_times_a_power_of_ten(least: float, step: float) -> None:
    assert nice_step(least) == pytest.approx(step)


def test_ticks_are_round_and_have_as_many_decimals_as_their_step() -> None:
    found = words(Axis("Time", "ms"), [0.0, 0.9], whole_ticks=True)
    assert found == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]


def test_an_axis_from_nought_begins_there_whatever_the_data() -> None:
    assert scale_of(Axis("Rate", "MB/s"), [80, 120], (0, 100), from_nought=True).low == 0


def test_a_single_value_lies_inside_its_axis() -> None:
    scale = scale_of(Axis("Rate", "MB/s"), [7.0, 7.0], (0, 100))
    assert 0 < scale.one(7.0) < 100


def test_a_logarithmic_axis_has_powers_of_ten_and_none_of_nought() -> None:
    assert words(Axis("Size", "KiB", "log"), [0, 1, 10_000]) == ["1", "10", "100", "1k", "10k"]
    scale = scale_of(Axis("Size", "KiB", "log"), [1, 10_000], (0, 100))
    assert scale.one(100) == pytest.approx(50)
    assert scale.one(0) == 0


def test_the_few_decades_of_a_logarithmic_axis_have_twos_and_fives() -> None:
    assert words(Axis("Size", "KiB", "log"), [1, 20]) == ["1", "2", "5", "10", "20"]


def test_20_a_logarithmic_axis_of_whole_ticks_leaves_no_value_at_its_ends() -> None:
    scale = scale_of(Axis("Capacity", "GB", "log"), [2.05, 9.6], (0, 100), whole_ticks=True)
    assert [tick.words for tick in scale.ticks] == ["2", "5", "10"]
    assert scale.one(2.05) > 0 and scale.one(9.6) < 100


def test_an_axis_without_a_value_is_drawn_all_the_same() -> None:
    assert scale_of(Axis("Rate", "MB/s"), [], (0, 100)).ticks


def test_large_counts_are_shortened_and_negative_ones_have_a_minus() -> None:
    assert tick_words(120_000, 20_000) == "120k"
    assert tick_words(2.5e6, 5e5) == "2.5M"
    assert tick_words(-0.5, 0.5) == "\u22120.5"
    assert tick_words(-1e-17, 0.5) == "0.0"


def test_places_of_categories_lie_in_the_middle_of_their_share() -> None:
    scale = scale_of(Axis("Batch", "", categories=("a", "b")), [], (0, 100))
    assert [scale.one(tick.value) for tick in scale.ticks] == [25, 75]
