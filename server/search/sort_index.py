"""The orders of the list of drives, held in memory: the database would sort all models' wide rows for each
page, and step over those of the pages before.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from math import isnan, nan
from typing import Any

from server.search.columns import column_of

SORTS = {
    "name": "sort_name",
    "year": "year",
    "capacity": "capacity_bytes",
    "rpm": "rpm",
    "runs": "measured_runs",
    "units": "units",
    "claims": "claims",
    "latest": "last_published_at",
}
"""Columns of facts and counts by which the list can be sorted, beside those of `columns.py`, each with the
summary's own."""

OTHERS_HELD = 24
"""Orders by numbers that no summary holds; each takes some 160 kB at 10,000 models."""
NUMBERED = ("runs", "units", "claims", "latest")
"""Those that the database orders by too, beside numbers: `ListNumber`."""


def order_key(sort: str, numbers: str) -> str:
    """Return what an order goes by; one by a number goes by the numbers of one provenance."""
    column = None if sort in SORTS else column_of(sort)
    return f"{numbers}|{column.place}" if column else sort


def order_values(
    facts: Mapping[str, Any], headline: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, float]]:
    """Give what a model has in each order: of its values by the names of SORTS, and of its summary's
    `headline`. Instants are seconds since 1970."""
    for sort, value in facts.items():
        if value is not None:
            yield sort, value.timestamp() if isinstance(value, datetime) else float(value)
    for numbers, held in headline.items():
        for place, (middle, *_spread) in held.items():
            yield f"{numbers}|{place}", float(middle)


class ListOrders:
    """What each listed model has in each column; models are told by their places, which go by name."""

    def __init__(self) -> None:
        self._values: dict[str, array[float]] = {}
        self._length = 0
        self._name = ""
        self._ranks = 0
        self._places: dict[tuple[str, bool], array[int]] = {}
        self._others: list[str] = []

    def add(self, facts: Mapping[str, Any], headline: Mapping[str, Mapping[str, Any]]) -> None:
        """Take the next model: its values in the columns of SORTS, and its numbers by provenance."""
        if facts["name"] != self._name:
            self._name = facts["name"]
            self._ranks += 1
        for key, value in order_values({**facts, "name": self._ranks}, headline):
            values = self._values.setdefault(key, array("d"))
            values.extend([nan] * (self._length - len(values)))
            values.append(value)
        self._length += 1

    def places(self, sort: str, numbers: str, *, descending: bool) -> array[int]:
        """Return the places in an order of the list: those without a value last, level ones by name."""
        return self._placed(order_key(sort, numbers), descending=descending)

    def _placed(self, key: str, *, descending: bool) -> array[int]:
        found = self._places.get((key, descending))
        if found is None:
            values = [*self._values.get(key, ())]
            values += [nan] * (self._length - len(values))
            found = self._places[key, descending] = array("I", sorted_places(values, descending=descending))
        return found

    def places_of_others(
        self, key: str, medians: Callable[[], Mapping[int, float]], models: Sequence[int], *, descending: bool
    ) -> array[int]:
        """Return the places in an order by numbers that no summary holds; they are read once for both ways.

        `models` are the models at the places. Few such orders are held.
        """
        if key not in self._values:
            found = medians()
            if len(self._others) >= OTHERS_HELD:
                gone = self._others.pop(0)
                self._values.pop(gone, None)
                for way in (False, True):
                    self._places.pop((gone, way), None)
            self._values[key] = array("d", (found.get(model, nan) for model in models))
            self._others.append(key)
        return self._placed(key, descending=descending)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is laid into the cache: orders are made where they are asked for."""
        return self.__dict__ | {"_places": {}}


def sorted_places(values: Sequence[float], *, descending: bool) -> Iterable[int]:
    """Return the places of values in their order, level ones as they stand, those that are NaN last."""
    sign = -1 if descending else 1
    known = [place for place, value in enumerate(values) if not isnan(value)]
    yield from sorted(known, key=lambda place: sign * values[place])
    yield from (place for place, value in enumerate(values) if isnan(value))
