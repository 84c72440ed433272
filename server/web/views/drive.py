"""The page of a drive model, and the pages of one kind's numbers."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from server.benchmarks.contract import MetricKey
from server.benchmarks.measurands import answered
from server.benchmarks.registry import kinds_by_slug
from server.catalog.models import DriveAlias, DriveModel
from server.catalog.names import drive_name, rule_source
from server.catalog.selectors import drive_class, drive_models_similar, literature_list
from server.catalog.sightings import SOURCE as SIGHTINGS_SOURCE
from server.claims.selectors import claim_rows
from server.core.cache import model_tag
from server.core.lifecycle import Provenance
from server.core.numbers import Shown
from server.core.querying import CompiledQuery
from server.core.text import counted, normalize_name
from server.measurements.models import AggregateDue, Run
from server.measurements.selectors import drive_models_public, runs_before
from server.measurements.typical import typical_of
from server.model_stats.coverage_gaps import coverage_gaps
from server.model_stats.model_parts import ModelPart, model_parts
from server.model_stats.selectors import MetricRow, drive_metric_rows
from server.search.drive_requests import times_asked
from server.web.answers import AnswersView, FactView, answers_of, rotation_fact, rotation_keys
from server.web.badge import badge_embeds, badge_of, badge_svg
from server.web.claims import claim_views, outcome_word
from server.web.linked_data import model_linked_data
from server.web.model_files import DETAIL_TABLES, exports_view
from server.web.page import page, standing_asked
from server.web.page_cache import cache_page, shows
from server.web.rows import (
    LeftOut,
    Name,
    Sources,
    StatedValue,
    fact_rows,
    left_out_of,
    metric_name,
    statistics_groups,
)
from server.web.units import units_section
from server.web.views.charts import drive_figures

RUNS_SHOWN = 12
GLANCE_OF_KIND = 2
SHOWN_OF_KIND = 10
"""More rows of a kind are folded."""


@dataclass(frozen=True, slots=True)
class KeyNumber:
    """One number with all that says how far to trust it."""

    key: MetricKey
    name: Name
    shown: Shown | None
    basis: str
    """What number and interval are: `median of 4 units, quartiles`."""
    basis_short: str
    """The same without the interval: `median of 4 units`."""
    units: int
    runs: int
    left_out: LeftOut | None
    """Runs that don't count, and why."""
    stated: tuple[StatedValue, ...]
    headline: bool

    @property
    def interval(self) -> str:
        """The interval as text; empty where there is none."""
        return self.shown.interval if self.shown else ""


@dataclass(frozen=True, slots=True)
class KindNumbers:
    """One kind's numbers on a model's page."""

    slug: str
    title: str
    rows: tuple[KeyNumber, ...]
    folded: tuple[KeyNumber, ...]
    total: int
    """All numbers that runs gave of the kind, shown here or not."""

    @property
    def measured(self) -> bool:
        """Whether runs gave any number of it."""
        return self.total > 0

    @property
    def unmeasured(self) -> bool:
        """Whether documents alone have numbers here, so that columns of what was measured would be empty."""
        return not any(row.runs for row in (*self.rows, *self.folded))


@dataclass(frozen=True, slots=True)
class KindSection:
    """One kind on a model's page: its picture and its numbers."""

    slug: str
    title: str
    numbers: KindNumbers | None
    figure: SafeString | None

    @property
    def contents(self) -> str:
        """What the section holds: `Its picture, 6 numbers`."""
        shown = len((*self.numbers.rows, *self.numbers.folded)) if self.numbers else 0
        found = ["Its picture"] if self.figure else []
        found += [counted(shown, "number")] if shown else []
        return ", ".join(found) or "No numbers"


@dataclass(frozen=True, slots=True)
class PartView:
    """What a page shows of a model's runs of one provenance."""

    run: tuple[UUID, datetime] | None
    """The run whose pictures stand for the model, and when it was measured."""
    answers: AnswersView
    rotation: FactView | None
    geometry: tuple[KeyNumber, ...]
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


_DECODED = (
    ("capacity_gb", "capacity_bytes", "Capacity", "GB"),
    ("rotation_rpm", "rated_rpm", "Rotation", "rpm"),
    ("form_factor", "form_factor", "Form factor", ""),
    ("interface", "interface", "Interface", ""),
)


def _decoded(model: DriveModel) -> list[tuple[str, str, Mapping[str, str]]]:
    """Return what the model's number says of it that nothing else here does, and the document that says how
    it is read."""
    unsaid = [entry for entry in _DECODED if not getattr(model, entry[1])]
    facts = drive_name(model.vendor.name, model.number).facts if unsaid else {}
    return [
        (title, f"{facts[fact].value} {unit}".strip(), rule_source(facts[fact].rule))
        for fact, _column, title, unit in unsaid
        if fact in facts
    ]


@require_safe
@cache_page(known=["before", "standing"])
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
        drive_model=model,
        provenance=Provenance.PROBE,
        before=_before(request),
        standing=standing_asked(request),
        limit=RUNS_SHOWN,
    )
    views = {one: _part_view(model, one, part, sources) for one, part in parts.items()}
    klass = drive_class(model)
    measured_kinds = {
        section.slug
        for view in views.values()
        for section in view.sections
        if section.numbers and section.numbers.measured
    }
    context = {
        "model": model,
        "aliases": [
            text
            for text in _ALIASES.rows(drive_model_id=model.pk)
            if normalize_name(text) != normalize_name(model.number)
        ],
        "decoded": _decoded(model),
        "seen_source": SIGHTINGS_SOURCE,
        "overview": overview,
        "measured": views[Provenance.PROBE],
        "simulated": _with_runs(views.get(Provenance.SIMULATED)),
        "imported": _with_runs(views.get(Provenance.IMPORTED)),
        "due": due if measured.as_of else None,
        "as_of": measured.as_of,
        "claims": claim_views(claims, sources),
        "verdicts": Counter(outcome_word(row.measured) for row in claims).most_common(),
        "facts": fact_rows(facts, sources),
        "facts_open": not overview.runs,
        "sources": sources,
        "batches_url": f"/drives/{model.slug}/batches/",
        "firmware_url": f"/drives/{model.slug}/firmware/",
        "variants_url": f"/drives/{model.slug}/variants/",
        "wanting": coverage_gaps(measured.rows, overview, claims) if overview.runs else (),
        "similar": similar,
        "similar_rule": klass.words if klass else "",
        "runs": runs,
        "older": older,
        "asked": 0 if overview.runs else times_asked(model=model),
        "measured_kinds": measured_kinds,
        "detail_tables": [table for table in DETAIL_TABLES if table.kind in measured_kinds],
        "exports": exports_view(model),
        "linked_data": model_linked_data(
            model,
            views[Provenance.PROBE].answers,
            views[Provenance.PROBE].rotation,
            runs=overview.runs,
        ),
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
@cache_page()
def drive_badge_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a model's badge with what to write to have it on a page."""
    model = _model_or_404(slug)
    shows(model_tag(model.pk))
    context = {"model": model, "embeds": badge_embeds(model, badge_of(model))}
    return page(request, "web/drive_badge.html", context, section="drives")


@require_safe
def drive_badge(request: HttpRequest, slug: str) -> HttpResponse:
    """Answer with a model's badge."""
    body = badge_svg(badge_of(_model_or_404(slug)))
    response = HttpResponse(body, content_type="image/svg+xml; charset=utf-8")
    response["Cache-Control"] = "public, max-age=3600"
    response["ETag"] = f'"{hashlib.sha256(body.encode()).hexdigest()[:32]}"'
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


def _part_view(model: DriveModel, provenance: Provenance, part: ModelPart, sources: Sources) -> PartView:
    numbers = kind_numbers(part.rows, part.counts, sources)
    rotation = rotation_fact({(row.key, row.scope): row.aggregate for row in part.rows if row.aggregate})
    runs: list[Run] = []
    if provenance != Provenance.PROBE:
        runs, _more = runs_before(drive_model=model, provenance=provenance, limit=RUNS_SHOWN)
    return PartView(
        run=part.run,
        answers=answers_of(model, part.rows, sources, provenance=provenance),
        rotation=rotation,
        geometry=geometry_of(numbers, without=rotation is not None),
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


def _before(request: HttpRequest) -> UUID | None:
    try:
        return UUID(request.GET.get("before", ""))
    except ValueError:
        return None


# ---- The numbers of a kind that a model's page shows itself; the kind's own page has all of them.


def kind_numbers(
    rows: Iterable[MetricRow], counts: Mapping[str, int], sources: Sources
) -> tuple[KindNumbers, ...]:
    """Return the headline numbers and those that documents state too, by kind in the registry's order.

    `counts` has how many numbers there are of each kind.
    """
    kinds = kinds_by_slug()
    found = []
    for slug, members in groupby(rows, key=lambda row: row.key.partition(".")[0]):
        shown = [
            _key_number(row, sources)
            for row in members
            if row.literature or (row.metric and row.metric.headline)
        ]
        title = kinds[slug].title if slug in kinds else slug
        found.append(
            KindNumbers(
                slug, title, tuple(shown[:SHOWN_OF_KIND]), tuple(shown[SHOWN_OF_KIND:]), counts.get(slug, 0)
            )
        )
    return tuple(found)


def geometry_of(kinds: Iterable[KindNumbers], *, without: bool) -> tuple[KeyNumber, ...]:
    """Return the first numbers of each kind that no answer gives: of the whole drive, or else one of its
    places. `without` leaves rotation out, which is a fact of its own then."""
    found: list[KeyNumber] = []
    said = {*answered(), *(rotation_keys() if without else ())}
    for kind in kinds:
        numbers = [
            row for row in (*kind.rows, *kind.folded) if row.headline and row.shown and row.key not in said
        ]
        whole = [row for row in numbers if not row.name.scope]
        found += whole[:GLANCE_OF_KIND] or numbers[:1]
    return tuple(found)


def _key_number(row: MetricRow, sources: Sources) -> KeyNumber:
    metric, aggregate = row.metric, row.aggregate
    unit = metric.unit if metric else ""
    typical = typical_of(aggregate) if aggregate else None
    shown = typical.shown(unit) if typical else None
    return KeyNumber(
        key=(row.key, row.scope),
        name=metric_name(row.key, row.scope),
        shown=shown,
        basis=", ".join(filter(None, (typical.words, typical.interval_words))) if typical else "",
        basis_short=typical.words if typical else "",
        units=aggregate.units if aggregate else 0,
        runs=aggregate.n if aggregate else 0,
        left_out=left_out_of(aggregate, unit),
        stated=tuple(sources.stated(value) for value in row.literature),
        headline=bool(metric and metric.headline),
    )
