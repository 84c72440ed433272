"""Claims with their verdicts, which are kept: computed in the background, read by pages and lists."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from django.db import transaction

from server.benchmarks.registry import metrics_by_key
from server.catalog.models import Claim, DriveModel
from server.catalog.selectors import claims_shown
from server.claims.assessment import ClaimRow, Judged, claims_judge
from server.claims.models import ClaimVerdict
from server.claims.verdicts import Evidence, Outcome, Verdict
from server.core import clock
from server.core.locks import transaction_lock
from server.core.metrics import lookup_count
from server.core.querying import CompiledQuery
from server.subscriptions.events import verdict_events_add

__all__ = [
    "TERMS",
    "UNTESTED",
    "ClaimRow",
    "Judged",
    "claim_row_of",
    "claim_rows",
    "terms_digest_of",
    "verdicts_update",
]

TERMS = ("metric", "scope", "form", "quantity", "low", "high", "unit", "tolerance", "write_cache")
"""Columns of a claim that a verdict was given on."""
UNTESTED = "untested"
"""What a claim is that neither a run nor a published value speaks about."""
_VERDICT = ("evidence", "effective_verdict")


_CLAIMS: CompiledQuery[Claim] = CompiledQuery(
    lambda drive_model_id: claims_shown(
        Claim.objects.filter(drive_model_id__given=drive_model_id)
    ).select_related("verdict__literature__citation")
)


def claim_rows(*, drive_model: DriveModel) -> tuple[ClaimRow, ...]:
    """Return a model's claims with their verdicts. Simulated runs and values never enter one.

    A claim that was changed since it was judged, or never was, is judged here: no verdict is shown beside
    other terms than its own.
    """
    claims = _CLAIMS.rows(drive_model_id=drive_model.pk)
    for claim in claims:
        claim.drive_model = drive_model
    rows = [claim_row_of(claim) for claim in claims]
    stored = tuple(row for row in rows if row is not None)
    lookup_count("verdicts", hit=len(stored) == len(rows))
    return stored if len(stored) == len(rows) else claims_judge(drive_model=drive_model)


def claim_row_of(claim: Claim) -> ClaimRow | None:
    """Return a claim with its kept verdict; None where there is none on the claim's present terms."""
    stored: ClaimVerdict | None = getattr(claim, "verdict", None)
    if stored is None or stored.claim_digest != terms_digest(claim):
        return None
    published = _judged(stored, PUBLISHED) if stored.published_outcome else None
    return ClaimRow(claim, metrics_by_key().get(claim.metric), _judged(stored), published)


def terms_digest(claim: Claim) -> str:
    """Return what the terms of a claim are recognised by."""
    return terms_digest_of([getattr(claim, name) for name in TERMS])


def terms_digest_of(terms: Sequence[object]) -> str:
    """Return the digest of a claim's `TERMS`, given in their order."""
    return hashlib.sha256(json.dumps(list(terms)).encode()).hexdigest()


@transaction.atomic(savepoint=False)
def verdicts_update(*, drive_model_id: int, model: DriveModel | None = None) -> int:
    """Judge a model's claims anew and keep the verdicts; return how many there are."""
    transaction_lock("verdicts", str(drive_model_id))
    model = model or DriveModel.objects.get(pk=drive_model_id)
    rows = [_row(judged) for judged in claims_judge(drive_model=model)]
    before = ClaimVerdict.objects.filter(drive_model=model)
    had = {claim: _shown(*stored) for claim, *stored in before.values_list("claim_id", *_VERDICT)}
    before.delete()
    ClaimVerdict.objects.bulk_create(rows)
    has = {row.claim_id: _shown(row.evidence, row.effective_verdict) for row in rows}
    was = {claim: had.get(claim, UNTESTED) for claim in has}
    verdict_events_add({claim: (was[claim], now) for claim, now in has.items() if was[claim] != now})
    return len(rows)


def _shown(evidence: str, verdict: str) -> str:
    return UNTESTED if evidence == ClaimVerdict.Evidence.NONE else verdict


PUBLISHED = "published_"
"""What the names of the columns of a verdict by published values begin with."""


def _row(found: ClaimRow) -> ClaimVerdict:
    claim, measured, published = found.claim, found.measured, found.published
    row = ClaimVerdict(
        claim=claim,
        drive_model_id=claim.drive_model_id,
        claim_digest=terms_digest(claim),
        left_out=measured.left_out,
        runs=measured.evidence.runs if measured.evidence else 0,
        judged_at=clock.now(),
        **_columns(measured, ""),
    )
    if published is not None:
        row.literature = published.literature
        for name, value in _columns(published, PUBLISHED).items():
            setattr(row, name, value)
    row.evidence, row.effective_verdict = _effective_verdict(row)
    return row


def _columns(judged: Judged, prefix: str) -> dict[str, Any]:
    """Return what both verdicts of a claim keep in columns of their own."""
    verdict, figures = judged.verdict, judged.evidence
    metric, scope = judged.key or ("", "")
    stored: dict[str, Any] = {
        "outcome": verdict.outcome.value,
        "words": verdict.words,
        "by_percent": verdict.by_percent,
        "needed": verdict.needed,
        "metric": metric,
        "scope": scope,
    }
    if figures is not None:
        stored |= {"value": figures.centre, "low": figures.low, "high": figures.high, "units": figures.units}
    return {f"{prefix}{name}": value for name, value in stored.items()}


def _effective_verdict(row: ClaimVerdict) -> tuple[str, str]:
    """Return what the verdict rests on and which it is: runs before documents."""
    if row.runs:
        return ClaimVerdict.Evidence.MEASURED, row.outcome
    if row.published_outcome:
        return ClaimVerdict.Evidence.PUBLISHED, row.published_outcome
    return ClaimVerdict.Evidence.NONE, row.outcome


def _judged(row: ClaimVerdict, prefix: str = "") -> Judged:
    """Return a kept verdict; what is behind the interval of its figures was needed for judging only."""

    def stored(*names: str) -> list[Any]:
        return [getattr(row, f"{prefix}{name}") for name in names]

    outcome, *rest = stored("outcome", "words", "by_percent", "needed")
    metric, scope, value, low, high, units = stored("metric", "scope", "value", "low", "high", "units")
    runs, left_out, literature = (0, 0, row.literature) if prefix else (row.runs, row.left_out, None)
    evidence = None if value is None else Evidence(value, low, high, None, max(units, 1), units, runs)
    key = (metric, scope) if metric else None
    return Judged(Verdict(Outcome(outcome), *rest), key, literature, left_out, evidence)
