"""Zones, seek curves and tracks of runs as rows: what kinds keep in their details, many drives at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from django.conf import settings
from django.core import signing
from django.db.models import QuerySet
from django.http import HttpResponseBase
from django_filters import ChoiceFilter
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from server.api.framework import parameters
from server.api.framework.filters import StrictFilterBackend
from server.api.framework.formats import streamed, streams_lines
from server.api.framework.keyset import chunks_after, cursor_signer
from server.api.framework.openapi import PAGE_PARAMETERS, PageShape, described
from server.api.framework.query_deadline import QueryDeadline, QueryTimeout
from server.api.framework.rows import RowSerializer
from server.api.framework.views import Resource, query_timeout
from server.api.resources.filters import run_filters
from server.benchmarks.contract import Kind
from server.benchmarks.detail_tables import DetailTable
from server.core.lifecycle import Provenance
from server.core.problems import problem
from server.measurements.detail_tables import (
    TRACK_BLOCKS,
    TRACK_BLOCKS_ABOUT,
    counted_tracks,
    detail_rows,
    detail_tables,
)
from server.measurements.listings import benchmarks_all
from server.measurements.models import Benchmark

Place = tuple[int, int]
"""Benchmark and position of a row."""
_BEFORE_ALL: Place = (0, -1)
_BENCHMARKS = 50
"""Benchmarks that are read at a time: each has some rows, or some hundred."""
_FIELDS: dict[str, type[serializers.Field[Any, Any, Any, Any]]] = {
    "string": serializers.CharField,
    "integer": serializers.IntegerField,
    "number": serializers.FloatField,
    "boolean": serializers.BooleanField,
}
_RunFilters: Any = run_filters("run")


class DetailFilters(_RunFilters):
    """Filters of such rows, by the runs that they are of."""

    provenance = ChoiceFilter(field_name="run__provenance", choices=Provenance.choices)

    class Meta:
        model = Benchmark
        fields: ClassVar[list[str]] = []


class DetailRowSerializer(RowSerializer):
    """What every such row begins with."""

    identity = ("run_id", "position")

    run_id = serializers.UUIDField(help_text="The run.")
    drive_model = serializers.CharField(help_text="Slug of the drive model.")
    vendor_slug = serializers.CharField()
    unit_digest = serializers.CharField(allow_null=True, help_text="Digest of the unit; null where untold.")
    provenance = serializers.ChoiceField(choices=Provenance.choices)
    license = serializers.CharField(help_text="Licence of the row (SPDX).")
    extractor_version = serializers.CharField()
    position = serializers.IntegerField(help_text="Place among the run's rows, from 0.")


_COLUMNS = (
    "pk",
    "run_id",
    "run__drive_model__slug",
    "run__drive_model__vendor__slug",
    "run__unit__digest",
    "run__provenance",
    "run__license",
    "extractor_version",
    "run__capacity_bytes",
)


class DetailRowsView(ListModelMixin, Resource):
    """Rows of one table, in the order in which their runs came; pages go forward only."""

    pagination_class = PageShape
    filter_backends = [StrictFilterBackend]
    filterset_class = DetailFilters
    streams = streams_lines
    more_problems = (422,)
    kind: ClassVar[Kind]
    table: ClassVar[DetailTable]

    def get_queryset(self) -> QuerySet[Any]:
        """Return the benchmarks that the rows are of."""
        return benchmarks_all().filter(kind=self.kind.slug, state=Benchmark.State.EXTRACTED)

    def known_parameters(self) -> set[str]:
        return super().known_parameters() | {"limit", "cursor", "since", *DetailFilters.base_filters}

    def list_parameters(self) -> Iterator[OpenApiParameter]:
        yield from PAGE_PARAMETERS
        about = "Rows of runs that were published or extracted anew at that instant or later."
        yield OpenApiParameter("since", {"type": "string", "format": "date-time"}, description=about)

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer with a page, or with a stream of all rows."""
        shape, after = self.shape(), self._cursor()
        known: Any = self.serializer_class
        names = list(known(context={"shape": shape}).fields)
        queryset = self.filter_queryset(self.get_queryset())
        if since := parameters.since_read(request):
            queryset = queryset.filter(run__updated_at__gte=since)
        read = self._reader(queryset)
        lines = self.streams(request)
        try:
            if lines:
                limit = parameters.limit_read(request, most=None)
                pieces = chunks_after(read, after, lambda row: row[0], limit)
                # Before the answer begins a problem can still be told.
                first = next(pieces, [])
                chunks = (_shown(rows, names) for rows in _after(first, pieces))
                columns = [(name, (name,)) for name in names]
                return streamed(chunks, request.accepted_renderer, columns, name=self.table.name)
            limit = parameters.limit_read(request) or parameters.LIMIT_USUAL
            rows = read(after, limit + 1)
        except QueryTimeout as error:
            export_ms = None if lines else settings.API_EXPORT_LIMIT_MS
            raise query_timeout(error, ("drive", "drive__in", "run"), export_ms=export_ms) from error
        more = rows[limit - 1][0] if len(rows) > limit else None
        return Response(
            {"next": self._address(more), "previous": None, "results": _shown(rows[:limit], names)}
        )

    def _reader(
        self, queryset: QuerySet[Any]
    ) -> Callable[[Place, int], Sequence[tuple[Place, dict[str, Any]]]]:
        part = "__".join(("details", *self.table.path))
        found = queryset.order_by("pk").values_list(*_COLUMNS, part)
        limit_ms = self.deadline.limit_ms or settings.API_PAGE_LIMIT_MS

        def read(after: Place, size: int) -> Sequence[tuple[Place, dict[str, Any]]]:
            rows: list[tuple[Place, dict[str, Any]]] = []
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
        _pk, run_id, model, vendor, unit, provenance, license, version, capacity, part = one
        own = {
            "run_id": str(run_id),
            "drive_model": model,
            "vendor_slug": vendor,
            "unit_digest": unit,
            "provenance": provenance,
            "license": license,
            "extractor_version": version,
        }
        for row in detail_rows(self.table, part, capacity_bytes=capacity, counted=counted):
            yield {**own, **row}

    @property
    def _salt(self) -> str:
        return f"Details:{self.table.name}"

    def _cursor(self) -> Place:
        text = self.request.query_params.get("cursor")
        if text is None:
            return _BEFORE_ALL
        try:
            benchmark, position = cursor_signer(self._salt).unsign_object(text)
        except (signing.BadSignature, ValueError, TypeError):
            raise problem(
                "not-found",
                "The cursor leads to no page of this list. Follow `next` as it is, or begin anew.",
            ) from None
        return int(benchmark), int(position)

    def _address(self, after: Place | None) -> str | None:
        if after is None:
            return None
        query = self.request.query_params.copy()
        query["cursor"] = cursor_signer(self._salt).sign_object(list(after))
        return self.request.build_absolute_uri(f"{self.request.path}?{query.urlencode()}")


def _shown(rows: Sequence[tuple[Place, dict[str, Any]]], names: Sequence[str]) -> list[dict[str, Any]]:
    return [{name: row[name] for name in names} for _place, row in rows]


def _after(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest


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
    view = type(f"{name}View", (DetailRowsView,), facts)
    operation = f"{table.name}_list"
    made: type[DetailRowsView] = described(operation, f"{table.title} of published runs", "numbers")(view)
    return made


DETAIL_VIEWS = {name: _view(*found) for name, found in detail_tables().items()}
"""The views by their tables' names, which are their addresses."""
