"""What is to be told, written where nothing can lose it: in the transaction that publishes the run."""

from __future__ import annotations

from typing import Any

from server.core import clock
from server.measurements.models import Run
from server.subscriptions.models import Follow, PendingNotification


def pending_notification_add(*, run: Run, **_: Any) -> None:
    """Note a new run of a model that somebody follows; the same run again changes nothing."""
    if Follow.objects.filter(drive_model_id=run.drive_model_id, state=Follow.State.ACTIVE).exists():
        PendingNotification.objects.get_or_create(
            run=run, defaults={"drive_model_id": run.drive_model_id, "noted_at": clock.now()}
        )
