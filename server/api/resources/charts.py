"""Charts of runs, of drive models and of comparisons: as the website draws them, or their points as rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any
from uuid import UUID

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from server.api.comparisons import COMPARED, comparison_asked
from server.api.framework.filters import missing
from server.api.framework.formats import streamed, streams_lines
from server.api.framework.keyset import CHUNK_ROWS
from server.api.framework.openapi import described
from server.api.framework.parameters import choice_read
from server.api.framework.tables import TableView, fields_of
from server.api.resources.chart_shapes import ChartSerializer, ComparisonChartsSerializer
from server.api.resources.shared import drive_model_of, run_missing
from server.benchmarks.chart_json import chart_json, chart_of
from server.benchmarks.chart_rows import POINT_COLUMNS, point_rows
from server.benchmarks.contract import Chart
from server.comparison.charts import comparison_charts
from server.comparison.overlays import overlays_get
from server.comparison.selectors import comparison_get
from server.core.lifecycle import Provenance
from server.measurements.charts import charts_of_run, run_chart_full, run_chart_text
from server.measurements.listings import runs_all
from server.measurements.model_charts import drive_chart, drive_charts
from server.measurements.models import Benchmark


class ChartInListSerializer(serializers.Serializer[Any]):
    """A chart's name."""

    kind = serializers.CharField()
    id = serializers.CharField()
    shape = serializers.CharField()
    title = serializers.CharField()
    summary = serializers.CharField()
    url = serializers.URLField(help_text="Its data.")


class ChartListSerializer(serializers.Serializer[Any]):
    """The charts of a run."""

    results = ChartInListSerializer(many=True)


class DriveChartInListSerializer(ChartInListSerializer):
    """A chart of a model."""

    provenance = serializers.ChoiceField(choices=Provenance.choices)
    run = serializers.UUIDField(help_text="The run that is drawn, of the unit in the middle.")
    units = serializers.IntegerField(help_text="Units that are drawn.")


class DriveChartListSerializer(serializers.Serializer[Any]):
    """The charts of a model, measured and simulated apart."""

    results = DriveChartInListSerializer(many=True)


@described("charts_list", "Charts of a run", "samples", ChartListSerializer, codes=(410, 503))
class ChartsView(TableView):
    """A run's charts."""

    tables = {"charts": ("chart", fields_of(ChartInListSerializer))}
    file_name = "charts"

    def get(self, request: Request, run_id: UUID, format: str | None = None) -> HttpResponseBase:
        """Return the charts' names and the addresses of their data."""
        if not runs_all().filter(pk=run_id).exists():
            raise run_missing(run_id)
        found = charts_of_run(run_id=run_id)
        base = request.build_absolute_uri(reverse("api:charts", args=[run_id]))
        results = [
            _in_list(kind, chart, f"{base}{kind}/{chart.id}/")
            for kind, charts in found.items()
            for chart in charts
        ]
        return self.answer(request, {"results": results}, {"charts": results})


@described(
    "drive_charts_list",
    "Charts of a drive model: its median unit with the spread of the others",
    "samples",
    DriveChartListSerializer,
)
class DriveChartsView(TableView):
    """A model's charts."""

    tables = {"charts": ("chart", fields_of(DriveChartInListSerializer))}
    file_name = "charts"

    def get(self, request: Request, slug: str, format: str | None = None) -> HttpResponseBase:
        """Return the charts' names and the addresses of their data."""
        model = drive_model_of(slug)
        base = request.build_absolute_uri(reverse("api:drive-charts", args=[slug]))
        results = [
            {
                **_in_list(one.kind, one.chart, f"{base}{provenance}/{one.kind}/{one.chart.id}/"),
                "provenance": provenance,
                "run": str(one.run_id),
                "units": one.units,
            }
            for provenance in Provenance.values
            for one in drive_charts(drive_model=model, provenance=provenance)
        ]
        return self.answer(request, {"results": results}, {"charts": results})


@described(
    "charts_get",
    "Series of a chart, thinned out to 2,000 points or in full",
    "samples",
    ChartSerializer,
    codes=(410, 503),
    description="Axes, series, marks and metrics, as the website draws them; CSV and NDJSON: its points.",
)
class ChartView(TableView):
    """A chart of a run."""

    tables = {"points": ("point", POINT_COLUMNS)}
    parameters = (OpenApiParameter("full", enum=["true", "false"], description="`true`: all points."),)

    def streams(self, request: Request) -> bool:
        """Return whether all points are asked for as lines: so many may be a stream only."""
        return request.query_params.get("full") == "true" and streams_lines(self, request)

    def get(
        self, request: Request, run_id: UUID, kind: str, chart_id: str, format: str | None = None
    ) -> HttpResponseBase:
        """Return the chart as the website draws it."""
        if not runs_all().filter(pk=run_id).exists():
            raise run_missing(run_id)
        full = choice_read(request, "full", ["true", "false"], "false") == "true"
        try:
            if full:
                chart = run_chart_full(run_id=run_id, kind=kind, chart_id=chart_id)
            elif not (text := run_chart_text(run_id=run_id, kind=kind, chart_id=chart_id)):
                chart = None
            elif streams_lines(self, request):
                chart = chart_of(json.loads(text))
            else:
                return HttpResponse(text, content_type="application/json")
        except Benchmark.DoesNotExist:
            chart = None
        if chart is None:
            raise missing("chart", f"{kind}/{chart_id}")
        return _chart_answer(
            self, request, chart, name=f"{kind}-{chart_id}-{run_id}{'-full' if full else ''}"
        )


@described(
    "drive_charts_get",
    "Series of a drive model's chart, with the spread over its units",
    "samples",
    ChartSerializer,
)
class DriveChartView(TableView):
    """A model's chart."""

    tables = {"points": ("point", POINT_COLUMNS)}

    def get(
        self,
        request: Request,
        slug: str,
        provenance: str,
        kind: str,
        chart_id: str,
        format: str | None = None,
    ) -> HttpResponseBase:
        """Return the chart as the website draws it."""
        one = drive_chart(slug=slug, provenance=provenance, kind=kind, chart_id=chart_id)
        if one is None:
            raise missing("chart", f"{slug} {provenance}/{kind}/{chart_id}")
        return _chart_answer(self, request, one.chart, name=f"{slug}-{provenance}-{kind}-{chart_id}")


@described(
    "comparison_charts",
    "Charts of a comparison: curves over each other, and how the groups' units lie",
    "comparisons",
    ComparisonChartsSerializer,
    description="In `results`, one chart each, as the website draws them; CSV and NDJSON: their points.",
)
class ComparisonChartsView(TableView):
    """The charts of a comparison."""

    tables = {"points": ("point of each chart", ("chart", *POINT_COLUMNS))}
    file_name = "comparison-charts"
    parameters = list(COMPARED)
    repeatable = frozenset({"d"})

    def get(self, request: Request, format: str | None = None) -> HttpResponseBase:
        """Return the charts of the comparison's page."""
        comparison = comparison_get(**comparison_asked(request))
        charts = (*overlays_get(comparison.groups), *comparison_charts(comparison))
        if not streams_lines(self, request):
            return Response({"results": [chart_json(chart) for chart in charts]})
        rows = [{"chart": chart.id, **row} for chart in charts for row in point_rows(chart)]
        return self.lines(request, rows, ("chart", *POINT_COLUMNS), name=self.file_name)


def _in_list(kind: str, chart: Chart, url: str) -> dict[str, Any]:
    names = ("id", "shape", "title", "summary")
    return {"kind": kind, "url": url, **{name: getattr(chart, name) for name in names}}


def _chart_answer(view: TableView, request: Request, chart: Chart, *, name: str) -> HttpResponseBase:
    """Return a chart as JSON, or its points as lines: at once, or as a stream where the view says so."""
    if not streams_lines(view, request):
        return Response(chart_json(chart))
    rows = point_rows(chart)
    if view.streams(request):
        columns = [(column, (column,)) for column in POINT_COLUMNS]
        chunks: Iterator[Any] = iter(lambda: list(islice(rows, CHUNK_ROWS)), [])
        return streamed(chunks, request.accepted_renderer, columns, name=name)
    return view.lines(request, rows, POINT_COLUMNS, name=name)
