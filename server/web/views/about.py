"""Pages about the archive itself: what it is, and how its data can be had."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from server.benchmarks.registry import kinds_by_slug
from server.catalog.selectors import citations_list
from server.datasets.metadata import schema_org
from server.datasets.models import Release
from server.datasets.selectors import releases_list
from server.web.page import page


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
    }
    return page(request, "web/datasets.html", context, section="datasets")


def _linked_data(request: HttpRequest, release: Release) -> dict[str, Any]:
    files = reverse("api:release-file", args=[release.number, "x"]).removesuffix("x")
    return schema_org(
        release,
        page_url=request.build_absolute_uri(request.path),
        files_url=request.build_absolute_uri(files),
    )
