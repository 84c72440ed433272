"""Raw samples of many runs at one address: all of a model, a week, or any other choice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any, ClassVar

from django.core import signing
from django.db.models import QuerySet
from django.http import HttpResponseBase
from django_filters import ChoiceFilter
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from server.api.framework import parameters
from server.api.framework.filters import StrictFilterBackend
from server.api.framework.formats import CSVRenderer, streamed, streams_lines
from server.api.framework.keyset import cursor_signer
from server.api.framework.limits import samples_spend
from server.api.framework.openapi import PAGE_PARAMETERS, PageShape, described
from server.api.framework.rows import RowSerializer
from server.api.framework.views import Resource
from server.api.resources.filters import run_filters
from server.api.resources.shared import kind_filter
from server.core.lifecycle import Provenance
from server.core.problems import problem
from server.datasets.columns import LISTS
from server.datasets.samples import sample_columns
from server.measurements.listings import benchmarks_all
from server.measurements.models import Benchmark
from server.measurements.samples import Table, samples_of

Place = tuple[int, int]
"""Benchmark, and number of the table among its tables."""
_BENCHMARKS = 20
PAGE_NUMBERS = 1_000_000
"""Numbers after which a JSON page ends, however few series it holds."""
_OWN = ("run_id", "drive_model", "vendor_slug", "unit_digest", "provenance", "license", "kind")
_NOT_LABELS = {"run_id", "drive_model", "unit_digest", "kind", "series", "params", "license"}
_RunFilters: Any = run_filters("run")


class BulkSampleFilters(_RunFilters):
    """Filters of samples, by the runs that they are of."""

    kind = kind_filter(required=True)
    provenance = ChoiceFilter(field_name="run__provenance", choices=Provenance.choices)

    class Meta:
        model = Benchmark
        fields: ClassVar[list[str]] = []


class SeriesSerializer(RowSerializer):
    """A series of samples of a published run."""

    identity = ("run_id", "kind", "series", "part")

    run_id = serializers.UUIDField()
    drive_model = serializers.CharField(help_text="Slug of the drive model.")
    vendor_slug = serializers.CharField()
    unit_digest = serializers.CharField(allow_null=True, help_text="Digest of the unit; null where untold.")
    provenance = serializers.ChoiceField(choices=Provenance.choices)
    license = serializers.CharField(help_text="Licence of the row (SPDX).")
    kind = serializers.CharField()
    series = serializers.IntegerField(help_text="Number of the series in the run document, from 0.")
    part = serializers.CharField(help_text="The object in the series that holds the columns; or empty.")
    labels = serializers.DictField(help_text="What the series says of itself: variant, region, repeat.")
    rows = serializers.IntegerField(help_text="Samples of it.")
    columns = serializers.DictField(child=serializers.ListField(), help_text="Column to values.")


@described(
    "samples_list",
    "Raw samples of many runs",
    "samples",
    codes=(422, 503),
    description="One kind's samples of all runs that the filters leave. JSON and NDJSON have a row for each "
    "series, CSV one for each sample. What is given counts by samples, not by runs.",
)
class BulkSamplesView(ListModelMixin, Resource):
    """Samples of many runs, in the order in which they came; pages go forward only."""

    serializer_class = SeriesSerializer
    pagination_class = PageShape
    filter_backends = [StrictFilterBackend]
    filterset_class = BulkSampleFilters
    streams = streams_lines
    more_problems = (422, 503)

    def get_queryset(self) -> QuerySet[Any]:
        """Return the benchmarks whose samples are given."""
        return benchmarks_all().filter(state=Benchmark.State.EXTRACTED)

    def known_parameters(self) -> set[str]:
        return super().known_parameters() | {"limit", "cursor", "since", *BulkSampleFilters.base_filters}

    def list_parameters(self) -> Iterator[OpenApiParameter]:
        yield from PAGE_PARAMETERS
        about = "Samples of runs that were published or extracted anew at that instant or later."
        yield OpenApiParameter("since", {"type": "string", "format": "date-time"}, description=about)

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer with a page of series, or with a stream of all samples."""
        if "kind" not in request.query_params:
            raise parameters.bad_parameter("kind", "is missing: samples of two kinds have different columns.")
        samples_spend(request, 0)
        shape, after = self.shape(), self._cursor()
        queryset = self.filter_queryset(self.get_queryset()).select_related("run__submission")
        if since := parameters.since_read(request):
            queryset = queryset.filter(run__updated_at__gte=since)
        found = _series(queryset, after)
        if self.streams(request):
            return self._stream(request, found)
        limit = parameters.limit_read(request) or parameters.LIMIT_USUAL
        rows: list[tuple[Place, dict[str, Any]]] = []
        numbers = 0
        for benchmark, place, table in found:
            if len(rows) == limit or numbers >= PAGE_NUMBERS:
                break
            rows.append((place, {**_own(benchmark), **_row(table)}))
            numbers += table.rows * len(table.columns)
        else:
            place = None
        samples_spend(request, sum(row["rows"] for _place, row in rows))
        more = rows[-1][0] if rows and place is not None else None
        shown = self.serialized([row for _place, row in rows], shape, many=True)
        return Response({"next": self._address(more), "previous": None, "results": shown})

    def _stream(self, request: Request, found: Iterator[tuple[Benchmark, Place, Table]]) -> HttpResponseBase:
        kind = str(request.query_params["kind"])
        renderer: BaseRenderer = request.accepted_renderer
        as_csv = isinstance(renderer, CSVRenderer)
        names = _csv_columns(kind) if as_csv else ()
        limit = parameters.limit_read(request, most=None)

        def chunks() -> Iterator[Sequence[dict[str, Any]]]:
            for number, (benchmark, _place, table) in enumerate(found):
                if limit is not None and number >= limit:
                    return
                own = _own(benchmark)
                if not as_csv:
                    yield [{**own, **_row(table)}]
                elif not table.name:
                    yield [{**own, **record} for record in table.records()]
                samples_spend(request, max(table.rows, 1))

        # Before the answer begins a lost envelope can still be told; after that the connection is cut.
        given = chunks()
        first = list(islice(given, 1))
        return streamed(
            chain(first, given), renderer, [(name, (name,)) for name in names], name=f"samples-{kind}"
        )

    def _cursor(self) -> Place:
        text = self.request.query_params.get("cursor")
        if text is None:
            return 0, -1
        try:
            benchmark, position = cursor_signer("BulkSamples").unsign_object(text)
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
        query["cursor"] = cursor_signer("BulkSamples").sign_object(list(after))
        return self.request.build_absolute_uri(f"{self.request.path}?{query.urlencode()}")


def _series(queryset: QuerySet[Any], after: Place) -> Iterator[tuple[Benchmark, Place, Table]]:
    """Give the tables of the benchmarks' series behind a place; one run's envelope is held at a time."""
    begin, position = after
    ordered = queryset.order_by("pk")
    while benchmarks := list(ordered.filter(pk__gte=begin)[:_BENCHMARKS]):
        for benchmark in benchmarks:
            for number, table in enumerate(samples_of(benchmark).tables):
                if (benchmark.pk, number) > (begin, position):
                    yield benchmark, (benchmark.pk, number), table
        begin, position = benchmarks[-1].pk + 1, -1


def _own(benchmark: Benchmark) -> dict[str, Any]:
    run = benchmark.run
    values = (
        str(run.pk),
        run.drive_model.slug,
        run.drive_model.vendor.slug,
        run.unit.digest if run.unit else None,
        run.provenance,
        run.license,
        benchmark.kind,
    )
    return dict(zip(_OWN, values, strict=True))


def _row(table: Table) -> dict[str, Any]:
    said = {"series": table.series, "part": table.name, "labels": table.labels, "rows": table.rows}
    return {**said, "columns": table.columns}


@cache
def _csv_columns(kind: str) -> tuple[str, ...]:
    """Return the columns of a kind's samples as CSV, as its schemas name them; raises Problem for one
    whose samples lie in parts of several shapes."""
    known = [one for one in sample_columns(kind) if one.name not in _NOT_LABELS]
    columns = [one.name for one in known if one.type in LISTS]
    if not columns:
        raise problem(
            "bad-parameter",
            f"Samples of {kind} lie in parts of several shapes, which are no one CSV. Ask for NDJSON, or for "
            "one run: /api/v1/runs/<id>/benchmarks/<kind>/samples.csv?part=.",
        )
    labels = [one.name for one in known if one.type not in LISTS and one.type != "json"]
    return (*_OWN, "series", *labels, "sample", *columns)
