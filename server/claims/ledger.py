"""The ledger: every claim of every vendor with its kept verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, overload

from django.db.models import Count, F, OrderBy, Q, QuerySet

from server.catalog.models import Claim
from server.claims.models import ClaimVerdict, ledger_order
from server.claims.verdicts import Outcome
from server.core.cache import cached
from server.core.querying import CompiledQuery

TESTED = "tested"
"""The order that the ledger opens with; see `ledger_order`."""
SORTS: Mapping[str, tuple[str, ...]] = {
    "drive": ("drive_model__summary__sort_name",),
    "metric": ("metric", "scope"),
    "verdict": ("verdict__effective_verdict",),
    "off": ("verdict__by_percent",),
    "units": ("verdict__units",),
    "runs": ("verdict__runs",),
    "stated": ("stated_on",),
}
"""Names by which the ledger can be sorted, with the columns behind them."""
_TIES = ("drive_model__summary__sort_name", "metric", "scope", "id")
EVIDENCE = {choice.value: str(choice.label) for choice in ClaimVerdict.Evidence}
OUTCOMES = tuple(outcome.value for outcome in Outcome)
_KEEP_S = 900
DUE = "due"
"""Stands for the verdict of claims that are not judged yet."""


@dataclass(frozen=True, slots=True)
class LedgerFilter:
    """What the ledger is narrowed to; empty texts leave everything in."""

    vendor: str = ""
    """A vendor's slug."""
    verdict: str = ""
    metric: str = ""
    evidence: str = ""
    """What the verdict rests on: `measured`, `published` or `none`."""
    drive: str = ""
    """A model's slug."""


@dataclass(frozen=True, slots=True)
class LedgerFacets:
    """How many claims each choice leaves, the other choices being made: value to words and count."""

    vendor: tuple[tuple[str, str, int], ...]
    verdict: tuple[tuple[str, str, int], ...]
    metric: tuple[tuple[str, str, int], ...]
    evidence: tuple[tuple[str, str, int], ...]
    total: int
    """How many claims are left."""


_COLUMNS = {
    "vendor": "drive_model__vendor__slug",
    "verdict": "verdict__effective_verdict",
    "metric": "metric",
    "evidence": "verdict__evidence",
    "drive": "drive_model__slug",
}


def ledger_list(*, chosen: LedgerFilter, sort: str = "drive", descending: bool = False) -> QuerySet[Claim]:
    """Return the claims that are left, sorted, with all that a list shows of them."""
    if sort == TESTED:
        return _left(chosen).select_related(*_SHOWN).order_by(*ledger_order("verdict__"), "id")
    order = [
        OrderBy(F(column), descending=descending, nulls_last=True)
        for column in SORTS.get(sort, SORTS["drive"])
    ]
    return (
        _left(chosen)
        .select_related(*_SHOWN)
        .order_by(*order, *(column for column in _TIES if column not in SORTS.get(sort, ())))
    )


_SHOWN = ("drive_model__vendor", "citation", "verdict__literature__citation")
_NOT_SHOWN = ("drive_model__search_text", "drive_model__notes")
_WHOLE: CompiledQuery[Claim] = CompiledQuery(
    lambda ids: (
        Claim.objects.filter(pk__any_of=ids, hidden=False)
        .order_by()
        .select_related(*_SHOWN)
        .defer(*_NOT_SHOWN)
    )
)


_INDEXED = {"drive": "drive_model__summary__sort_name", TESTED: "verdict"}
"""Orders along an index, with what a claim has that is in it."""


class LedgerRows(Sequence[Claim]):
    """The claims that are left, sorted, of which a page reads its own alone.

    The database sorts narrow rows, and whole ones are read for the page. In two orders it walks an index:
    claims that are not in that, as their model has no summary yet or they no verdict, are looked for at its
    end.
    """

    def __init__(self, *, chosen: LedgerFilter, sort: str, descending: bool, total: int) -> None:
        self._rows = ledger_list(chosen=chosen, sort=sort, descending=descending)
        self._indexed = "" if descending else _INDEXED.get(sort, "")
        self._total = total

    def __len__(self) -> int:
        return self._total

    @overload
    def __getitem__(self, index: int) -> Claim: ...
    @overload
    def __getitem__(self, index: slice) -> list[Claim]: ...
    def __getitem__(self, index: int | slice) -> Claim | list[Claim]:
        if isinstance(index, int):
            return self._rows[index]
        ids = self._ids(index)
        found = {row.pk: row for row in _WHOLE.rows(ids=ids)}
        return [found[pk] for pk in ids if pk in found]

    def _ids(self, index: slice) -> list[int]:
        narrow = self._rows.select_related(None).values_list("pk", flat=True)
        if self._indexed:
            ids = list(narrow.filter(**{f"{self._indexed}__isnull": False})[index])
            if index.stop is None or len(ids) == min(index.stop, self._total) - (index.start or 0):
                return ids
        return list(narrow[index])


def ledger_groups(chosen: LedgerFilter, version: datetime | None) -> list[tuple[Any, ...]]:
    """Return how many claims there are of each vendor, verdict, metric and evidence, the other choices being
    made; of all claims they are cached under `version`, when the archive's counts changed last."""
    rows = (
        _left(replace(chosen, vendor="", verdict="", metric="", evidence=""))
        .order_by()
        .values_list(
            *("drive_model__vendor__slug", "drive_model__vendor__name"),
            *("verdict__effective_verdict", "metric", "verdict__evidence"),
        )
        .annotate(count=Count("id"))
    )
    if version is None or chosen.drive:
        return list(rows)
    return cached(f"claims.ledger-groups:{version.timestamp()}", lambda: list(rows), keep_s=_KEEP_S)


def ledger_facets(*, chosen: LedgerFilter, version: datetime | None = None) -> LedgerFacets:
    """Return the choices with their counts, cached for as long as `version` stays the same."""
    rows = ledger_groups(chosen, version)
    total = 0
    counted: dict[str, Counter[str]] = {
        name: Counter() for name in ("vendor", "verdict", "metric", "evidence")
    }
    names: dict[str, str] = {}
    wanted = {field.name: getattr(chosen, field.name) for field in fields(chosen)}
    for slug, name, verdict, metric, evidence, count in rows:
        names[slug] = name
        values = {
            "vendor": slug,
            "verdict": verdict or DUE,
            "metric": metric,
            "evidence": evidence or "none",
        }
        if all(wanted[name] in ("", value) for name, value in values.items()):
            total += count
        for facet, counter in counted.items():
            if all(wanted[other] in ("", values[other]) for other in values if other != facet):
                counter[values[facet]] += count
    return LedgerFacets(
        vendor=_sorted(counted["vendor"], names),
        verdict=tuple(
            (one, one, counted["verdict"][one]) for one in (*OUTCOMES, DUE) if counted["verdict"][one]
        ),
        metric=_sorted(counted["metric"], {}),
        evidence=tuple((key, text, counted["evidence"][key]) for key, text in EVIDENCE.items()),
        total=total,
    )


def _sorted(counter: Counter[str], names: Mapping[str, str]) -> tuple[tuple[str, str, int], ...]:
    entries = ((value, names.get(value, value), count) for value, count in counter.items())
    return tuple(sorted(entries, key=lambda entry: entry[1].casefold()))


def _left(chosen: LedgerFilter) -> QuerySet[Claim]:
    claims = Claim.objects.filter(hidden=False)
    for field in fields(chosen):
        value = getattr(chosen, field.name)
        if value:
            claims = claims.filter(_condition(field.name, value))
    return claims


def _condition(name: str, value: str) -> Q:
    if name == "verdict" and value == DUE:
        return Q(verdict__isnull=True)
    if name == "evidence" and value == "none":
        return Q(verdict__evidence="none") | Q(verdict__isnull=True)
    return Q(**{_COLUMNS[name]: value})
