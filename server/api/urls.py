"""Addresses below /api/v1/."""

from __future__ import annotations

from django.urls import path, re_path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.urlpatterns import format_suffix_patterns

from server.api import (
    comparisons,
    exports,
    keys,
    publication_log,
    releases,
    root,
    statistics,
    subscriptions,
    views,
    witness,
)
from server.api.resources import (
    breakdowns,
    bulk_samples,
    catalog,
    charts,
    claims,
    details,
    events,
    numbers,
    overviews,
    peer_ranks,
    reference,
    runs,
    samples,
)

app_name = "api"


_TABLES = format_suffix_patterns(
    [
        path(
            "drives/<slug:slug>/statistics/",
            statistics.DriveStatisticsView.as_view(),
            name="drive-statistics",
        ),
        path("drives/<slug:slug>/exports/", exports.DriveExportsView.as_view(), name="drive-exports"),
        path("comparisons/", comparisons.ComparisonsView.as_view(), name="comparisons"),
        path("comparisons/charts/", charts.ComparisonChartsView.as_view(), name="comparison-charts"),
        path("log/leaves/", publication_log.LeavesView.as_view(), name="log-leaves"),
        path("releases/", releases.ReleasesView.as_view(), name="releases"),
        path("releases/<int:number>/", releases.ReleaseView.as_view(), name="release"),
        path("tombstones/", publication_log.TombstonesView.as_view(), name="tombstones"),
        path("events/", events.EventsView.as_view(), name="events"),
        path("decisions/", publication_log.DecisionsView.as_view(), name="decisions"),
        path("statistics/", overviews.StatisticsView.as_view(), name="statistics"),
        path("wanted/", overviews.WantedView.as_view(), name="wanted"),
        path("facets/", overviews.FacetsView.as_view(), name="facets"),
        path("drives/<slug:slug>/overview/", overviews.DriveOverviewView.as_view(), name="drive-overview"),
        path("drives/<slug:slug>/charts/", charts.DriveChartsView.as_view(), name="drive-charts"),
        path(
            "drives/<slug:slug>/charts/<slug:provenance>/<slug:kind>/<slug:chart_id>/",
            charts.DriveChartView.as_view(),
            name="drive-chart",
        ),
        path("drives/<slug:slug>/batches/<str:part>/", breakdowns.BatchView.as_view(), name="batch"),
        path(
            "drives/<slug:slug>/firmware/<str:part>/",
            breakdowns.FirmwareRevisionView.as_view(),
            name="firmware-revision",
        ),
        path("drives/<slug:slug>/variants/<str:part>/", breakdowns.VariantView.as_view(), name="variant"),
        path("drives/<slug:slug>/units/<str:part>/", breakdowns.UnitView.as_view(), name="unit"),
        path("firmware/", breakdowns.FirmwareView.as_view(), name="firmware"),
        path("vendors/", catalog.VendorsView.as_view(), name="vendors"),
        path("vendors/<slug:slug>/", catalog.VendorView.as_view(), name="vendor"),
        path("drives/", catalog.DrivesView.as_view(), name="drives"),
        path("drives/<slug:slug>/", catalog.DriveView.as_view(), name="drive"),
        path("literature/", catalog.LiteratureView.as_view(), name="literature"),
        path("runs/", runs.RunsView.as_view(), name="runs"),
        path("runs/<uuid:run_id>/", runs.RunView.as_view(), name="run"),
        path("units/", runs.UnitsView.as_view(), name="units"),
        path("batches/", runs.BatchesView.as_view(), name="batches"),
        path("measurements/", numbers.MeasurementsView.as_view(), name="measurements"),
        path("aggregates/", numbers.AggregatesView.as_view(), name="aggregates"),
        path("claims/", claims.ClaimsView.as_view(), name="claims"),
        path("metrics/", reference.MetricsView.as_view(), name="metrics"),
        path("metrics/<str:key>/", reference.MetricView.as_view(), name="metric"),
        path("methods/", reference.MethodsView.as_view(), name="methods"),
        path("methods/<slug:slug>/", reference.MethodView.as_view(), name="method"),
        path(
            "runs/<uuid:run_id>/benchmarks/<slug:kind>/samples/",
            samples.SamplesView.as_view(),
            name="samples",
        ),
        path("samples/", bulk_samples.BulkSamplesView.as_view(), name="bulk-samples"),
        path("runs/<uuid:run_id>/standing/", peer_ranks.RunStandingView.as_view(), name="run-standing"),
        path("runs/<uuid:run_id>/charts/", charts.ChartsView.as_view(), name="charts"),
        path(
            "runs/<uuid:run_id>/charts/<slug:kind>/<slug:chart_id>/", charts.ChartView.as_view(), name="chart"
        ),
        path("benchmarks/", runs.BenchmarksView.as_view(), name="benchmarks"),
        *(
            path(f"{table.replace('_', '-')}/", view.as_view(), name=table.replace("_", "-"))
            for table, view in details.DETAIL_VIEWS.items()
        ),
    ],
    allowed=["json", "csv", "ndjson"],
)
"""Addresses that have each of their formats at one of its own too, such as `drives.csv`."""

_NAMES = {str(getattr(one, "name", "")) for one in _TABLES if "<" not in str(one.pattern)}
_LISTED = sorted((_NAMES | {"log", "release-latest"}) - {"comparisons", "comparison-charts", "bulk-samples"})
"""What the root lists: what needs no variable part and no parameter."""

urlpatterns = [
    # Addresses are tried in this order: what is asked most often stands first.
    path("submissions/", views.SubmissionsView.as_view(), name="submissions"),
    path("submissions/<uuid:submission_id>/", views.SubmissionView.as_view(), name="submission"),
    *_TABLES,
    path("keys/me/runs/", keys.RunsView.as_view(), name="my-runs"),
    path("keys/me/withdraw/", keys.WithdrawView.as_view(), name="my-withdraw"),
    path("keys/me/license/", keys.LicenseView.as_view(), name="my-license"),
    path("keys/me/label/", keys.LabelView.as_view(), name="my-label"),
    path("keys/me/revoke/", keys.RevokeView.as_view(), name="my-revoke"),
    path("keys/me/rotate/", keys.RotateView.as_view(), name="my-rotate"),
    path("keys/me/login/", keys.LoginCommandView.as_view(), name="my-login"),
    path("logins/<uuid:login_id>/", keys.LoginView.as_view(), name="login"),
    path("challenges/", views.ChallengesView.as_view(), name="challenges"),
    path("runs/<uuid:run_id>/envelope/", views.RunEnvelopeView.as_view(), name="run-envelope"),
    path("runs/<uuid:run_id>/document/", views.RunDocumentView.as_view(), name="run-document"),
    path("drives/<slug:slug>/exports/<str:form>/", exports.DriveExportView.as_view(), name="drive-export"),
    path("log/", publication_log.LogView.as_view(), name="log"),
    path("log/checkpoint", publication_log.CheckpointView.as_view(), name="log-checkpoint"),
    path("log/cosigned", publication_log.CosignedView.as_view(), name="log-cosigned"),
    path("log/witness/add-checkpoint", witness.AddCheckpointView.as_view(), name="log-add-checkpoint"),
    path("log/proofs/inclusion", publication_log.InclusionView.as_view(), name="log-inclusion"),
    path("log/proofs/consistency", publication_log.ConsistencyView.as_view(), name="log-consistency"),
    path("", root.RootView.as_view(names=tuple(_LISTED)), name="root"),
    path("releases/latest/", releases.LatestReleaseView.as_view(), name="release-latest"),
    path(
        "releases/latest/files/<path:path>",
        releases.LatestReleaseFileView.as_view(),
        name="release-latest-file",
    ),
    path("releases/<int:number>/files/<path:path>", releases.ReleaseFileView.as_view(), name="release-file"),
    path("follows/", subscriptions.FollowsView.as_view(), name="follows"),
    path("follows/<uuid:follow_id>/", subscriptions.FollowView.as_view(), name="follow"),
    path("follows/<uuid:follow_id>/resume/", subscriptions.FollowResumeView.as_view(), name="follow-resume"),
    path("follows/<uuid:follow_id>/test/", subscriptions.FollowTestView.as_view(), name="follow-test"),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    re_path(r"^.*$", views.unknown_address),
]
