"""Addresses below /api/v1/."""

from __future__ import annotations

from typing import Any

from django.urls import URLPattern, path, re_path
from drf_spectacular.views import SpectacularAPIView

from server.api import comparisons, exports, publication_log, releases, statistics, subscriptions, views
from server.api.resources import (
    breakdowns,
    catalog,
    charts,
    claims,
    numbers,
    overviews,
    peer_ranks,
    reference,
    runs,
    samples,
)

app_name = "api"


def resource(route: str, view: Any, name: str) -> list[URLPattern]:
    """Return a resource's address, and the same with `.json`, `.csv` or `.ndjson` in place of its slash."""
    handler = view.as_view()
    return [
        path(f"{route}/", handler, name=name),
        re_path(rf"^{_pattern(route)}\.(?P<format>json|csv|ndjson)$", handler, name=f"{name}-as"),
    ]


def _pattern(route: str) -> str:
    converters = {
        "slug": r"[-a-zA-Z0-9_]+",
        "uuid": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        "int": r"[0-9]{1,18}",
        "str": r"[^/]+",
    }
    parts = []
    for part in route.split("/"):
        kind, _, name = part.strip("<>").partition(":")
        parts.append(f"(?P<{name}>{converters[kind]})" if name else part)
    return "/".join(parts)


urlpatterns = [
    path("submissions/", views.SubmissionsView.as_view(), name="submissions"),
    path("submissions/<uuid:submission_id>/", views.SubmissionView.as_view(), name="submission"),
    path("challenges/", views.ChallengesView.as_view(), name="challenges"),
    path("runs/<uuid:run_id>/envelope/", views.RunEnvelopeView.as_view(), name="run-envelope"),
    path("runs/<uuid:run_id>/document/", views.RunDocumentView.as_view(), name="run-document"),
    *resource("drives/<slug:slug>/statistics", statistics.DriveStatisticsView, "drive-statistics"),
    *resource("drives/<slug:slug>/exports", exports.DriveExportsView, "drive-exports"),
    path("drives/<slug:slug>/exports/<str:form>/", exports.DriveExportView.as_view(), name="drive-export"),
    *resource("comparisons", comparisons.ComparisonsView, "comparisons"),
    *resource("comparisons/charts", charts.ComparisonChartsView, "comparison-charts"),
    path("log/", publication_log.LogView.as_view(), name="log"),
    path("log/checkpoint", publication_log.CheckpointView.as_view(), name="log-checkpoint"),
    *resource("log/leaves", publication_log.LeavesView, "log-leaves"),
    path("log/proofs/inclusion", publication_log.InclusionView.as_view(), name="log-inclusion"),
    path("log/proofs/consistency", publication_log.ConsistencyView.as_view(), name="log-consistency"),
    *resource("releases", releases.ReleasesView, "releases"),
    *resource("releases/<int:number>", releases.ReleaseView, "release"),
    path("releases/<int:number>/files/<path:path>", releases.ReleaseFileView.as_view(), name="release-file"),
    path("follows/", subscriptions.FollowsView.as_view(), name="follows"),
    path("follows/<uuid:follow_id>/", subscriptions.FollowView.as_view(), name="follow"),
    path("follows/<uuid:follow_id>/resume/", subscriptions.FollowResumeView.as_view(), name="follow-resume"),
    path("follows/<uuid:follow_id>/test/", subscriptions.FollowTestView.as_view(), name="follow-test"),
    *resource("tombstones", publication_log.TombstonesView, "tombstones"),
    *resource("statistics", overviews.StatisticsView, "statistics"),
    *resource("wanted", overviews.WantedView, "wanted"),
    *resource("facets", overviews.FacetsView, "facets"),
    *resource("drives/<slug:slug>/overview", overviews.DriveOverviewView, "drive-overview"),
    *resource("drives/<slug:slug>/charts", charts.DriveChartsView, "drive-charts"),
    *resource(
        "drives/<slug:slug>/charts/<slug:provenance>/<slug:kind>/<slug:chart_id>",
        charts.DriveChartView,
        "drive-chart",
    ),
    *resource("drives/<slug:slug>/batches/<str:part>", breakdowns.BatchView, "batch"),
    *resource("drives/<slug:slug>/firmware/<str:part>", breakdowns.FirmwareRevisionView, "firmware-revision"),
    *resource("drives/<slug:slug>/units/<str:part>", breakdowns.UnitView, "unit"),
    *resource("firmware", breakdowns.FirmwareView, "firmware"),
    *resource("vendors", catalog.VendorsView, "vendors"),
    *resource("vendors/<slug:slug>", catalog.VendorView, "vendor"),
    *resource("drives", catalog.DrivesView, "drives"),
    *resource("drives/<slug:slug>", catalog.DriveView, "drive"),
    *resource("literature", catalog.LiteratureView, "literature"),
    *resource("runs", runs.RunsView, "runs"),
    *resource("runs/<uuid:run_id>", runs.RunView, "run"),
    *resource("units", runs.UnitsView, "units"),
    *resource("batches", runs.BatchesView, "batches"),
    *resource("measurements", numbers.MeasurementsView, "measurements"),
    *resource("aggregates", numbers.AggregatesView, "aggregates"),
    *resource("claims", claims.ClaimsView, "claims"),
    *resource("metrics", reference.MetricsView, "metrics"),
    *resource("metrics/<str:key>", reference.MetricView, "metric"),
    *resource("methods", reference.MethodsView, "methods"),
    *resource("methods/<slug:slug>", reference.MethodView, "method"),
    *resource("runs/<uuid:run_id>/benchmarks/<slug:kind>/samples", samples.SamplesView, "samples"),
    *resource("runs/<uuid:run_id>/standing", peer_ranks.RunStandingView, "run-standing"),
    *resource("runs/<uuid:run_id>/charts", charts.ChartsView, "charts"),
    *resource("runs/<uuid:run_id>/charts/<slug:kind>/<slug:chart_id>", charts.ChartView, "chart"),
    *resource("benchmarks", runs.BenchmarksView, "benchmarks"),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    re_path(r"^.*$", views.unknown_address),
]
