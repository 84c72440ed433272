"""The list of drive models."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from server.compare.selectors import SORTS, drives_list
from server.web.page import page

PER_PAGE = 50
QUERY_MAX = 200


@require_safe
def drive_list(request: HttpRequest) -> HttpResponse:
    """Show the models; search, sort and page stand in the address."""
    query = request.GET.get("q", "").strip()[:QUERY_MAX]
    wanted = request.GET.get("sort", "name")
    sort = wanted.removeprefix("-")
    if sort not in SORTS:
        wanted = sort = "name"
    models = drives_list(query=query, sort=sort, descending=wanted.startswith("-"))
    paginator = Paginator(models, PER_PAGE)
    context = {
        "query": query,
        "sort": sort,
        "descending": wanted.startswith("-"),
        "pages": paginator.get_page(request.GET.get("page")),
        "total": paginator.count,
    }
    return page(request, "web/drives.html", context, section="drives")
