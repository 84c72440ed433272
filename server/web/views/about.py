"""Pages about the archive itself: what it is, and how its data can be had."""

from __future__ import annotations

from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from server.benchmarks.registry import kinds_by_slug
from server.catalog.selectors import citations_list
from server.core import clock
from server.core.lifecycle import Provenance
from server.datasets.metadata import (
    ALL_TABLES,
    about_of,
    missing_count,
    release_bibtex,
    schema_org,
    table_bibtex,
)
from server.datasets.models import Release
from server.datasets.selectors import release_files, releases_list
from server.web.model_files import DETAIL_TABLES
from server.web.page import page

ROTATIONS = {str(rpm): f"{rpm:,} rpm drives" for rpm in (4200, 5400, 5700, 5900, 7200, 10_000, 15_000)}
"""Rated rotation to words: what tables of many drives are narrowed by."""


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """Show what the archive is, how a number comes to stand in it, and which documents it grew from."""
    context = {"kinds": list(kinds_by_slug().values()), "citations": citations_list()}
    return page(request, "web/about.html", context, section="about")


@require_safe
def datasets(request: HttpRequest) -> HttpResponse:
    """Show how the archive's data can be had, and under which terms."""
    releases = list(releases_list()[:24])
    context = {
        "server_url": request.build_absolute_uri("/").rstrip("/"),
        "kinds": list(kinds_by_slug().values()),
        "releases": releases,
        "linked_data": _linked_data(request, releases[0]) if releases else None,
        "why_empty": about_of(releases[0]) if releases and not releases[0].rows["runs"] else "",
        "tables": [(link.url.rpartition("/")[2], link.title) for link in DETAIL_TABLES],
        "rotations": ROTATIONS,
        "asked": _table_asked(request),
    }
    return page(request, "web/datasets.html", context, section="datasets")


def _table_asked(request: HttpRequest) -> dict[str, str] | None:
    """Return a table of many drives that the address asks for, with its files' address and how to cite it;
    None where it asks for none."""
    table = next((one for one in DETAIL_TABLES if one.url.endswith(f"/{request.GET.get('table')}")), None)
    if table is None:
        return None
    rpm = request.GET.get("rpm", "")
    query = {"provenance": Provenance.PROBE.value, **({"rpm": rpm} if rpm in ROTATIONS else {})}
    if request.GET.get("simulated") == "1":
        del query["provenance"]
    encoded = f"?{urlencode(query)}" if query else ""
    words = f"{table.title} of {ROTATIONS[rpm]}" if rpm in ROTATIONS else f"{table.title} of all models"
    today = clock.now().date()
    return {
        "table": table.url.rpartition("/")[2],
        "rpm": rpm,
        "simulated": "1" if "provenance" not in query else "",
        "words": words,
        "csv": f"{table.url}.csv{encoded}",
        "ndjson": f"{table.url}.ndjson{encoded}",
        "json": f"{table.url}/{encoded}",
        "citation": table_bibtex(words, f"{settings.SITE_URL}{table.url}.csv{encoded}", today),
    }


@require_safe
def release_detail(request: HttpRequest, number: int) -> HttpResponse:
    """Show a release: what it holds, how it differs from the one before, its files and how to cite it."""
    release = releases_list().filter(number=number).first()
    if release is None:
        raise Http404
    files = list(release_files(release=release))
    context = {
        "release": release,
        "about": about_of(release),
        "missing": missing_count(release) if release.missing else 0,
        "rows": _tables(release),
        "parts": [
            (name, list(members))
            for name, members in groupby(files, key=lambda file: file.path.split("/")[0])
        ],
        "texts": [file.path for file in files if not file.table],
        "citation": release_bibtex(release, request.build_absolute_uri(request.path)),
        "linked_data": _linked_data(request, release),
    }
    return page(request, "web/release.html", context, section="datasets")


def _tables(release: Release) -> list[tuple[str, str, int]]:
    """Return title, words and rows of each table that a release has, in their order; the database keeps its
    rows in another one."""
    known = {table.name: (table.title, table.about) for table in ALL_TABLES}
    known["samples"] = ("Samples", "Raw samples. One row for each series of a benchmark in a run.")
    names = [name for name in known if name in release.rows]
    names += sorted(release.rows.keys() - known.keys())
    return [(*known.get(name, (name, "")), release.rows[name]) for name in names]


def _linked_data(request: HttpRequest, release: Release) -> dict[str, Any]:
    files = reverse("api:release-file", args=[release.number, "x"]).removesuffix("x")
    return schema_org(
        release,
        page_url=request.build_absolute_uri(request.path),
        files_url=request.build_absolute_uri(files),
    )
