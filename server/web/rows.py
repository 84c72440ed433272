"""What tables show of measurements and statistics, ready for a template."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from server.benchmarks.registry import kinds_by_slug, metrics_by_key
from server.catalog.files import facts_by_key
from server.catalog.models import Citation, LiteratureValue
from server.core.numbers import Shown, show, show_deviation, show_stated
from server.core.scopes import scope_text
from server.core.text import counted
from server.measurements.models import Aggregate
from server.measurements.strata import stratum_words
from server.measurements.typical import typical_of
from server.model_stats.selectors import MetricRow
from server.submissions.selectors import MeasurementRow


@dataclass(frozen=True, slots=True)
class Name:
    """A metric by name, with the address of its definition."""

    title: str
    url: str
    scope: str
    definition: str = ""


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """A measurement of one run."""

    name: Name
    shown: Shown | None
    interval: str
    level: str
    count: int
    quality: str
    reason: str
    headline: bool


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A published number with the place of its document in the page's list."""

    shown: Shown | None
    reference: int
    locator: str
    note: int
    """Place of its note in the page's list; 0 where there is none."""
    relation: str = ""
    """`about`, `less than` or `more than`, where the document says so."""
    basis: str = ""
    """What it rests on, where it was not measured on drives."""
    behind: str = ""
    """How many samples and drives are behind it, and their standard deviation."""
    samples: tuple[str, ...] = ()
    title: str = ""
    """Where it stands, and under which conditions it was measured."""


@dataclass(slots=True)
class Sources:
    """The documents and notes that a page's published numbers refer to, in the order of their first use."""

    citations: list[Citation] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def number(self, citation: Citation) -> int:
        """Return the place of a document in the page's list, counted from 1."""
        return _numbered(self.citations, citation)

    def stated(self, value: LiteratureValue) -> StatedValue:
        """Return a published number with the places of its document and note."""
        reference = self.number(value.citation)
        note = _numbered(self.notes, value.note) if value.note else 0
        return StatedValue(
            show_stated(value.value, value.unit),
            reference,
            value.locator,
            note,
            relation="" if value.relation == LiteratureValue.Relation.EQUAL else value.get_relation_display(),
            basis="" if value.basis == LiteratureValue.Basis.MEASURED else value.get_basis_display(),
            behind=_behind(value),
            samples=tuple(show_stated(sample, value.unit).value for sample in value.samples),
            title=". ".join(
                text for text in (value.printed and f"Printed: {value.printed}", value.conditions) if text
            ),
        )


def _behind(value: LiteratureValue) -> str:
    """Return what is behind a published number: `n = 10, 1 drive, s.d. 0.34`."""
    parts = []
    if value.count:
        parts.append(f"n = {value.count}")
    if value.units and (value.count or value.units > 1):
        parts.append(counted(value.units, "unit"))
    if value.deviation is not None:
        parts.append(f"s.d. {show_stated(value.deviation, value.unit).value}")
    return ", ".join(parts)


def _numbered(entries: list[Any], entry: Any) -> int:
    """Return the place of `entry`, counted from 1; it is appended where it is new."""
    if entry not in entries:
        entries.append(entry)
    return entries.index(entry) + 1


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Runs whose value doesn't count among a model's."""

    runs: int
    words: str


def left_out_of(aggregate: Aggregate | None, unit: str) -> LeftOut | None:
    """Return what an aggregate leaves out, in words; None where it counts everything."""
    if aggregate is None or not (aggregate.excluded or aggregate.strata):
        return None
    words = [f"{aggregate.excluded} more too poor to count"] if aggregate.excluded else []
    for one in aggregate.strata:
        shown = show(one["median"], unit, low=one["minimum"], high=one["maximum"])
        value = f"{shown.value} {shown.unit}".strip() if shown else "no number"
        of_units = f"median of {counted(one['units'], 'unit')}" if one["units"] > 1 else "one unit"
        words.append(f"{one['n']} more {stratum_words(one['conditions'])} ({of_units}: {value})")
    runs = aggregate.excluded + sum(one["n"] for one in aggregate.strata)
    return LeftOut(runs, "; ".join(words))


@dataclass(frozen=True, slots=True)
class StatisticsRow:
    """Statistics of one metric over runs, with published numbers beside."""

    name: Name
    kind: str
    median: Shown | None
    quartiles: str
    mean: str
    n: int
    units: int
    left_out: LeftOut | None
    """Runs that don't count, and why."""
    stated: tuple[StatedValue, ...]
    headline: bool


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of one kind."""

    title: str
    kind: str
    rows: tuple[StatisticsRow, ...]


def metric_url(key: str) -> str:
    """Return the address of a metric's definition: its kind's page, at the metric."""
    kind, _, name = key.partition(".")
    return f"/methods/{kind}/#{name}"


def metric_name(key: str, scope: str) -> Name:
    """Return a metric in one scope by name; one that is no longer registered goes by its key."""
    metric = metrics_by_key().get(key)
    title, definition = (metric.title, metric.definition) if metric else (key, "")
    return Name(title, metric_url(key), scope_text(scope), definition)


def measured_row(row: MeasurementRow) -> MeasuredRow:
    """Return a measurement as a table shows it."""
    entry, metric = row.measurement, row.metric
    shown = show(entry.value, metric.unit if metric else "", low=entry.low, high=entry.high)
    return MeasuredRow(
        name=metric_name(entry.metric, entry.scope),
        shown=shown,
        interval=shown.interval if shown else "",
        level=f"{entry.level * 100:g} %",
        count=entry.count,
        quality=entry.quality,
        reason=entry.reason,
        headline=bool(metric and metric.headline and not entry.scope and shown),
    )


@dataclass(frozen=True, slots=True)
class MissingReason:
    """A reason for which there are no numbers, with the metrics and places that it takes away."""

    reason: str
    names: tuple[tuple[Name, str], ...]
    """Each metric once, with the places in words."""


def missing_reasons(rows: Iterable[MeasuredRow]) -> tuple[MissingReason, ...]:
    """Return the reasons of the rows without a number, each once, in the order of their first use."""
    by_reason: dict[str, dict[str, list[Name]]] = {}
    for row in rows:
        if row.shown is None:
            by_reason.setdefault(row.reason, {}).setdefault(row.name.title, []).append(row.name)
    return tuple(
        MissingReason(reason, tuple((names[0], _scopes(names)) for names in metrics.values()))
        for reason, metrics in by_reason.items()
    )


def _scopes(names: list[Name]) -> str:
    return "; ".join(name.scope or "whole drive" for name in names)


def _statistics(aggregate: Aggregate, unit: str) -> tuple[Shown | None, str, str]:
    median = typical_of(aggregate).shown(unit)
    if aggregate.units < 2:
        return median, median.interval if median else "", ""
    # A spread of nought says nothing of the digits: the mean is then written like the median.
    spread = show(aggregate.mean, unit, low=aggregate.q1, high=aggregate.q3)
    stdev = f" ± {show_deviation(aggregate.stdev)}" if aggregate.stdev else ""
    return median, median.interval if median else "", f"{spread.value if spread else ''}{stdev}"


def statistics_groups(rows: Iterable[MetricRow], sources: Sources) -> tuple[Group, ...]:
    """Return statistics by kind; the documents and notes that they cite are added to `sources`."""
    built = [_statistics_row(row, sources) for row in rows]
    kinds = kinds_by_slug()
    groups = []
    for slug, members in groupby(built, key=lambda row: row.kind):
        title = kinds[slug].title if slug in kinds else slug
        groups.append(Group(title, slug, tuple(members)))
    return tuple(groups)


def _statistics_row(row: MetricRow, sources: Sources) -> StatisticsRow:
    unit = row.metric.unit if row.metric else ""
    aggregate = row.aggregate
    median, quartiles, mean = _statistics(aggregate, unit) if aggregate else (None, "", "")
    return StatisticsRow(
        name=metric_name(row.key, row.scope),
        kind=row.key.partition(".")[0],
        median=median,
        quartiles=quartiles,
        mean=mean,
        n=aggregate.n if aggregate else 0,
        units=aggregate.units if aggregate else 0,
        left_out=left_out_of(aggregate, unit),
        stated=tuple(sources.stated(value) for value in row.literature),
        headline=bool(aggregate and row.metric and row.metric.headline),
    )


@dataclass(frozen=True, slots=True)
class FactRow:
    """A published number that no benchmark measures, in one scope, with all that documents state of it."""

    title: str
    definition: str
    scope: str
    stated: tuple[StatedValue, ...]


def fact_rows(values: Iterable[LiteratureValue], sources: Sources) -> tuple[FactRow, ...]:
    """Return published numbers that no benchmark measures, by title and scope; the documents and notes that
    they cite are added to `sources`."""
    facts = facts_by_key()
    by_key: dict[tuple[str, str], list[StatedValue]] = {}
    for value in values:
        by_key.setdefault((value.metric, value.scope), []).append(sources.stated(value))
    rows = []
    for (key, scope), stated in sorted(by_key.items(), key=lambda item: _order(*item[0])):
        fact = facts.get(key)
        title, definition = (fact.title, fact.definition) if fact else (key, "")
        rows.append(FactRow(title, definition, _of_what(scope), tuple(stated)))
    return tuple(rows)


def _of_what(scope: str) -> str:
    """Return a scope in words; some are of another metric, by its key."""
    metric = metrics_by_key().get(scope)
    return metric.title.lower() if metric else scope_text(scope)


def _order(key: str, scope: str) -> tuple[str, float, str]:
    """The place of a number in the list: sizes by what they are, not by their digits."""
    return key, float(scope) if scope.replace(".", "", 1).isdigit() else -1.0, scope
