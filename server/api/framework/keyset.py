"""Pages that cost the same at any depth: a page begins where a key ends, never at a count of rows.

A cursor is the key of a page's edge: the values of the ordering's columns, signed so that it need not be
checked value by value. No page counts the rows, and none is found by stepping over others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Protocol, TypeVar

from django.core import signing
from django.db import connection, transaction
from django.db.models import F, Model, Q, QuerySet
from django.db.models.expressions import OrderBy
from django.db.models.fields.tuple_lookups import (
    Tuple,
    TupleGreaterThan,
    TupleGreaterThanOrEqual,
    TupleLessThan,
    TupleLessThanOrEqual,
)

from server.api.framework.query_deadline import QueryDeadline
from server.core.problems import problem

Key = TypeVar("Key")
Row = TypeVar("Row")

CHUNK_ROWS = 1000
"""Rows that a stream holds at a time."""
_PIECE_MAX = 4000
"""Ids that one query is told of an order that the database does not know."""

_AS_A_PAGE = "SET LOCAL enable_memoize = off; SET LOCAL max_parallel_workers_per_gather = 0"
"""A page ends after few rows. The planner makes room for the keys of all of them before the first one, which
takes longer than the page (120 ms for 19,000,000 numbers), and starting processes takes as long."""


@dataclass(frozen=True, slots=True)
class Ordering:
    """Columns that put rows into one order; the last one is unique, so that no two rows are level."""

    columns: tuple[str, ...]
    nullable: bool = False
    """Whether the first column may be null; such rows come last, whichever the direction."""
    descending: bool = False


class RowOrder(Protocol):
    """An order that is known outside the database, as ids of rows. A row's key tells where it stands in the
    columns of an ordering, and ends with its id."""

    def key(self, pk: int, /) -> tuple[Any, ...]:
        """Return where a row stands."""

    def beyond(self, key: Any, /, *, backward: bool) -> Iterator[int]:
        """Give the ids behind a key, or before it where `backward`, the nearest first."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The rows of a list whose order is known outside the database."""

    queryset: QuerySet[Any]
    order: RowOrder

    @property
    def model(self) -> type[Model]:
        model: type[Model] = self.queryset.model
        return model


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page begins: after `key`, or before it where `backward`."""

    key: tuple[Any, ...]
    backward: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """One page of rows, and the cursors of its neighbours."""

    rows: tuple[tuple[Any, ...], ...]
    next: Cursor | None
    previous: Cursor | None


def cursor_signer(salt: str) -> signing.Signer:
    """Return what signs the cursors of one list in one order. Under the bare salt stand those that held a
    time, up to version 0.1.0: here they are none."""
    return signing.Signer(salt=f"cursor:{salt}")


def cursor_text(cursor: Cursor, *, salt: str) -> str:
    """Return a cursor as it stands in an address: without a time, so that an unchanged page has the same."""
    values = [cursor.backward, *(_plain(value) for value in cursor.key)]
    return cursor_signer(salt).sign_object(values, compress=True)


def cursor_read(text: str, *, salt: str, ordering: Ordering, queryset: QuerySet[Any] | Ranked) -> Cursor:
    """Return the cursor; raises Problem where it is not one of this list in this order."""
    try:
        backward, *values = cursor_signer(salt).unsign_object(text)
        if isinstance(queryset, Ranked):
            return Cursor(tuple(values), backward)
        fields = [_field(queryset, column) for column in ordering.columns]
        return Cursor(
            tuple(field.to_python(value) for field, value in zip(fields, values, strict=True)), backward
        )
    except (signing.BadSignature, ValueError, TypeError):
        raise problem(
            "not-found",
            "The cursor leads to no page of this list in this order. Follow the `next` and `previous` "
            "addresses as they are, or leave the cursor out to begin anew.",
        ) from None


def page_read(
    queryset: QuerySet[Any] | Ranked,
    *,
    columns: Sequence[str],
    ordering: Ordering,
    cursor: Cursor | None,
    limit: int,
) -> Page:
    """Return `limit` rows from the cursor on, as tuples of `columns` with the ordering's behind them.

    A filter that few rows pass makes the database go through all of them: a QueryDeadline around bounds that.
    """
    backward = cursor is not None and cursor.backward
    rows: list[tuple[Any, ...]] = []
    with transaction.atomic(), connection.cursor() as settings:
        settings.execute(_AS_A_PAGE)
        if isinstance(queryset, Ranked):
            rows = list(islice(_ranked(queryset, columns, cursor, limit), limit + 1))
        else:
            for found in _parts(queryset, ordering, cursor):
                if len(rows) <= limit:
                    found = found.values_list(*columns, *ordering.columns)
                    rows += found[: limit + 1 - len(rows)]
    more = len(rows) > limit
    rows = rows[:limit]
    if backward:
        rows.reverse()
    first, last = (_key(rows[0], ordering), _key(rows[-1], ordering)) if rows else (None, None)
    return Page(
        rows=tuple(rows),
        next=Cursor(last) if last and (more or backward) else None,
        previous=Cursor(first, backward=True)
        if first and (more if backward else cursor is not None)
        else None,
    )


def rows_stream(
    queryset: QuerySet[Any] | Ranked,
    *,
    columns: Sequence[str],
    ordering: Ordering,
    cursor: Cursor | None,
    limit: int | None = None,
    limit_ms: int,
) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Give the rows from the cursor on in chunks, all of them or `limit`; raises QueryTimeout.

    Each chunk is a query of its own: no transaction stays open while a slow reader reads, and a row that
    is there all the time comes exactly once.
    """
    left = limit
    while left is None or left > 0:
        size = CHUNK_ROWS if left is None else min(CHUNK_ROWS, left)
        with QueryDeadline(limit_ms):
            page = page_read(queryset, columns=columns, ordering=ordering, cursor=cursor, limit=size)
        yield page.rows
        if page.next is None:
            return
        cursor = page.next
        left = None if left is None else left - size


def chunks_after(
    read: Callable[[Key, int], Sequence[Row]], after: Key, key: Callable[[Row], Key], limit: int | None
) -> Iterator[Sequence[Row]]:
    """Give rows that are in no one table in chunks, all of them or `limit`: `read` returns as many as it is
    told behind a key."""
    left = limit
    while left is None or left > 0:
        size = CHUNK_ROWS if left is None else min(CHUNK_ROWS, left)
        rows = read(after, size)
        yield rows
        if len(rows) < size:
            return
        after, left = key(rows[-1]), None if left is None else left - size


def _ranked(
    rows: Ranked, columns: Sequence[str], cursor: Cursor | None, limit: int
) -> Iterator[tuple[Any, ...]]:
    """Give the rows behind the cursor, read piece by piece: larger ones where a filter leaves few."""
    ids = rows.order.beyond(cursor.key if cursor else None, backward=cursor is not None and cursor.backward)
    queryset, size = rows.queryset.prefetch_related(None).order_by(), limit + 1
    while piece := list(islice(ids, size)):
        found = {row[0]: row[1:] for row in queryset.filter(pk__in=piece).values_list("pk", *columns)}
        yield from ((*found[pk], *rows.order.key(pk)) for pk in piece if pk in found)
        size = min(4 * size, _PIECE_MAX)


def _parts(queryset: QuerySet[Any], ordering: Ordering, cursor: Cursor | None) -> Iterator[QuerySet[Any]]:
    """Give the rows behind the cursor in their order, part by part."""
    backward = cursor is not None and cursor.backward
    parts = _null_partitions(queryset, ordering)
    key = cursor.key if cursor else None
    here = len(parts) - 1 if backward else 0
    if key is not None:
        here = next(index for index, value in enumerate(key) if value is not None)
    for nulls in range(here, -1, -1) if backward else range(here, len(parts)):
        rest = replace(ordering, columns=ordering.columns[nulls:])
        yield _part(parts[nulls], rest, key[nulls:] if key and nulls == here else None, backward=backward)


def _null_partitions(queryset: QuerySet[Any], ordering: Ordering) -> tuple[QuerySet[Any], ...]:
    """Return the rows with a value in the first column, and those without: each is read along an index, while
    of both at once the database would sort all rows for a page."""
    if not ordering.nullable:
        return (queryset,)
    null = f"{ordering.columns[0]}__isnull"
    return queryset.filter(**{null: False}), queryset.filter(**{null: True})


def _part(
    queryset: QuerySet[Any], ordering: Ordering, key: tuple[Any, ...] | None, *, backward: bool
) -> QuerySet[Any]:
    descending = ordering.descending != backward
    if key is not None:
        queryset = queryset.filter(_beyond(ordering.columns, key, descending=descending))
    order = [OrderBy(F(column), descending=descending) for column in ordering.columns]
    # Instances would be made of whole rows, whatever is wanted of them.
    return queryset.prefetch_related(None).order_by(*order)


def _beyond(columns: Sequence[str], key: tuple[Any, ...], *, descending: bool) -> Q:
    """Return the condition of the rows behind a key."""
    compare = TupleLessThan if descending else TupleGreaterThan
    if len({column.rpartition("__")[0] for column in columns}) == 1:
        return Q(compare(Tuple(*(F(column) for column in columns)), key))
    # Columns of two tables are compared row by row; with the first alone the database begins at the place.
    # How many rows are left it can tell only of what is said this way round: from a comparison of all columns
    # it expects hardly any, and sorts all of them.
    first, *others = columns
    begins = Q(**{f"{first}__{'lte' if descending else 'gte'}": key[0]})
    rest = (Tuple(*(F(column) for column in others)), key[1:])
    passed = TupleGreaterThanOrEqual(*rest) if descending else TupleLessThanOrEqual(*rest)
    return begins & ~(Q(**{first: key[0]}) & Q(passed))


def _key(row: tuple[Any, ...], ordering: Ordering) -> tuple[Any, ...]:
    return row[-len(ordering.columns) :]


def _field(queryset: QuerySet[Any], column: str) -> Any:
    if column in queryset.query.annotations:
        return queryset.query.annotations[column].output_field
    model: Any = queryset.model
    *path, name = column.split("__")
    for step in path:
        model = model._meta.get_field(step).related_model
    if name == "pk":
        return model._meta.pk
    return model._meta.get_field(name)


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, int | float | str) else str(value)
