"""The page of a drive model, and the pages of one kind's numbers."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from server.catalog.models import DriveModel
from server.catalog.selectors import literature_facts_list
from server.catalog.similar import drive_class, drive_models_similar
from server.compare.claims import claim_rows
from server.compare.overview import drive_overview
from server.compare.selectors import (
    MetricRow,
    drive_metric_rows,
    drive_number_counts,
    drive_representative_run,
)
from server.compare.statistics import drive_statistics
from server.runs.kinds import kinds_by_slug
from server.runs.models import Provenance, Run
from server.runs.selectors import run_numbers, runs_before
from server.web.badge import badge_of, badge_svg
from server.web.claims import claim_views
from server.web.figures import Figure
from server.web.keeping import kept_rendered
from server.web.key_numbers import KeyNumber, KindNumbers, glance_of, kind_numbers
from server.web.page import page
from server.web.published import fact_rows
from server.web.rows import Sources, statistics_groups
from server.web.units import units_section
from server.web.views.drive_charts import drive_figures
from server.web.wanting import wanting_of

RUNS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class KindSection:
    """One kind on a model's page: its picture and its numbers."""

    slug: str
    title: str
    numbers: KindNumbers | None
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """What a page shows of a model's runs of one provenance."""

    rows: tuple[MetricRow, ...]
    run: Run | None
    """The run whose pictures stand for the model."""
    glance: tuple[KeyNumber, ...]
    sections: tuple[KindSection, ...]
    units: Any


def _model_or_404(slug: str) -> DriveModel:
    return get_object_or_404(DriveModel.objects.select_related("vendor"), slug=slug)


@require_safe
@kept_rendered()
def drive_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a model: numbers, verdicts, pictures, parts and runs; what is simulated stands apart."""
    model = _model_or_404(slug)
    sources = Sources()
    claims = claim_rows(drive_model=model)
    measured = _part(model, Provenance.PROBE, sources)
    simulated = _part(model, Provenance.SIMULATED, sources)
    overview = drive_overview(drive_model=model, provenance=Provenance.PROBE)
    runs, older = runs_before(
        drive_model=model, provenance=Provenance.PROBE, before=_before(request), limit=RUNS_SHOWN
    )
    simulated_runs, _more = runs_before(drive_model=model, provenance=Provenance.SIMULATED, limit=RUNS_SHOWN)
    imported_runs, _more = runs_before(drive_model=model, provenance=Provenance.IMPORTED, limit=RUNS_SHOWN)
    klass = drive_class(model)
    context = {
        "model": model,
        "aliases": list(model.aliases.values_list("text", flat=True)),
        "overview": overview,
        "measured": measured,
        "simulated": simulated if simulated_runs else None,
        "imported": _part(model, Provenance.IMPORTED, sources) if imported_runs else None,
        "imported_runs": imported_runs,
        "claims": claim_views(claims, sources),
        "verdicts": _verdicts(claims),
        "facts": fact_rows(literature_facts_list(drive_model=model), sources),
        "facts_open": not overview.runs,
        "sources": sources,
        "batches_url": f"/drives/{model.slug}/batches/",
        "firmware_url": f"/drives/{model.slug}/firmware/",
        "wanting": wanting_of(measured.rows, overview, claims) if overview.runs else (),
        "similar": list(drive_models_similar(drive_model=model)),
        "similar_rule": klass.words if klass else "",
        "runs": runs,
        "older": older,
        "simulated_runs": simulated_runs,
    }
    return page(request, "web/drive.html", context, section="drives")


@require_safe
@kept_rendered()
def drive_numbers(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show all numbers of one kind that a model has, measured beside published, simulated apart."""
    model = _model_or_404(slug)
    entry = kinds_by_slug().get(kind)
    if entry is None:
        raise Http404
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
    response["Access-Control-Allow-Origin"] = "*"
    response["ETag"] = f'"{hashlib.sha256(body.encode()).hexdigest()[:32]}"'
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


def _part(model: DriveModel, provenance: Provenance, sources: Sources) -> Part:
    rows = drive_metric_rows(drive_model=model, provenance=provenance, key_only=True)
    statistics = drive_statistics(drive_model=model, provenance=provenance)
    run = drive_representative_run(drive_model=model, provenance=provenance)
    single = (
        run_numbers(run=run) if run and any(row.aggregate and row.aggregate.n == 1 for row in rows) else {}
    )
    counts = drive_number_counts(drive_model=model, provenance=provenance)
    numbers = kind_numbers(rows, statistics, single, counts, sources)
    return Part(
        rows=rows,
        run=run,
        glance=glance_of(numbers),
        sections=_sections(numbers, _figures(model, provenance)),
        units=units_section(statistics),
    )


def _sections(
    numbers: tuple[KindNumbers, ...], figures: dict[str, tuple[Figure, ...]]
) -> tuple[KindSection, ...]:
    """Return the kinds that have a number or a picture, in the registry's order."""
    by_slug = {kind.slug: kind for kind in numbers}
    kinds = kinds_by_slug()
    slugs = [slug for slug in kinds if slug in by_slug or figures.get(slug)]
    slugs += [slug for slug in by_slug if slug not in kinds]
    return tuple(
        KindSection(
            slug, kinds[slug].title if slug in kinds else slug, by_slug.get(slug), figures.get(slug, ())
        )
        for slug in slugs
    )


def _figures(model: DriveModel, provenance: Provenance) -> dict[str, tuple[Figure, ...]]:
    """Return the first figure of each kind; the pages of runs have all."""
    return {kind: figures[:1] for kind, figures in drive_figures(model, provenance).items()}


def _verdicts(claims: Any) -> list[tuple[str, str, int]]:
    """Return each verdict by measured runs with its class and how many claims have it."""
    counted = Counter(row.measured.verdict.outcome.value for row in claims)
    return [(outcome, outcome.replace(" ", "-"), count) for outcome, count in counted.most_common()]


def _before(request: HttpRequest) -> UUID | None:
    try:
        return UUID(request.GET.get("before", ""))
    except ValueError:
        return None
