"""Claims with their verdicts, which are kept: computed in the background, read by pages and lists."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from django.db import transaction

from server.benchmarks.registry import metrics_by_key
from server.catalog.models import Claim, DriveModel
from server.catalog.selectors import claims_shown
from server.claims.assessment import ClaimRow, Judged, claims_judge
from server.claims.models import ClaimVerdict
from server.claims.verdicts import Evidence, Outcome, Verdict
from server.core import clock
from server.core.locks import transaction_lock
from server.core.querying import CompiledQuery

__all__ = [
    "TERMS",
    "ClaimRow",
    "Judged",
    "claim_row_of",
    "claim_rows",
    "terms_digest_of",
    "verdicts_update",
]

TERMS = ("metric", "scope", "form", "quantity", "low", "high", "unit", "tolerance", "write_cache")
"""Columns of a claim that a verdict was given on."""


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
    kept = tuple(row for row in rows if row is not None)
    return kept if len(kept) == len(rows) else claims_judge(drive_model=drive_model)


def claim_row_of(claim: Claim) -> ClaimRow | None:
    """Return a claim with its kept verdict; None where there is none on the claim's present terms."""
    kept: ClaimVerdict | None = getattr(claim, "verdict", None)
    if kept is None or kept.claim_digest != terms_digest(claim):
        return None
    return ClaimRow(claim, metrics_by_key().get(claim.metric), _measured(kept), _published(kept))


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
    ClaimVerdict.objects.filter(drive_model=model).delete()
    ClaimVerdict.objects.bulk_create(rows)
    return len(rows)


def _row(found: ClaimRow) -> ClaimVerdict:
    claim, measured, published = found.claim, found.measured, found.published
    row = ClaimVerdict(
        claim=claim,
        drive_model_id=claim.drive_model_id,
        claim_digest=terms_digest(claim),
        outcome=measured.verdict.outcome.value,
        words=measured.verdict.words,
        by_percent=measured.verdict.by_percent,
        needed=measured.verdict.needed,
        left_out=measured.left_out,
        judged_at=clock.now(),
    )
    row.metric, row.scope = measured.place or ("", "")
    if measured.evidence is not None:
        figures = measured.evidence
        row.value, row.low, row.high = figures.centre, figures.low, figures.high
        row.units, row.runs = figures.units, figures.runs
    if published is not None:
        _fill_published(row, published)
    row.evidence, row.effective_verdict = _effective_verdict(row)
    return row


def _fill_published(row: ClaimVerdict, published: Judged) -> None:
    verdict = published.verdict
    row.published_outcome, row.published_words = verdict.outcome.value, verdict.words
    row.published_by_percent, row.published_needed = verdict.by_percent, verdict.needed
    row.published_metric, row.published_scope = published.place or ("", "")
    row.literature = published.literature
    if published.evidence is not None:
        figures = published.evidence
        row.published_value, row.published_low = figures.centre, figures.low
        row.published_high, row.published_units = figures.high, figures.units


def _effective_verdict(row: ClaimVerdict) -> tuple[str, str]:
    """Return what the verdict rests on and which it is: runs before documents."""
    if row.runs:
        return ClaimVerdict.Evidence.MEASURED, row.outcome
    if row.published_outcome:
        return ClaimVerdict.Evidence.PUBLISHED, row.published_outcome
    return ClaimVerdict.Evidence.NONE, row.outcome


def _measured(row: ClaimVerdict) -> Judged:
    return Judged(
        verdict=Verdict(Outcome(row.outcome), row.words, row.by_percent, row.needed),
        place=(row.metric, row.scope) if row.metric else None,
        left_out=row.left_out,
        evidence=_evidence(row.value, row.low, row.high, row.units, row.runs),
    )


def _published(row: ClaimVerdict) -> Judged | None:
    if not row.published_outcome:
        return None
    return Judged(
        verdict=Verdict(
            Outcome(row.published_outcome),
            row.published_words,
            row.published_by_percent,
            row.published_needed,
        ),
        place=(row.published_metric, row.published_scope) if row.published_metric else None,
        literature=row.literature,
        evidence=_evidence(
            row.published_value, row.published_low, row.published_high, row.published_units, 0
        ),
    )


def _evidence(
    value: float | None, low: float | None, high: float | None, units: int, runs: int
) -> Evidence | None:
    """Return the figures of a kept verdict; what is behind their interval was needed for judging only."""
    return None if value is None else Evidence(value, low, high, None, max(units, 1), units, runs)
