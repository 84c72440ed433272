"""The page of a drive model, and the pages of one kind's numbers."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from server.benchmarks.registry import kinds_by_slug
from server.catalog.models import DriveAlias, DriveModel
from server.catalog.selectors import drive_class, drive_models_similar, literature_list
from server.claims.selectors import claim_rows
from server.core.cache import model_tag
from server.core.lifecycle import Provenance
from server.core.querying import CompiledQuery
from server.measurements.models import AggregateDue, Run
from server.measurements.selectors import drive_models_public, run_numbers, runs_before
from server.model_stats.coverage_gaps import coverage_gaps
from server.model_stats.model_parts import ModelPart, model_parts
from server.model_stats.selectors import drive_metric_rows
from server.web.badge import badge_of, badge_svg
from server.web.claims import claim_views
from server.web.key_numbers import KeyNumber, KindNumbers, glance_of, kind_numbers
from server.web.page import page
from server.web.page_cache import cache_page, shows
from server.web.rows import Sources, fact_rows, statistics_groups
from server.web.units import units_section
from server.web.views.drive_charts import drive_figures

RUNS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class KindSection:
    """One kind on a model's page: its picture and its numbers."""

    slug: str
    title: str
    numbers: KindNumbers | None
    figure: SafeString | None


@dataclass(frozen=True, slots=True)
class PartView:
    """What a page shows of a model's runs of one provenance."""

    run: tuple[UUID, datetime] | None
    """The run whose pictures stand for the model, and when it was measured."""
    glance: tuple[KeyNumber, ...]
    sections: tuple[KindSection, ...]
    units: Any
    runs: list[Run]


_MODELS: CompiledQuery[DriveModel] = CompiledQuery(
    lambda slug: (
        DriveModel.objects.select_related("vendor", "aggregate_due")
        .defer("search_text")
        .filter(drive_models_public(), slug__given=slug)
    )
)
_ALIASES: CompiledQuery[str] = CompiledQuery(
    lambda drive_model_id: DriveAlias.objects.filter(drive_model_id__given=drive_model_id).values_list(
        "text", flat=True
    )
)


def _model_or_404(slug: str) -> DriveModel:
    found = _MODELS.rows(slug=slug)
    if not found:
        raise Http404
    return found[0]


@require_safe
@cache_page(known=["before"])
def drive_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a model: numbers, verdicts, pictures, parts and runs; what is simulated stands apart."""
    model = _model_or_404(slug)
    similar = list(drive_models_similar(drive_model=model))
    shows(*(model_tag(one.pk) for one in (model, *similar)))
    sources = Sources()
    claims = claim_rows(drive_model=model)
    values, facts = literature_list(drive_model=model)
    due: AggregateDue | None = getattr(model, "aggregate_due", None)
    parts = model_parts(drive_model=model, values=values, due=due is not None)
    measured = parts[Provenance.PROBE]
    overview = measured.overview
    runs, older = runs_before(
        drive_model=model, provenance=Provenance.PROBE, before=_before(request), limit=RUNS_SHOWN
    )
    views = {one: _part_view(model, one, part, sources) for one, part in parts.items()}
    klass = drive_class(model)
    context = {
        "model": model,
        "aliases": _ALIASES.rows(drive_model_id=model.pk),
        "overview": overview,
        "measured": views[Provenance.PROBE],
        "simulated": _with_runs(views.get(Provenance.SIMULATED)),
        "imported": _with_runs(views.get(Provenance.IMPORTED)),
        "due": due if measured.as_of else None,
        "as_of": measured.as_of,
        "claims": claim_views(claims, sources),
        "verdicts": _verdicts(claims),
        "facts": fact_rows(facts, sources),
        "facts_open": not overview.runs,
        "sources": sources,
        "batches_url": f"/drives/{model.slug}/batches/",
        "firmware_url": f"/drives/{model.slug}/firmware/",
        "wanting": coverage_gaps(measured.rows, overview, claims) if overview.runs else (),
        "similar": similar,
        "similar_rule": klass.words if klass else "",
        "runs": runs,
        "older": older,
    }
    return page(request, "web/drive.html", context, section="drives")


@require_safe
@cache_page()
def drive_numbers(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show all numbers of one kind that a model has, measured beside published, simulated apart."""
    model = _model_or_404(slug)
    entry = kinds_by_slug().get(kind)
    if entry is None:
        raise Http404
    shows(model_tag(model.pk))
    sources = Sources()
    groups = {
        provenance: statistics_groups(
            drive_metric_rows(drive_model=model, provenance=provenance, kind=kind), sources
        )
        for provenance in Provenance
    }
    context = {
        "model": model,
        "kind": entry,
        "measured": groups[Provenance.PROBE],
        "simulated": groups[Provenance.SIMULATED],
        "imported": groups[Provenance.IMPORTED],
        "sources": sources,
    }
    return page(request, "web/drive_numbers.html", context, section="drives")


@require_safe
def drive_badge(request: HttpRequest, slug: str) -> HttpResponse:
    """Answer with a model's badge."""
    body = badge_svg(badge_of(_model_or_404(slug)))
    response = HttpResponse(body, content_type="image/svg+xml; charset=utf-8")
    response["Cache-Control"] = "public, max-age=3600"
    response["ETag"] = f'"{hashlib.sha256(body.encode()).hexdigest()[:32]}"'
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


def _part_view(model: DriveModel, provenance: Provenance, part: ModelPart, sources: Sources) -> PartView:
    single = {}
    if part.run and any(row.aggregate and row.aggregate.n == 1 for row in part.rows):
        single = run_numbers(run_id=part.run[0])
    numbers = kind_numbers(part.rows, part.statistics, single, part.counts, sources)
    runs: list[Run] = []
    if provenance != Provenance.PROBE:
        runs, _more = runs_before(drive_model=model, provenance=provenance, limit=RUNS_SHOWN)
    return PartView(
        run=part.run,
        glance=glance_of(numbers),
        sections=_sections(numbers, drive_figures(model, provenance)),
        units=units_section(part.statistics),
        runs=runs,
    )


def _with_runs(view: PartView | None) -> PartView | None:
    return view if view and view.runs else None


def _sections(numbers: tuple[KindNumbers, ...], figures: dict[str, SafeString]) -> tuple[KindSection, ...]:
    """Return the kinds that have a number or a picture, in the registry's order."""
    by_slug = {kind.slug: kind for kind in numbers}
    kinds = kinds_by_slug()
    slugs = [slug for slug in kinds if slug in by_slug or slug in figures]
    slugs += [slug for slug in by_slug if slug not in kinds]
    return tuple(
        KindSection(slug, kinds[slug].title if slug in kinds else slug, by_slug.get(slug), figures.get(slug))
        for slug in slugs
    )


def _verdicts(claims: Any) -> list[tuple[str, str, int]]:
    """Return each verdict by measured runs with its class and how many claims have it."""
    counted = Counter(row.measured.verdict.outcome.value for row in claims)
    return [(outcome, outcome.replace(" ", "-"), count) for outcome, count in counted.most_common()]


def _before(request: HttpRequest) -> UUID | None:
    try:
        return UUID(request.GET.get("before", ""))
    except ValueError:
        return None
