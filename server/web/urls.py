"""Addresses of the pages."""

from django.urls import path

from server.web import feeds
from server.web.views import (
    about,
    api_reference,
    breakdowns,
    charts,
    claims,
    compare,
    drive,
    drive_columns,
    drive_list,
    follow,
    home,
    reference,
    runs,
    search,
)

_CHART = "runs/<uuid:run_id>/charts/<slug:kind>/<slug:chart_id>"
_DRIVE_CHART = "drives/<slug:slug>/charts/<slug:provenance>/<slug:kind>/<slug:chart_id>"

urlpatterns = [
    path("", home.home, name="home"),
    path("drives/", drive_list.drive_list, name="drive-list"),
    path("drives/columns/", drive_columns.drive_columns, name="drive-columns"),
    path("drives/suggest/", search.suggest, name="drive-suggest"),
    path("drives/<slug:slug>/", drive.drive_detail, name="drive-detail"),
    path("drives/<slug:slug>/batches/", breakdowns.breakdown_list, name="drive-batches"),
    path("drives/<slug:slug>/batches/<str:part>/", breakdowns.batch_detail, name="batch-detail"),
    path("drives/<slug:slug>/firmware/<str:part>/", breakdowns.firmware_detail, name="firmware-detail"),
    path("drives/<slug:slug>/badge.svg", drive.drive_badge, name="drive-badge"),
    path("drives/<slug:slug>/feed.atom", feeds.runs_feed, name="drive-feed"),
    path("drives/<slug:slug>/follow/", follow.follow, name="drive-follow"),
    path("follow/confirm/<str:token>/", follow.confirm, name="follow-confirm"),
    path("follow/stop/<str:token>/", follow.stop, name="follow-stop"),
    path("feed.atom", feeds.runs_feed, name="feed"),
    path("drives/<slug:slug>/numbers/<slug:kind>/", drive.drive_numbers, name="drive-numbers"),
    path(f"{_DRIVE_CHART}.json", charts.drive_chart_json, name="drive-chart-json"),
    path(f"{_DRIVE_CHART}.csv", charts.drive_chart_csv, name="drive-chart-csv"),
    path(f"{_DRIVE_CHART}/", charts.drive_chart_table, name="drive-chart-table"),
    path("runs/<uuid:run_id>/", runs.run_detail, name="run-detail"),
    path("runs/<uuid:run_id>/status/", runs.run_status, name="run-status"),
    path("runs/<uuid:run_id>/envelope.json", runs.run_envelope, name="run-envelope"),
    path(f"{_CHART}.json", charts.run_chart_json, name="run-chart-json"),
    path(f"{_CHART}.csv", charts.run_chart_csv, name="run-chart-csv"),
    path(f"{_CHART}/", charts.run_chart_table, name="run-chart-table"),
    path("claims/", claims.ledger, name="claims"),
    path("claims/claims.csv", claims.ledger_csv, name="claims-csv"),
    path("compare/", compare.compare, name="compare"),
    path("compare/suggest/", compare.compare_suggest, name="compare-suggest"),
    path("compare/comparison.csv", compare.comparison_csv, name="comparison-csv"),
    path("contribute/", reference.contribute, name="contribute"),
    path("download/<str:name>", reference.download, name="download"),
    path("methods/", reference.method_list, name="method-list"),
    path("methods/claims/", reference.method_claims, name="method-claims"),
    path("methods/<slug:slug>/", reference.method_detail, name="method-detail"),
    path("problems/", reference.problem_list, name="problem-list"),
    path("problems/<slug:slug>/", reference.problem_detail, name="problem-detail"),
    path("schema/", reference.schema_list, name="schema-list"),
    path("schema/<slug:name>/v1.json", reference.schema_detail, name="schema-detail"),
    path("licenses/", reference.licenses, name="licenses"),
    path("about/", about.about, name="about"),
    path("api/", api_reference.api_reference, name="api-reference"),
    path("datasets/", about.datasets, name="datasets"),
]
