from __future__ import annotations

from itertools import pairwise

import pytest

from server.benchmarks.contract import Axis
from server.benchmarks.pictures import Estimate, Words, comparison_chart, distribution_chart

WORDS = Words("one", "Outer bandwidth by batch", "Sample data.", ("zoned.outer_bandwidth",))
MB_S = Axis("Outer bandwidth", "MB/s")


def test_a_group_of_five_has_a_box_and_a_group_of_four_has_points_alone() -> None:
    chart = distribution_chart(WORDS, MB_S, {"w31": [1, 2, 3, 4, 5], "w32": [1, 2, 3, 4]})
    boxes, points = chart.series
    assert (boxes.x, boxes.low, boxes.q1, boxes.y, boxes.q3, boxes.high) == (
        (0,),
        (1,),
        (2,),
        (3,),
        (4,),
        (5,),
    )
    assert len(points.x) == 9


def test_a_whisker_ends_before_a_value_that_lies_far_out() -> None:
    chart = distribution_chart(WORDS, MB_S, {"w31": [10, 11, 12, 13, 14, 99]})
    assert chart.series[0].high == (14,)
    assert 99 in chart.series[1].y


def test_a_whisker_never_ends_inside_its_box() -> None:
    boxes = distribution_chart(WORDS, MB_S, {"w31": [0, 0, 0, 10, 10, 10, 10, 10]}).series[0]
    assert boxes.low[0] <= boxes.q1[0] <= boxes.q3[0] <= boxes.high[0]


def test_equal_values_of_a_group_stand_side_by_side() -> None:
    points = distribution_chart(WORDS, MB_S, {"w31": [7, 7, 7]}).series[0]
    assert len(set(points.x)) == 3
    assert all(-0.4 < x < 0.4 for x in points.x)


def test_a_group_without_values_keeps_its_place() -> None:
    chart = distribution_chart(WORDS, MB_S, {"w31": [], "w32": [1.0]})
    assert chart.x.categories == ("w31", "w32")
    assert chart.series[0].x == (1.0,)


def test_a_crowded_group_is_thinned_by_rank_with_its_ends_and_says_so() -> None:
    crowd = [float((7919 * index) % 5000) for index in range(5000)]
    few = [1.0, 2.0, 3.0]
    chart = distribution_chart(WORDS, MB_S, {"w31": crowd, "w32": few})
    boxes, points = chart.series
    drawn = [y for x, y in zip(points.x, points.y, strict=True) if x < 0.5]
    assert len(drawn) == 300 and {0.0, 4999.0} <= set(drawn)
    assert max(late - early for early, late in pairwise(sorted(drawn))) < 20
    assert drawn == [one for one in crowd if one in set(drawn)]
    assert points.y[-3:] == tuple(few)
    assert boxes.y == (2499.5,)
    assert chart.points_total == 5004
    assert chart.summary == (
        "Sample data. Of a group with more values 300 are drawn, evenly by rank; its box is of all."
    )


def test_a_picture_that_holds_all_says_nothing_of_thinning_out() -> None:
    chart = distribution_chart(WORDS, MB_S, {"w31": [float(index) for index in range(600)]})
    assert (chart.points_total, chart.summary) == (0, "Sample data.")


def test_groups_at_one_position_stand_apart_and_keep_their_intervals() -> None:
    one, two = [Estimate(5, 4, 6), None], [Estimate(7, 6, 8), Estimate(9, 8, 10)]
    chart = comparison_chart(WORDS, MB_S, ["0 %", "100 %"], {"A": one, "B": two})
    first, second = chart.series
    assert (len(first.x), len(second.x)) == (1, 2)
    assert first.x[0] != second.x[0]
    assert (second.low, second.high) == ((6, 8), (8, 10))


def test_a_group_with_a_position_too_few_is_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        comparison_chart(WORDS, MB_S, ["0 %", "100 %"], {"A": [Estimate(5, 4, 6)]})
