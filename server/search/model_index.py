"""The drive models in memory: what each is found by, narrowed by and sorted by.

One bit for each model in one number per facet value counts any choice in well under a millisecond, and orders
are arrays of places. The worker lays the index into the cache whenever the archive's counts change; each
process holds the one that belongs to the counts, and builds it where the cache has lost it.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from math import inf, isnan, nan
from typing import Any

from django.db import connection

from server.core.cache import cache
from server.core.lifecycle import Provenance
from server.search.columns import COLUMNS, LITERATURE, column_of
from server.search.models import ArchiveCounts, DriveSummary

NUMBERS = (Provenance.PROBE.value, LITERATURE, Provenance.IMPORTED.value, Provenance.SIMULATED.value)
"""Where the numbers of the list's columns may come from, the best first: one at a time, never mixed."""
EVIDENCE = "evidence"
"""The order by what stands behind a model: measured ones first, see `evidence_of`."""
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
"""Columns of facts and counts by which models can be sorted, beside those of `columns.py`, each with the
summary's own; EVIDENCE is made of several."""
_RUNS_MOST = 2**24 - 1
_DAYS_MOST = 2**16 - 1
"""A model's runs and the day of its last one share a float's 53 bits with the class."""
_SHOWN = frozenset(column.metric_scope for column in COLUMNS if column.shown)
OTHERS_HELD = 24
"""Orders by numbers that no summary holds; each takes some 160 kB at 10,000 models."""
STOP = "\x1f"
"""Stands before each word of a text."""
_WORD = re.compile(r"[^\W_]+")
_KEY = "search.model-index.2"
"""The last digit is raised when the form changes."""
_KEEP_S = 7 * 24 * 3600
_held: dict[datetime, ModelIndex] = {}

Key = tuple[float | None, str | None, int]
"""Where a model stands in an order: its value, its name and its id; a model that the index does not know has
its id alone."""


def words_of(text: str) -> list[str]:
    """Return the words of a text: runs of letters and digits, in lower case."""
    return _WORD.findall(text.casefold())


def evidence_of(
    measured_runs: int, last_published_at: datetime | None, headline: Mapping[str, Mapping[str, Any]]
) -> float:
    """Return a model's place in the order by evidence, the best smallest; level models go by name.

    Measured models come first, most runs before fewer and of as many the one with the latest day; then those
    of which the list shows a published, an imported or a simulated number; then those with a number in one of
    its other columns, and those without any.
    """
    if not measured_runs:
        shown = (
            index
            for index, numbers in enumerate(NUMBERS)
            if index and _SHOWN & headline.get(numbers, {}).keys()
        )
        return float(next(shown, len(NUMBERS) + (not any(headline.values()))) << 40)
    day = int(last_published_at.timestamp()) // 86_400 if last_published_at else 0
    fewer = _RUNS_MOST - min(measured_runs, _RUNS_MOST)
    return float((fewer << 16) + _DAYS_MOST - min(max(day, 0), _DAYS_MOST))


class SortIndex:
    """What each model has in each column; models are told by their places, which go by name."""

    def __init__(self, names: Sequence[str]) -> None:
        """Take the models' names in their order; level ones share a rank."""
        self._length = len(names)
        ranks = array("d")
        for index, name in enumerate(names):
            ranks.append(ranks[-1] if index and name == names[index - 1] else index)
        self._values: dict[str, array[float]] = {"name": ranks}
        self._orders: dict[tuple[str, bool], array[int]] = {}
        self._others: list[str] = []

    def put(self, index: int, facts: Mapping[str, Any], headline: Mapping[str, Mapping[str, Any]]) -> None:
        """Take a model's values in the columns of SORTS, and its numbers by provenance.

        Instants are seconds since 1970.
        """
        for sort, value in facts.items():
            if value is not None:
                number = value.timestamp() if isinstance(value, datetime) else float(value)
                self._column(sort)[index] = number
        for numbers, held in headline.items():
            for at, (middle, *_spread) in held.items():
                self._column(f"{numbers}|{at}")[index] = float(middle)

    def _column(self, key: str) -> array[float]:
        return self._values.setdefault(key, array("d", [nan]) * self._length)

    def value(self, key: str, index: int) -> float:
        """Return a model's value in a column; NaN where it has none."""
        return self._column(key)[index]

    def order(self, key: str, *, descending: bool) -> array[int]:
        """Return all places in an order: those without a value last, level ones by name."""
        found = self._orders.get((key, descending))
        if found is None:
            values, sign = self._column(key), -1 if descending else 1
            ranks = [inf if isnan(value) else sign * value for value in values]
            found = array("I", sorted(range(self._length), key=ranks.__getitem__))
            self._orders[key, descending] = found
        return found

    def hold(self, key: str, medians: Callable[[], Mapping[int, float]], models: Sequence[int]) -> None:
        """Read a column that no summary holds, unless it is here; few of them are held at a time.

        `models` are the models at the places.
        """
        if key in self._values:
            return
        found = medians()
        if len(self._others) >= OTHERS_HELD:
            gone = self._others.pop(0)
            self._values.pop(gone, None)
            for way in (False, True):
                self._orders.pop((gone, way), None)
        self._values[key] = array("d", (found.get(model, nan) for model in models))
        self._others.append(key)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is laid into the cache: orders are made where they are asked for."""
        return self.__dict__ | {"_orders": {}}


def sort_key(sort: str, numbers: str) -> str:
    """Return the column of an order; one by a number goes by the numbers of one provenance."""
    column = None if sort in SORTS else column_of(sort)
    return f"{numbers}|{column.metric_scope}" if column else sort


@dataclass(frozen=True, slots=True)
class ModelIndex:
    """Which models have which values."""

    version: datetime | None
    """When the counts were made that it belongs to."""
    models: tuple[int, ...]
    """The models in the order of their bits, which is that of their names."""
    numbers: dict[int, int]
    """Drive model to its bit."""
    sort_names: tuple[str, ...]
    listed: int
    """The bits of the models that lists show."""
    values: dict[str, int]
    """`facet:value` to the bits of the models that have it."""
    texts: tuple[str, ...]
    """What each is found by: the words of its names, each behind a `STOP`, then the names as they are."""
    names: tuple[str, ...]
    """Each one's names, normalised, with a space around each; its number comes first."""
    trigram_index: bool
    """Whether the database has an index of the names' trigrams."""
    orders: SortIndex

    def bits_of(self, indices: Iterable[int]) -> int:
        """Return the bits of models, by their numbers."""
        filled = bytearray(len(self.models) // 8 + 1)
        for index in indices:
            filled[index >> 3] |= 1 << (index & 7)
        return int.from_bytes(filled, "little")

    def chosen(self, facets: Mapping[str, Collection[str]], among: int, *, without: str = "") -> int:
        """Return the models that the choices leave, not looking at those in the facet `without`."""
        for key, values in facets.items():
            if key != without:
                any_of = 0
                for value in values:
                    any_of |= self.values.get(f"{key}:{value}", 0)
                among &= any_of
        return among

    def narrowed(self, indices: Iterable[int], among: int) -> Iterator[int]:
        """Give the models of `indices`, in that order: those of `among`."""
        mask = among.to_bytes(len(self.models) // 8 + 1, "little")
        return (self.models[index] for index in indices if mask[index >> 3] >> (index & 7) & 1)

    def counts(self, among: int) -> dict[str, int]:
        """Return how many of these models have each value; values that none has are left out."""
        found = ((word, (bits & among).bit_count()) for word, bits in self.values.items())
        return {word: number for word, number in found if number}

    def key(self, column: str, model: int) -> Key:
        """Return where a model stands in an order."""
        index = self.numbers.get(model)
        if index is None:
            return None, None, model
        value = self.orders.value(column, index)
        return None if isnan(value) else value, self.sort_names[index], model

    def beyond(self, column: str, key: Key | None, *, descending: bool, backward: bool) -> Iterator[int]:
        """Give the models from a key on, or before it where `backward`, the nearest first.

        The key's model may have gone, or be elsewhere by now: what counts is where it stood.
        """
        order = self.orders.order(column, descending=descending)
        if key is None or key[1] is None:
            begin = len(order) if key else 0
        else:
            cut = bisect_left if backward else bisect_right
            stood = self._rank(column, key, descending)
            begin = cut(
                order,
                stood,
                key=lambda index: self._rank(column, self.key(column, self.models[index]), descending),
            )
        indices = reversed(order[:begin]) if backward else islice(order, begin, None)
        return (self.models[index] for index in indices)

    def _rank(self, column: str, key: Key, descending: bool) -> tuple[bool, float, str, int]:
        value, name, model = key
        assert name is not None
        if column == "name":
            value = bisect_left(self.sort_names, name)
            if value == len(self.sort_names) or self.sort_names[value] != name:
                value -= 0.5  # It is between two names.
        sign = -1 if descending else 1
        return value is None, sign * (value or 0.0), name, model


def model_index_build(version: datetime | None) -> ModelIndex:
    """Read the models' values and names out of their summaries."""
    # Sorted here: a database may compare names by the rules of some language.
    named = sorted(DriveSummary.objects.order_by().values_list("sort_name", "pk"))
    sort_names, models = tuple(name for name, _pk in named), tuple(pk for _name, pk in named)
    numbers = {pk: number for number, pk in enumerate(models)}
    orders, texts, names = SortIndex(sort_names), [""] * len(models), [""] * len(models)
    members: dict[str, list[int]] = {}
    facts = {sort: column for sort, column in SORTS.items() if sort != "name"}
    read = ("pk", "listed", "facets", "names", "drive_model__search_text", "headline", *facts.values())
    rows = DriveSummary.objects.order_by().values_list(*read)
    for pk, listed, words, named_by, text, headline, *known in rows.iterator(chunk_size=2000):
        if (number := numbers.get(pk)) is None:
            continue  # It came while this was read.
        values = dict(zip(facts, known, strict=True))
        values[EVIDENCE] = evidence_of(values["runs"], values["latest"], headline)
        orders.put(number, values, headline)
        names[number] = named_by
        texts[number] = "".join(STOP + word for word in dict.fromkeys(words_of(text))) + "\n" + text
        for word in (*words, *(("",) if listed else ())):
            members.setdefault(word, []).append(number)
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('drivesummary_names_trgm') IS NOT NULL")
        [trigram_index] = cursor.fetchone()
    index = ModelIndex(
        version, models, numbers, sort_names, 0, {}, tuple(texts), tuple(names), trigram_index, orders
    )
    bits = {word: index.bits_of(found) for word, found in members.items()}
    return replace(index, listed=bits.pop("", 0), values=bits)


def model_index_keep(index: ModelIndex) -> None:
    """Lay an index where the web processes find it."""
    cache.set(_KEY, index, _KEEP_S)


def model_index() -> ModelIndex:
    """Return the index that belongs to the archive's counts; before there are any, one of what is there."""
    version = ArchiveCounts.objects.values_list("updated_at", flat=True).first()
    if version is None:
        return model_index_build(None)
    found = _held.get(version)
    if found is None:
        found = cache.get(_KEY)
        if not isinstance(found, ModelIndex) or found.version != version:
            found = model_index_build(version)
            # A newer one, that the worker lays down while it counts, stays.
            cache.add(_KEY, found, _KEEP_S)
        _held.clear()
        _held[version] = found
    return found
