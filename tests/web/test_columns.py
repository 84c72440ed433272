"""Numbers of a column that stand point below point (server/web/columns.py)."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from django.template import engines

from server.core.numbers import MINUS, Shown
from server.web import cells, columns
from server.web.rows import Name

RATE = Name("Mean bandwidth", "/methods/zoned/#mean_bandwidth", "")
TIME = Name("Rotation time", "/methods/skippy/#rotation_time", "")


def tables() -> Any:
    """Return the macros of tables."""
    return engines["jinja2"].env.get_template("web/parts/tables.html").module


def drawn(html: str) -> str:
    """Return what is drawn of a cell, its room as dots where nothing is seen."""
    with_room = re.sub(r'<i data-pad="([.0]*)"></i>', lambda found: "·" * len(found[1]), html)
    return re.sub(r"<[^>]+>", "", with_room)


@pytest.mark.parametrize(
    ("text", "places", "html"),
    [
        ("98.35", 2, "98.35"),
        ("247.1", 2, "247.1·"),
        ("1204", 2, "1204···"),
        ("92 to 104", 1, "92 to 104··"),
        ("98.1 to 98.5 %", 2, "98.1 to 98.5 %·"),
        (f"{MINUS}12 %", 1, f"{MINUS}12 %··"),
        ("", 3, ""),
        ("none", 3, "none"),
    ],
)
def test_a_number_has_the_room_of_the_digits_that_its_column_has_more(
    text: str, places: int, html: str
) -> None:
    assert drawn(columns.lined(text, places)) == html


def test_room_stands_between_a_number_and_its_unit() -> None:
    assert drawn(cells.shown(Shown("247.1", unit="MB/s"), 3)) == "247.1··\N{NO-BREAK SPACE}MB/s"


def test_both_numbers_of_a_mean_with_its_deviation_have_room() -> None:
    assert drawn(columns.lined_mean("98.4 ± 0.42", (2, 2))) == "98.4· ± 0.42"
    assert drawn(columns.lined_mean("98.35 ± 1.2", (2, 2))) == "98.35 ± 1.2·"


def test_what_stands_in_a_text_with_room_is_escaped() -> None:
    assert "<script" not in columns.lined("<script>1.5", 2)
    assert "<script" not in columns.lined("<script>", 2)


def test_numbers_of_one_metric_alone_share_their_points() -> None:
    rows = [
        SimpleNamespace(name=name, shown=Shown(value), interval="", level="", count=1, quality="", reason="")
        for name, value in ((RATE, "98.35"), (RATE, "112"), (TIME, "8"))
    ]
    html = tables().measurements(rows, "ZONED")
    values = re.findall(r'data-label="Value">(.*?)</td>', html)
    assert [drawn(value) for value in values] == ["98.35", "112···", "8"]


def test_each_group_of_a_comparison_has_room_of_its_own() -> None:
    def row(*values: str) -> SimpleNamespace:
        return SimpleNamespace(name=RATE, cells=[SimpleNamespace(shown=Shown(value)) for value in values])

    found = columns.places_by_metric_in([row("98.35", "112"), row("7", "8.5")], "cells", "shown")
    assert found == {RATE.url: [2, 1]}


def test_each_column_of_points_has_room_of_its_own() -> None:
    rows = [SimpleNamespace(series="a", cells=("1.25", "7")), SimpleNamespace(series="a", cells=("2", "8.5"))]
    found = re.findall(r'<td class="num">(.*?)</td>', tables().point_rows(rows))
    assert [drawn(cell) for cell in found] == ["1.25", "7··", "2···", "8.5"]


def test_columns_of_a_list_are_lined_up_one_by_one() -> None:
    room = columns.places_by_column([[Shown("1.25"), None], [Shown("30"), Shown("4.5")]])
    assert room == [2, 1]
