"""Comparing groups: their numbers from the database, the tests, and what else differs beside the drives."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from server.benchmarks.contract import Metric, MetricKey
from server.benchmarks.registry import metrics_by_key
from server.comparison.curves import Curves, compare_positions
from server.comparison.group_numbers import GroupNumbers, group_numbers, group_profiles, single_drive
from server.comparison.matrix import Member, Row, Table, compare
from server.comparison.practical import MARGIN, with_margin
from server.core.cache import cached
from server.measurements.conditions import CONDITIONS
from server.measurements.group_keys import GroupType, Source
from server.measurements.groups import Group
from server.search.models import DriveSummary

PICTURED = 4
"""Numbers of which the drives' distribution is drawn."""
LEVEL = 0.95
LEVELS = (0.90, 0.95, 0.99)
"""Those that pages offer; any other between the bounds below can be asked for."""
LEAST_LEVEL, GREATEST_LEVEL = 0.5, 0.999
_FORM = 4
"""Raised when what is kept changes its form, so that none of an older form comes out of the cache."""


@dataclass(frozen=True, slots=True)
class Differing:
    """A condition that the groups' runs differ in: it may be the cause in place of the drives."""

    condition: str
    title: str
    states: tuple[Mapping[str, int], ...]
    """For each group: state to runs; the empty state was not told."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two to eight groups beside each other."""

    groups: tuple[Group, ...]
    level: float
    numbers: tuple[GroupNumbers, ...]
    """Without their samples: the table has what is shown of them."""
    table: Table
    curves: tuple[Curves, ...]
    """Of two groups, place by place; empty for more."""
    differing: tuple[Differing, ...]
    drawn: Mapping[MetricKey, tuple[tuple[float, ...], ...]]
    """Of the numbers that are drawn, each group's values: of its drives, or of its runs where each group is
    one drive."""

    @property
    def mixed(self) -> bool:
        """Whether the groups are of several provenances, which are not tested against each other."""
        return len({group.source for group in self.groups}) > 1

    @property
    def singles(self) -> bool:
        """Whether each group is one drive."""
        return all(single_drive(group) for group in self.groups)


class LevelError(ValueError):
    """A confidence level that can't be taken. The text says fact, limit and remedy."""


def level_read(text: str) -> float:
    """Return a confidence level from text; raises LevelError."""
    if not text.strip():
        return LEVEL
    limits = f"It lies between {LEAST_LEVEL} and {GREATEST_LEVEL}. Write 0.95."
    wrong = f"“{text[:20]}” is no confidence level. {limits}"
    try:
        level = float(text)
    except ValueError:
        raise LevelError(wrong) from None
    if not LEAST_LEVEL <= level <= GREATEST_LEVEL:
        raise LevelError(wrong)
    return level


def comparison_get(
    *, groups: Sequence[Group], level: float = LEVEL, kind: str = "", margin: float = MARGIN
) -> Comparison:
    """Compare groups in the headline metrics, or in all metrics of one kind. What differs by less than
    `margin` per cent is practically equal.

    Kept until something about one of the models changes.
    """

    def compute() -> tuple[Any, ...]:
        made = _compared(groups, level, kind)
        return made.numbers, made.table, made.curves, made.differing, made.drawn

    key = groups_cache_key(groups, "comparison", f"{level!r}", kind)
    made = Comparison(tuple(groups), level, *cached(key, compute))
    return replace(made, table=with_margin(made.table, margin))


def groups_cache_key(groups: Sequence[Group], what: str, *more: str) -> str:
    """Return where the cache has something of these groups until one of their models changes; empty where a
    model was never summed up."""
    models = {group.drive_model.pk for group in groups}
    stamps = dict(
        DriveSummary.objects.filter(drive_model__in=models).values_list("drive_model_id", "updated_at")
    )
    if stamps.keys() != models:
        return ""
    asked = [f"{group.key}|{group.source}|{stamps[group.drive_model.pk].timestamp()}" for group in groups]
    text = "||".join([*asked, *more])
    return f"{what}:{_FORM}:{hashlib.sha256(text.encode()).hexdigest()}"


def _compared(groups: Sequence[Group], level: float, kind: str) -> Comparison:
    every = metrics_by_key()
    chosen = {key: entry for key, entry in every.items() if _chosen(entry, kind)}
    numbers = tuple(group_numbers(group, chosen) for group in groups)
    members = [_member(group, found) for group, found in zip(groups, numbers, strict=True)]
    curves: tuple[Curves, ...] = ()
    if len(groups) == 2 and groups[0].source == groups[1].source and not _overlap(numbers):
        first, second = (group_profiles(group) for group in groups)
        curves = compare_positions(first, second, every, level=level)
    table = compare(members, chosen, level=level)
    pictured = [(row.metric, row.scope) for row in pictured_rows(table)]
    return Comparison(
        groups=tuple(groups),
        level=level,
        numbers=tuple(_without_samples(found) for found in numbers),
        table=table,
        curves=curves,
        differing=_differing(groups, numbers),
        drawn={key: tuple(_drawn(found, key, table.noun) for found in numbers) for key in pictured},
    )


def pictured_rows(table: Table) -> tuple[Row, ...]:
    """Return the numbers that are drawn: those that scatter, the surest differences first."""
    rows = [
        row
        for row in table.rows
        if sum(cell.n > 1 for cell in row.cells) > 1
        and any(cell.interval is not None and not cell.own for cell in row.cells)
    ]
    rows.sort(key=lambda row: min((pair.adjusted_p or 1.0 for pair in row.pairs), default=1.0))
    return tuple(rows[:PICTURED])


def _drawn(numbers: GroupNumbers, key: MetricKey, noun: str) -> tuple[float, ...]:
    sample = numbers.samples.get(key)
    if sample is None:
        return ()
    return tuple((sample.run_values() if noun == "run" else sample.unit_means()).values())


def _without_samples(numbers: GroupNumbers) -> GroupNumbers:
    return replace(numbers, samples={}, run_ids=frozenset(), unit_keys=frozenset())


def _chosen(entry: Metric, kind: str) -> bool:
    return entry.key.partition(".")[0] == kind if kind else entry.headline


def _member(group: Group, numbers: GroupNumbers) -> Member:
    return Member(
        samples=numbers.samples,
        provenance=group.source.value,
        model=group.drive_model.pk,
        run_ids=numbers.run_ids,
        single=single_drive(group),
    )


def _overlap(numbers: Sequence[GroupNumbers]) -> bool:
    return bool(numbers[0].run_ids & numbers[1].run_ids)


def _differing(groups: Sequence[Group], numbers: Sequence[GroupNumbers]) -> tuple[Differing, ...]:
    """Return the conditions of which the groups with runs know at least two states between them."""
    one_model = len({group.drive_model.pk for group in groups}) == 1
    own = (
        {_CONDITION_OF.get(group.type) for group in groups} if one_model else {"variant", "firmware", "batch"}
    )
    found = []
    for condition in CONDITIONS:
        states = tuple(one.conditions.get(condition.key, {}) for one in numbers)
        known = {state for group in states for state in group if state}
        if condition.key not in own and len(known) > 1:
            title = condition.title[0].upper() + condition.title[1:]
            found.append(Differing(condition.key, title, states))
    return tuple(found)


_CONDITION_OF = {GroupType.BATCH: "batch", GroupType.FIRMWARE: "firmware", GroupType.VARIANT: "variant"}


def any_simulated(groups: Sequence[Group]) -> bool:
    """Return whether a group's numbers come from a simulator."""
    return any(group.source == Source.SIMULATED for group in groups)
