"""Raw samples of many runs at one address: all of a model, a week, or any other choice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponseBase
from rest_framework import serializers
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from server.api.framework import parameters
from server.api.framework.formats import CSVRenderer, streamed
from server.api.framework.limits import samples_spend
from server.api.framework.openapi import described
from server.api.framework.rows import columns_words
from server.api.resources.run_rows import (
    RUN_FIELDS,
    RowKey,
    RunRowFilters,
    RunRowSerializer,
    RunRowsView,
    run_values,
)
from server.api.resources.shared import kind_filter
from server.benchmarks.registry import kinds_by_slug
from server.core.problems import problem
from server.datasets.columns import LISTS
from server.datasets.samples import sample_columns
from server.measurements.models import Benchmark
from server.measurements.samples import Table, samples_of

_BENCHMARKS = 20
PAGE_NUMBERS = 1_000_000
"""Numbers after which a JSON page ends, however few series it holds."""
_OWN = (*RUN_FIELDS, "kind")
_NOT_LABELS = {"run_id", "drive_model", "unit_digest", "kind", "series", "params", "license"}


class BulkSampleFilters(RunRowFilters):
    """Filters of samples."""

    kind = kind_filter(required=True)

    class Meta(RunRowFilters.Meta):
        pass


class SeriesSerializer(RunRowSerializer):
    """A series of samples of a published run."""

    identity = ("run_id", "kind", "series", "part")

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
class BulkSamplesView(RunRowsView):
    """Samples of many runs."""

    serializer_class = SeriesSerializer
    filterset_class = BulkSampleFilters
    more_problems = (422, 503)
    cursor_salt = "BulkSamples"
    since_about = "Samples of runs that were published or extracted anew at that instant or later."

    def lines_words(self) -> str:
        kinds = [
            f"of {kind}: columns {columns_words(_csv_columns(kind))}"
            for kind in kinds_by_slug()
            if _labels_and_columns(kind)[1]
        ]
        return f"NDJSON: one line for each series. CSV: one for each sample, {'; '.join(kinds)}."

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer with a page of series, or with a stream of all samples."""
        if "kind" not in request.query_params:
            raise parameters.bad_parameter("kind", "is missing: samples of two kinds have different columns.")
        samples_spend(request, 0)
        shape, after = self.shape(), self.row_key()
        found = _series(self.benchmarks_asked().select_related("run__submission"), after)
        if self.streams(request):
            return self._stream(request, found)
        limit = parameters.limit_read(request) or parameters.LIMIT_USUAL
        rows: list[tuple[RowKey, dict[str, Any]]] = []
        numbers = 0
        for benchmark, row_key, table in found:
            if len(rows) == limit or numbers >= PAGE_NUMBERS:
                break
            rows.append((row_key, {**_own(benchmark), **_row(table)}))
            numbers += table.rows * len(table.columns)
        else:
            row_key = None
        samples_spend(request, sum(row["rows"] for _row_key, row in rows))
        more = rows[-1][0] if rows and row_key is not None else None
        shown = self.serialized([row for _row_key, row in rows], shape, many=True)
        return Response(self.page(shown, more))

    def _stream(self, request: Request, found: Iterator[tuple[Benchmark, RowKey, Table]]) -> HttpResponseBase:
        kind = str(request.query_params["kind"])
        renderer: BaseRenderer = request.accepted_renderer
        as_csv = isinstance(renderer, CSVRenderer)
        names = _csv_columns(kind) if as_csv else ()
        limit = parameters.limit_read(request, most=None)

        def chunks() -> Iterator[Sequence[dict[str, Any]]]:
            for number, (benchmark, _row_key, table) in enumerate(found):
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


def _series(queryset: QuerySet[Any], after: RowKey) -> Iterator[tuple[Benchmark, RowKey, Table]]:
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
    unit = run.unit.digest if run.unit else None
    model = run.drive_model
    own = run_values(run.pk, model.slug, model.vendor.slug, unit, run.provenance, run.license)
    return {**own, "kind": benchmark.kind}


def _row(table: Table) -> dict[str, Any]:
    said = {"series": table.series, "part": table.name, "labels": table.labels, "rows": table.rows}
    return {**said, "columns": table.columns}


@cache
def _csv_columns(kind: str) -> tuple[str, ...]:
    """Return the columns of a kind's samples as CSV, as its schemas name them; raises Problem for one
    whose samples lie in parts of several shapes."""
    labels, columns = _labels_and_columns(kind)
    if not columns:
        raise problem(
            "bad-parameter",
            f"Samples of {kind} lie in parts of several shapes, which are no one CSV. Ask for NDJSON, or for "
            "one run: /api/v1/runs/<id>/benchmarks/<kind>/samples.csv?part=.",
        )
    return (*_OWN, "series", *labels, "sample", *columns)


def _labels_and_columns(kind: str) -> tuple[list[str], list[str]]:
    """Return what a kind's series say of themselves, and their columns; those are none where parts of several
    shapes hold them."""
    known = [one for one in sample_columns(kind) if one.name not in _NOT_LABELS]
    columns = [one.name for one in known if one.type in LISTS]
    return [one.name for one in known if one.type not in LISTS and one.type != "json"], columns
