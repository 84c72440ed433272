"""What is computed about a drive model after its aggregates, in the order in which one needs the other."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from server.catalog.models import DriveModel
from server.claims.selectors import verdicts_update
from server.core.lifecycle import Provenance
from server.core.plain import to_plain
from server.measurements.model_measurements import ModelMeasurements, model_measurements_read
from server.model_stats.models import ModelStatsSnapshot
from server.model_stats.overview import overview_compute
from server.model_stats.selectors import representative_compute
from server.model_stats.snapshots import SNAPSHOT_VERSION
from server.model_stats.statistics import statistics_of_measurements
from server.search.summaries import summary_update


def derived_update(*, drive_model_id: int, published: ModelMeasurements | None = None, **_: Any) -> None:
    """Compute a model's derived rows anew. Doing it twice changes nothing.

    `published` is what the aggregates were computed from; it is read here where they were not.
    """
    if not DriveModel.objects.filter(pk=drive_model_id).exists():
        return
    published = published or model_measurements_read(drive_model_id=drive_model_id)
    snapshots_update(drive_model_id=drive_model_id, published=published)
    verdicts_update(drive_model_id=drive_model_id)
    summary_update(drive_model_id=drive_model_id, published=published)


@transaction.atomic
def snapshots_update(*, drive_model_id: int, published: ModelMeasurements) -> None:
    """Compute what is kept of a model anew; a provenance without published runs has no row."""
    model = DriveModel.objects.get(pk=drive_model_id)
    ModelStatsSnapshot.objects.filter(drive_model=model).exclude(
        provenance__in=published.provenances
    ).delete()
    for provenance in map(Provenance, sorted(published.provenances)):
        overview = overview_compute(drive_model=model, provenance=provenance)
        statistics = statistics_of_measurements(published, provenance=provenance)
        ModelStatsSnapshot.objects.update_or_create(
            drive_model=model,
            provenance=provenance,
            defaults={
                "schema_version": SNAPSHOT_VERSION,
                "statistics": to_plain(statistics) or {},
                "overview": to_plain(overview),
                "representative_run": representative_compute(drive_model=model, provenance=provenance),
            },
        )
