"""The numbers behind a group: by drive and run, with the conditions under which they were measured."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import F, Max

from server.accounts.holders import holder_keyid_at
from server.benchmarks.contract import MetricKey
from server.comparison.curves import scope_split
from server.core.cache import cached
from server.measurements.conditions import RunConditions, conditions_of
from server.measurements.group_keys import GroupType, Source
from server.measurements.groups import Group
from server.measurements.literature_values import published_numbers
from server.measurements.model_measurements import USABLE, unit_name
from server.measurements.models import Aggregate, Measurement
from server.measurements.strata import strata_ranked, stratum_of

NUMBERED = r"^(.*/)?[0-9]+(\.[0-9]+)?$"
"""Scopes that end with a place on the device (per cent), as `read/33554432/94` and `2.75` do."""
_NOT_PLACES = "zone/"
"""Zones are counted from the rim: zone 3 of one drive is not where zone 3 of another is."""
_FORM = 4
"""Raised when the dataclasses below change, so that none of an older form comes out of the cache."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A group's usable numbers of one metric in one scope."""

    by_unit: Mapping[str, tuple[float, ...]]
    """The values of each drive's runs."""
    bounds: tuple[float, float, float] | None = None
    """Low, high and level of the only measurement's own interval; None where there are several."""
    drives: int = 0
    """How many drives a document says that its number is of; 0 for runs."""

    @property
    def runs(self) -> int:
        """How many runs' numbers these are."""
        return sum(len(values) for values in self.by_unit.values())

    def unit_means(self) -> dict[str, float]:
        """Return one number for each drive: the mean over its runs."""
        return {unit: math.fsum(values) / len(values) for unit, values in self.by_unit.items()}

    def run_values(self) -> dict[str, float]:
        """Return one number for each run, under names that no drive has."""
        return {
            f"{unit}#{index}": value
            for unit, values in self.by_unit.items()
            for index, value in enumerate(values)
        }


@dataclass(frozen=True, slots=True)
class GroupNumbers:
    """What a group's runs measured."""

    runs: int
    units: int
    run_ids: frozenset[str]
    unit_keys: frozenset[str]
    samples: Mapping[MetricKey, Sample]
    conditions: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Condition to state to runs; the empty state was not told."""
    documents: tuple[str, ...] = ()
    """Titles of the documents that published numbers are from."""


def group_numbers(group: Group, metrics: Collection[str]) -> GroupNumbers:
    """Return a group's usable numbers of some metrics; kept until the model's aggregates change."""
    if group.source == Source.LITERATURE:
        return _published(group, metrics)
    return cached(_cache_key("numbers", group, metrics), lambda: _measured(group, metrics))


def group_profiles(group: Group) -> dict[MetricKey, dict[str, float]]:
    """Return the mean of each of a group's units at each place of the device that it has numbers for, under
    the conditions that stand for the curve."""
    if group.source == Source.LITERATURE:
        numbers = published_numbers(group.drive_model)
        return {key: {"document": number.value} for key, number in numbers.items() if is_numbered(key)}
    return cached(_cache_key("profiles", group, ()), lambda: _profiles(group))


def is_numbered(key: MetricKey) -> bool:
    """Return whether the number is of a place on the device that drives can be compared at."""
    metric, scope = key
    last = scope.rpartition("/")[2]
    return (
        last.replace(".", "", 1).isdigit()
        and not scope.startswith(_NOT_PLACES)
        and not metric.endswith(".deviation")
    )


def _cache_key(what: str, group: Group, metrics: Collection[str]) -> str:
    """Return where the cache has a group's numbers; empty while the model has no aggregates yet."""
    at = Aggregate.objects.filter(drive_model=group.drive_model, provenance=group.source.value).aggregate(
        at=Max("updated_at")
    )["at"]
    if at is None:
        return ""
    text = f"{group.key}|{group.source}|{'|'.join(sorted(metrics))}"
    return f"compare-{what}:{_FORM}:{hashlib.sha256(text.encode()).hexdigest()}:{at.timestamp()}"


def _measured(group: Group, metrics: Collection[str]) -> GroupNumbers:
    conditions = conditions_of(group.runs())
    # One of each key in each group: nobody knows whether two groups' are one drive.
    names = {
        run: digest or f"{unit_name(None, keyid)} in {group.key}"
        for run, digest, keyid in _units_of_runs(group)
    }
    return GroupNumbers(
        runs=len(names),
        units=len(set(names.values())),
        run_ids=frozenset(map(str, names)),
        unit_keys=frozenset(names.values()),
        samples=_samples(_rows(group, metrics), names, conditions),
        conditions=_states(made.whole for made in conditions.values()),
    )


def _units_of_runs(group: Group) -> Iterable[tuple[UUID, str | None, str]]:
    """Give each run with its unit's digest, where it is known, and the first key of the holder."""
    runs = group.runs().annotate(holder=holder_keyid_at("submission"))
    yield from runs.order_by().values_list("run_id", "unit__digest", "holder")


def _rows(group: Group, metrics: Collection[str]) -> Iterable[tuple[Any, ...]]:
    return (
        Measurement.objects.filter(
            benchmark__run__in=group.runs(),
            extractor_version=F("benchmark__extractor_version"),
            metric__in=metrics,
            quality__in=USABLE,
            value__isnull=False,
        )
        .order_by("benchmark__run__created_at", "benchmark__run_id", "id")
        .values_list("metric", "scope", "benchmark__run_id", "value", "low", "high", "level")
    )


def _samples(
    rows: Iterable[tuple[Any, ...]], names: Mapping[UUID, str], conditions: Mapping[UUID, RunConditions]
) -> dict[MetricKey, Sample]:
    """Return the numbers at each place that were measured under the conditions of most units there: those
    through a bridge never count beside those without."""
    strata: dict[MetricKey, dict[str, dict[str, list[float]]]] = {}
    bounds: dict[tuple[MetricKey, str], tuple[float, float, float] | None] = {}
    for metric, scope, run, value, low, high, level in rows:
        key = (metric, scope)
        stratum = stratum_of(conditions[run].during(metric.partition(".")[0]))
        by_unit = strata.setdefault(key, {}).setdefault(stratum, {})
        alone = not by_unit and low is not None and high is not None
        bounds[key, stratum] = (low, high, level) if alone else None
        by_unit.setdefault(names[run], []).append(value)
    found = {}
    for key, parts in strata.items():
        counts = {name: (len(of), sum(map(len, of.values()))) for name, of in parts.items()}
        lead = strata_ranked(counts)[0]
        of_lead = {unit: tuple(values) for unit, values in parts[lead].items()}
        found[key] = Sample(of_lead, bounds[key, lead])
    return found


def _states(runs: Iterable[Mapping[str, str]]) -> dict[str, dict[str, int]]:
    counted: dict[str, Counter[str]] = {}
    for run in runs:
        for condition, state in run.items():
            counted.setdefault(condition, Counter())[state] += 1
    return {condition: dict(states.most_common()) for condition, states in counted.items()}


def _published(group: Group, metrics: Collection[str]) -> GroupNumbers:
    numbers = published_numbers(group.drive_model)
    return GroupNumbers(
        runs=0,
        units=0,
        run_ids=frozenset(),
        unit_keys=frozenset(),
        samples={
            key: Sample({"document": (number.value,)}, drives=number.units)
            for key, number in numbers.items()
            if key[0] in metrics
        },
        documents=tuple(sorted({number.citation for number in numbers.values()})),
    )


def _profiles(group: Group) -> dict[MetricKey, dict[str, float]]:
    conditions = conditions_of(group.runs())
    names = {run: unit_name(digest, keyid) for run, digest, keyid in _units_of_runs(group)}
    # Places by curve and stratum: one curve is under one set of conditions from end to end.
    curves: dict[MetricKey, dict[str, _UnitsAtPosition]] = {}
    for metric, scope, runs, values in _numbered(group):
        if not is_numbered((metric, scope)):
            continue
        strata = curves.setdefault((metric, scope_split(scope)[0]), {})
        kind = metric.partition(".")[0]
        for run, value in zip(runs, values, strict=True):
            places = strata.setdefault(stratum_of(conditions[run].during(kind)), _UnitsAtPosition())
            places.runs.add(run)
            places.values.setdefault((metric, scope), {}).setdefault(names[run], []).append(value)
    profiles: dict[MetricKey, dict[str, float]] = {}
    for strata in curves.values():
        counts = {name: (len({names[run] for run in of.runs}), len(of.runs)) for name, of in strata.items()}
        for key, by_unit in strata[strata_ranked(counts)[0]].values.items():
            profiles[key] = {unit: math.fsum(values) / len(values) for unit, values in by_unit.items()}
    return profiles


@dataclass(frozen=True, slots=True)
class _UnitsAtPosition:
    """What was measured of a curve under one set of conditions."""

    runs: set[UUID] = field(default_factory=set)
    values: dict[MetricKey, dict[str, list[float]]] = field(default_factory=dict)
    """Place to unit to the values of its runs."""


def _numbered(group: Group) -> Iterable[tuple[str, str, list[UUID], list[float]]]:
    """Give metric, scope, runs and their usable values where scopes end with a place."""
    rows = Measurement.objects.filter(
        benchmark__run__in=group.runs(),
        extractor_version=F("benchmark__extractor_version"),
        scope__regex=NUMBERED,
        quality__in=USABLE,
        value__isnull=False,
    )
    # Arrays by place: a row for each number would cost more to read than all that is computed from it.
    numbers_by_key = rows.order_by().values_list("metric", "scope")
    yield from numbers_by_key.annotate(
        runs=ArrayAgg("benchmark__run_id", order_by=("benchmark__run__created_at", "pk")),
        values=ArrayAgg("value", order_by=("benchmark__run__created_at", "pk")),
    )


def single_drive(group: Group) -> bool:
    """Return whether all numbers of a group are of one drive, so that only its runs repeat anything."""
    return group.type in (GroupType.UNIT, GroupType.RUN)
