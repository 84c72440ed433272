"""Parts of pages that Jinja2 renders (server/web/hot.py)."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from django.template import engines
from jinja2 import UndefinedError

from server.core.numbers import Shown
from server.web import cells
from server.web.hot import hot

NASTY = '<script>alert("x")</script>'


def test_what_a_device_says_is_escaped_in_a_hot_part() -> None:
    row = SimpleNamespace(series=NASTY, cells=(NASTY,))
    html = hot("web/point_rows.html", {"rows": [row]})
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 2


def test_a_number_and_its_unit_are_escaped_wherever_they_are_shown() -> None:
    html = cells.shown(Shown(NASTY, unit=NASTY, exact=NASTY))
    assert "<script" not in html
    assert 'title="&lt;script&gt;alert(&#34;x&#34;)' in html


def test_a_name_that_was_not_handed_over_is_an_error_and_no_empty_cell() -> None:
    with pytest.raises(UndefinedError):
        hot("web/point_rows.html", {})
    with pytest.raises(UndefinedError):
        hot("web/point_rows.html", {"rows": [SimpleNamespace(series="a")]})


def test_the_tag_hands_a_hot_part_all_that_the_page_knows_and_what_it_is_given() -> None:
    template = engines["django"].from_string(
        '{% load pages %}{% hot "web/spread_rows.html" rows=numbers %}{{ mark }}'
    )
    name = SimpleNamespace(url="/methods/zoned/", title="Mean bandwidth", definition="", scope="")
    row = SimpleNamespace(
        name=name, mean=None, interval="", deviation="", variation="", share="", units=2, runs=3
    )
    html = template.render({"numbers": [row], "mark": "<"})
    assert '<a href="/methods/zoned/" title="">Mean bandwidth</a>' in html
    assert "whole drive" in html
    assert html.endswith("&lt;")


def test_what_stands_between_backticks_is_code_and_everything_is_escaped() -> None:
    assert cells.coded("Say `--writes <mode>` & go.") == "Say <code>--writes &lt;mode&gt;</code> &amp; go."
    assert cells.coded("One ` alone <b>") == "One ` alone &lt;b&gt;"


def test_days_and_instants_are_in_utc_with_the_second_in_their_title() -> None:
    moment = datetime(2026, 3, 1, 23, 5, 7, tzinfo=UTC)
    title = 'datetime="2026-03-01T23:05:07Z" title="2026-03-01 23:05:07 UTC"'
    assert cells.date(moment) == f"<time {title}>2026-03-01</time>"
    assert cells.instant(moment) == f"<time {title}>2026-03-01 23:05</time>"
    assert cells.date(None) == ""
