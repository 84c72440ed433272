"""The one list of drive models, for pages and API alike: searched, narrowed by facets, sorted by any of its
columns, counted. The index answers which and in which order; summaries are read for the rows shown alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain, islice
from typing import Any, Protocol

from django.db.models import QuerySet

from server.catalog.models import DriveModel, Vendor
from server.core.querying import CompiledQuery
from server.search.columns import (
    COLUMN_OF_KEY,
    COLUMNS,
    SHOWN,
    Column,
    column_medians,
    column_of,
    column_spreads,
)
from server.search.facets import FACET_OF_KEY, FACETS, Facet
from server.search.model_index import (
    EVIDENCE,
    NUMBERS,
    SORTS,
    Key,
    ModelIndex,
    model_index,
    sort_key,
)
from server.search.models import DriveSummary
from server.search.text_search import Matches, models_find

PER_PAGE = 50
TEXT_MAX = 200
CHOSEN_MAX = 40
"""Values of one facet that an address may hold."""
OTHERS_MAX = 20
"""Columns that no summary holds, of one list."""
MATCH = "match"


class Parameters(Protocol):
    """What an address asks for: Django's `QueryDict`."""

    def getlist(self, key: str) -> list[str]:
        """Return all values of a parameter."""


@dataclass(frozen=True, slots=True)
class DriveQuery:
    """What is asked of the list; anything that an address says wrongly is left out."""

    text: str = ""
    facets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sort: str = EVIDENCE
    descending: bool = False
    columns: tuple[str, ...] = SHOWN
    numbers: str = NUMBERS[0]

    @property
    def plain(self) -> bool:
        """Whether nothing narrows the list."""
        return not self.text and not self.facets

    @property
    def usual_sort(self) -> str:
        """The order of an address that names none."""
        return MATCH if self.text else EVIDENCE

    def parameters(self) -> list[tuple[str, str]]:
        """Return the shortest address that asks for the same."""
        pairs = [("q", self.text)] if self.text else []
        pairs += [(key, value) for key, values in self.facets.items() for value in values]
        sort = f"-{self.sort}" if self.descending else self.sort
        if sort != self.usual_sort:
            pairs.append(("sort", sort))
        if self.columns != SHOWN:
            pairs += [("col", key) for key in self.columns] or [("col", "none")]
        if self.numbers != NUMBERS[0]:
            pairs.append(("show", self.numbers))
        return pairs


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a facet, with how many drives it would leave."""

    value: str
    label: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class FacetGroup:
    """A facet with its values."""

    facet: Facet
    values: tuple[FacetValue, ...]

    @property
    def chosen(self) -> int:
        """Return how many of its values are chosen."""
        return sum(value.chosen for value in self.values)


PARAMETERS = ("q", "sort", "col", "show", *(facet.key for facet in FACETS))
"""What `drive_query_of` reads of an address."""


def drive_query_of(parameters: Parameters) -> DriveQuery:
    """Return what an address asks for."""
    text = " ".join(_first(parameters, "q").replace("\0", "").split())[:TEXT_MAX]
    facets = {}
    for facet in FACETS:
        values = tuple(dict.fromkeys(value for value in parameters.getlist(facet.key) if value))[:CHOSEN_MAX]
        if values:
            facets[facet.key] = tuple(value.replace("\0", "")[:100] for value in values)
    wanted = _first(parameters, "sort")
    sort = wanted.removeprefix("-")
    column = None if sort in SORTS else column_of(sort)
    if column is not None:
        sort = column.key
    elif not (sort in SORTS or sort == EVIDENCE or (sort == MATCH and text)):
        wanted = sort = MATCH if text else EVIDENCE
    asked = parameters.getlist("col")
    columns = _columns(asked) if asked else SHOWN
    numbers = _first(parameters, "show")
    return DriveQuery(
        text=text,
        facets=facets,
        sort=sort,
        descending=wanted.startswith("-") and sort != MATCH,
        columns=columns,
        numbers=numbers if numbers in NUMBERS else NUMBERS[0],
    )


def _columns(asked: Sequence[str]) -> tuple[str, ...]:
    """Return the usual columns in their order, then others as they were asked for."""
    found = {column.key for key in asked if (column := column_of(key))}
    usual = tuple(column.key for column in COLUMNS if column.key in found)
    others = [key for key in dict.fromkeys(asked) if key in found and key not in COLUMN_OF_KEY]
    return (*usual, *others[:OTHERS_MAX])


_WHOLE: CompiledQuery[DriveSummary] = CompiledQuery(
    lambda ids: (
        DriveSummary.objects.filter(pk__any_of=ids)
        .order_by()
        .select_related("drive_model__vendor")
        .defer("names", "facets", "drive_model__search_text")
    )
)


class DriveList:
    """The answer to one query."""

    def __init__(self, query: DriveQuery) -> None:
        self.query = query

    @cached_property
    def total(self) -> int:
        """How many models there are."""
        return self._chosen().bit_count()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of numbers that are shown."""
        return tuple(column for key in self.query.columns if (column := column_of(key)))

    @property
    def fuzzy_matches(self) -> int:
        """How many of the models are only spelled like the text."""
        return len(self._matches.fuzzy)

    def page(self, number: int, per_page: int = PER_PAGE) -> list[DriveSummary]:
        """Return the rows of one page, counted from 1."""
        start = (max(number, 1) - 1) * per_page
        return self._read(list(islice(self.models(), start, start + per_page)))

    def every(self) -> Iterator[DriveSummary]:
        """Return all rows in order, read piece by piece."""
        models = self.models()
        while ids := list(islice(models, 500)):
            yield from self._read(ids)

    def models(self) -> Iterator[int]:
        """Give the ids of all models in order."""
        return self._index.narrowed(self._order(), self._chosen())

    def facets(self) -> tuple[FacetGroup, ...]:
        """Return every facet with counts that follow the choices in the other facets, not its own."""
        shared = self._index.counts(self._chosen())
        counted = {facet.key: shared for facet in FACETS}
        for key in self.query.facets:
            counted[key] = self._index.counts(self._chosen(without=key))
        names = self._vendor_names(counted["vendor"])
        return tuple(self._group(facet, counted[facet.key], names) for facet in FACETS)

    @cached_property
    def _index(self) -> ModelIndex:
        return model_index()

    @cached_property
    def _matches(self) -> Matches:
        return models_find(self._index, self.query.text) if self.query.text else Matches()

    @cached_property
    def _matched(self) -> int:
        """The bits of the models that the text means."""
        if not self.query.text:
            return self._index.listed
        return self._index.bits_of((*self._matches.literal, *self._matches.fuzzy))

    def _chosen(self, *, without: str = "") -> int:
        return self._index.chosen(self.query.facets, self._matched, without=without)

    def _order(self) -> Sequence[int]:
        """Return the places of models in the order asked for."""
        query = self.query
        if query.sort == MATCH:
            return (*self._matches.literal, *self._matches.fuzzy)
        key, column = sort_key(query.sort, query.numbers), column_of(query.sort)
        if query.sort not in SORTS and column and not column.summed:
            self._index.orders.hold(key, lambda: column_medians(column, query.numbers), self._index.models)
        return self._index.orders.order(key, descending=query.descending)

    def _read(self, ids: Sequence[int]) -> list[DriveSummary]:
        found = {row.pk: row for row in _WHOLE.rows(ids=list(ids))}
        numbers = self.query.numbers
        others = [column for column in self.columns if not column.summed]
        for pk, key, spread in column_spreads(others, numbers, list(found)):
            found[pk].headline.setdefault(numbers, {})[key] = spread
        return [found[pk] for pk in ids if pk in found]

    def _vendor_names(self, counts: dict[str, int]) -> dict[str, str]:
        slugs = {word.partition(":")[2] for word in counts if word.startswith("vendor:")}
        slugs.update(self.query.facets.get("vendor", ()))
        return dict(Vendor.objects.filter(slug__in=slugs).values_list("slug", "name"))

    def _group(self, facet: Facet, counts: dict[str, int], vendors: dict[str, str]) -> FacetGroup:
        chosen = self.query.facets.get(facet.key, ())
        found = {
            word.partition(":")[2]: number
            for word, number in counts.items()
            if word.startswith(f"{facet.key}:")
        }
        values = [
            FacetValue(
                value=value,
                label=vendors.get(value, value) if facet.key == "vendor" else facet.label(value),
                count=found.get(value, 0),
                chosen=value in chosen,
            )
            for value in {*found, *chosen}
        ]
        return FacetGroup(facet, tuple(sorted(values, key=lambda value: _rank(facet, value))))


@dataclass(frozen=True, slots=True)
class ModelOrder:
    """All models in one of the list's orders, for lists whose pages begin behind a row.

    Models that the index does not know yet come last, by their ids.
    """

    sort: str
    numbers: str
    descending: bool
    index: ModelIndex = field(default_factory=model_index)

    def key(self, model: int) -> Key:
        """Return where a model stands."""
        return self.index.key(sort_key(self.sort, self.numbers), model)

    def beyond(self, key: Key | None, *, backward: bool) -> Iterator[int]:
        """Give the models behind a key, or before it where `backward`, the nearest first."""
        column = sort_key(self.sort, self.numbers)
        known = partial(self.index.beyond, column, key, descending=self.descending, backward=backward)
        in_tail = key is not None and key[1] is None
        if backward:
            return chain(self._tail(key, backward=True), known()) if in_tail else known()
        return (
            self._tail(key, backward=False) if in_tail else chain(known(), self._tail(None, backward=False))
        )

    def _tail(self, key: Key | None, *, backward: bool) -> Iterator[int]:
        falling = backward != (self.descending and self.sort == "name")
        for model in sorted(set(_all_models()) - self.index.numbers.keys(), reverse=falling):
            if key is None or (model < key[2] if falling else model > key[2]):
                yield model


def _all_models() -> QuerySet[DriveModel, int]:
    return DriveModel.objects.order_by().values_list("pk", flat=True)


def models_named(text: str) -> list[int]:
    """Return the ids of the models that `text` means.

    Those that are only spelled alike are meant where no other is: the website puts them last, and rows in an
    order of their own would mix them with the others'.
    """
    index = model_index()
    found = models_find(index, text)
    return [index.models[number] for number in found.literal or found.fuzzy]


def headline_of(row: DriveSummary, column: Column, numbers: str) -> list[Any] | None:
    """Return median, quartiles, runs, units and interval of a row's column, from one provenance; None where
    there is no number."""
    found: list[Any] | None = row.headline.get(numbers, {}).get(column.metric_scope)
    return found


def label_of(key: str, value: str, groups: tuple[FacetGroup, ...]) -> str:
    """Return the name of a chosen value."""
    for group in groups:
        if group.facet.key == key:
            for known in group.values:
                if known.value == value:
                    return known.label
    return FACET_OF_KEY[key].label(value)


def _rank(facet: Facet, value: FacetValue) -> tuple[Any, ...]:
    """Return where a value stands: a fixed list in its order, numbers falling, others by their count."""
    unstated = value.value == "~"
    if facet.labels:
        order = [key for key, _label in facet.labels]
        return (unstated, order.index(value.value) if value.value in order else len(order), value.value)
    if facet.by_number:
        number = float(value.value) if value.value.replace(".", "", 1).isdigit() else 0.0
        return (unstated, -number, value.value)
    return (unstated, -value.count, value.label.casefold())


def _first(parameters: Parameters, name: str) -> str:
    values = parameters.getlist(name)
    return values[0] if values else ""
