"""The list of drive models: searched, narrowed by facets, sorted by any of its columns. Reads summaries
alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from math import nan
from typing import Any, Protocol

from django.db.models import F, OrderBy, QuerySet
from django.db.models.fields.json import KeyTransform

from server.catalog.models import Vendor
from server.core.lifecycle import Provenance
from server.core.querying import CompiledQuery
from server.search.bitmap_index import FacetBits, facet_bits
from server.search.column_numbers import LITERATURE, column_medians, column_spreads
from server.search.columns import COLUMN_OF_KEY, COLUMNS, SHOWN, Column, column_of
from server.search.facets import FACET_OF_KEY, FACETS, Facet
from server.search.models import DriveSummary
from server.search.sort_index import SORTS, sorted_places
from server.search.text_search import Found, many_find, models_find

PER_PAGE = 50
TEXT_MAX = 200
CHOSEN_MAX = 40
"""Values of one facet that an address may hold."""
OTHERS_MAX = 20
"""Columns that no summary holds, of one list."""
MATCH = "match"
NUMBERS = (Provenance.PROBE.value, LITERATURE, Provenance.IMPORTED.value, Provenance.SIMULATED.value)
"""Where the numbers of the list's columns may come from: one at a time, never mixed."""


class Parameters(Protocol):
    """What an address asks for: Django's `QueryDict`."""

    def getlist(self, key: str) -> list[str]:
        """Return all values of a parameter."""


@dataclass(frozen=True, slots=True)
class DriveQuery:
    """What is asked of the list; anything that an address says wrongly is left out."""

    text: str = ""
    facets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sort: str = "name"
    descending: bool = False
    columns: tuple[str, ...] = SHOWN
    numbers: str = Provenance.PROBE.value

    @property
    def plain(self) -> bool:
        """Whether nothing narrows the list."""
        return not self.text and not self.facets

    def parameters(self) -> list[tuple[str, str]]:
        """Return the shortest address that asks for the same."""
        pairs = [("q", self.text)] if self.text else []
        pairs += [(key, value) for key, values in self.facets.items() for value in values]
        sort = f"-{self.sort}" if self.descending else self.sort
        if sort != (MATCH if self.text else "name"):
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
    elif not (sort in SORTS or (sort == MATCH and text)):
        wanted = sort = MATCH if text else "name"
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
        .defer("trigrams", "names", "facets", "drive_model__search_text", "drive_model__search")
    )
)


class DriveList:
    """The answer to one query."""

    def __init__(self, query: DriveQuery) -> None:
        self.query = query

    @cached_property
    def total(self) -> int:
        """How many models there are."""
        if self._bits is not None:
            return self._bits.chosen(self.query.facets, self._matched).bit_count()
        return self._rows().count()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of numbers that are shown."""
        return tuple(column for key in self.query.columns if (column := column_of(key)))

    def page(self, number: int, per_page: int = PER_PAGE) -> list[DriveSummary]:
        """Return the rows of one page, counted from 1."""
        start = (max(number, 1) - 1) * per_page
        bits = self._bits
        places = self._places(bits) if bits is not None else None
        if bits is None or places is None:
            return self._read(list(self._ordered()[start : start + per_page]))
        left = bits.chosen(self.query.facets, self._matched)
        return self._read(bits.page(places, left, start, per_page))

    def every(self) -> Iterator[DriveSummary]:
        """Return all rows in order, read piece by piece."""
        ordered = self._ordered()
        every = iter(ordered) if isinstance(ordered, list) else ordered.iterator(chunk_size=5000)
        for ids in _batches(every, 500):
            yield from self._read(ids)

    def facets(self) -> tuple[FacetGroup, ...]:
        """Return every facet with counts that follow the choices in the other facets, not its own."""
        shared = self._counted()
        counted = {facet.key: shared for facet in FACETS}
        for key in self.query.facets:
            counted[key] = self._counted(without=key)
        names = self._vendor_names(counted["vendor"])
        return tuple(self._group(facet, counted[facet.key], names) for facet in FACETS)

    def _counted(self, *, without: str = "") -> dict[str, int]:
        if self._bits is not None:
            return self._bits.counts(self._bits.chosen(self.query.facets, self._matched, without=without))
        words = chain.from_iterable(self._rows(without=without).values_list("facets", flat=True))
        return Counter(words)

    @cached_property
    def _bits(self) -> FacetBits | None:
        return facet_bits()

    @cached_property
    def _matched(self) -> int:
        """The bits of the models that the text means."""
        if self._bits is None or not self.query.text:
            return self._bits.everything if self._bits else 0
        if self._many is not None:
            return self._bits.of_places(self._many)
        ids: Iterable[int] | None = self.found.ids
        if ids is None:
            rows = DriveSummary.objects.filter(self.found.condition, listed=True).order_by()
            ids = rows.values_list("pk", flat=True)
        return self._bits.of_models(ids)

    @cached_property
    def _many(self) -> list[int] | None:
        """The places of the models that the text means, where they are many."""
        return many_find(self._bits, self.query.text) if self._bits and self.query.text else None

    @property
    def near(self) -> int:
        """How many of the models are only spelled like the text."""
        return len(self.found.near) if self.query.text and self._many is None else 0

    @cached_property
    def found(self) -> Found:
        """Which models the text means."""
        return models_find(self.query.text, common=self._bits.common if self._bits else frozenset())

    def _places(self, bits: FacetBits) -> Sequence[int] | None:
        """Return the places of models in the order asked for; None where only the database knows it."""
        query = self.query
        if query.sort == MATCH:
            return self._many
        column = self._other_column()
        if column is None:
            return bits.orders.places(query.sort, query.numbers, descending=query.descending)
        return bits.orders.places_of_others(
            f"{query.numbers}|{column.place}",
            lambda: column_medians(column, query.numbers),
            bits.order,
            descending=query.descending,
        )

    def _other_column(self) -> Column | None:
        """Return the column that the list is sorted by, where no summary holds it."""
        column = None if self.query.sort in SORTS else column_of(self.query.sort)
        return column if column and not column.summed else None

    def _rows(self, *, without: str = "") -> QuerySet[DriveSummary]:
        rows = DriveSummary.objects.filter(self.found.condition, listed=True)
        for key, values in self.query.facets.items():
            if key != without:
                rows = rows.filter(facets__overlap=[f"{key}:{value}" for value in values])
        return rows.order_by()

    def _ordered(self) -> QuerySet[DriveSummary, int] | list[int]:
        """Return the ids in order: the database sorts narrow rows, and whole ones are read for a page
        alone."""
        query = self.query
        if query.sort == MATCH:
            return self.found.ordered(self._rows()).values_list("pk", flat=True)
        if (column := self._other_column()) is not None:
            medians = column_medians(column, query.numbers)
            ids = list(self._rows().order_by("sort_name", "pk").values_list("pk", flat=True))
            values = [medians.get(pk, nan) for pk in ids]
            return [ids[place] for place in sorted_places(values, descending=query.descending)]
        by, key = _sort_value(query.sort, query.numbers), SORTS.get(query.sort)
        first = OrderBy(by, descending=query.descending, nulls_last=None if key == "sort_name" else True)
        return self._rows().order_by(first, "sort_name", "pk").values_list("pk", flat=True)

    def _read(self, ids: Sequence[int]) -> list[DriveSummary]:
        found = {row.pk: row for row in _WHOLE.rows(ids=list(ids))}
        numbers = self.query.numbers
        others = [column for column in self.columns if not column.summed]
        for pk, place, spread in column_spreads(others, numbers, list(found)):
            found[pk].headline.setdefault(numbers, {})[place] = spread
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
        return FacetGroup(facet, tuple(sorted(values, key=lambda value: _place(facet, value))))


def _sort_value(sort: str, numbers: str) -> Any:
    """Return what an order of the list goes by."""
    key = SORTS.get(sort)
    if key:
        return F(key)
    return KeyTransform("0", KeyTransform(COLUMN_OF_KEY[sort].place, KeyTransform(numbers, "headline")))


def headline_of(row: DriveSummary, column: Column, numbers: str) -> list[Any] | None:
    """Return median, quartiles, runs and units of a row's column, from one provenance; None where there is no
    number."""
    found: list[Any] | None = row.headline.get(numbers, {}).get(column.place)
    return found


def label_of(key: str, value: str, groups: tuple[FacetGroup, ...]) -> str:
    """Return the name of a chosen value."""
    for group in groups:
        if group.facet.key == key:
            for known in group.values:
                if known.value == value:
                    return known.label
    return FACET_OF_KEY[key].label(value)


def _place(facet: Facet, value: FacetValue) -> tuple[Any, ...]:
    """Return where a value stands: a fixed list in its order, numbers falling, others by their count."""
    unstated = value.value == "~"
    if facet.labels:
        order = [key for key, _label in facet.labels]
        return (unstated, order.index(value.value) if value.value in order else len(order), value.value)
    if facet.by_number:
        number = float(value.value) if value.value.replace(".", "", 1).isdigit() else 0.0
        return (unstated, -number, value.value)
    return (unstated, -value.count, value.label.casefold())


def _batches(ids: Iterator[int], size: int) -> Iterator[list[int]]:
    while batch := list(islice(ids, size)):
        yield batch


def _first(parameters: Parameters, name: str) -> str:
    values = parameters.getlist(name)
    return values[0] if values else ""
