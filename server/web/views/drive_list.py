"""The list of drive models: searched, narrowed and sorted by its address, as a page, a part of one, or a
file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import (
    HttpRequest,
    HttpResponseBase,
    HttpResponseRedirect,
)
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from server.benchmarks.registry import metrics_by_key
from server.core.cache import LISTS, model_tag
from server.core.lifecycle import Provenance
from server.core.numbers import Shown, unit_text
from server.measurements.typical import spread_shown
from server.search.columns import COLUMNS, Column
from server.search.drive_list import (
    MATCH,
    PARAMETERS,
    PER_PAGE,
    DriveList,
    DriveQuery,
    FacetGroup,
    drive_query_of,
    headline_of,
    label_of,
)
from server.search.facets import FACET_OF_KEY
from server.search.model_index import EVIDENCE, NUMBERS
from server.search.models import DriveSummary
from server.search.text_search import models_nearest, runs_find
from server.web.columns import places_by_column
from server.web.page import csv_response, page
from server.web.page_cache import cache_page, shows
from server.web.rows import metric_url

PART_HEADER = "X-Part"
"""With it a request asks for what a change of the choices changes on the page, and nothing else."""
NUMBER_WORDS = {
    "probe": "measured runs",
    "literature": "published documents",
    "imported": "imported runs",
    "simulated": "simulated runs",
}
FACTS = (
    ("name", "Model", False),
    ("year", "Year", True),
    ("capacity", "Capacity", True),
    ("rpm", "Rated rpm", True),
    ("runs", "Runs", True),
    ("units", "Units", True),
)
"""Columns that every list has: key, title, and whether numbers stand in it."""


@dataclass(frozen=True, slots=True)
class Head:
    """A column's head."""

    title: str
    number: bool
    url: str
    """The address that sorts by it."""
    sorted: str
    """`ascending`, `descending` or nothing."""
    unit: str = ""
    method: str = ""
    """Where the metric is defined."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A choice that narrows the list, with the address without it."""

    title: str
    label: str
    url: str


class NumberCell(NamedTuple):
    """A number of the list."""

    number: Shown | None
    behind: str
    """What stands behind it."""
    label: str = ""
    """Where it comes from, where that is not what the list was asked for."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the table."""

    row: DriveSummary
    slug: str
    title: str
    url: str
    numbers: tuple[NumberCell, ...]
    """The chosen columns' numbers."""

    @property
    def pictured(self) -> bool:
        """Whether runs may tell what its platter looks like."""
        return any(one in self.row.provenances for one in Provenance.values)


@require_safe
@cache_page(PART_HEADER, known=["page", "format", *PARAMETERS])
def drive_list(request: HttpRequest) -> HttpResponseBase:
    """Show the models; everything that shapes the list stands in the address."""
    query = drive_query_of(request.GET)
    found = DriveList(query)
    if request.GET.get("format") == "csv":
        return csv_response("drives.csv", _csv_rows(found))
    runs = runs_find(query.text) if query.text else []
    if len(runs) == 1:
        return HttpResponseRedirect(reverse("run-detail", args=[runs[0].run_id]))
    number = _page_number(request, found.total)
    partial = PART_HEADER in request.headers
    context = _context(found, number) | {"runs_found": runs, "partial": partial}
    if not runs:  # A run that is found may be on its way to publication.
        shows(LISTS, *(model_tag(line.row.pk) for line in context["lines"]))
    if partial:
        response = page(request, "web/parts/drive_results.html", context)
        response.headers["X-Address"] = list_url(query)
    else:
        response = page(request, "web/drives.html", context, section="drives")
    patch_vary_headers(response, [PART_HEADER])
    return response


def _context(found: DriveList, number: int) -> dict[str, Any]:
    query = found.query
    groups = found.facets()
    pages = max(1, -(-found.total // PER_PAGE))
    lines = [_line(row, found.columns, query.numbers) for row in found.page(number)]
    return {
        "query": query,
        "total": found.total,
        "near": found.fuzzy_matches,
        "nearest": models_nearest(query.text) if query.text and not found.total and not query.facets else (),
        "groups": groups,
        "chips": _chips(query, groups),
        "heads": _heads(query, found.columns),
        "lines": lines,
        "room": places_by_column([cell.number for cell in line.numbers] for line in lines),
        "columns": [(column, column.key in query.columns) for column in COLUMNS]
        + [(column, True) for column in found.columns if not column.summed],
        "columns_url": list_url(query, path="drive-columns"),
        "sources": [(key, NUMBER_WORDS[key], key == query.numbers) for key in NUMBERS],
        "numbers_from": NUMBER_WORDS[query.numbers],
        "sort": f"-{query.sort}" if query.descending else query.sort,
        "default_sort": not query.descending and query.sort == query.usual_sort,
        "number": number,
        "last_page": pages,
        "previous_url": list_url(query, page=number - 1) if number > 1 else "",
        "next_url": list_url(query, page=number + 1) if number < pages else "",
        "csv_url": list_url(query, format="csv"),
        "unnarrowed_url": list_url(DriveQuery(text=query.text)),
    }


def list_url(query: DriveQuery, *, path: str = "drive-list", **more: object) -> str:
    """Return the shortest address of a list."""
    pairs = query.parameters() + [(name, str(value)) for name, value in more.items() if value != 1]
    encoded = urlencode(pairs, safe="~|.")
    return reverse(path) + (f"?{encoded}" if encoded else "")


def _page_number(request: HttpRequest, total: int) -> int:
    text = request.GET.get("page", "1")
    wanted = int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 1
    return min(max(wanted, 1), max(1, -(-total // PER_PAGE)))


def _chips(query: DriveQuery, groups: tuple[FacetGroup, ...]) -> list[Chip]:
    chips = []
    if query.text:
        # The best match is no order without a text.
        sort = EVIDENCE if query.sort == MATCH else query.sort
        chips.append(Chip("Search", f"“{query.text}”", list_url(replace(query, text="", sort=sort))))
    for key, values in query.facets.items():
        for value in values:
            rest = tuple(other for other in values if other != value)
            facets = {name: kept for name, kept in (query.facets | {key: rest}).items() if kept}
            url = list_url(replace(query, facets=facets))
            chips.append(Chip(FACET_OF_KEY[key].title, label_of(key, value, groups), url))
    return chips


def _heads(query: DriveQuery, columns: tuple[Column, ...]) -> list[Head]:
    metrics = metrics_by_key()
    heads = [_head(query, key, title, number) for key, title, number in FACTS]
    for column in columns:
        metric = metrics.get(column.metric)
        unit = unit_text(metric.unit) if metric else ""
        method = metric_url(column.metric) if metric else ""
        heads.append(_head(query, column.key, column.label, True, unit, method))
    return heads


def _head(query: DriveQuery, key: str, title: str, number: bool, unit: str = "", method: str = "") -> Head:
    here = query.sort == key
    falls = not query.descending if here else number
    direction = ("descending" if query.descending else "ascending") if here else ""
    return Head(title, number, list_url(replace(query, sort=key, descending=falls)), direction, unit, method)


def _line(row: DriveSummary, columns: tuple[Column, ...], numbers: str) -> Line:
    slug = row.drive_model.slug
    return Line(
        row,
        slug,
        row.drive_model.title,
        f"/drives/{slug}/",
        tuple(_number(row, column, numbers) for column in columns),
    )


STAND_INS = {"literature": "published", "imported": "imported", "simulated": "simulated"}
"""What stands in where nobody measured, the best first, with its label."""


def _number(row: DriveSummary, column: Column, numbers: str) -> NumberCell:
    """Return a number with the digits that its interval carries, and what stands behind it in words; where a
    list of measured numbers has none, the best there is, labelled."""
    found = headline_of(row, column, numbers)
    if found is not None:
        return NumberCell(*spread_shown(found, "1"))
    for source, label in STAND_INS.items() if numbers == NUMBERS[0] else ():
        if (found := headline_of(row, column, source)) is not None:
            shown, behind = spread_shown(found, "1")
            return NumberCell(shown, f"{label}: {behind}", label)
    return NumberCell(None, "")


def _csv_rows(found: DriveList) -> Iterator[Sequence[object]]:
    metrics = metrics_by_key()
    facts = ["vendor", "number", "name", "family", "year", "capacity_bytes", "rated_rpm", "interface"]
    facts += ["form_factor", "recording", "measured_runs", "units", "simulated_runs", "claims", "page"]
    names = []
    for column in found.columns:
        metric = metrics.get(column.metric)
        name = f"{column.metric}[{column.scope}]" if column.scope else column.metric
        names += [f"{name} {metric.unit if metric else ''} median ({found.query.numbers})", f"{name} n"]
    yield facts + names
    for row in found.every():
        numbers: list[object] = []
        for column in found.columns:
            known = headline_of(row, column, found.query.numbers)
            numbers += [known[0], known[3]] if known else ["", ""]
        yield _facts(row) + numbers


def _facts(row: DriveSummary) -> list[object]:
    model = row.drive_model
    return [
        *(model.vendor.name, model.number, model.name, row.family, row.year, row.capacity_bytes, row.rpm),
        *(row.interface, row.form_factor, row.recording, row.measured_runs, row.units, row.simulated_runs),
        *(row.claims, reverse("drive-detail", args=[model.slug])),
    ]
