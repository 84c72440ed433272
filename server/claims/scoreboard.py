"""Whether vendors keep their word, at a glance: verdicts by vendor, and the largest misses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models.functions import Abs

from server.catalog.models import Claim
from server.claims.ledger import LedgerFilter, ledger_groups, ledger_list
from server.claims.models import ClaimVerdict
from server.claims.verdicts import Outcome
from server.core.cache import cached

VENDORS_SHOWN = 12
MISSES_SHOWN = 8
ENOUGH_UNITS = 3
"""Drives from which a missed claim is called so in red: fewer tell of specimens."""
_KEEP_S = 900


@dataclass(frozen=True, slots=True)
class VendorScore:
    """One vendor's claims."""

    slug: str
    name: str
    verdicts: Mapping[str, int]
    """Verdict to number of claims, of those that something was held against."""
    untested: int

    @property
    def tested(self) -> int:
        """How many claims something was held against."""
        return sum(self.verdicts.values())


def vendor_scores(*, version: datetime | None) -> tuple[VendorScore, ...]:
    """Return the vendors with most tested claims, from what the ledger's choices are counted by."""
    names: dict[str, str] = {}
    verdicts: dict[str, Counter[str]] = {}
    untested: Counter[str] = Counter()
    for slug, name, verdict, _metric, evidence, count in ledger_groups(LedgerFilter(), version):
        names[slug] = name
        if verdict and evidence != ClaimVerdict.Evidence.NONE:
            verdicts.setdefault(slug, Counter())[verdict] += count
        else:
            untested[slug] += count
    scores = [VendorScore(slug, names[slug], verdicts.get(slug, {}), untested[slug]) for slug in names]
    scores.sort(key=lambda score: (-score.tested, -score.untested, score.name.casefold()))
    return tuple(scores[:VENDORS_SHOWN])


@dataclass(frozen=True, slots=True)
class Miss:
    """A claim that measurements miss."""

    slug: str
    title: str
    metric: str
    unit: str
    claimed: float
    """The bound that is missed."""
    measured: float
    by_percent: float
    units: int


def largest_misses(*, version: datetime | None) -> tuple[Miss, ...]:
    """Return the claims that are missed by most, of models of which enough drives were measured."""
    return cached(f"claims.misses:{version.timestamp()}" if version else "", _misses, keep_s=_KEEP_S)


def _misses() -> tuple[Miss, ...]:
    rows = (
        ledger_list(chosen=LedgerFilter(verdict=Outcome.MISSED.value))
        .filter(
            verdict__outcome=Outcome.MISSED.value,
            verdict__units__gte=ENOUGH_UNITS,
            verdict__by_percent__isnull=False,
            verdict__value__isnull=False,
        )
        .order_by(Abs("verdict__by_percent").desc(), "pk")[:MISSES_SHOWN]
    )
    return tuple(filter(None, map(_miss, rows)))


def _miss(claim: Claim) -> Miss | None:
    found = claim.verdict
    bound = claim.low if claim.high is None else claim.high
    if found.by_percent is None or found.value is None or bound is None:
        return None
    if found.by_percent < 0 and claim.low is not None:
        bound = claim.low
    model = claim.drive_model
    return Miss(
        *(model.slug, model.title, claim.metric, claim.unit, bound),
        *(found.value, found.by_percent, found.units),
    )
