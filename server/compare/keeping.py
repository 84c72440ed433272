"""Keeping what a model's page says of its runs: computed after a change, in the worker, never for a page."""

from __future__ import annotations

from django.db import transaction

from server.catalog.models import DriveModel
from server.compare.kept import FORM
from server.compare.models import KeptStatistics
from server.compare.overview import overview_compute
from server.compare.selectors import representative_compute
from server.compare.statistics import statistics_of_published
from server.core.plain import to_plain
from server.runs.models import Provenance
from server.runs.published import Published


@transaction.atomic
def kept_update(*, drive_model_id: int, published: Published) -> None:
    """Compute what is kept of a model anew; a provenance without published runs has no row."""
    model = DriveModel.objects.get(pk=drive_model_id)
    KeptStatistics.objects.filter(drive_model=model).exclude(provenance__in=published.provenances).delete()
    for provenance in map(Provenance, sorted(published.provenances)):
        overview = overview_compute(drive_model=model, provenance=provenance)
        statistics = statistics_of_published(published, provenance=provenance)
        KeptStatistics.objects.update_or_create(
            drive_model=model,
            provenance=provenance,
            defaults={
                "form": FORM,
                "statistics": to_plain(statistics) or {},
                "overview": to_plain(overview),
                "representative_run": representative_compute(drive_model=model, provenance=provenance),
            },
        )
