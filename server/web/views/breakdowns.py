"""A model's variants, batches and firmware revisions: all beside each other, and the page of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from server.catalog.models import DriveModel
from server.comparison.charts import part_charts
from server.core.cache import model_tag
from server.core.numbers import Shown, show
from server.measurements.group_keys import GroupsError, GroupType
from server.measurements.groups import MOST, Group, group_get
from server.measurements.selectors import drive_model_public, runs_published
from server.model_stats.breakdown import (
    CONDITIONS,
    Breakdown,
    BreakdownNumber,
    BreakdownPart,
    model_breakdown,
    part_statistics,
)
from server.web.figures import Figure, figure_with
from server.web.page import page, standing_asked
from server.web.page_cache import cache_page, shows
from server.web.rows import Name, metric_name
from server.web.units import units_section

RUNS_PER_PAGE = 25


class Mean(NamedTuple):
    """A number's mean over the drives of one part."""

    mean: Shown | None
    units: int


@dataclass(frozen=True, slots=True)
class NumberRow:
    """One number over the parts of a breakdown."""

    name: Name
    values: tuple[Mean, ...]
    number: BreakdownNumber


@require_safe
@cache_page()
def breakdown_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how a model's drives are distributed over variants, batches and firmware revisions."""
    model = drive_model_public(slug=slug)
    if model is None:
        raise Http404
    shows(model_tag(model.pk))
    found = [model_breakdown(drive_model=model, condition=condition) for condition in CONDITIONS]
    # Most makers tell variants apart by nothing that a drive says: then there is nothing to miss.
    sections = [
        _section(model, breakdown)
        for breakdown in found
        if breakdown is not None and (breakdown.parts or breakdown.condition != "variant")
    ]
    return page(request, "web/breakdowns.html", {"model": model, "sections": sections}, section="drives")


def _section(model: DriveModel, breakdown: Breakdown) -> dict[str, Any]:
    """Return what the page of all parts shows of one condition."""
    names = [part.name for part in breakdown.parts]
    one, several = CONDITIONS[breakdown.condition]
    return {
        "breakdown": breakdown,
        "one": one,
        "several": several,
        "parts": [(part, _part_url(model, part)) for part in breakdown.parts],
        "compared": _compared(breakdown),
        "rows": [
            NumberRow(
                metric_name(number.metric, number.scope),
                tuple(_mean(number, number.values.get(name, ())) for name in names),
                number,
            )
            for number in breakdown.numbers
            if len(number.values) > 1
        ],
        "figures": _figures(model, breakdown),
    }


_PAGES = {"variant": "variant-detail", "batch": "batch-detail", "fw": "firmware-detail"}


def _part_url(model: DriveModel, part: BreakdownPart) -> str:
    kind, _, name = part.key.partition("~")[2].partition(":")
    # The key's own percent-encoding stays; the address encodes once more.
    return reverse(_PAGES[kind], args=[model.slug, name])


def _compared(breakdown: Breakdown) -> list[str]:
    """Return the keys of the parts that can be compared at once, of many those with most drives; none where
    there are fewer than two."""
    largest = sorted(breakdown.parts, key=lambda part: -part.units)[:MOST]
    chosen = [part.key for part in breakdown.parts if part in largest]
    return chosen if len(chosen) > 1 else []


def _mean(number: BreakdownNumber, values: tuple[float, ...]) -> Mean:
    if not values:
        return Mean(None, 0)
    mean = sum(values) / len(values)
    # What one drive differs from another of its part says how many digits count.
    spread = number.components.within_stdev
    low, high = (mean - spread, mean + spread) if spread else (None, None)
    return Mean(show(mean, number.entry.unit if number.entry else "", low=low, high=high), len(values))


def _figures(model: DriveModel, breakdown: Breakdown | None) -> list[Figure]:
    """Return the distributions of those numbers that differ most surely."""
    if breakdown is None or len(breakdown.parts) < 2:
        return []
    source = f"{model.title} · measured · DiskAtlas"
    charts = part_charts(breakdown)
    return [figure_with(chart, name=f"by-{chart.id}", source=source) for chart in charts]


@require_safe
@cache_page(known=["page", "standing"])
def batch_detail(request: HttpRequest, slug: str, part: str) -> HttpResponse:
    """Show one batch."""
    return _detail(request, "batch", f"{slug}~batch:{part}")


@require_safe
@cache_page(known=["page", "standing"])
def firmware_detail(request: HttpRequest, slug: str, part: str) -> HttpResponse:
    """Show one firmware revision."""
    return _detail(request, "firmware", f"{slug}~fw:{part}")


@require_safe
@cache_page(known=["page", "standing"])
def variant_detail(request: HttpRequest, slug: str, part: str) -> HttpResponse:
    """Show one variant."""
    return _detail(request, "variant", f"{slug}~variant:{part}")


def _detail(request: HttpRequest, condition: str, key: str) -> HttpResponse:
    group = _group_or_404(key)
    model = group.drive_model
    shows(model_tag(model.pk))
    breakdown = model_breakdown(drive_model=model, condition=condition)
    statistics = part_statistics(group)
    name = group.label.partition(" ")[2].partition(",")[0]
    runs = runs_published().filter(pk__in=group.runs().values("pk"))
    if standing := standing_asked(request):
        runs = runs.filter(standing=standing)
    one, several = CONDITIONS[condition]
    context: dict[str, Any] = {
        "model": model,
        "group": group,
        "name": name,
        "one": one,
        "several": several,
        "statistics": statistics,
        "units": units_section(statistics),
        "breakdown": breakdown,
        "compared": _compared(breakdown) if breakdown else [],
        "beside": _beside(breakdown, name) if breakdown else [],
        "figures": _figures(model, breakdown),
        "runs": Paginator(runs, RUNS_PER_PAGE).get_page(request.GET.get("page")),
    }
    return page(request, "web/breakdown.html", context, section="drives")


def _group_or_404(key: str) -> Group:
    try:
        group = group_get(key)
    except GroupsError:
        raise Http404 from None
    if group.type not in (GroupType.VARIANT, GroupType.BATCH, GroupType.FIRMWARE):
        raise Http404
    return group


def _beside(breakdown: Breakdown, name: str) -> list[tuple[Name, str]]:
    """Return each number in which this part differs from another, or seems to, with the sentence."""
    return [
        (metric_name(number.metric, number.scope), number.words)
        for number in breakdown.numbers
        if name in number.values and (_differs(number, name) or _seems(number))
    ]


def _differs(number: BreakdownNumber, name: str) -> bool:
    return number.tested is not None and any(name in pair for pair in number.tested.pairs)


def _seems(number: BreakdownNumber) -> bool:
    """Return whether the scatter speaks for a difference that the ranks of few drives do not show."""
    tested, share = number.tested, number.components.share
    return tested is not None and not tested.differs and share is not None and share.low > 0
