"""Properties of thinning out, on any data."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.benchmarks.chart_json import MOST_BYTES, chart_json, chart_of, chart_text
from server.benchmarks.contract import Annotation, Axis, Chart, Series, View
from server.benchmarks.decimation import chart_thinned, extremes, largest_triangles

numbers = st.floats(-1e6, 1e6, allow_nan=False, width=32)
clouds = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=400)
budgets = st.integers(4, 60)


def columns(points: list[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    table = np.asarray(points, dtype=np.float64)
    return table[:, 0], table[:, 1]


@given(clouds, budgets)
def test_a_line_keeps_its_ends_its_order_and_its_bound(points: list[tuple[float, float]], most: int) -> None:
    x, y = columns(points)
    places = largest_triangles(x, y, most)
    assert (places[0], places[-1]) == (0, len(points) - 1)
    assert (np.diff(places) > 0).all()
    assert len(places) == min(most, len(points))


@given(clouds, budgets)
def test_a_cloud_keeps_its_extremes_its_ends_and_its_bound(
    points: list[tuple[float, float]], most: int
) -> None:
    x, y = columns(points)
    places = extremes(x, y, most)
    assert len(set(places.tolist())) == len(places) <= most
    assert {x[places].min(), x[places].max()} == {x.min(), x.max()}
    assert y[places].min() == y.min()
    assert y[places].max() == y.max()


def test_a_lone_spike_in_a_flat_line_stays() -> None:
    x, y = np.arange(5000.0), np.zeros(5000)
    y[3217] = 1.0
    assert 3217 in largest_triangles(x, y, 50)


def chart_with(*series: Series, marks: tuple[Annotation, ...] = (), views: tuple[View, ...] = ()) -> Chart:
    x, y = Axis("Step", "blocks"), Axis("Latency", "ms")
    return Chart("sample", "sawtooth", "Sample", "Sample data.", x, y, series, marks, (), views=views)


def noise(count: int, role: str = "points", **more: Any) -> Series:
    y = tuple(np.random.default_rng(1).random(count).tolist())
    return Series(f"{role}-{count}", "Sample", role, tuple(map(float, range(count))), y, **more)


@pytest.mark.parametrize("role", ["points", "line", "faint"])
def test_what_stays_are_points_that_were_there(role: str) -> None:
    series = noise(9000, role)
    (kept,) = chart_thinned(chart_with(series)).series
    assert set(zip(kept.x, kept.y, strict=True)) < set(zip(series.x, series.y, strict=True))


def test_a_chart_keeps_at_most_two_thousand_points_and_says_how_many_there_were() -> None:
    chart = chart_thinned(chart_with(noise(9000), noise(50, "line"), noise(3000, "line")))
    assert sum(len(series.x) for series in chart.series) <= 2000
    assert len(chart.series[1].x) == 50
    assert chart.points_total == 12050


def test_a_chart_that_is_small_enough_is_left_alone() -> None:
    chart = chart_with(noise(1999))
    assert chart_thinned(chart) is chart


def test_the_point_under_a_mark_stays() -> None:
    series = noise(9000)
    middle = float(np.median(series.y))
    place = min(range(9000), key=lambda at: abs(series.y[at] - middle))
    bare, marked = (
        chart_thinned(chart_with(series, marks=marks)).series[0].x
        for marks in ((), (Annotation("(3)", float(place), series.y[place]),))
    )
    assert place not in bare
    assert place in marked


def test_error_bars_stay_with_their_points() -> None:
    series = noise(5000, low=tuple(map(float, range(5000))), high=tuple(float(n + 1) for n in range(5000)))
    (kept,) = chart_thinned(chart_with(series)).series
    assert kept.low == kept.x
    assert kept.high == tuple(x + 1 for x in kept.x)


def test_a_heat_map_loses_whole_rows() -> None:
    cells = [(float(x), float(y)) for y in range(300) for x in range(20)]
    x, y = tuple(x for x, _ in cells), tuple(y for _, y in cells)
    series = Series("map", "Map", "cells", x, y, z=x)
    (kept,) = chart_thinned(chart_with(series)).series
    assert len(kept.x) <= 2000
    assert {0.0, 299.0} <= set(kept.y)
    assert all(kept.y.count(row) == 20 for row in set(kept.y))


def test_json_of_a_chart_stays_below_a_hundred_thousand_bytes() -> None:
    wide = tuple(np.random.default_rng(2).random(5000).tolist())
    text = chart_text(chart_with(noise(5000, low=wide, high=wide, q1=wide, q3=wide, z=wide)))
    assert 10_000 < len(text.encode()) <= MOST_BYTES


def test_a_chart_comes_back_from_its_json_as_it_was() -> None:
    view = View("map", "Map", ("points-9",), "surface", x=Axis("Size", "", categories=("1", "2")))
    chart = chart_with(
        noise(9), noise(5, "line"), marks=(Annotation("STM", 4.0), Annotation("T", low=1.0)), views=(view,)
    )
    assert chart_of(json.loads(json.dumps(chart_json(chart)))) == chart


def test_a_number_that_is_none_is_refused_with_its_remedy() -> None:
    with pytest.raises(ValueError, match="left out"):
        chart_text(chart_with(Series("a", "A", "points", (0.0,), (float("nan"),))))
