"""Filing runs under the model that they are of, where it was another model when they came.

Makers' numbers are known better over time (`server/catalog/names.py`), and a variant was once a model of its
own. Its runs go to the model with their drives and batches; its address leads there, and a row tells what
was moved.
"""

from __future__ import annotations

from collections.abc import Iterator

import structlog
from django.db import IntegrityError, transaction

from server.catalog.models import DriveModel, DriveRedirect
from server.catalog.services import drive_model_id_resolve
from server.core.cache import model_tag, purge_on_commit
from server.core.locks import transaction_lock
from server.measurements.models import Batch, Run, Unit
from server.submissions.events import models_due
from server.subscriptions.models import PendingNotification, Subscription

log = structlog.get_logger("diskatlas.model_merge")


def models_misfiled() -> Iterator[tuple[DriveModel, DriveModel]]:
    """Give models that nobody checked, with the model that their devices' strings mean today."""
    candidates = DriveModel.objects.filter(curated=False, seen_units=0, runs__isnull=False).distinct()
    for model in candidates.select_related("vendor").order_by("pk"):
        run = Run.objects.filter(drive_model=model).order_by("created_at").first()
        device = run.summary["device"] if run else {}
        found = drive_model_id_resolve(
            vendor_name=device["vendor"], model_name=device["model"], simulated=model.simulated
        )
        if found != model.pk:
            yield model, DriveModel.objects.select_related("vendor").get(pk=found)


@transaction.atomic
def drive_model_merge(*, source: DriveModel, target: DriveModel, reason: str) -> DriveRedirect:
    """Move all that hangs on `source` to `target`; its address leads there from now on.

    Runs keep their own addresses. What is computed from them is computed anew.
    """
    transaction_lock("catalog")
    _units_move(source, target)
    _batches_move(source, target)
    runs = list(Run.objects.filter(drive_model=source).order_by("created_at").values_list("pk", flat=True))
    Run.objects.filter(drive_model=source).update(drive_model=target)
    PendingNotification.objects.filter(drive_model=source).update(drive_model=target)
    source.aliases.update(drive_model=target)
    source.claims.update(drive_model=target)
    source.literature_values.update(drive_model=target)
    for follow in Subscription.objects.filter(drive_model=source):
        follow.drive_model = target
        try:
            with transaction.atomic():
                follow.save(update_fields=["drive_model"])
        except IntegrityError:
            # They follow the other model too: once is enough.
            follow.delete()
    DriveRedirect.objects.filter(drive_model=source).update(drive_model=target)
    made = DriveRedirect.objects.create(
        slug=source.slug, drive_model=target, title=source.title, reason=reason, runs=runs
    )
    purge_on_commit(model_tag(source.pk), model_tag(target.pk))
    source.delete()
    models_due([target.pk])
    log.info("merged", source=made.title, target=target.title, runs=len(runs), reason=reason)
    return made


def _units_move(source: DriveModel, target: DriveModel) -> None:
    for unit in Unit.objects.filter(drive_model=source):
        there = Unit.objects.filter(drive_model=target, digest=unit.digest).first()
        if there is None:
            unit.drive_model = target
            unit.save(update_fields=["drive_model"])
        else:
            Run.objects.filter(unit=unit).update(unit=there)
            unit.delete()


def _batches_move(source: DriveModel, target: DriveModel) -> None:
    for batch in Batch.objects.filter(drive_model=source):
        there = Batch.objects.filter(
            drive_model=target, year=batch.year, week=batch.week, label=batch.label
        ).first()
        if there is None:
            batch.drive_model = target
            batch.save(update_fields=["drive_model"])
        else:
            Run.objects.filter(batch=batch).update(batch=there)
            batch.delete()
