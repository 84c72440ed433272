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
from server.benchmarks.registry import kinds_by_slug
from server.catalog.models import DriveAlias, DriveModel
from server.catalog.names import drive_name
from server.catalog.selectors import drive_class, drive_models_similar, literature_list
from server.catalog.sightings import SOURCE as SIGHTINGS_SOURCE
from server.claims.selectors import claim_rows
from server.core.cache import model_tag
from server.core.lifecycle import Provenance
from server.core.numbers import Shown, show
from server.core.querying import CompiledQuery
from server.measurements.models import Aggregate, AggregateDue, Measurement, Run
from server.measurements.selectors import drive_models_public, run_numbers, runs_before
from server.model_stats.coverage_gaps import coverage_gaps
from server.model_stats.model_parts import ModelPart, model_parts
from server.model_stats.selectors import MetricRow, drive_metric_rows
from server.model_stats.statistics import DriveStatistics, NumberOfUnits
from server.stats.wording import level_text
from server.web.badge import badge_of, badge_svg
from server.web.claims import claim_views
from server.web.page import page
from server.web.page_cache import cache_page, shows
from server.web.rows import (
    Name,
    Sources,
    StatedValue,
    fact_rows,
    metric_name,
    statistics_groups,
)
from server.web.units import units_section
from server.web.views.charts import drive_figures

RUNS_SHOWN = 12
GLANCE_OF_KIND = 2
SHOWN_OF_KIND = 10
"""More rows of a kind are folded."""

_Estimate = tuple[Shown | None, str, str]
"""A number, and what it and its interval are, in full and in short."""


@dataclass(frozen=True, slots=True)
class KeyNumber:
    """One number with all that says how far to trust it."""

    name: Name
    shown: Shown | None
    basis: str
    """What number and interval are: `mean of 4 drives, 95 % interval`."""
    basis_short: str
    """The same where drives and runs stand beside: `mean, 95 %`."""
    units: int
    runs: int
    excluded: int
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


_DECODED = (
    ("capacity_gb", "capacity_bytes", "Capacity", "GB"),
    ("rotation_rpm", "rated_rpm", "Rotation", "rpm"),
    ("form_factor", "form_factor", "Form factor", ""),
    ("interface", "interface", "Interface", ""),
)


def _decoded(model: DriveModel) -> list[tuple[str, str]]:
    """Return what the model's number says of it that nothing else here does."""
    unsaid = [entry for entry in _DECODED if not getattr(model, entry[1])]
    facts = drive_name(model.vendor.name, model.number).facts if unsaid else {}
    return [
        (title, f"{facts[fact].value} {unit}".strip())
        for fact, _column, title, unit in unsaid
        if fact in facts
    ]


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
        "decoded": _decoded(model),
        "seen_source": SIGHTINGS_SOURCE,
        "overview": overview,
        "measured": views[Provenance.PROBE],
        "simulated": _with_runs(views.get(Provenance.SIMULATED)),
        "imported": _with_runs(views.get(Provenance.IMPORTED)),
        "due": due if measured.as_of else None,
        "as_of": measured.as_of,
        "claims": claim_views(claims, sources),
        "verdicts": Counter(row.measured.verdict.outcome.value for row in claims).most_common(),
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


def _before(request: HttpRequest) -> UUID | None:
    try:
        return UUID(request.GET.get("before", ""))
    except ValueError:
        return None


# ---- The numbers of a kind that a model's page shows itself; the kind's own page has all of them.


def kind_numbers(
    rows: Iterable[MetricRow],
    statistics: DriveStatistics | None,
    only_run: Mapping[MetricKey, Measurement],
    counts: Mapping[str, int],
    sources: Sources,
) -> tuple[KindNumbers, ...]:
    """Return the headline numbers and those that documents state too, by kind in the registry's order.

    `only_run` has the numbers of one run: where no other run has a number, its interval is the run's own.
    `counts` has how many numbers there are of each kind.
    """
    spreads = {(number.metric, number.scope): number for number in statistics.numbers} if statistics else {}
    kinds = kinds_by_slug()
    found = []
    for slug, members in groupby(rows, key=lambda row: row.key.partition(".")[0]):
        shown = [
            _key_number(row, spreads.get((row.key, row.scope)), only_run.get((row.key, row.scope)), sources)
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


def glance_of(kinds: Iterable[KindNumbers]) -> tuple[KeyNumber, ...]:
    """Return the first numbers of each kind: of the whole drive, or else one of its places."""
    found: list[KeyNumber] = []
    for kind in kinds:
        numbers = [row for row in (*kind.rows, *kind.folded) if row.headline and row.shown]
        whole = [row for row in numbers if not row.name.scope]
        found += whole[:GLANCE_OF_KIND] or numbers[:1]
    return tuple(found)


def _key_number(
    row: MetricRow, number: NumberOfUnits | None, only: Measurement | None, sources: Sources
) -> KeyNumber:
    metric, aggregate = row.metric, row.aggregate
    unit = metric.unit if metric else ""
    shown, basis, basis_short = _estimate(aggregate, number, only, unit)
    return KeyNumber(
        name=metric_name(row.key, row.scope),
        shown=shown,
        basis=basis,
        basis_short=basis_short,
        units=aggregate.units if aggregate else 0,
        runs=aggregate.n if aggregate else 0,
        excluded=aggregate.excluded if aggregate else 0,
        stated=tuple(sources.stated(value) for value in row.literature),
        headline=bool(metric and metric.headline),
    )


def _estimate(
    aggregate: Aggregate | None, number: NumberOfUnits | None, only: Measurement | None, unit: str
) -> _Estimate:
    """Return a number, its interval, and what the two are, in full and in short; over drives where there are
    several."""
    if aggregate is None:
        return None, "", ""
    if number is not None and (of_units := _over_units(number, unit)):
        return of_units
    if aggregate.n == 1:
        return _of_one_run(aggregate, only, unit)
    shown = show(aggregate.median, unit, low=aggregate.minimum, high=aggregate.maximum)
    of = f"{aggregate.n} runs" + (" of one drive" if aggregate.units == 1 else "")
    return shown, f"median of {of}, lowest to highest", "median, range"


def _over_units(number: NumberOfUnits, unit: str) -> _Estimate | None:
    spread, interval = number.spread, number.spread.mean_interval
    if spread.n < 2 or spread.mean is None:
        return None
    if interval is None:
        return show(spread.mean, unit), f"mean of {spread.n} drives", "mean"
    shown = show(spread.mean, unit, low=interval.low, high=interval.high)
    level = level_text(interval.level)
    return shown, f"mean of {spread.n} drives, {level} interval", f"mean, {level}"


def _of_one_run(aggregate: Aggregate, only: Measurement | None, unit: str) -> _Estimate:
    # The one run with this number need not be the one whose numbers were handed over.
    if only is None or only.value != aggregate.median or only.low is None or only.high is None:
        return show(aggregate.median, unit), "one run", "one run"
    shown = show(only.value, unit, low=only.low, high=only.high)
    level = level_text(only.level)
    return shown, f"one run, {level} interval", f"one run, {level}"
