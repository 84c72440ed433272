"""A comparison as its page shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import urlencode

from server.benchmarks.registry import kinds_by_slug
from server.comparison.candidates import Candidate
from server.comparison.group_numbers import GroupNumbers
from server.comparison.matrix import Cell, Row
from server.comparison.paired_positions import Curves
from server.comparison.selectors import LEVEL, LEVELS, Comparison, Differing
from server.comparison.wording import curves_words, letters, row_words
from server.core.numbers import Shown, decimals_for, show, unit_text, write
from server.core.scopes import scope_text
from server.measurements.group_keys import LETTERS
from server.measurements.groups import Group
from server.stats.wording import level_text
from server.web.breakdown import number_name
from server.web.cells import interface
from server.web.rows import Name

STATES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Selection:
    """What the address of a comparison says."""

    keys: tuple[str, ...]
    level: float = LEVEL
    kind: str = ""

    def url(self, path: str = "/compare/", **changes: object) -> str:
        """Return the address of this selection, or of one with changes."""
        level, kind = changes.get("level", self.level), changes.get("kind", self.kind)
        pairs = [("d", key) for key in changes.get("keys", self.keys)]  # type: ignore[attr-defined] # keys are a sequence
        if level != LEVEL:
            pairs.append(("level", f"{level:g}"))
        if kind:
            pairs.append(("kind", str(kind)))
        return f"{path}?{urlencode(pairs, safe='~:')}" if pairs else path

    def without(self, key: str) -> str:
        """Return the address with a group taken away."""
        return self.url(keys=[one for one in self.keys if one != key])

    def with_key(self, key: str) -> str:
        """Return the address with one group more."""
        return self.url(keys=[*self.keys, key])


@dataclass(frozen=True, slots=True)
class GroupView:
    """A group at the head of its column."""

    letter: str
    title: str
    url: str
    source: str
    behind: str
    """`12 runs of 3 drives`."""
    remove_url: str


@dataclass(frozen=True, slots=True)
class CellView:
    """One group's number."""

    shown: Shown | None
    interval: str
    interval_title: str
    behind: str
    mark: str
    """`better than B and C`; empty where nothing is shown."""
    best: bool


@dataclass(frozen=True, slots=True)
class RowView:
    """One number over all groups."""

    name: Name
    cells: tuple[CellView, ...]
    words: str
    decided: bool


@dataclass(frozen=True, slots=True)
class KindView:
    """The rows of one kind."""

    title: str
    rows: tuple[RowView, ...]


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
    places: tuple[tuple[str, str, str, str], ...]
    """Place, A, B, and A less B."""


@dataclass(frozen=True, slots=True)
class DifferingView:
    """A condition that differs between groups."""

    title: str
    lettered: tuple[tuple[str, str], ...]
    """Each group's letter and its states in words."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A link among several, one of which holds."""

    text: str
    url: str
    current: bool
    detail: str = ""


def source_words(groups: Sequence[GroupView]) -> str:
    """Return what stands below an exported picture: what each letter is."""
    return f"{'; '.join(f'{group.letter}: {group.title}' for group in groups)} · DiskAtlas"


def group_views(comparison: Comparison, selection: Selection) -> tuple[GroupView, ...]:
    """Return the heads of the columns."""
    return tuple(
        GroupView(
            LETTERS[place],
            group.title,
            group.url,
            group.source.value,
            _behind(numbers),
            selection.without(group.key),
        )
        for place, (group, numbers) in enumerate(zip(comparison.groups, comparison.numbers, strict=True))
    )


def lone_views(groups: Sequence[Group], selection: Selection) -> tuple[GroupView, ...]:
    """Return the groups of a comparison that is not complete yet."""
    return tuple(
        GroupView(
            (LETTERS + "?" * len(groups))[place],
            group.title,
            group.url,
            group.source.value,
            "",
            selection.without(group.key),
        )
        for place, group in enumerate(groups)
    )


def _behind(numbers: GroupNumbers) -> str:
    runs, units = numbers.runs, numbers.units
    if not runs:
        return f"in “{'”, “'.join(numbers.documents)}”" if numbers.documents else ""
    drives = f" of {units} drive{'' if units == 1 else 's'}"
    return f"{runs} run{'' if runs == 1 else 's'}{drives}"


def kind_views(comparison: Comparison) -> tuple[KindView, ...]:
    """Return the table's rows by kind."""
    kinds = kinds_by_slug()
    found = []
    for slug, rows in groupby(comparison.table.rows, key=lambda row: row.metric.partition(".")[0]):
        title = kinds[slug].title if slug in kinds else slug
        found.append(KindView(title, tuple(_row(row, comparison) for row in rows)))
    return tuple(found)


def _row(row: Row, comparison: Comparison) -> RowView:
    table = comparison.table
    return RowView(
        name=number_name(row.metric, row.scope),
        cells=tuple(_cell(cell, row) for cell in row.cells),
        words=row_words(row, level=table.level, noun=table.noun, tests=table.tests),
        decided=bool(row.decided),
    )


def _cell(cell: Cell, row: Row) -> CellView:
    unit = row.entry.unit if row.entry else ""
    bounds = cell.interval
    shown = show(cell.mean, unit, low=bounds.low if bounds else None, high=bounds.high if bounds else None)
    title = ""
    if bounds:
        of = "of the one measurement" if cell.own else "of the mean"
        title = f"Interval {of}, {level_text(bounds.level)}"
    return CellView(
        shown=shown,
        interval=shown.interval if shown else "",
        interval_title=title,
        behind=f"n = {cell.n}" if cell.n else "",
        mark=f"better than {letters(cell.better_than)}" if cell.better_than else "",
        best=cell.best,
    )


def curves_views(found: Iterable[Curves]) -> tuple[CurvesView, ...]:
    """Return the comparisons by position."""
    return tuple(_curves(one) for one in found)


def _curves(curves: Curves) -> CurvesView:
    unit = curves.entry.unit if curves.entry else ""
    difference = curves.result.difference
    text = ""
    if difference:
        decimals = decimals_for(difference.value, difference.half_width)
        value, low, high = (
            write(one, decimals) for one in (difference.value, difference.low, difference.high)
        )
        text = f"{value}, {low} to {high} {unit_text(unit)}".strip()
    return CurvesView(
        name=number_name(curves.metric, curves.scope),
        difference=text,
        words=curves_words(curves),
        level=level_text(curves.result.level),
        better="" if curves.better is None else LETTERS[curves.better],
        places=tuple(
            (
                scope_text(place),
                _place_number(curves.a[place]),
                _place_number(curves.b[place]),
                _place_number(curves.a[place] - curves.b[place]),
            )
            for place in curves.result.keys
        ),
    )


def _place_number(value: float) -> str:
    found = show(value, "1")
    return found.value if found else ""


def differing_views(found: Iterable[Differing]) -> tuple[DifferingView, ...]:
    """Return what differs beside the drives."""
    return tuple(
        DifferingView(
            one.title,
            tuple(
                (letter, _states(states.items())) for letter, states in zip(LETTERS, one.states, strict=False)
            ),
        )
        for one in found
    )


def _states(states: Iterable[tuple[str, int]]) -> str:
    # Among the states only interfaces have names that are slugs.
    listed = [f"{interface(state) or 'not told'} ({count})" for state, count in states]
    more = len(listed) - STATES_SHOWN
    return ", ".join(listed[:STATES_SHOWN]) + (f", {more} more" if more > 0 else "") or "not known"


def level_choices(selection: Selection) -> tuple[Choice, ...]:
    """Return the levels that a page offers, with the present one among them."""
    levels = sorted({*LEVELS, selection.level})
    return tuple(
        Choice(level_text(level), selection.url(level=level), level == selection.level) for level in levels
    )


def kind_choices(selection: Selection) -> tuple[Choice, ...]:
    """Return the sets of numbers that can be compared."""
    choices = [Choice("Headline numbers", selection.url(kind=""), not selection.kind)]
    return (
        *choices,
        *(
            Choice(kind.title, selection.url(kind=slug), slug == selection.kind)
            for slug, kind in kinds_by_slug().items()
        ),
    )


def add_choices(found: Iterable[Candidate], selection: Selection) -> tuple[Choice, ...]:
    """Return the groups that a search found, each with the address that adds it."""
    return tuple(
        Choice(one.title, selection.with_key(one.key), one.key in selection.keys, one.detail) for one in found
    )
