"""What follows from aggregates that a test wrote by hand."""

from __future__ import annotations

from server.catalog.models import DriveModel
from server.measurements.model_measurements import model_measurements_read
from server.model_stats import refresh


def derived_rows_refresh(*, drive_model_id: int) -> None:
    """Compute statistics, verdicts and summary of a model, and leave its aggregates as they are."""
    model = DriveModel.objects.select_related("vendor").get(pk=drive_model_id)
    refresh.derived_rows_refresh(model, model_measurements_read(drive_model_id=drive_model_id))
