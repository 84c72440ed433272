"""The ledger of claims as its page shows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from server.benchmarks.registry import metrics_by_key
from server.catalog.files import facts_by_key
from server.catalog.models import Claim
from server.claims.assessment import ClaimRow, Judged
from server.claims.ledger import LedgerFacets
from server.claims.selectors import claim_row_of
from server.claims.verdicts import Evidence, Outcome, Verdict
from server.core.numbers import MINUS, Shown, show, write
from server.web.claims import ClaimView, claim_views
from server.web.rows import Sources

DUE_WORDS = "The claim was entered or changed just now; its verdict is being computed."


@dataclass(frozen=True, slots=True)
class Figures:
    """The number that a verdict rests on."""

    shown: Shown | None
    interval: str
    behind: str
    url: str


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One claim."""

    drive_title: str
    drive_url: str
    claim: ClaimView
    due: bool
    off: str
    """How far the measured number is from the claim, in per cent of it."""
    measured: Figures | None
    published: Figures | None


@dataclass(frozen=True, slots=True)
class FacetView:
    """One filter with its choices: value, words, count."""

    name: str
    title: str
    chosen: str
    choices: tuple[tuple[str, str, int], ...]


def ledger_rows(claims: Iterable[Claim], sources: Sources) -> tuple[LedgerRow, ...]:
    """Return the rows of a page; the documents that they cite are added to `sources`."""
    return tuple(_row(claim, sources) for claim in claims)


def _row(claim: Claim, sources: Sources) -> LedgerRow:
    found = claim_row_of(claim)
    row = found or _due(claim)
    base = f"/drives/{claim.drive_model.slug}/"
    (view,) = claim_views([row], sources, base=base)
    return LedgerRow(
        drive_title=claim.drive_model.title,
        drive_url=base,
        claim=view,
        due=found is None,
        off=_off(row.measured.verdict.by_percent),
        measured=_figures(row.measured, claim.unit, f"{base}#runs-title"),
        published=_figures(row.published, claim.unit, ""),
    )


def _due(claim: Claim) -> ClaimRow:
    judged = Judged(Verdict(Outcome.INCONCLUSIVE, DUE_WORDS), None)
    return ClaimRow(claim, metrics_by_key().get(claim.metric), judged, None)


def _off(percent: float | None) -> str:
    if percent is None:
        return ""
    text = write(abs(percent), 1)
    sign = "" if text == "0.0" else "+" if percent > 0 else MINUS
    return f"{sign}{text} %"


def _figures(judged: Judged | None, unit: str, url: str) -> Figures | None:
    if judged is None or judged.evidence is None:
        return None
    evidence = judged.evidence
    shown = show(evidence.centre, unit, low=evidence.low, high=evidence.high)
    return Figures(shown, shown.interval if shown else "", _behind(evidence), url)


def _behind(evidence: Evidence) -> str:
    drives = f"{evidence.units} drive{'' if evidence.units == 1 else 's'}"
    if not evidence.runs:
        return drives
    return f"{evidence.runs} run{'' if evidence.runs == 1 else 's'}, {drives}"


def facet_views(facets: LedgerFacets, chosen: dict[str, str]) -> tuple[FacetView, ...]:
    """Return the filters in the order of the page."""
    return (
        _facet("vendor", "Vendor", chosen, facets.vendor),
        _facet("verdict", "Verdict", chosen, facets.verdict),
        _facet("metric", "Metric", chosen, _titled(facets.metric)),
        _facet("evidence", "Rests on", chosen, facets.evidence),
    )


def _facet(
    name: str, title: str, chosen: dict[str, str], choices: tuple[tuple[str, str, int], ...]
) -> FacetView:
    """A choice that leaves nothing stays in its list, or the form would deny that it was made."""
    value = chosen[name]
    if value and all(value != known for known, _text, _count in choices):
        text = metric_title(value) if name == "metric" else value.replace("_", " ")
        choices = (*choices, (value, text, 0))
    return FacetView(name, title, value, choices)


def _titled(choices: tuple[tuple[str, str, int], ...]) -> tuple[tuple[str, str, int], ...]:
    titled = ((key, metric_title(key), count) for key, _text, count in choices)
    return tuple(sorted(titled, key=lambda entry: entry[1].casefold()))


def metric_title(key: str) -> str:
    """Return what a metric or a published number is called."""
    metric, fact = metrics_by_key().get(key), facts_by_key().get(key)
    return metric.title if metric else fact.title if fact else key
