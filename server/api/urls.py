"""Addresses below /api/v1/."""

from django.urls import path, re_path
from drf_spectacular.views import SpectacularAPIView

from server.api import log, statistics, views

app_name = "api"

urlpatterns = [
    path("submissions/", views.SubmissionsView.as_view(), name="submissions"),
    path("submissions/<uuid:submission_id>/", views.SubmissionView.as_view(), name="submission"),
    path("runs/<uuid:run_id>/envelope/", views.RunEnvelopeView.as_view(), name="run-envelope"),
    path("runs/<uuid:run_id>/document/", views.RunDocumentView.as_view(), name="run-document"),
    path(
        "drives/<slug:slug>/statistics/",
        statistics.DriveStatisticsView.as_view(),
        name="drive-statistics",
    ),
    path("log/", log.LogView.as_view(), name="log"),
    path("log/checkpoint", log.CheckpointView.as_view(), name="log-checkpoint"),
    path("log/leaves/", log.LeavesView.as_view(), name="log-leaves"),
    path("log/proofs/inclusion", log.InclusionView.as_view(), name="log-inclusion"),
    path("log/proofs/consistency", log.ConsistencyView.as_view(), name="log-consistency"),
    path("tombstones/", log.TombstonesView.as_view(), name="tombstones"),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    re_path(r"^.*$", views.unknown_address),
]
