"""The jobs: computing anew what is kept about a drive model."""

from __future__ import annotations

from celery import shared_task

from server.core.locks import session_lock
from server.core.task_queue import message_send
from server.measurements.cooldown import cooling_down
from server.measurements.model_charts import model_charts_refresh
from server.measurements.models import AggregateDue
from server.model_stats.refresh import refresh_model
from server.submissions.events import refresh_enqueue
from server.submissions.tasks import RETRIED

CHARTS = "model_stats.charts"


@shared_task(name="model_stats.refresh", **RETRIED)
def model_refresh(drive_model_id: str) -> int:
    """Compute a model's numbers anew where it is due, or leave it so where that was done lately and takes
    long.

    There may be several messages: those that find nothing to do, or somebody who does it, cost a query.
    Otherwise a queue that is behind would grow by what the sweeper takes for lost.
    """
    model = int(drive_model_id)
    due = AggregateDue.objects.filter(drive_model_id=model)
    with session_lock("model-refresh", drive_model_id) as free:
        if not free or not due.exists() or cooling_down(drive_model_id=model):
            return 0
        count = refresh_model(drive_model_id=model, charts=False)
    message_send(CHARTS, drive_model_id)
    # After the lock: whose message came meanwhile left it to this one.
    if due.filter(not_before=None).exists():
        refresh_enqueue(model)
    return count


@shared_task(name=CHARTS, **RETRIED)
def model_charts(drive_model_id: str) -> int:
    """Draw a model's charts anew."""
    return model_charts_refresh(drive_model_id=int(drive_model_id))
