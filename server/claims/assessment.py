"""Judging a model's claims: by what was measured, and apart from that by published values.

From the measurements themselves, since aggregates do not know their drives. `claims.py` keeps the verdicts.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db.models import Case, F, QuerySet, TextField, When
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from server.accounts.holders import holder_id_at
from server.benchmarks.contract import Direction, Metric, MetricKey
from server.benchmarks.heads import ONE_HEAD
from server.benchmarks.measurands import stand_ins
from server.benchmarks.registry import metrics_by_key
from server.catalog.models import Claim, DriveModel, LiteratureValue
from server.catalog.selectors import claims_list
from server.claims.exclusions import fitting_of
from server.claims.verdicts import (
    Evidence,
    Outcome,
    Quantity,
    Terms,
    Verdict,
    evidence_of_summary,
    evidence_of_values,
    judge,
)
from server.core.lifecycle import Provenance, State
from server.core.units import link_bytes_per_s
from server.measurements.model_measurements import USABLE, counting_runs
from server.measurements.models import Measurement, Run
from server.measurements.variants import variant_reported
from server.stats.wording import count_words

VARIANTS_NAMED = 4
"""So many variants are told apart in a verdict's words; the page of variants has them all."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict with what it rests on."""

    verdict: Verdict
    key: MetricKey | None
    """Where the numbers were measured; None where there are none."""
    literature: LiteratureValue | None = None
    left_out: int = 0
    """Runs left out: the write cache in another state, or a way to the drive that can't show the claim."""
    evidence: Evidence | None = None
    """The numbers that it rests on; None where nothing was held against the claim."""


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim, what runs say of it, and what published values say of it (None where they say nothing)."""

    claim: Claim
    metric: Metric | None
    measured: Judged
    published: Judged | None


@dataclass(frozen=True, slots=True)
class _Number:
    """One usable measurement of a published run of a real drive."""

    value: float
    low: float | None
    high: float | None
    run: object
    unit: object
    cache: object
    """Whether the write cache was on while it was measured, where the run tells."""
    bridged: bool
    """Whether the disk was asked through a USB bridge."""
    link_mb_per_s: float | None
    """The most that the link can have passed, where its speed is known."""
    variant: str = ""
    """What the maker tells drives of the model apart by, where the drive says it."""
    of_one_head: bool = False
    """Whether it is of a stretch that one head read while heads differ: no stand-in for a zone's number."""


def claims_judge(*, drive_model: DriveModel) -> tuple[ClaimRow, ...]:
    """Judge a model's claims. Simulated runs and values never enter a verdict."""
    claims = list(claims_list(drive_model=drive_model))
    if not claims:
        return ()
    metrics = metrics_by_key()
    wanted = {key[0] for claim in claims for key in _keys(claim)}
    numbers = _measured(drive_model, wanted)
    values = _published(drive_model, wanted)
    return tuple(
        ClaimRow(
            claim=claim,
            metric=metrics.get(claim.metric),
            measured=_judge_measured(claim, metrics.get(claim.metric), numbers),
            published=_judge_published(claim, metrics.get(claim.metric), values),
        )
        for claim in claims
    )


def _keys(claim: Claim) -> tuple[MetricKey, ...]:
    key = (claim.metric, claim.scope)
    return (key, *stand_ins().get(key, ()))


def _measured(drive_model: DriveModel, metrics: set[str]) -> dict[MetricKey, list[_Number]]:
    runs = Run.objects.filter(
        counting_runs(),
        drive_model=drive_model,
        provenance=Provenance.PROBE,
        submission__state=State.PUBLISHED,
    )
    ways = _ways(runs)
    rows = (
        Measurement.objects.filter(
            benchmark__run__in=runs,
            extractor_version=F("benchmark__extractor_version"),
            metric__in=metrics,
            quality__in=USABLE,
            value__isnull=False,
        )
        .order_by("id")
        .values_list(
            *("metric", "scope", "value", "low", "high", "benchmark__run_id"),
            Cast("benchmark__caches", TextField()),
            Case(When(reason__contains=ONE_HEAD, then=True), default=False),
        )
    )
    found: dict[MetricKey, list[_Number]] = defaultdict(list)
    for metric, scope, value, low, high, run, caches, of_one_head in _tuples(rows):
        # A run that was published between the two queries is judged with the next.
        if (way := ways.get(run)) is not None:
            states = _caches(caches or "{}")
            during = states.get("write") if states else way.cache
            stood = (way.bridged, way.link_mb_per_s, way.variant)
            number = _Number(value, low, high, run, way.unit, during, *stood)
            found[metric, scope].append(replace(number, of_one_head=True) if of_one_head else number)
    return found


@dataclass(frozen=True, slots=True)
class _Way:
    """What stood between the host and the medium in one run, as `_Number` has it."""

    unit: object
    cache: object
    bridged: bool
    link_mb_per_s: float | None
    variant: str


def _ways(runs: QuerySet[Run]) -> dict[UUID, _Way]:
    states = ("conditions__write_cache_during", "device__bridge", "device__link_speed_bits_per_s")
    rows = runs.values_list(
        "run_id",
        "unit_id",
        holder_id_at("submission"),
        KT("summary__device__vendor"),
        KT("summary__device__model"),
        KT("summary__device__interface"),
        *(KT(f"summary__{name}") for name in states),
    )
    found = {}
    for run, unit, holder, vendor, model, *way in _tuples(rows):
        of = ("unit", unit) if unit is not None else ("key", holder)
        cache, bridged, limit = _way(*way)
        found[run] = _Way(of, cache, bridged, limit, variant_reported(vendor, model))
    return found


# Most runs were made alike: their texts are read once.


@lru_cache(maxsize=1024)
def _caches(text: str) -> Mapping[str, object]:
    found: Mapping[str, object] = json.loads(text)
    return found


@lru_cache(maxsize=1024)
def _way(
    interface: str | None, cache: str | None, bridge: str | None, speed: str | None
) -> tuple[object, bool, float | None]:
    """Return whether the write cache was on, where that is told, whether there is a bridge on the way to the
    disk, and how many MB/s the link can pass; from JSON, but for the interface's name."""
    during, between, bits_per_s = (json.loads(text) if text else None for text in (cache, bridge, speed))
    limit = link_bytes_per_s(interface=interface or "", bridged=bool(between), bits_per_s=bits_per_s or 0.0)
    return during, bool(between) or interface == "usb", limit / 1e6 or None


def _tuples(rows: QuerySet[Any, Any]) -> Iterator[tuple[Any, ...]]:
    yield from rows.iterator(chunk_size=2000)


def _published(drive_model: DriveModel, metrics: set[str]) -> dict[MetricKey, list[LiteratureValue]]:
    """Return what was measured on drives; a specification can't confirm a specification."""
    rows = drive_model.literature_values.filter(
        hidden=False,
        metric__in=metrics,
        basis=LiteratureValue.Basis.MEASURED,
        relation__in=[LiteratureValue.Relation.EQUAL, LiteratureValue.Relation.ABOUT],
    ).select_related("citation")
    found: dict[MetricKey, list[LiteratureValue]] = defaultdict(list)
    for value in rows.order_by("id"):
        found[value.metric, value.scope].append(value)
    return found


def _terms(claim: Claim, metric: Metric | None) -> Terms:
    nominal = metric is None or metric.nominal
    return Terms(
        form=claim.form,
        low=claim.low,
        high=claim.high,
        unit=claim.unit,
        direction=Direction.NEITHER if nominal or metric is None else metric.direction,
        quantity=Quantity.OTHER if metric is None else Quantity(claim.quantity),
        tolerance=claim.tolerance,
    )


def _judge_measured(claim: Claim, metric: Metric | None, numbers: dict[MetricKey, list[_Number]]) -> Judged:
    terms = _terms(claim, metric)
    for key in _keys(claim):
        stands_in = key != (claim.metric, claim.scope)
        here = [one for one in numbers.get(key, ()) if not (stands_in and one.of_one_head)]
        if not here:
            continue
        fitting, left_out = fitting_of(claim, metric, here)
        if not fitting:
            return Judged(Verdict(Outcome.NOT_COMPARABLE, left_out.words_alone), key, left_out=left_out.runs)
        evidence = _evidence(fitting)
        verdict = judge(terms, evidence)
        words = f"{verdict.words}{_words_by_variant(terms, verdict, fitting)}{left_out.words_beside}"
        verdict = replace(verdict, words=words)
        return Judged(verdict, key, left_out=left_out.runs, evidence=evidence)
    elsewhere = sorted(scope or "the whole drive" for name, scope in numbers if name == claim.metric)
    if elsewhere and terms.quantity == Quantity.SAME:
        words = (
            f"Claimed for {claim.scope or 'the whole drive'}, measured for {', '.join(elsewhere[:4])}: "
            "other conditions give other numbers."
        )
        return Judged(Verdict(Outcome.NOT_COMPARABLE, words), None)
    return Judged(judge(terms, None), None)


def _words_by_variant(terms: Terms, verdict: Verdict, numbers: Sequence[_Number]) -> str:
    """Return what comes of a claim for each variant, where there are several: two mechanisms may be sold
    under one name, and the mean of both is that of neither."""
    by_variant: dict[str, list[_Number]] = defaultdict(list)
    for number in numbers:
        by_variant[number.variant].append(number)
    named = sorted(by_variant.keys() - {""})
    if len(named) < 2 or verdict.outcome == Outcome.NOT_COMPARABLE:
        return ""
    parts = []
    for variant in named[:VARIANTS_NAMED]:
        evidence = _evidence(by_variant[variant])
        outcome = judge(terms, evidence).outcome
        parts.append(f"{variant} {outcome} ({count_words(evidence.units, 'unit')})")
    more = len(named) - len(parts)
    return f" By variant: {', '.join(parts)}{f', and {more} more' if more else ''}."


def _evidence(numbers: Sequence[_Number]) -> Evidence:
    """Return one value per drive. A key's runs that do not tell their drive count as one drive's."""
    by_unit: dict[object, list[float]] = defaultdict(list)
    for number in numbers:
        by_unit[number.unit].append(number.value)
    runs = len({number.run for number in numbers})
    if len(by_unit) > 1:
        means = [sum(values) / len(values) for values in by_unit.values()]
        return evidence_of_values(means, units=len(means), runs=runs)
    if len(numbers) > 1:
        return evidence_of_values([number.value for number in numbers], units=1, runs=runs)
    only = numbers[0]
    return Evidence(only.value, only.low, only.high, None, 1, 1, 1)


def _judge_published(
    claim: Claim, metric: Metric | None, values: dict[MetricKey, list[LiteratureValue]]
) -> Judged | None:
    for key in _keys(claim):
        fitting = [value for value in values.get(key, ()) if value.unit == claim.unit]
        if fitting and not claim.write_cache:
            best = _best(fitting)
            evidence = _evidence_published(best)
            return Judged(judge(_terms(claim, metric), evidence), key, best, evidence=evidence)
    return None


def _best(values: Iterable[LiteratureValue]) -> LiteratureValue:
    """Return the value that tells its own uncertainty, then one that is not rounded, then the first."""

    def rank(value: LiteratureValue) -> tuple[Any, ...]:
        bare = not value.samples and value.deviation is None
        return bare, value.relation != LiteratureValue.Relation.EQUAL, value.pk

    return min(values, key=rank)


def _evidence_published(value: LiteratureValue) -> Evidence:
    units = value.units or 0
    if len(value.samples) > 1:
        return evidence_of_values(value.samples, units=units)
    # A deviation is between drives where there are several, and otherwise between samples of the one.
    count = units if units > 1 else (value.count or 0)
    if value.deviation is not None and count > 1:
        return evidence_of_summary(value.value, value.deviation, count=count, units=units)
    return Evidence(value.value, None, None, None, 1, units)
