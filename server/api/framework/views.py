"""The base of all readable resources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import chain, islice
from typing import Any, ClassVar

from django.conf import settings
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework.generics import GenericAPIView
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from server.api.framework import parameters
from server.api.framework.filters import StrictFilterBackend, missing, name_trouble
from server.api.framework.formats import TABLES, streamed, streams_lines
from server.api.framework.keyset import (
    Cursor,
    Ordering,
    Page,
    Ranked,
    cursor_read,
    cursor_text,
    page_read,
    rows_stream,
)
from server.api.framework.openapi import PAGE_PARAMETERS, PageShape, ResourceSchema
from server.api.framework.plans import RowPlan, plan_of
from server.api.framework.query_deadline import QueryDeadline, QueryTimeout
from server.api.framework.read_view import ReadView
from server.api.framework.rows import RowSerializer, Shape, columns_of, rows_words
from server.core.problems import ErrorItem, Problem, problem

COUNT_LIMIT_MS = 300
"""How long the rows of a list are counted."""
Prefetching = Callable[[QuerySet[Any]], QuerySet[Any]]


class Resource(ReadView, GenericAPIView[Any]):
    """What lists and single rows share: which fields, in which format."""

    renderer_classes = TABLES
    filter_backends = []
    schema = ResourceSchema()
    from_replica = True
    expansions: ClassVar[Mapping[str, Prefetching]] = {}
    """What the rows need read in advance for a field that comes on demand."""

    def shape_names(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the fields that come unasked, and those that come on demand."""
        row = self.serializer_class
        assert row is not None and issubclass(row, RowSerializer)
        return _shape_names(row)

    def known_parameters(self) -> set[str]:
        known = super().known_parameters() | {"fields"}
        return known | {"expand"} if self.shape_names()[1] else known

    def lines_words(self) -> str:
        row: Any = self.serializer_class
        return rows_words(row(context={"shape": Shape()}))

    def shape(self) -> Shape:
        """Return the fields asked for; raises Problem."""
        fields, on_demand = self.shape_names()
        chosen = parameters.names_read(self.request, "fields", fields)
        return Shape(chosen or None, parameters.names_read(self.request, "expand", on_demand))

    def expanded(self, queryset: QuerySet[Any], shape: Shape) -> QuerySet[Any]:
        """Return the rows with what the shape needs read in advance."""
        for name in sorted(shape.expand):
            if prefetching := self.expansions.get(name):
                queryset = prefetching(queryset)
        return queryset

    def serialized(self, rows: Any, shape: Shape, *, many: bool) -> Any:
        """Return rows as plain data."""
        row: Any = self.serializer_class
        return row(rows, many=many, context={"shape": shape, "request": self.request}).data


def query_timeout(error: QueryTimeout, indexed: Sequence[str], *, export_ms: int | None) -> Problem:
    """Return the problem of rows that were not found in time; `export_ms` is how long a stream may look."""
    found = f"The rows were looked for during {error.limit_ms / 1000:g} s, the limit, and not all found."
    helps = f"filter that has an index: {', '.join(indexed)}" if indexed else "further filter"
    longer = f" As .ndjson or .csv each piece may take {export_ms / 1000:g} s." if export_ms else ""
    return problem("takes-too-long", f"{found} Narrow the list by a {helps}.{longer}")


@cache
def _shape_names(row: type[RowSerializer]) -> tuple[frozenset[str], frozenset[str]]:
    on_demand = frozenset(row.on_demand)
    return frozenset(row().fields) - on_demand, on_demand


class ListView(ListModelMixin, Resource):
    """A list of rows: filtered, ordered, page by page as JSON, or whole as CSV or NDJSON."""

    filter_backends = [StrictFilterBackend]
    pagination_class = PageShape
    orderings: ClassVar[Mapping[str, Ordering]] = {"id": Ordering(("pk",))}
    """Names by which rows can be ordered, the usual one first; a minus before one turns it round."""
    indexed: ClassVar[tuple[str, ...]] = ()
    """Filters that lead to few rows along an index: what helps where a list takes too long."""
    more_problems = (422,)
    more_orderings: ClassVar[Mapping[str, Ordering]] = {}
    """Those that are not turned round by a minus: they name both ways."""
    usual_ordering: ClassVar[str] = "id"
    since_column: ClassVar[str | None] = None
    """When a row was changed last: what `since` goes by."""
    file_name: ClassVar[str] = "rows"
    searches: ClassVar[bool] = False
    streams = streams_lines
    rows: ClassVar[staticmethod[[], QuerySet[Any]]]
    """Gives all rows that anyone may see."""
    joined: ClassVar[frozenset[str]] = frozenset()
    """Relations that the page's query reads with the rows: those that its condition needs anyway."""

    def search(self, queryset: QuerySet[Any], words: str) -> QuerySet[Any]:
        """Return the rows that match some words; for views that search."""
        raise TypeError(f"{type(self).__name__} does not search {words!r}")

    def ranked(self, queryset: QuerySet[Any], _ordering: str) -> QuerySet[Any] | Ranked:
        """Return the rows with their order, where that is no column of theirs."""
        return queryset

    def order_words(self, ordering: str) -> str:
        """Return all that tells an order from others, which cursors are bound to."""
        return ordering

    def get_queryset(self) -> QuerySet[Any]:
        """Return the rows, for django-filter."""
        return self.rows()

    def known_parameters(self) -> set[str]:
        known = super().known_parameters() | {"limit", "cursor", "ordering", "total"}
        known |= {"q"} if self.searches else set()
        known |= {"since"} if self.since_column else set()
        filterset: Any = getattr(self, "filterset_class", None)
        return known | set(filterset.base_filters if filterset else ())

    def list_parameters(self) -> Iterator[OpenApiParameter]:
        """Give the descriptions of the list's parameters but its filters."""
        yield from PAGE_PARAMETERS
        described = "`true`: also count the rows of the whole list, with its first page."
        yield OpenApiParameter("total", enum=["true", "false"], description=described)
        yield OpenApiParameter(
            "ordering",
            enum=sorted(self._orderings()),
            description=f"Order of the rows, `{self.usual_ordering}` unless told; a minus turns it round.",
        )
        if self.searches:
            yield OpenApiParameter("q", description="Words to search for; the beginning of one is enough.")
        if self.since_column:
            described = "Rows that were added or changed at that instant or later."
            yield OpenApiParameter("since", {"type": "string", "format": "date-time"}, description=described)

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer with a page, or with a stream of all pages."""
        shape = self.shape()
        name, ordering = self._ordering()
        queryset = self.ranked(self._found(), name)
        salt = f"{type(self).__name__}:{self.order_words(name)}"
        text = request.query_params.get("cursor")
        cursor = cursor_read(text, salt=salt, ordering=ordering, queryset=queryset) if text else None
        if self.streams(request):
            return self._stream(queryset, ordering, cursor, shape)
        limit = parameters.limit_read(request) or parameters.LIMIT_USUAL
        plan = self._plan(queryset, shape)
        with self._timeout_told():
            page = page_read(
                queryset,
                columns=plan.columns,
                ordering=ordering,
                cursor=cursor,
                limit=limit,
            )
        rows = plan.rows(page.rows, self._row(shape))
        return Response(
            {
                "next": self._address(page.next, salt),
                "previous": self._address(page.previous, salt),
                # Last: its deadline ends that of the request.
                "total": self._total(queryset, page),
                "results": rows,
            }
        )

    def _total(self, queryset: QuerySet[Any] | Ranked, page: Page) -> int | None:
        """Return how many rows the list has: of one page the rows on it, of more where that was asked for and
        is counted in time; else None."""
        counted = parameters.choice_read(self.request, "total", ("true", "false"), "false") == "true"
        if page.next is None and page.previous is None:
            return len(page.rows)
        if not counted or page.previous is not None:
            return None
        rows = queryset.queryset if isinstance(queryset, Ranked) else queryset
        try:
            with transaction.atomic(), QueryDeadline(COUNT_LIMIT_MS):
                return rows.order_by().count()
        except QueryTimeout:
            return None

    def _plan(self, queryset: QuerySet[Any] | Ranked, shape: Shape) -> RowPlan:
        row: Any = self.serializer_class
        model: type[Model] = queryset.model
        return plan_of(row, model, self.joined, shape)

    def _row(self, shape: Shape) -> Any:
        row: Any = self.serializer_class
        return row(context={"shape": shape, "request": self.request})

    def _found(self) -> QuerySet[Any]:
        queryset = self.filter_queryset(self.rows())
        if self.searches and (words := self.request.query_params.get("q")):
            queryset = self.search(queryset, words[:200])
        if self.since_column and (since := parameters.since_read(self.request)):
            queryset = queryset.filter(**{f"{self.since_column}__gte": since})
        return queryset

    def _orderings(self) -> dict[str, Ordering]:
        turned = {
            f"-{name}": replace(one, descending=not one.descending) for name, one in self.orderings.items()
        }
        return {**self.orderings, **turned, **self.more_orderings}

    def _ordering(self) -> tuple[str, Ordering]:
        allowed = self._orderings()
        name = parameters.choice_read(self.request, "ordering", allowed, self.usual_ordering)
        return name, allowed[name]

    def _stream(
        self, queryset: QuerySet[Any] | Ranked, ordering: Ordering, cursor: Cursor | None, shape: Shape
    ) -> HttpResponseBase:
        limit = parameters.limit_read(self.request, most=None)
        plan, row = self._plan(queryset, shape), self._row(shape)
        columns = list(columns_of(row))
        chunks = (
            plan.rows(rows, row)
            for rows in rows_stream(
                queryset,
                columns=plan.columns,
                ordering=ordering,
                cursor=cursor,
                limit=limit,
                limit_ms=settings.API_EXPORT_LIMIT_MS,
            )
        )
        with self._timeout_told():
            # Before the answer begins a problem can still be told; after that the connection is cut.
            first = list(islice(chunks, 1))
        return streamed(chain(first, chunks), self.request.accepted_renderer, columns, name=self.file_name)

    @contextmanager
    def _timeout_told(self) -> Iterator[None]:
        """Tell that rows were looked for too long, and what helps; raises Problem."""
        try:
            yield
        except QueryTimeout as error:
            export_ms = None if self.streams(self.request) else settings.API_EXPORT_LIMIT_MS
            raise query_timeout(error, self.indexed, export_ms=export_ms) from error

    def _address(self, cursor: Cursor | None, salt: str) -> str | None:
        if cursor is None:
            return None
        query = self.request.query_params.copy()
        query["cursor"] = cursor_text(cursor, salt=salt)
        return self.request.build_absolute_uri(f"{self.request.path}?{query.urlencode()}")


class DetailView(Resource):
    """One row at its own address."""

    noun: ClassVar[str]
    """What a row is called where there is none."""

    def row(self, *_arguments: Any, **key: Any) -> Any:
        """Return the row of the address, of the `shape` asked for; None where there is none."""
        raise TypeError(f"{type(self).__name__} finds no row by {sorted(key)}")

    def get(self, request: Request, format: str | None = None, **key: Any) -> Response:
        """Answer with the row."""
        shape = self.shape()
        row = self.row(shape=shape, **key)
        if row is None:
            raise missing(self.noun, next(iter(key.values())))
        self.modified = None if shape.expand else getattr(row, "updated_at", None)
        return Response(self.serialized(row, shape, many=False))


class RegistryView(ListModelMixin, Resource):
    """A list that the code holds, not the database: short, and always whole."""

    pagination_class = PageShape
    file_name: ClassVar[str] = "rows"
    choices: ClassVar[Mapping[str, Callable[[Any], str]]] = {}
    """Filters: what an entry has of a parameter's name."""
    more_problems = (422,)

    def rows(self) -> Sequence[Any]:
        """Return the entries in their order."""
        raise TypeError(f"{type(self).__name__} names no rows")

    def known_parameters(self) -> set[str]:
        return super().known_parameters() | set(self.choices)

    def list_parameters(self) -> Iterator[OpenApiParameter]:
        """Give the descriptions of the filters."""
        for name, known in self._known().items():
            yield OpenApiParameter(name, enum=known)

    def _known(self) -> dict[str, list[str]]:
        return {name: sorted({of(row) for row in self.rows()}) for name, of in self.choices.items()}

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer with the entries that pass."""
        shape = self.shape()
        asked = {name: request.query_params[name] for name in self.choices if name in request.query_params}
        for name, value in asked.items():
            if words := name_trouble(name, value, self._known()[name]):
                raise problem("unknown-name", words, ErrorItem(f"?{name}", words))
        rows = [
            row
            for row in self.rows()
            if all(self.choices[name](row) == value for name, value in asked.items())
        ]
        found = self.serialized(rows, shape, many=True)
        if streams_lines(self, request):
            entry: Any = self.serializer_class
            columns = list(columns_of(entry(context={"shape": shape})))
            return streamed([found], request.accepted_renderer, columns, name=self.file_name)
        return Response({"next": None, "previous": None, "total": len(found), "results": found})
