from __future__ import annotations

import pytest

from server.benchmarks.contract import Axis, Chart, Series, View
from server.benchmarks.spreads import chart_with_others


def chart(level: float, *, shape: str = "profile", scale: str = "linear", places: int = 11) -> Chart:
    x = tuple(float(place + 1) for place in range(places))
    measured = Series("bandwidth", "Bandwidth", "points", x, tuple(level - place for place in x))
    fit = Series("linear", "Linear fit", "line", (1.0, float(places)), (level - 1, level - places))
    axes = Axis("Position", "GB", scale), Axis("Bandwidth", "MB/s")
    return Chart("profile", shape, "Profile", "Sample data.", *axes, (measured, fit))


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_five_units_make_a_band_between_their_quartiles(scale: str) -> None:
    levels = [100.0, 110.0, 120.0, 130.0, 140.0]
    drawn, *others = (chart(level, scale=scale) for level in (120.0, 100.0, 110.0, 130.0, 140.0))
    band = chart_with_others(drawn, others).series[0]
    assert (band.role, band.label) == ("spread", "Bandwidth: middle half of 5 units")
    assert band.x == pytest.approx(drawn.series[0].x)
    assert band.low == pytest.approx([levels[1] - x for x in band.x])
    assert band.high == pytest.approx([levels[3] - x for x in band.x])


def test_few_units_are_drawn_point_by_point() -> None:
    faint = chart_with_others(chart(120.0), [chart(100.0), chart(110.0)]).series[0]
    assert faint.role == "faint"
    assert set(faint.y) == {*chart(100.0).series[0].y, *chart(110.0).series[0].y}


def test_a_sawtooth_has_no_band() -> None:
    drawn = chart_with_others(chart(120.0, shape="sawtooth"), [chart(100.0, shape="sawtooth")] * 9)
    assert drawn.series[0].role == "faint"


def test_what_was_fitted_has_no_spread_and_everything_else_stays() -> None:
    drawn = chart(120.0)
    series = chart_with_others(drawn, [chart(100.0)] * 6).series
    assert series[1:] == drawn.series


def test_a_band_ends_where_fewer_than_five_units_reach() -> None:
    short = [chart(100.0, places=5)] * 6
    band = chart_with_others(chart(120.0), short).series[0]
    assert max(band.x) == 5


def test_the_first_view_shows_the_spread_and_the_others_do_not() -> None:
    drawn = chart(120.0)
    views = (View("measured", "Measured", ("bandwidth",)), View("fit", "Fit", ("linear",)))
    drawn = Chart(**{**{name: getattr(drawn, name) for name in drawn.__slots__}, "views": views})
    found = chart_with_others(drawn, [chart(100.0)] * 6)
    assert found.views[0].series == ("bandwidth-spread", "bandwidth")
    assert found.views[1].series == ("linear",)


def test_without_others_the_chart_is_as_it_was() -> None:
    drawn = chart(120.0)
    assert chart_with_others(drawn, []) is drawn


def heat_map(level: float, sizes: tuple[str, ...] = ("4 KiB", "1 MiB")) -> Chart:
    """A map of two rows whose cells grow with the column."""
    columns = range(len(sizes))
    x, y = tuple(float(c) for c in (*columns, *columns)), (0.0,) * len(sizes) + (1.0,) * len(sizes)
    z = tuple(level + 10.0 * (c + 1) for c in (*columns, *columns))
    axes = Axis("Size", "", categories=sizes), Axis("Position", "", categories=("0 GB", "500 GB"))
    cells = Series("read", "Read", "cells", x, y, z=z)
    views = (View("read", "Read", ("read",)),)
    rates = Axis("Bandwidth", "MB/s")
    return Chart("surface", "surface", "Surface", "Sample data.", *axes, (cells,), z=rates, views=views)


def test_a_cell_of_a_heat_map_tells_the_lowest_and_the_highest_of_few_units() -> None:
    drawn = chart_with_others(heat_map(100.0), [heat_map(90.0), heat_map(120.0)])
    cells = drawn.series[0]
    assert cells.z == heat_map(100.0).series[0].z
    assert cells.low == (100.0, 110.0, 100.0, 110.0)
    assert cells.high == (130.0, 140.0, 130.0, 140.0)
    assert drawn.summary.endswith("lowest to highest of 3 units.")
    assert drawn.views[:1] == heat_map(100.0).views


def test_a_view_shows_the_standard_deviation_over_units_of_each_cell() -> None:
    drawn = chart_with_others(heat_map(100.0), [heat_map(90.0), heat_map(120.0)])
    view = drawn.views[-1]
    (deviations,) = (one for one in drawn.series if one.key in view.series)
    assert deviations.role == "cells"
    assert deviations.z == pytest.approx((15.2753,) * 4, abs=1e-4)
    assert "standard deviation over 3 units" in view.label


def test_two_units_have_no_standard_deviation_in_a_heat_map() -> None:
    drawn = chart_with_others(heat_map(100.0), [heat_map(90.0)])
    assert len(drawn.series) == 1
    assert drawn.views == heat_map(100.0).views


def test_of_many_units_a_cell_tells_the_middle_half() -> None:
    drawn = chart_with_others(heat_map(0.0), [heat_map(level) for level in (1.0, 2.0, 3.0, 4.0)])
    assert (drawn.series[0].low[0], drawn.series[0].high[0]) == (11.0, 13.0)
    assert drawn.summary.endswith("the middle half of 5 units.")


def test_cells_meet_by_their_sizes_and_not_by_their_numbers() -> None:
    """The other unit's run began with a smaller size, so that its columns are numbered otherwise."""
    other = heat_map(50.0, ("512 B", "4 KiB", "1 MiB"))
    drawn = chart_with_others(heat_map(100.0), [other])
    assert drawn.series[0].low == (70.0, 80.0, 70.0, 80.0)


def test_a_lone_heat_map_has_no_ranges() -> None:
    assert chart_with_others(heat_map(100.0), []) == heat_map(100.0)
