"""The ledger of claims and verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_safe

from server.catalog.models import Claim
from server.claims.ledger import SORTS, LedgerFilter, LedgerRows, ledger_facets, ledger_list
from server.claims.selectors import claim_row_of
from server.core.cache import LISTS, model_tag
from server.core.csv_text import CSVWriter, Echo
from server.search.archive_counts import archive_version
from server.web.claims import claim_text
from server.web.ledger import facet_views, ledger_rows
from server.web.page import page
from server.web.page_cache import cache_page, shows
from server.web.rows import Sources

PER_PAGE = 50
VALUE_MAX = 200


@require_safe
@cache_page(known=["page", "sort", *(field.name for field in fields(LedgerFilter))])
def ledger(request: HttpRequest) -> HttpResponse:
    """Show the claims; filters, order and page stand in the address."""
    chosen = _chosen(request)
    sort, descending = _sort(request)
    facets = ledger_facets(chosen=chosen, version=archive_version())
    claims = LedgerRows(chosen=chosen, sort=sort, descending=descending, total=facets.total)
    pages = Paginator(claims, PER_PAGE).get_page(request.GET.get("page"))
    shows(LISTS, *(model_tag(claim.drive_model_id) for claim in pages))
    sources = Sources()
    context = {
        "chosen": chosen,
        "narrowed": any(asdict(chosen).values()),
        "facets": facet_views(facets, asdict(chosen)),
        "sort": sort,
        "descending": descending,
        "pages": pages,
        "rows": ledger_rows(pages, sources),
        "total": pages.paginator.count,
        "sources": sources,
    }
    return page(request, "web/claims.html", context, section="claims")


def _chosen(request: HttpRequest) -> LedgerFilter:
    values = {
        field.name: request.GET.get(field.name, "").strip().replace("\0", "")[:VALUE_MAX]
        for field in fields(LedgerFilter)
    }
    return LedgerFilter(**values)


def _sort(request: HttpRequest) -> tuple[str, bool]:
    wanted = request.GET.get("sort", "drive")
    sort = wanted.removeprefix("-")
    return (sort, wanted.startswith("-")) if sort in SORTS else ("drive", False)


@require_safe
def ledger_csv(request: HttpRequest) -> HttpResponseBase:
    """Answer with the claims that are left as a file."""
    sort, descending = _sort(request)
    claims = ledger_list(chosen=_chosen(request), sort=sort, descending=descending)
    writer = CSVWriter(Echo())

    def lines() -> Iterator[str]:
        yield str(writer.writerow(_COLUMNS))
        for claim in claims.iterator(chunk_size=500):
            yield str(writer.writerow(_line(claim)))

    response = StreamingHttpResponse(lines(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="claims-and-verdicts.csv"'
    return response


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
