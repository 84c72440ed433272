"""What is computed about a drive model from its published runs, in the order in which one needs the other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import F

from server.catalog.models import DriveModel
from server.claims.selectors import verdicts_update
from server.core import clock
from server.core.bulk import row_upsert
from server.core.cache import model_tag, purge_on_commit
from server.core.lifecycle import Provenance
from server.core.locks import transaction_lock
from server.core.plain import to_plain
from server.measurements.aggregation import aggregates_update
from server.measurements.cooldown import refresh_cost_record
from server.measurements.model_charts import model_charts_refresh
from server.measurements.model_measurements import ModelMeasurements, model_measurements_read
from server.measurements.models import AggregateDue
from server.model_stats.models import ModelStatsSnapshot
from server.model_stats.overview import overview_compute
from server.model_stats.selectors import representative_compute
from server.model_stats.snapshots import SNAPSHOT_VERSION
from server.model_stats.statistics import statistics_of_measurements
from server.plausibility.holder_shares import holder_shares_update
from server.plausibility.run_standing import standings_update
from server.search.summaries import summary_update
from server.submissions.events import models_due


def refresh_model(*, drive_model_id: int, charts: bool = True) -> int:
    """Compute all that is kept about a model anew; return how many aggregates it has. Doing it twice changes
    nothing.

    Charts can be left to a task of their own. What is published meanwhile leaves the model due.
    """
    with transaction.atomic():
        transaction_lock("aggregates", str(drive_model_id))
        model = DriveModel.objects.select_related("vendor").filter(pk=drive_model_id).first()
        if model is None:
            return 0
        began_ms = clock.monotonic_ms()
        due = AggregateDue.objects.filter(drive_model_id=drive_model_id)
        seen = due.values_list("changes", flat=True).first() or 0
        published = model_measurements_read(drive_model_id=drive_model_id)
        published = holder_shares_update(drive_model_id=drive_model_id, published=published)
        count = aggregates_update(drive_model_id=drive_model_id, published=published.counting())
        standings_update(drive_model_id=drive_model_id, published=published)
        derived_rows_refresh(model, published)
        purge_on_commit(model_tag(drive_model_id))
        took_s = (clock.monotonic_ms() - began_ms) / 1000
        refresh_cost_record(drive_model_id=drive_model_id, took_s=took_s)
        # Last: whoever publishes a run of the model waits for this row's lock.
        through, _rows = due.filter(changes=seen).delete()
        if not through:
            left = F("changes") - seen
            due.update(changes=left, since=clock.now(), not_before=None, sweeps=0, next_sweep_at=None)
    if charts:
        model_charts_refresh(drive_model_id=drive_model_id)
    return count


def derived_rows_refresh(model: DriveModel, published: ModelMeasurements) -> None:
    """Compute what follows from a model's aggregates: statistics, verdicts and summary."""
    snapshots_update(model=model, published=published)
    verdicts_update(drive_model_id=model.pk, model=model)
    summary_update(drive_model_id=model.pk, model=model, published=published)


def snapshots_update(*, model: DriveModel, published: ModelMeasurements) -> None:
    """Compute what is kept of a model anew, within the present transaction; a provenance without published
    runs has no row."""
    ModelStatsSnapshot.objects.filter(drive_model=model).exclude(
        provenance__in=published.provenances
    ).delete()
    counting = published.counting()
    for provenance in map(Provenance, sorted(published.provenances)):
        overview = overview_compute(drive_model=model, provenance=provenance, published=published)
        statistics = statistics_of_measurements(counting, provenance=provenance)
        snapshot = ModelStatsSnapshot(
            drive_model=model,
            provenance=provenance,
            schema_version=SNAPSHOT_VERSION,
            statistics=to_plain(statistics) or {},
            overview=to_plain(overview),
            representative_run_id=representative_compute(published, provenance),
        )
        row_upsert(snapshot, "drive_model", "provenance")


def catalogue_follow(*, drive_model_ids: Iterable[int], at_once: bool, **_: Any) -> None:
    """Have everything that is kept about models that changed in the catalogue computed anew, now or by a
    worker."""
    if not at_once:
        models_due(set(drive_model_ids))
        return
    for drive_model_id in sorted(drive_model_ids):
        refresh_model(drive_model_id=drive_model_id)
