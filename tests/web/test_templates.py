"""What holds of all templates (server/web/templating.py)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.template import engines
from django.template.loader import render_to_string
from jinja2 import UndefinedError

from server.core.numbers import Shown
from server.web import cells

NASTY = '<script>alert("x")</script>'


def test_what_a_device_says_is_escaped() -> None:
    row = SimpleNamespace(series=NASTY, cells=(NASTY,))
    html = str(engines["jinja2"].env.get_template("web/parts/tables.html").module.point_rows([row]))
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 2


def test_a_number_and_its_unit_are_escaped_wherever_they_are_shown() -> None:
    html = cells.shown(Shown(NASTY, unit=NASTY, exact=NASTY))
    assert "<script" not in html
    assert 'title="&lt;script&gt;alert(&#34;x&#34;)' in html


def test_a_name_that_was_not_handed_over_is_an_error_and_no_empty_cell() -> None:
    with pytest.raises(UndefinedError):
        render_to_string("web/method_text.html", {"title": "Statistics"})
    assert "Statistics" in render_to_string("web/method_text.html", {"title": "Statistics", "text": ""})


@pytest.mark.parametrize("folder", ["server/web/jinja2", "server/subscriptions/jinja2"])
def test_every_template_can_be_compiled(folder: str) -> None:
    root = Path(settings.BASE_DIR) / folder
    names = [str(path.relative_to(root)) for path in root.rglob("*.*")]
    assert names
    for name in names:
        engines["jinja2"].get_template(name)


def test_what_stands_between_backticks_is_code_and_everything_is_escaped() -> None:
    assert cells.coded("Say `--writes <mode>` & go.") == "Say <code>--writes &lt;mode&gt;</code> &amp; go."
    assert cells.coded("One ` alone <b>") == "One ` alone &lt;b&gt;"


def test_days_and_instants_are_in_utc_with_the_second_in_their_title() -> None:
    moment = datetime(2026, 3, 1, 23, 5, 7, tzinfo=UTC)
    title = 'datetime="2026-03-01T23:05:07Z" title="2026-03-01 23:05:07 UTC"'
    assert cells.date(moment) == f"<time {title}>2026-03-01</time>"
    assert cells.instant(moment) == f"<time {title}>2026-03-01 23:05</time>"
    assert cells.date(None) == ""
