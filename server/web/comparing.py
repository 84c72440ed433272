"""A comparison as its page shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest
from typing import Any, NamedTuple
from urllib.parse import urlencode

from server.benchmarks.registry import kinds_by_slug
from server.catalog.models import DriveModel
from server.comparison.candidates import Candidate
from server.comparison.curves import Curves
from server.comparison.group_numbers import GroupNumbers
from server.comparison.matrix import Cell, Row
from server.comparison.practical import MARGIN
from server.comparison.selectors import LEVEL, LEVELS, Comparison
from server.comparison.wording import curves_words, letters, row_words
from server.core.numbers import Shown, decimals_for, show, unit_text, write
from server.core.scopes import scope_text
from server.core.text import counted
from server.measurements.group_keys import LETTERS, SUFFIXES, GroupType
from server.measurements.groups import Group
from server.search.models import DriveSummary
from server.stats.wording import level_text
from server.web.cells import interface
from server.web.rows import Name, metric_name
from server.web.strips import positions

STATES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Selection:
    """What the address of a comparison says."""

    keys: tuple[str, ...]
    level: float = LEVEL
    kind: str = ""
    margin: float = MARGIN

    def url(self, path: str = "/compare/", **changes: Any) -> str:
        """Return the address of this selection, or of one with changes."""
        wanted = replace(self, **changes)
        pairs = [("d", key) for key in wanted.keys]
        if wanted.level != LEVEL:
            pairs.append(("level", f"{wanted.level:g}"))
        if wanted.kind:
            pairs.append(("kind", wanted.kind))
        if wanted.margin != MARGIN:
            pairs.append(("margin", f"{wanted.margin:g}"))
        return f"{path}?{urlencode(pairs, safe='~:')}" if pairs else path


class GroupView(NamedTuple):
    """A group at the head of its column."""

    letter: str
    group: Group
    behind: str
    """`12 runs of 3 drives`."""
    remove_url: str


@dataclass(frozen=True, slots=True)
class CellView:
    """One group's number."""

    cell: Cell
    shown: Shown | None
    interval_title: str
    mark: str
    """`better than B and C`; empty where nothing is shown."""

    @property
    def interval(self) -> str:
        """The interval as text; empty where there is none."""
        return self.shown.interval if self.shown else ""


class Dot(NamedTuple):
    """One group's number and interval on its row's axis, in thousandths; its line counts from the top."""

    line: int
    at: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class RowView:
    """One number over all groups."""

    name: Name
    cells: tuple[CellView, ...]
    words: str
    dots: tuple[Dot, ...]
    """The intervals on one axis; empty where fewer than two groups have the number."""


@dataclass(frozen=True, slots=True)
class CurvesView:
    """Two groups place by place."""

    name: Name
    difference: str
    """`6.3, 5.8 to 6.8 MB/s`: A less B."""
    words: str
    level: str
    better: str
    """The letter of the better group; empty where nothing is shown or neither way is better."""
    positions: tuple[tuple[str, ...], ...]
    """Place, A, B, and A less B."""


class Choice(NamedTuple):
    """A link among several, one of which holds."""

    text: str
    url: str
    current: bool
    detail: str = ""


def group_views(
    groups: Sequence[Group], selection: Selection, numbers: Sequence[GroupNumbers] = ()
) -> tuple[GroupView, ...]:
    """Return the heads of the columns; without `numbers` of a comparison that is not complete yet."""
    return tuple(
        GroupView(
            LETTERS[index : index + 1] or "?",
            group,
            _behind(found) if found else "",
            selection.url(keys=tuple(key for key in selection.keys if key != group.key)),
        )
        for index, (group, found) in enumerate(zip_longest(groups, numbers))
    )


def _behind(numbers: GroupNumbers) -> str:
    if not numbers.runs:
        return f"in “{'”, “'.join(numbers.documents)}”" if numbers.documents else ""
    return f"{counted(numbers.runs, 'run')} of {counted(numbers.units, 'unit')}"


def row_views(comparison: Comparison) -> list[tuple[str, list[RowView]]]:
    """Return the title of each kind with its rows."""
    kinds, table = kinds_by_slug(), comparison.table
    return [
        (
            kinds[slug].title if slug in kinds else slug,
            [
                RowView(
                    metric_name(row.metric, row.scope),
                    tuple(_cell(cell, row) for cell in row.cells),
                    row_words(row, level=table.level, noun=table.noun, tests=table.tests),
                    _dots(row),
                )
                for row in rows
            ],
        )
        for slug, rows in groupby(table.rows, key=lambda row: row.metric.partition(".")[0])
    ]


def _dots(row: Row) -> tuple[Dot, ...]:
    bounds = [
        (line, cell.mean, *((cell.interval.low, cell.interval.high) if cell.interval else [cell.mean] * 2))
        for line, cell in enumerate(row.cells)
        if cell.mean is not None
    ]
    if len(bounds) < 2:
        return ()
    least, most = min(low for _line, _mean, low, _high in bounds), max(bound[3] for bound in bounds)
    return tuple(Dot(line, *positions(found, least, most)) for line, *found in bounds)


def _cell(cell: Cell, row: Row) -> CellView:
    bounds, title = cell.interval, ""
    low, high = (bounds.low, bounds.high) if bounds else (None, None)
    if bounds:
        of = "of the one measurement" if cell.own else "of the mean"
        title = f"Interval {of}, {level_text(bounds.level)}"
    return CellView(
        cell=cell,
        shown=show(cell.mean, row.entry.unit if row.entry else "", low=low, high=high),
        interval_title=title,
        mark=f"better than {letters(cell.better_than)}" if cell.better_than else "",
    )


def curves_view(curves: Curves) -> CurvesView:
    """Return a comparison by position."""
    unit = curves.entry.unit if curves.entry else ""
    difference = curves.difference
    text = ""
    if difference:
        decimals = decimals_for(difference.value, difference.half_width)
        value, low, high = (
            write(one, decimals) for one in (difference.value, difference.low, difference.high)
        )
        text = f"{value}, {low} to {high} {unit_text(unit)}".strip()
    a, b = curves.a, curves.b
    return CurvesView(
        name=metric_name(curves.metric, curves.scope),
        difference=text,
        words=curves_words(curves),
        level=level_text(curves.units.level),
        better="" if curves.better is None else LETTERS[curves.better],
        positions=tuple(
            (
                scope_text(position),
                *map(_position_number, (a[position], b[position], a[position] - b[position])),
            )
            for position in curves.by_position.keys
        ),
    )


def _position_number(value: float) -> str:
    found = show(value, "1")
    return found.value if found else ""


def states_text(states: Mapping[str, int]) -> str:
    """Return the states of one condition among a group's runs, in words."""
    # Among the states only interfaces have names that are slugs.
    listed = [f"{interface(state) or 'not told'} ({count})" for state, count in states.items()]
    more = len(listed) - STATES_SHOWN
    return ", ".join(listed[:STATES_SHOWN]) + (f", {more} more" if more > 0 else "") or "not known"


def level_choices(selection: Selection) -> tuple[Choice, ...]:
    """Return the levels that a page offers, with the present one among them."""
    levels = sorted({*LEVELS, selection.level})
    return tuple(
        Choice(level_text(level), selection.url(level=level), level == selection.level) for level in levels
    )


MARGINS = (0.0, 1.0, 2.0, 5.0)


def margin_choices(selection: Selection) -> tuple[Choice, ...]:
    """Return the margins that a page offers, with the present one among them."""
    margins = sorted({*MARGINS, selection.margin})
    return tuple(
        Choice(f"{margin:g} %", selection.url(margin=margin), margin == selection.margin)
        for margin in margins
    )


def rival_choices(rivals: Iterable[DriveModel], selection: Selection) -> tuple[Choice, ...]:
    """Return models of the same class, each with the address that adds it."""
    return tuple(
        Choice(one.title, selection.url(keys=(*selection.keys, one.slug)), current=False)
        for one in rivals
        if one.slug not in selection.keys
    )


_OF_SOURCE = {source: name for name, source in SUFFIXES.items()}


def keys_explicit(groups: Sequence[Group]) -> tuple[str, ...]:
    """Return keys that ask for what each group holds, so that a mixture is asked for in so many words."""
    return tuple(
        f"{group.key}~{_OF_SOURCE[group.source]}" if _unasked(group) else group.key for group in groups
    )


def mixed_unasked(groups: Sequence[Group]) -> bool:
    """Return whether groups are of several provenances and the address asks for that of none but the
    measured ones."""
    return len({group.source for group in groups}) > 1 and any(map(_unasked, groups))


def _unasked(group: Group) -> bool:
    return (
        group.source in _OF_SOURCE
        and group.type != GroupType.RUN
        and not group.key.endswith(f"~{_OF_SOURCE[group.source]}")
    )


def kind_choices(selection: Selection) -> tuple[Choice, ...]:
    """Return the sets of numbers that can be compared."""
    titles = {"": "Headline numbers"} | {slug: kind.title for slug, kind in kinds_by_slug().items()}
    return tuple(
        Choice(title, selection.url(kind=slug), slug == selection.kind) for slug, title in titles.items()
    )


def add_choices(found: Iterable[Candidate], selection: Selection) -> tuple[Choice, ...]:
    """Return the groups that a search found, each with the address that adds it."""
    return tuple(
        Choice(
            one.title, selection.url(keys=(*selection.keys, one.key)), one.key in selection.keys, one.detail
        )
        for one in found
    )


def words_kept(views: Iterable[GroupView]) -> list[tuple[str, str, str, str]]:
    """Return letter, model, address and verdicts of each compared model that has claims, each model once."""
    models = {view.group.drive_model.pk: view for view in reversed(list(views))}
    found = []
    summaries = DriveSummary.objects.filter(pk__in=models, claims__gt=0).values_list(
        "pk", "claims", "verdicts"
    )
    for pk, claims, verdicts in summaries:
        view = models[pk]
        model = view.group.drive_model
        tested = verdicts.get("measured", {})
        parts = [f"{count} {outcome}" for outcome, count in sorted(tested.items())]
        left = claims - sum(tested.values())
        parts += [f"{left} not tested by measured runs"] if left else []
        found.append((view.letter, model.title, f"/drives/{model.slug}/#claims-title", ", ".join(parts)))
    return sorted(found)
