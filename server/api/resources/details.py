"""Zones, seek curves and tracks of runs as rows: what kinds keep in their details, many drives at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, ClassVar

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from server.api.framework import parameters
from server.api.framework.formats import streamed
from server.api.framework.keyset import chunks_after
from server.api.framework.openapi import described
from server.api.framework.query_deadline import QueryDeadline, QueryTimeout
from server.api.framework.views import query_timeout
from server.api.resources.run_rows import RUN_COLUMNS, RowKey, RunRowSerializer, RunRowsView, run_values
from server.benchmarks.contract import Kind
from server.benchmarks.detail_tables import DetailTable
from server.measurements.detail_tables import (
    TRACK_BLOCKS,
    TRACK_BLOCKS_ABOUT,
    counted_tracks,
    detail_rows,
    detail_tables,
)

_BENCHMARKS = 50
"""Benchmarks that are read at a time: each has some rows, or some hundred."""
_FIELDS: dict[str, type[serializers.Field[Any, Any, Any, Any]]] = {
    "string": serializers.CharField,
    "integer": serializers.IntegerField,
    "number": serializers.FloatField,
    "boolean": serializers.BooleanField,
}


class DetailRowSerializer(RunRowSerializer):
    """What every such row begins with."""

    identity = ("run_id", "position")

    extractor_version = serializers.CharField()
    position = serializers.IntegerField(help_text="Place among the run's rows, from 0.")


_COLUMNS = ("pk", *RUN_COLUMNS, "extractor_version", "run__capacity_bytes")


class DetailRowsView(RunRowsView):
    """Rows of one table."""

    more_problems = (422,)
    kind: ClassVar[Kind]
    table: ClassVar[DetailTable]

    def get_queryset(self) -> QuerySet[Any]:
        return super().get_queryset().filter(kind=self.kind.slug)

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer with a page, or with a stream of all rows."""
        shape, after = self.shape(), self.row_key()
        known: Any = self.serializer_class
        names = list(known(context={"shape": shape}).fields)
        read = self._reader(self.benchmarks_asked())
        lines = self.streams(request)
        try:
            if lines:
                limit = parameters.limit_read(request, most=None)
                pieces = chunks_after(read, after, lambda row: row[0], limit)
                # Before the answer begins a problem can still be told.
                first = next(pieces, [])
                chunks = (_shown(rows, names) for rows in chain([first], pieces))
                columns = [(name, (name,)) for name in names]
                return streamed(chunks, request.accepted_renderer, columns, name=self.table.name)
            limit = parameters.limit_read(request) or parameters.LIMIT_USUAL
            rows = read(after, limit + 1)
        except QueryTimeout as error:
            export_ms = None if lines else settings.API_EXPORT_LIMIT_MS
            raise query_timeout(error, ("drive", "drive__in", "run"), export_ms=export_ms) from error
        more = rows[limit - 1][0] if len(rows) > limit else None
        return Response(self.page(_shown(rows[:limit], names), more))

    def _reader(
        self, queryset: QuerySet[Any]
    ) -> Callable[[RowKey, int], Sequence[tuple[RowKey, dict[str, Any]]]]:
        part = "__".join(("details", *self.table.path))
        found = queryset.order_by("pk").values_list(*_COLUMNS, part)
        limit_ms = self.deadline.limit_ms or settings.API_PAGE_LIMIT_MS

        def read(after: RowKey, size: int) -> Sequence[tuple[RowKey, dict[str, Any]]]:
            rows: list[tuple[RowKey, dict[str, Any]]] = []
            begin, position = after
            while len(rows) < size:
                with QueryDeadline(limit_ms):
                    benchmarks = list(found.filter(pk__gte=begin)[:_BENCHMARKS])
                of_runs = counted_tracks([one[1] for one in benchmarks]) if self.table.counted_tracks else {}
                for one in benchmarks:
                    rows += [
                        ((one[0], row["position"]), row)
                        for row in self._rows_of(one, of_runs.get(one[1]))
                        if (one[0], row["position"]) > (begin, position)
                    ]
                if len(benchmarks) < _BENCHMARKS:
                    break
                begin, position = benchmarks[-1][0] + 1, -1
            return rows[:size]

        return read

    def _rows_of(self, one: tuple[Any, ...], counted: Any) -> Iterator[dict[str, Any]]:
        _pk, *run, version, capacity, part = one
        own = {**run_values(*run), "extractor_version": version}
        for row in detail_rows(self.table, part, capacity_bytes=capacity, counted=counted):
            yield {**own, **row}


def _shown(rows: Sequence[tuple[RowKey, dict[str, Any]]], names: Sequence[str]) -> list[dict[str, Any]]:
    return [{name: row[name] for name in names} for _row_key, row in rows]


def _view(kind: Kind, table: DetailTable) -> type[DetailRowsView]:
    fields: dict[str, Any] = {
        one.name: _FIELDS[one.type](allow_null=True, help_text=one.about) for one in table.columns
    }
    if table.counted_tracks:
        fields[TRACK_BLOCKS] = serializers.FloatField(allow_null=True, help_text=TRACK_BLOCKS_ABOUT)
    name = "".join(word.capitalize() for word in table.name.split("_"))
    row = type(
        f"{name}Serializer", (DetailRowSerializer,), {"__doc__": f"A {table.row}. {table.about}", **fields}
    )
    facts = {"__doc__": f"{table.about}", "serializer_class": row, "kind": kind, "table": table}
    facts["cursor_salt"] = f"Details:{table.name}"
    view = type(f"{name}View", (DetailRowsView,), facts)
    operation = f"{table.name}_list"
    made: type[DetailRowsView] = described(operation, f"{table.title} of published runs", "numbers")(view)
    return made


DETAIL_VIEWS = {name: _view(*found) for name, found in detail_tables().items()}
"""The views by their tables' names, which are their addresses."""
