"""Pages that cost the same at any depth: a page begins where a key ends, never at a count of rows.

A cursor is the key of a page's edge: the values of the ordering's columns, signed so that it need not be
checked value by value. No page counts the rows, and none is found by stepping over others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core import signing
from django.db import OperationalError, connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import OrderBy
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThan
from psycopg.errors import QueryCanceled

from server.core.problems import problem

CHUNK_ROWS = 1000
"""Rows that a stream holds at a time."""

_AS_A_PAGE = "SET LOCAL enable_memoize = off; SET LOCAL max_parallel_workers_per_gather = 0"
"""A page ends after few rows. The planner makes room for the keys of all of them before the first one, which
takes longer than the page (120 ms for 19,000,000 numbers), and starting processes takes as long."""


class LookedTooLong(Exception):
    """The database looked for a page's rows for as long as it may; `limit_ms` is how long that is."""

    def __init__(self, limit_ms: int) -> None:
        super().__init__(f"The rows were not found within {limit_ms / 1000:g} s.")
        self.limit_ms = limit_ms


@dataclass(frozen=True, slots=True)
class Ordering:
    """Columns that put rows into one order; the last one is unique, so that no two rows are level."""

    columns: tuple[str, ...]
    nullable: bool = False
    """Whether the first column may be null; such rows come last, whichever the direction."""
    descending: bool = False


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


def cursor_text(cursor: Cursor, *, salt: str) -> str:
    """Return a cursor as it stands in an address."""
    return signing.dumps(
        [cursor.backward, *(_plain(value) for value in cursor.key)], salt=salt, compress=True
    )


def cursor_read(text: str, *, salt: str, ordering: Ordering, queryset: QuerySet[Any]) -> Cursor:
    """Return the cursor; raises Problem where it is not one of this list in this order."""
    try:
        backward, *values = signing.loads(text, salt=salt)
    except (signing.BadSignature, ValueError, TypeError):
        raise problem(
            "not-found",
            "The cursor leads to no page of this list in this order. Follow the `next` and `previous` "
            "addresses as they are, or leave the cursor out to begin anew.",
        ) from None
    fields = [_field(queryset, column) for column in ordering.columns]
    return Cursor(
        tuple(field.to_python(value) for field, value in zip(fields, values, strict=True)), backward
    )


def page_read(
    queryset: QuerySet[Any],
    *,
    columns: Sequence[str],
    ordering: Ordering,
    cursor: Cursor | None,
    limit: int,
    limit_ms: int,
) -> Page:
    """Return `limit` rows from the cursor on, as tuples of `columns` with the ordering's behind them; raises
    LookedTooLong.

    A filter that few rows pass makes the database go through all of them: `limit_ms` bounds what that costs.
    """
    backward = cursor is not None and cursor.backward
    # Instances would be made of whole rows, whatever is wanted of them.
    found = _placed(queryset.prefetch_related(None), ordering, cursor)
    try:
        with transaction.atomic(), connection.cursor() as settings:
            settings.execute(f"{_AS_A_PAGE}; SET LOCAL statement_timeout = {int(limit_ms)}")
            rows = list(found.values_list(*columns, *ordering.columns)[: limit + 1])
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise LookedTooLong(limit_ms) from error
        raise
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
    queryset: QuerySet[Any],
    *,
    columns: Sequence[str],
    ordering: Ordering,
    cursor: Cursor | None,
    limit: int | None = None,
    limit_ms: int,
) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Give the rows from the cursor on in chunks, all of them or `limit`; raises LookedTooLong.

    Each chunk is a query of its own: no transaction stays open while a slow reader reads, and a row that
    is there all the time comes exactly once.
    """
    left = limit
    while left is None or left > 0:
        size = CHUNK_ROWS if left is None else min(CHUNK_ROWS, left)
        page = page_read(
            queryset, columns=columns, ordering=ordering, cursor=cursor, limit=size, limit_ms=limit_ms
        )
        yield page.rows
        if page.next is None:
            return
        cursor = page.next
        left = None if left is None else left - size


def _placed(queryset: QuerySet[Any], ordering: Ordering, cursor: Cursor | None) -> QuerySet[Any]:
    backward = cursor is not None and cursor.backward
    descending = ordering.descending != backward
    order = [OrderBy(F(column), descending=descending) for column in ordering.columns]
    if ordering.nullable:
        order[0] = OrderBy(
            F(ordering.columns[0]),
            descending=descending,
            nulls_first=backward or None,
            nulls_last=not backward or None,
        )
    if cursor is not None:
        queryset = queryset.filter(_beyond(replace(ordering, descending=descending), cursor))
    return queryset.order_by(*order)


def _beyond(ordering: Ordering, cursor: Cursor) -> Any:
    """Return the condition of the rows behind the cursor, on its own side."""
    first = ordering.columns[0]
    compare = TupleLessThan if ordering.descending else TupleGreaterThan
    if ordering.nullable and cursor.key[0] is None:
        rest = compare(Tuple(*(F(column) for column in ordering.columns[1:])), cursor.key[1:])
        level = Q(**{f"{first}__isnull": True}) & Q(rest)
        return level | Q(**{f"{first}__isnull": False}) if cursor.backward else level
    beyond = Q(compare(Tuple(*(F(column) for column in ordering.columns)), cursor.key))
    if ordering.nullable and not cursor.backward:
        return beyond | Q(**{f"{first}__isnull": True})
    if len(ordering.columns) > 1:
        # The database compares columns of two tables row by row; with this it begins at the place.
        beyond &= Q(**{f"{first}__{'lte' if ordering.descending else 'gte'}": cursor.key[0]})
    return beyond


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
