"""The ledger of claims and verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from server.benchmarks.registry import metrics_by_key
from server.catalog.models import Claim, DriveModel
from server.claims.ledger import (
    SORTS,
    TESTED,
    LedgerFacets,
    LedgerFilter,
    LedgerRows,
    ledger_facets,
    ledger_list,
)
from server.claims.scoreboard import Miss, VendorScore, largest_misses, vendor_scores
from server.claims.selectors import ClaimRow, Judged, claim_row_of
from server.claims.verdicts import Evidence, Outcome, Verdict
from server.core.cache import LISTS, model_tag
from server.core.numbers import MINUS, Shown, show, write
from server.core.text import counted
from server.search.archive_counts import archive_version
from server.web.claims import ClaimView, claim_text, claim_views, metric_title
from server.web.page import csv_response, page
from server.web.page_cache import cache_page, shows
from server.web.rows import Sources

PER_PAGE = 50
VALUE_MAX = 200
DUE_WORDS = "The claim was entered or changed just now; its verdict is being computed."


class Figures(NamedTuple):
    """The number that a verdict rests on."""

    shown: Shown | None
    behind: str


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One claim."""

    drive: DriveModel
    claim: ClaimView
    due: bool
    off: str
    """How far the measured number is from the claim, in per cent of it."""
    measured: Figures | None


class FacetView(NamedTuple):
    """One filter with its choices: value, words, count."""

    name: str
    title: str
    chosen: str
    choices: Sequence[tuple[str, str, int]]


@require_safe
@cache_page(known=["page", "sort", *(field.name for field in fields(LedgerFilter))])
def ledger(request: HttpRequest) -> HttpResponse:
    """Show the claims; filters, order and page stand in the address."""
    chosen = _chosen(request)
    sort, descending = _sort(request)
    version = archive_version()
    facets = ledger_facets(chosen=chosen, version=version)
    claims = LedgerRows(chosen=chosen, sort=sort, descending=descending, total=facets.total)
    pages = Paginator(claims, PER_PAGE).get_page(request.GET.get("page"))
    shows(LISTS, *(model_tag(claim.drive_model_id) for claim in pages))
    sources = Sources()
    context = {
        "chosen": chosen,
        "narrowed": any(asdict(chosen).values()),
        "facets": _facets(facets, asdict(chosen)),
        "sort": sort,
        "descending": descending,
        "pages": pages,
        "rows": [_row(claim, sources) for claim in pages],
        "total": pages.paginator.count,
        "sources": sources,
        "board": board_of(version)
        if version and pages.number == 1 and not any(asdict(chosen).values())
        else None,
    }
    return page(request, "web/claims.html", context, section="claims")


@dataclass(frozen=True, slots=True)
class VendorBar:
    """A vendor's tested claims as one bar: verdict, claims, and where each part begins, in thousandths."""

    score: VendorScore
    parts: tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Dumbbell:
    """A missed claim: what was claimed and what was measured, as shares of the larger, in thousandths."""

    miss: Miss
    title: str
    claimed: str
    measured: str
    off: str
    claimed_at: int
    measured_at: int


@dataclass(frozen=True, slots=True)
class Board:
    """What the ledger opens with."""

    vendors: tuple[VendorBar, ...]
    misses: tuple[Dumbbell, ...]
    tested: int
    untested: int


BAR = 1000
_ORDER = ("exceeded", "met", "inconclusive", "not comparable", "missed")


def board_of(version: datetime | None) -> Board | None:
    """Return the scoreboard; None where nothing was tested yet."""
    scores = vendor_scores(version=version)
    bars = tuple(VendorBar(score, tuple(_parts(score))) for score in scores if score.tested)
    if not bars:
        return None
    misses = tuple(map(_dumbbell, largest_misses(version=version)))
    tested, untested = (sum(getattr(score, name) for score in scores) for name in ("tested", "untested"))
    return Board(bars, misses, tested, untested)


def _parts(score: VendorScore) -> Iterator[tuple[str, int, int, int]]:
    before = 0
    for verdict in _ORDER:
        if count := score.verdicts.get(verdict, 0):
            begin, end = (round(BAR * claims / score.tested) for claims in (before, before + count))
            yield verdict, count, begin, end - begin
            before += count


def _dumbbell(miss: Miss) -> Dumbbell:
    most = max(miss.claimed, miss.measured) or 1.0
    claimed, measured = (show(float(f"{value:.4g}"), miss.unit) for value in (miss.claimed, miss.measured))
    return Dumbbell(
        miss,
        metric_title(miss.metric),
        f"{claimed.value} {claimed.unit}".strip() if claimed else "",
        f"{measured.value} {measured.unit}".strip() if measured else "",
        _off(miss.by_percent),
        round(BAR * miss.claimed / most),
        round(BAR * miss.measured / most),
    )


def _chosen(request: HttpRequest) -> LedgerFilter:
    values = {
        field.name: request.GET.get(field.name, "").strip().replace("\0", "")[:VALUE_MAX]
        for field in fields(LedgerFilter)
    }
    return LedgerFilter(**values)


def _sort(request: HttpRequest) -> tuple[str, bool]:
    wanted = request.GET.get("sort", TESTED)
    sort = wanted.removeprefix("-")
    return (sort, wanted.startswith("-")) if sort in SORTS else (TESTED, False)


@require_safe
def ledger_csv(request: HttpRequest) -> HttpResponseBase:
    """Answer with the claims that are left as a file."""
    sort, descending = _sort(request)
    claims = ledger_list(chosen=_chosen(request), sort=sort, descending=descending)
    rows = (_line(claim) for claim in claims.iterator(chunk_size=500))
    return csv_response("claims-and-verdicts.csv", chain([_COLUMNS], rows))


_FOUND = ("verdict", "words", "by_percent", "value", "low", "high", "units", "runs")
_COLUMNS = (
    *("vendor", "model", "drive", "metric", "scope", "form", "low", "high", "unit", "conditions", "claim"),
    *("document", "locator", "stated_on"),
    *(f"measured_{name}" for name in _FOUND),
    *(f"published_{name}" for name in _FOUND[:-1]),
    *("published_document", "published_locator"),
)


def _line(claim: Claim) -> list[Any]:
    model, found = claim.drive_model, claim_row_of(claim)
    line = [
        *(model.vendor.name, model.number, model.slug, claim.metric, claim.scope, claim.form),
        *(claim.low, claim.high, claim.unit, claim.conditions, claim_text(claim)),
        *(claim.citation.title, claim.locator, claim.stated_on),
    ]
    if found is None:
        return [*line, *[""] * (len(_COLUMNS) - len(line))]
    literature = found.published.literature if found.published else None
    return [
        *line,
        *_found(found.measured),
        *_found(found.published)[:-1],
        *((literature.citation.title, literature.locator) if literature else ("", "")),
    ]


def _found(judged: Any) -> list[Any]:
    if judged is None:
        return [""] * len(_FOUND)
    verdict, evidence = judged.verdict, judged.evidence
    head = [verdict.outcome.value, verdict.words, verdict.by_percent]
    if evidence is None:
        return [*head, *[""] * (len(_FOUND) - len(head))]
    return [*head, evidence.centre, evidence.low, evidence.high, evidence.units, evidence.runs]


def _row(claim: Claim, sources: Sources) -> LedgerRow:
    found = claim_row_of(claim)
    row = found or ClaimRow(
        claim,
        metrics_by_key().get(claim.metric),
        Judged(Verdict(Outcome.INCONCLUSIVE, DUE_WORDS), None),
        None,
    )
    (view,) = claim_views([row], sources, base=f"/drives/{claim.drive_model.slug}/")
    return LedgerRow(
        drive=claim.drive_model,
        claim=view,
        due=found is None,
        off=_off(row.measured.verdict.by_percent),
        measured=_figures(row.measured.evidence, claim.unit) if row.measured.evidence else None,
    )


def _off(percent: float | None) -> str:
    if percent is None:
        return ""
    text = write(abs(percent), 1)
    sign = "" if text == "0.0" else "+" if percent > 0 else MINUS
    return f"{sign}{text} %"


def _figures(evidence: Evidence, unit: str) -> Figures:
    behind = [counted(evidence.runs, "run")] if evidence.runs else []
    shown = show(evidence.centre, unit, low=evidence.low, high=evidence.high)
    return Figures(shown, ", ".join([*behind, counted(evidence.units, "unit")]))


def _facets(facets: LedgerFacets, chosen: dict[str, str]) -> list[FacetView]:
    """Return the filters in the order of the page."""
    metrics = ((key, metric_title(key), count) for key, _text, count in facets.metric)
    return [
        _facet("vendor", "Vendor", chosen, facets.vendor),
        _facet("verdict", "Verdict", chosen, facets.verdict),
        _facet("metric", "Metric", chosen, sorted(metrics, key=lambda entry: entry[1].casefold())),
        _facet("evidence", "Rests on", chosen, facets.evidence),
    ]


def _facet(
    name: str, title: str, chosen: dict[str, str], choices: Iterable[tuple[str, str, int]]
) -> FacetView:
    """A choice that leaves nothing stays in its list, or the form would deny that it was made."""
    value, offered = chosen[name], list(choices)
    if value and all(value != known for known, _text, _count in offered):
        text = metric_title(value) if name == "metric" else value.replace("_", " ")
        offered.append((value, text, 0))
    return FacetView(name, title, value, offered)
