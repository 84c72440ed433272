"""Rendering a page, and a table as a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from server.core.csv_text import CSVWriter, Echo
from server.core.lifecycle import Standing


def page(
    request: HttpRequest, template: str, context: dict[str, Any], *, section: str = "", status: int = 200
) -> HttpResponse:
    """Render `template`; caches keep one copy per cookie, since the theme's cookie shapes the page."""
    response = render(request, template, {**context, "section": section}, status=status)
    patch_vary_headers(response, ["Cookie"])
    return response


def standing_asked(request: HttpRequest) -> str:
    """Return the standing of which a list of runs is asked for; empty for all."""
    asked = request.GET.get("standing", "")
    return asked if asked in Standing.values else ""


def csv_response(name: str, rows: Iterable[Sequence[object]]) -> StreamingHttpResponse:
    """Answer with rows as a CSV file, as they come; the columns' names are the first."""
    writer = CSVWriter(Echo())
    lines = (writer.writerow(row) for row in rows)
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
