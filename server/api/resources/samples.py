"""What a run's numbers were made of: raw samples, whole or a window of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from server.api.framework.filters import missing
from server.api.framework.formats import TABLES, streamed, streams_lines
from server.api.framework.limits import samples_spend
from server.api.framework.openapi import described
from server.api.framework.parameters import bad_parameter, choice_read
from server.api.framework.read_view import ReadView
from server.api.resources.shared import run_missing
from server.core.problems import Problem
from server.measurements.listings import runs_all
from server.measurements.models import Benchmark
from server.measurements.samples import Samples, Table, samples_read

_LARGEST = 10**9


class SampleTableSerializer(serializers.Serializer[Any]):
    """Equally long columns of one series."""

    series = serializers.IntegerField(help_text="Number of the series in the run document, from 0.")
    part = serializers.CharField(help_text="The object in the series that holds the columns; or empty.")
    labels = serializers.DictField(help_text="What the series says of itself: variant, region, repeat.")
    rows = serializers.IntegerField(help_text="Samples there are, also outside the window.")
    start = serializers.IntegerField(help_text="Number of the first sample given.")
    columns = serializers.DictField(child=serializers.ListField(), help_text="Column to values.")


class SamplesSerializer(serializers.Serializer[Any]):
    """Raw samples of a benchmark, as the probe wrote them."""

    run = serializers.UUIDField()
    kind = serializers.CharField()
    params = serializers.DictField()
    tables = SampleTableSerializer(many=True)


def _whole(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(
        name, {"type": "integer", "minimum": 0, "maximum": _LARGEST}, description=description
    )


@described(
    "samples_get",
    "Raw samples of a benchmark",
    "samples",
    SamplesSerializer,
    codes=(410, 503),
    description="As JSON columns by series; as CSV or NDJSON one line for each sample.",
)
class SamplesView(ReadView):
    """Raw samples."""

    renderer_classes = TABLES
    streams = streams_lines
    parameters = (
        _whole("series", "Only this series."),
        _whole("start", "Number of the first sample of each series."),
        _whole("stop", "Number of the first sample that is no longer given."),
        OpenApiParameter(
            "part", description="CSV, NDJSON: the object in each series that holds the columns."
        ),
    )

    def lines_words(self) -> str:
        return (
            "One line for each sample; columns `series`, what the series says of itself, `sample`, and the "
            "columns that the kind's schema (`/schema/<kind>/v1.json`) has."
        )

    def exports(self, request: Request) -> bool:
        """Samples count by themselves, not as a list: a model of a thousand runs is a thousand of these."""
        return False

    def get(self, request: Request, run_id: UUID, kind: str, format: str | None = None) -> HttpResponseBase:
        """Return the samples, whole or a window of them."""
        samples_spend(request, 0)
        try:
            found = samples_read(
                run_id=run_id,
                kind=kind,
                start=_number(request, "start") or 0,
                stop=_number(request, "stop"),
                series=_number(request, "series"),
            )
        except Benchmark.DoesNotExist:
            raise _benchmark_missing(run_id, kind) from None
        samples_spend(request, max(sum(table.given for table in found.tables), 1))
        if self.streams(request):
            return _lines(request, found, name=f"{kind}-{run_id}")
        body = {"run": run_id, "kind": kind, "params": found.params}
        return Response({**body, "tables": [_table_data(table) for table in found.tables]})


def _benchmark_missing(run_id: UUID, kind: str) -> Problem:
    there = runs_all().filter(pk=run_id).exists()
    return missing("benchmark", f"{kind} of {run_id}") if there else run_missing(run_id)


def _number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 12) or int(text) > _LARGEST:
        raise bad_parameter(name, f"is not a whole number from 0 to {_LARGEST}. Write digits only.")
    return int(text)


def _table_data(table: Table) -> dict[str, Any]:
    return {
        "series": table.series,
        "part": table.name,
        "labels": table.labels,
        "rows": table.rows,
        "start": table.start,
        "columns": table.columns,
    }


def _lines(request: Request, found: Samples, *, name: str) -> HttpResponseBase:
    parts = sorted({table.name for table in found.tables})
    part = choice_read(request, "part", parts, "" if "" in parts or not parts else parts[0]) if parts else ""
    tables = [table for table in found.tables if table.name == part]
    columns = list(dict.fromkeys(column for table in tables for column in _columns(table)))
    chunks: Iterable[Iterable[dict[str, Any]]] = (table.records() for table in tables)
    paths = [(column, (column,)) for column in columns]
    return streamed(chunks, request.accepted_renderer, paths, name=name)


def _columns(table: Table) -> list[str]:
    return ["series", *table.labels, "sample", *table.columns]
