"""A model's batches and firmware revisions: all beside each other, and the page of one."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from server.catalog.models import DriveModel
from server.comparison.charts import division_charts
from server.core.cache import model_tag
from server.measurements.group_keys import Form, GroupsError
from server.measurements.groups import Group, group_get
from server.measurements.selectors import drive_model_public, runs_published
from server.model_stats.breakdown import (
    CONDITIONS,
    Breakdown,
    BreakdownNumber,
    division_statistics,
    model_breakdown,
)
from server.web.breakdown import divided_view, number_name
from server.web.figures import Figure, figure_with
from server.web.page import page
from server.web.page_cache import cache_page, shows
from server.web.units import units_section

RUNS_PER_PAGE = 25


@require_safe
@cache_page()
def division_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how a model's drives are distributed over batches and firmware revisions."""
    model = drive_model_public(slug=slug)
    if model is None:
        raise Http404
    shows(model_tag(model.pk))
    found = [model_breakdown(drive_model=model, condition=condition) for condition in CONDITIONS]
    sections = [
        {"divided": divided_view(model, one), "figures": _figures(model, one)}
        for one in found
        if one is not None
    ]
    return page(request, "web/breakdowns.html", {"model": model, "sections": sections}, section="drives")


def _figures(model: DriveModel, divided: Breakdown | None) -> list[Figure]:
    """Return the distributions of those numbers that differ most surely."""
    if divided is None or len(divided.divisions) < 2:
        return []
    source = f"{model.title} · measured · DiskAtlas"
    return [figure_with(chart, name=f"by-{chart.id}", source=source) for chart in division_charts(divided)]


@require_safe
@cache_page(known=["page"])
def batch_detail(request: HttpRequest, slug: str, part: str) -> HttpResponse:
    """Show one batch."""
    return _detail(request, slug, "batch", f"{slug}~batch:{part}")


@require_safe
@cache_page(known=["page"])
def firmware_detail(request: HttpRequest, slug: str, part: str) -> HttpResponse:
    """Show one firmware revision."""
    return _detail(request, slug, "firmware", f"{slug}~fw:{part}")


def _detail(request: HttpRequest, slug: str, condition: str, key: str) -> HttpResponse:
    group = _group_or_404(key)
    shows(model_tag(group.drive_model.pk))
    divided = model_breakdown(drive_model=group.drive_model, condition=condition)
    statistics = division_statistics(group)
    name = group.label.partition(" ")[2].partition(",")[0]
    runs = runs_published().filter(pk__in=group.runs().values("pk"))
    context: dict[str, Any] = {
        "model": group.drive_model,
        "group": group,
        "name": name,
        "condition": condition,
        "one": CONDITIONS[condition][0],
        "statistics": statistics,
        "units": units_section(statistics),
        "divided": divided_view(group.drive_model, divided) if divided else None,
        "beside": _beside(divided, name) if divided else (),
        "figures": _figures(group.drive_model, divided),
        "runs": Paginator(runs, RUNS_PER_PAGE).get_page(request.GET.get("page")),
    }
    return page(request, "web/breakdown.html", context, section="drives")


def _group_or_404(key: str) -> Group:
    try:
        group = group_get(key)
    except GroupsError:
        raise Http404 from None
    if group.form not in (Form.BATCH, Form.FIRMWARE):
        raise Http404
    return group


def _beside(divided: Breakdown, name: str) -> list[tuple[Any, str]]:
    """Return each number in which this division differs from another, or seems to, with the sentence."""
    return [
        (number_name(number.metric, number.scope), number.words)
        for number in divided.numbers
        if name in number.values and (_differs(number, name) or _seems(number))
    ]


def _differs(number: BreakdownNumber, name: str) -> bool:
    return number.tested is not None and any(name in pair for pair in number.tested.pairs)


def _seems(number: BreakdownNumber) -> bool:
    """Return whether the scatter speaks for a difference that the ranks of few drives do not show."""
    tested, share = number.tested, number.components.share
    return tested is not None and not tested.differs and share is not None and share.low > 0
