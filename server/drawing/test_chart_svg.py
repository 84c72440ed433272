from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from server.benchmarks.contract import ROLES, SHAPES, Annotation, Axis, Chart, Series, View
from server.drawing.chart_svg import Credit, chart_svg
from server.drawing.palette import DARK, LIGHT, RAMP
from server.drawing.png import png_of

SVG = "{http://www.w3.org/2000/svg}"
TOKENS = Path(__file__).parents[2] / "frontend" / "src" / "styles" / "tokens.css"
EVIL = "<script>alert(1)</script>\"'&\x00\x1b"
NUMBERS = (1.0, 2.0, 3.0)


def series(role: str = "points", **changes: object) -> Series:
    more: dict[str, Any] = dict.fromkeys(ROLES[role], NUMBERS)
    plain = Series(f"{role}-1", f"Some {role}", role, NUMBERS, NUMBERS, **more)
    return replace(plain, **changes)  # type: ignore[arg-type]


def chart(*every: Series, **changes: object) -> Chart:
    whole = Chart(
        "one", "profile", "Bandwidth", "Sample data.", Axis("Position", "GB"), Axis("Rate", "MB/s"), every
    )
    return replace(whole, **changes)  # type: ignore[arg-type]


def drawn(one: Chart, **how: object) -> ElementTree.Element:
    return ElementTree.fromstring(chart_svg(one, **how))  # type: ignore[arg-type]


def text(root: ElementTree.Element) -> str:
    return " ".join(root.itertext())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("role", ROLES)
def test_every_role_is_drawn_in_every_shape_and_named_in_the_key(shape: str, role: str) -> None:
    axes = {"z": Axis("Rate", "MB/s")} if role == "cells" else {}
    root = drawn(chart(series(role), shape=shape, **axes))
    layers = [path for path in root.iter(f"{SVG}path") if not path.get("d", "").startswith("M ")]
    assert len(layers) > 3
    assert (f"Some {role}" in text(root)) == (role != "cells")


def test_a_drawing_has_title_description_axes_address_and_licence() -> None:
    credit = Credit("Sample 1 · measured", "https://atlas.example/runs/1/", "CC0-1.0")
    root = drawn(chart(series()), credit=credit)
    assert root.findtext(f"{SVG}title") == "Bandwidth"
    assert root.findtext(f"{SVG}desc") == "Sample data."
    assert root.get("role") == "img" and root.get("aria-labelledby") == "title desc"
    for words in ("Position (GB)", "Rate (MB/s)", *credit.__class__.__slots__):
        assert getattr(credit, words, words) in text(root)


def test_no_word_of_a_chart_becomes_markup_and_nothing_is_loaded() -> None:
    axis = Axis(EVIL, EVIL, categories=(EVIL, EVIL, EVIL, EVIL))
    marks = (Annotation(EVIL, x=1), Annotation(EVIL, y=1), Annotation(EVIL, x=1, y=2))
    evil = chart(series(label=EVIL), title=EVIL, summary=EVIL, x=axis, y=axis, marks=marks)
    svg = chart_svg(evil, credit=Credit(EVIL, EVIL, EVIL))
    root = ElementTree.fromstring(svg)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        *("svg", "title", "desc", "style", "rect", "text", "clipPath", "path", "g", "circle")
    }
    assert not re.search(r"href|url\((?!#)|@import|on\w+=", svg.replace("alert", ""))


def test_an_error_bar_reaches_from_its_low_to_its_high_end() -> None:
    with_bars = chart_svg(chart(series(low=(0.0, 1.0, 2.0), high=(2.0, 3.0, 4.0)), shape="comparison"))
    assert with_bars.count("m-4 0h8") == 6


def test_a_view_is_drawn_by_its_key_and_the_first_without_one() -> None:
    views = (View("a", "By size", ("points-1",)), View("b", "By place", ("line-1",), x=Axis("Place", "")))
    both = chart(series(), series("line"), views=views)
    assert "Some points" in text(drawn(both)) and "Some line" not in text(drawn(both))
    assert "Some line" in text(drawn(both, view="b")) and "Place" in text(drawn(both, view="b"))
    assert chart_svg(both, view="none") == chart_svg(both)


def test_a_second_axis_stands_on_the_right_with_its_own_ticks() -> None:
    warm = series("line", y=(30.0, 31.0, 32.0), axis="y2")
    root = drawn(chart(series(), warm, y2=Axis("Temperature", "°C"), shape="temperature"))
    assert "Temperature (°C)" in text(root)
    assert any(one.text == "31.0" or one.text == "31" for one in root.iter(f"{SVG}text"))


def test_a_chart_without_a_point_is_a_drawing_of_its_axes() -> None:
    assert "Rate (MB/s)" in text(drawn(chart()))


def test_marks_that_fall_together_keep_their_words_apart() -> None:
    marks = tuple(Annotation(f"Mark {index}", x=2.0) for index in range(4))
    root = drawn(chart(series(), marks=marks))
    places = [(one.get("x"), one.get("y")) for one in root.iter(f"{SVG}text") if "Mark" in (one.text or "")]
    assert len(places) == len(set(places)) == 4


def test_a_long_address_is_broken_and_never_shortened() -> None:
    address = "https://atlas.example/" + "0123456789" * 20
    root = drawn(chart(series()), credit=Credit("", address, ""), width_px=390)
    assert address in "".join(root.itertext())


def test_colours_are_the_style_sheets() -> None:
    css = TOKENS.read_text(encoding="utf-8")
    light, dark = css.split("prefers-color-scheme: dark", 1)
    names = {"ink": "ink", "muted": "ink-muted", "rule": "rule", "surface": "surface"}
    names |= {f"s{index}": f"series-{index}" for index in range(1, 9)}
    for palette, sheet in ((LIGHT, light), (DARK, dark)):
        for name, token in names.items():
            assert f"--{token}: {palette[name]};" in sheet
    for index, color in enumerate(RAMP):
        assert f"--ramp-{index + 1}: {color};" in light


def test_a_drawing_becomes_a_png_twice_its_size() -> None:
    png = png_of(chart_svg(chart(series())))
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20]) == 1440
