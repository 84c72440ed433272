"""Published numbers that no benchmark measures, ready for a template."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from server.catalog.files import facts_by_key
from server.catalog.models import LiteratureValue
from server.core.scopes import scope_text
from server.web.rows import Sources, StatedValue


@dataclass(frozen=True, slots=True)
class FactRow:
    """One such number in one scope, with all that documents state of it."""

    title: str
    definition: str
    scope: str
    stated: tuple[StatedValue, ...]


def fact_rows(values: Iterable[LiteratureValue], sources: Sources) -> tuple[FactRow, ...]:
    """Return the numbers by title and scope; the documents and notes they cite are added to `sources`."""
    facts = facts_by_key()
    by_place: dict[tuple[str, str], list[StatedValue]] = {}
    for value in values:
        by_place.setdefault((value.metric, value.scope), []).append(sources.stated(value))
    rows = []
    for (key, scope), stated in sorted(by_place.items(), key=lambda item: _order(*item[0])):
        fact = facts.get(key)
        title, definition = (fact.title, fact.definition) if fact else (key, "")
        rows.append(FactRow(title, definition, scope_text(scope), tuple(stated)))
    return tuple(rows)


def _order(key: str, scope: str) -> tuple[str, float, str]:
    """The place of a number in the list: sizes by what they are, not by their digits."""
    return key, float(scope) if scope.replace(".", "", 1).isdigit() else -1.0, scope
