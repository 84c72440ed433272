from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from server.benchmarks.contract import Axis, Chart, Series
from server.drawing.card import card_svg
from server.drawing.platter import (
    SIZE_PX,
    Zone,
    platter_svg,
    rings_of,
    rings_svg,
    thumbnail_svg,
    zones_of_chart,
)
from server.drawing.text import width_of

ZONES = (Zone(0, 60, 100), Zone(60, 100, 50))


def profile(y: tuple[float, ...] = (100.0, 100.0, 50.0, 50.0)) -> Chart:
    steps = Series("step", "Zones", "step", (0.0, 60.0, 60.0, 100.0), y)
    axes = Axis("Position", "GB"), Axis("Bandwidth", "MB/s")
    return Chart("profile", "profile", "Bandwidth", "Sample data.", *axes, (steps,))


def test_zones_are_the_steps_of_a_profile() -> None:
    assert zones_of_chart(profile()) == ZONES


def test_a_step_that_is_told_by_its_start_alone_reaches_to_the_next() -> None:
    chart = profile()
    (steps,) = chart.series
    short = replace(steps, x=(0.0, 60.0, 100.0), y=(100.0, 50.0, 50.0))
    assert zones_of_chart(replace(chart, series=(short,))) == ZONES


def test_neighbours_that_read_as_one_are_one_zone() -> None:
    assert zones_of_chart(profile(y=(100.0, 100.0, 100.0, 100.0))) == (Zone(0, 100, 100),)


def test_a_chart_without_steps_has_no_zones() -> None:
    axes = Axis("Time", "ms"), Axis("Share", "%")
    assert zones_of_chart(Chart("one", "curve", "Times", "Sample data.", *axes, ())) == ()


def test_a_ring_is_as_wide_as_the_tracks_that_its_zone_has() -> None:
    outer, inner = rings_of(ZONES)
    assert outer.outer == 1 and outer.inner == inner.outer
    # 60 GB at 100 MB/s are as many tracks as 30 GB at 50.
    assert (outer.outer - outer.inner) / (inner.outer - inner.inner) == pytest.approx(0.6 / 0.8)
    assert inner.inner == pytest.approx(0.5)


def test_each_ring_says_its_range_and_rate_and_one_has_the_tab_stop() -> None:
    svg = rings_svg(ZONES, focusable=True)
    assert svg.count('tabindex="0"') == 1 and svg.count('tabindex="-1"') == 1
    assert 'aria-label="Zone 2: 60 to 100 GB: 50 MB/s"' in svg


def test_drawings_of_a_platter_are_documents_whatever_the_drive_is_called() -> None:
    evil = "<script>\"'&\x00"
    for svg in (
        platter_svg(ZONES, title=evil, foot=(evil,)),
        thumbnail_svg(ZONES, title=evil),
        thumbnail_svg((), title=evil),
        card_svg(ZONES, name=evil, about=evil, numbers=[(evil, evil)]),
        card_svg((), name=evil, about=evil, numbers=[]),
    ):
        root = ElementTree.fromstring(svg)
        assert not [one for one in root.iter() if one.tag.endswith("script")]


def test_20_the_words_of_the_hole_fit_into_it_with_as_many_decimals_in_both() -> None:
    zones = (Zone(0, 60, 104.4), Zone(60, 100, 50.12))
    drawing = ElementTree.fromstring(f"<svg>{rings_svg(zones)}</svg>")
    [span] = [
        text for text in drawing.iter("text") if " to " in (text.text or "") and "GB" not in str(text.text)
    ]
    assert span.text == "104.4 to 50.1"
    hole_px = 2 * rings_of(zones)[-1].inner * (SIZE_PX / 2 - 8)
    assert width_of(str(span.text), float(span.get("font-size", "0"))) < 0.9 * hole_px
