"""The accuracy report stays narrow, and loses no reason."""

from __future__ import annotations

from server.benchmarks.contract import Measurement, Quality
from tools.accuracy.cases import Row
from tools.accuracy.table import render
from tools.repository_rules import check_width


def row(scope: str, reason: str) -> Row:
    found = Measurement("skippy.mtm", scope, 2.3, 2.2, 2.4, 40, Quality.FAIR, reason)
    return Row("DEC_RZ26", "SKIPPY, clean writes", "skippy.mtm", scope, 2.3, found, 0.1, "ok")


def test_a_reason_stands_once_below_its_table_however_many_rows_have_it() -> None:
    edge = "The accesses next to the edge cross a track boundary, so the bracket is wide." + " Words." * 10
    page = render([row("outer/write", edge), row("inner/write", edge), row("middle/write", "Noise.")], [], [])
    assert page.count("fair (1)") == 2
    assert page.count("fair (2)") == 1
    assert " ".join(page.split()).count(f"1. {edge}") == 1
    assert "2. Noise." in page
    assert all(len(line) <= 110 for line in page.splitlines())
    assert not list(check_width("docs/reference/accuracy.md", page))
