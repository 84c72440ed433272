"""A model's claims and their verdicts, ready for a template."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from server.benchmarks.registry import metrics_by_key
from server.catalog.files import facts_by_key
from server.catalog.models import Claim
from server.claims.scoreboard import ENOUGH_UNITS
from server.claims.selectors import ClaimRow, Judged
from server.claims.verdicts import Outcome
from server.core.numbers import show_stated
from server.core.scopes import scope_text
from server.web.rows import Sources, metric_name, metric_url


@dataclass(frozen=True, slots=True)
class JudgedView:
    """A verdict and the way to what it rests on."""

    outcome: str
    words: str
    measured_as: str
    """The metric that was measured, where it is not the claim's own."""
    link: str
    link_text: str
    few: bool = False
    """Whether it rests on too few drives to be shown in red."""


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One row of the claims' table."""

    title: str
    url: str
    definition: str
    scope: str
    stated: str
    printed: str
    conditions: str
    reference: int
    locator: str
    stated_on: str
    note: str
    measured: JudgedView
    published: JudgedView | None


def claim_views(rows: Iterable[ClaimRow], sources: Sources, *, base: str = "") -> tuple[ClaimView, ...]:
    """Return the claims; the documents that they cite are added to `sources`.

    `base` is the address of the drive's page, empty on the page itself.
    """
    return tuple(_view(row, sources, base) for row in rows)


def _view(row: ClaimRow, sources: Sources, base: str) -> ClaimView:
    claim = row.claim
    known = row.metric or facts_by_key().get(claim.metric)
    cache = f"write cache {claim.write_cache}" if claim.write_cache else ""
    return ClaimView(
        title=known.title if known else claim.metric,
        url=metric_url(claim.metric) if row.metric else "",
        definition=known.definition if known else "",
        scope=scope_text(claim.scope),
        stated=claim_text(claim),
        printed=claim.printed,
        conditions=", ".join(text for text in (claim.conditions, cache) if text),
        reference=sources.number(claim.citation),
        locator=claim.locator,
        stated_on=claim.stated_on,
        note=claim.note,
        measured=_judged(row, row.measured, sources, base),
        published=_judged(row, row.published, sources, base) if row.published else None,
    )


def metric_title(key: str) -> str:
    """Return what a metric or a published number is called."""
    known = metrics_by_key().get(key) or facts_by_key().get(key)
    return known.title if known else key


def claim_text(claim: Claim) -> str:
    """Return the form and the numbers of a claim: `at most 18 ms`, `62 to 152 MB/s`."""
    low, high = (
        show_stated(value, claim.unit).value if value is not None else "" for value in (claim.low, claim.high)
    )
    number = low if low == high else " to ".join(text for text in (low, high) if text)
    form = "" if claim.form == Claim.BoundType.RANGE else claim.form
    unit = "" if claim.unit == "1" else claim.unit
    return " ".join(text for text in (number, unit, f"({form})" if form else "") if text)


def outcome_word(judged: Judged) -> str:
    """Return the word for a verdict: where nothing was measured, "not tested" says more than
    "inconclusive"."""
    if judged.evidence is None and judged.verdict.outcome is Outcome.INCONCLUSIVE:
        return "not tested"
    return judged.verdict.outcome.value


def _judged(row: ClaimRow, judged: Judged, sources: Sources, base: str) -> JudgedView:
    link, link_text = "", ""
    if judged.literature is not None:
        reference = sources.number(judged.literature.citation)
        link, link_text = f"#reference-{reference}", f"[{reference}, {judged.literature.locator}]"
    elif judged.key is not None:
        link, link_text = f"{base}#runs-title", "the runs"
    return JudgedView(
        outcome=outcome_word(judged),
        words=judged.verdict.words,
        measured_as=_measured_as(row.claim, judged),
        link=link,
        link_text=link_text,
        few=bool(judged.evidence and judged.evidence.runs and judged.evidence.units < ENOUGH_UNITS),
    )


def _measured_as(claim: Claim, judged: Judged) -> str:
    if judged.key is None or judged.key == (claim.metric, claim.scope):
        return ""
    name = metric_name(*judged.key)
    return ", ".join(text for text in (name.title, name.scope) if text)
