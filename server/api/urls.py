"""Addresses below /api/v1/."""

from django.urls import path, re_path
from drf_spectacular.views import SpectacularAPIView

from server.api import statistics, views

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
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    re_path(r"^.*$", views.unknown_address),
]
