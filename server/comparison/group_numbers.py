"""The numbers behind a group: by drive and run, with the conditions under which they were measured."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Avg, F, Max

from server.benchmarks.contract import MetricKey
from server.core.cache import cached
from server.measurements.conditions import conditions_of
from server.measurements.group_keys import GroupType, Source
from server.measurements.groups import Group
from server.measurements.literature_values import published_numbers
from server.measurements.model_measurements import USABLE, unit_name
from server.measurements.models import Aggregate, Measurement

NUMBERED = r"^(.*/)?[0-9]+(\.[0-9]+)?$"
"""Scopes that end with a place on the device (per cent), as `read/33554432/94` and `2.75` do."""
_NOT_PLACES = "zone/"
"""Zones are counted from the rim: zone 3 of one drive is not where zone 3 of another is."""
_FORM = 2
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
            f"{unit}#{place}": value
            for unit, values in self.by_unit.items()
            for place, value in enumerate(values)
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


def group_profiles(group: Group) -> dict[MetricKey, float]:
    """Return a group's mean at each place of the device that it has numbers for: over its drives, each with
    the mean over its runs."""
    if group.source == Source.LITERATURE:
        numbers = published_numbers(group.drive_model)
        return {place: number.value for place, number in numbers.items() if is_numbered(place)}
    return cached(_cache_key("profiles", group, ()), lambda: _profiles(group))


def is_numbered(place: MetricKey) -> bool:
    """Return whether the number is of a place on the device that drives can be compared at."""
    metric, scope = place
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
    conditions = {str(run): made.whole for run, made in conditions_of(group.runs()).items()}
    runs = group.runs().values_list("run_id", "unit__digest", "submission__probe_key__keyid")
    # One of each key in each group: nobody knows whether two groups' are one drive.
    names = {str(run): digest or f"{unit_name(None, keyid)} in {group.key}" for run, digest, keyid in runs}
    return GroupNumbers(
        runs=len(names),
        units=len(set(names.values())),
        run_ids=frozenset(names),
        unit_keys=frozenset(names.values()),
        samples=_samples(_rows(group, metrics), names),
        conditions=_states(conditions.values()),
    )


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


def _samples(rows: Iterable[tuple[Any, ...]], names: Mapping[str, str]) -> dict[MetricKey, Sample]:
    values: dict[MetricKey, dict[str, list[float]]] = {}
    bounds: dict[MetricKey, tuple[float, float, float] | None] = {}
    for metric, scope, run, value, low, high, level in rows:
        place = (metric, scope)
        by_unit = values.setdefault(place, {})
        alone = not by_unit and low is not None and high is not None
        bounds[place] = (low, high, level) if alone else None
        by_unit.setdefault(names[str(run)], []).append(value)
    return {
        place: Sample({unit: tuple(found) for unit, found in by_unit.items()}, bounds[place])
        for place, by_unit in values.items()
    }


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
            place: Sample({"document": (number.value,)}, drives=number.units)
            for place, number in numbers.items()
            if place[0] in metrics
        },
        documents=tuple(sorted({number.citation for number in numbers.values()})),
    )


def _profiles(group: Group) -> dict[MetricKey, float]:
    rows = (
        Measurement.objects.filter(
            benchmark__run__in=group.runs(),
            extractor_version=F("benchmark__extractor_version"),
            scope__regex=NUMBERED,
            quality__in=USABLE,
            value__isnull=False,
        )
        .order_by()
        .values_list("metric", "scope", "benchmark__run__unit_id")
        .annotate(mean=Avg("value"))
    )
    by_place: dict[MetricKey, list[float]] = {}
    for metric, scope, _unit, mean in rows:
        by_place.setdefault((metric, scope), []).append(mean)
    return {place: math.fsum(means) / len(means) for place, means in by_place.items() if is_numbered(place)}


def single_drive(group: Group) -> bool:
    """Return whether all numbers of a group are of one drive, so that only its runs repeat anything."""
    return group.type in (GroupType.UNIT, GroupType.RUN)
