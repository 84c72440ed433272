"""The explorer: a number of every model against another. All that is chosen stands in the address."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from server.benchmarks.chart_rows import axis_title
from server.benchmarks.contract import Axis, Chart, Series
from server.core.cache import LISTS
from server.core.lifecycle import Provenance
from server.core.numbers import Shown, show, show_bytes
from server.core.text import counted
from server.drawing.chart_svg import WIDTH_PX, chart_svg
from server.drawing.png import png_of
from server.search.columns import COLUMNS, LITERATURE
from server.search.explorer import (
    CAPACITY,
    GROUPS,
    SOURCES,
    Exploration,
    Point,
    axis_of,
    column_choices,
    explored,
    written,
)
from server.web.assets import drawing_fonts
from server.web.figures import Figure, figure_with
from server.web.page import csv_response, page
from server.web.page_cache import cache_page, shows
from server.web.views.figure_files import NARROW, NARROW_PX, PICTURE, conditional, file_response

MOST_GROUPS = 7
"""More would not be told apart by their colours; the smaller ones are drawn as one."""
MOST_POINTS = 2000
ROWS_SHOWN = 200
ROTATIONS = (4200.0, 5400.0, 5900.0, 7200.0, 10000.0, 15000.0)
"""What drives are rated at, as far as a choice needs it; the address takes every other too."""
SOURCE_WORDS = {
    Provenance.PROBE.value: "measured",
    LITERATURE: "published values",
    Provenance.IMPORTED.value: "imported from other tools",
    Provenance.SIMULATED.value: "simulated drives",
}
_SLUG = re.compile(r"[-\w]{1,100}", re.ASCII)


def _rpm(text: str) -> float | None:
    """Return a rotation that a drive may have, in turns per minute; None where that is none."""
    try:
        rpm = float(text)
    except ValueError:
        return None
    return rpm if 0 < rpm < 1e6 else None


PARAMETERS: dict[str, Callable[[str], bool]] = {
    "x": lambda text: axis_of(text) is not None,
    "y": lambda text: axis_of(text) is not None,
    "numbers": SOURCES.__contains__,
    "by": GROUPS.__contains__,
    "vendor": lambda text: _SLUG.fullmatch(text) is not None,
    # In one spelling, or each other one of the same number would be a page of its own.
    "rpm": lambda text: (rpm := _rpm(text)) is not None and f"{rpm:g}" == text,
}
"""What the address may say, and which of it means something."""
GROUP_WORDS = {"vendor": "Vendor", "rotation": "Rotation", "form": "Form factor"}


@require_safe
@cache_page(known=PARAMETERS)
def explore(request: HttpRequest) -> HttpResponse:
    """Show the points as a picture and as a table. A page without a point is not kept: scopes that no number
    has may be called anything."""
    asked, axes = _asked(request)
    source, points = explored(asked)
    if points:
        shows(LISTS)
    query = _query(request)
    figure = _figure(asked, axes, source, points, query)
    highest = sorted(points, key=lambda one: -one.y)[:ROWS_SHOWN]
    rows = list(zip(highest, *_written(highest, asked, axes, source), strict=True))
    context: dict[str, Any] = {
        "asked": asdict(asked),
        "choices": column_choices(asked.x, asked.y),
        "groups": GROUP_WORDS,
        "sources": SOURCE_WORDS,
        "source": source,
        "titles": [axis_title(axis) for axis in axes],
        "labels": [axis.label for axis in axes],
        "rotations": [("", "any"), *((f"{rpm:g}", f"{rpm:g} rpm") for rpm in _rotations(asked.rpm))],
        "rows": rows,
        "total": len(points),
        "figure": figure,
        "query": query,
    }
    return page(request, "web/explore.html", context, section="explore")


@require_safe
@conditional
@cache_page(known={**PARAMETERS, "size": PICTURE["size"]})
def explore_drawing(request: HttpRequest, form: str) -> HttpResponse:
    """Answer with the picture as SVG or PNG, which is not kept either where it has no point."""
    asked, axes = _asked(request)
    source, points = explored(asked)
    if points:
        shows(LISTS)
    figure = _figure(asked, axes, source, points, _query(request))
    width_px = NARROW_PX if request.GET.get("size") == NARROW else WIDTH_PX
    svg = chart_svg(figure.chart, credit=figure.credit, width_px=width_px)
    if form == "png":
        return file_response(png_of(svg, drawing_fonts()), "image/png", "diskatlas-explore", form)
    return file_response(svg.encode(), "image/svg+xml; charset=utf-8", "diskatlas-explore", form)


@require_safe
def explore_csv(request: HttpRequest) -> HttpResponseBase:
    """Answer with all points as a file."""
    asked, axes = _asked(request)
    source, points = explored(asked)
    head = ("drive", "vendor", "number", "group", *(axis_title(axis) for axis in axes), "numbers")
    rows = ((one.slug, one.vendor, one.number, one.group, one.x, one.y, source) for one in points)
    return csv_response("diskatlas-explore.csv", (head, *rows))


def _written(
    points: list[Point], asked: Exploration, axes: tuple[Axis, Axis], source: str
) -> list[list[Shown | None]]:
    """Return the points' numbers on both axes as they are written."""
    columns = []
    for place, (key, axis) in enumerate(zip((asked.x, asked.y), axes, strict=True)):
        known = written(points, key, source)
        values = [(one.x, one.y)[place] for one in points]
        facts = [
            show_bytes(round(value * 1e9)) if key == CAPACITY else show(value, axis.unit or "1")
            for value in values
        ]
        columns.append([known.get(one.pk, fact) for one, fact in zip(points, facts, strict=True)])
    return columns


def _asked(request: HttpRequest) -> tuple[Exploration, tuple[Axis, Axis]]:
    """Return what the address asks for; what no axis knows is as if it was not said."""
    asked_for = {name: request.GET.get(name, "") for name in PARAMETERS}
    given = {name: text if PARAMETERS[name](text) else "" for name, text in asked_for.items()}
    first = next((column.key for column in COLUMNS if column.shown), COLUMNS[0].key)
    x, y = given["x"] or CAPACITY, given["y"] or first
    asked = Exploration(
        x=x,
        y=y,
        source=given["numbers"],
        group=given["by"] or GROUPS[0],
        vendor=given["vendor"],
        rpm=_rpm(given["rpm"]),
    )
    axes = tuple(axis for key in (x, y) if (axis := axis_of(key)))
    return asked, (axes[0], axes[1])


def _rotations(asked: float | None) -> list[float]:
    return sorted({*ROTATIONS, asked} if asked else ROTATIONS)


def _query(request: HttpRequest) -> str:
    """Return what of the address says what is shown."""
    given = request.GET.copy()
    for name in given.keys() - set(PARAMETERS):
        del given[name]
    return f"?{given.urlencode()}" if given else ""


def _figure(
    asked: Exploration, axes: tuple[Axis, Axis], source: str, points: list[Point], query: str
) -> Figure:
    x, y = axes
    every = -(-len(points) // MOST_POINTS) or 1
    drawn = points[::every]
    most = [name for name, _count in Counter(one.group for one in drawn).most_common(MOST_GROUPS)]
    groups: dict[str, list[Point]] = {name: [] for name in sorted(most)}
    for one in drawn:
        groups.setdefault(one.group if one.group in most else "Others", []).append(one)
    series = tuple(
        Series(
            f"part-{index + 1}", name, "points", tuple(one.x for one in mine), tuple(one.y for one in mine)
        )
        for index, (name, mine) in enumerate(groups.items())
    )
    summary = (
        f"{counted(len(points), 'drive model')}, {SOURCE_WORDS[source]}, one point each: "
        f"the median of its {'values' if source == LITERATURE else 'units'}."
        f"{f' One in {every} is drawn.' if every > 1 else ''}"
    )
    chart = Chart("explore", "comparison", f"{y.label} against {x.label.lower()}", summary, x, y, series)
    where = f"{settings.SITE_URL}/explore/{query}"
    return figure_with(chart, name="explore", source=f"{SOURCE_WORDS[source]} · DiskAtlas · {where}")
