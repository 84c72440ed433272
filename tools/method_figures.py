"""`make method-figures`: the pictures of the methods' pages, drawn from the kinds' golden runs.

A text names each of its pictures with what is drawn: `![words](figures/NAME.svg "RECIPE")`, where the recipe
is `chart=ID marks=1,2` and, where less than all is drawn, `series=A,B` or `view=KEY`. `marks` are places in
the chart's list, from 1; `all` or `none`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from server.benchmarks.contract import Chart, Kind
from server.benchmarks.registry import KINDS
from server.drawing.chart_svg import Credit, chart_svg
from tests.contract.golden import facts_of, golden_of

_FIGURE = re.compile(r'!\[[^\]]*\]\((figures/[a-z0-9-]+\.svg)\s+"([^"]*)"\)')


def recipes(kind: Kind) -> dict[str, dict[str, str]]:
    """Return the pictures that a kind's text names, by their path, with what is drawn."""
    text = (kind.folder / "about.md").read_text(encoding="utf-8")
    return {path: dict(word.split("=", 1) for word in words.split()) for path, words in _FIGURE.findall(text)}


def drawings(kind: Kind) -> Iterator[tuple[Path, str]]:
    """Yield the path of each picture of a kind and its drawing."""
    wanted = recipes(kind)
    if not wanted:
        return
    golden = golden_of(kind.slug)
    document = golden.document()
    part, facts = document["benchmarks"][0], facts_of(document)
    charts = {chart.id: chart for chart in kind.charts(part, facts, kind.extract(part, facts))}
    device = document["device"]
    title = f"{device['vendor'] or ''} {device['model']}".strip()
    credit = Credit(f"{title}, a simulated drive · a short run of {kind.slug} · DiskAtlas", "", "CC0-1.0")
    for path, recipe in wanted.items():
        chart = _part(charts[recipe["chart"]], recipe)
        yield kind.folder / path, chart_svg(chart, view=recipe.get("view", ""), credit=credit)


def _part(chart: Chart, recipe: dict[str, str]) -> Chart:
    if "series" in recipe:
        keys = recipe["series"].split(",")
        chart = replace(chart, series=tuple(one for one in chart.series if one.key in keys), views=())
    marks = recipe["marks"]
    if marks == "all":
        return chart
    places = [] if marks == "none" else [int(place) for place in marks.split(",")]
    return replace(chart, marks=tuple(chart.marks[place - 1] for place in places))


def write_figures() -> list[Path]:
    """Draw all pictures and return those that changed."""
    changed = []
    for kind in KINDS:
        for path, drawing in drawings(kind):
            if not path.exists() or path.read_text(encoding="utf-8") != drawing:
                path.parent.mkdir(exist_ok=True)
                path.write_text(drawing, encoding="utf-8")
                changed.append(path)
    return changed


if __name__ == "__main__":
    print("\n".join(map(str, write_figures())) or "The pictures are what the texts say.", file=sys.stderr)
