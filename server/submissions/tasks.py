"""The jobs. Each takes an id, calls one service and may be killed or run twice at any point.

`received -> validated`: submission_process; one benchmark_extract per kind; then submission_assess, which
publishes.
The chord is the fast path only. The rows say what is left to do, and the sweeper starts from them.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from celery import chord, shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import InterfaceError, OperationalError

from server.measurements import aggregation, cooldown, extraction
from server.submissions import pipeline, sweeper, withdrawal

TRANSIENT = (OperationalError, InterfaceError, OSError)
"""What another try may mend: the database, the storage or the network was away."""

_RETRIED: dict[str, Any] = {
    "acks_late": True,
    "reject_on_worker_lost": True,
    "autoretry_for": TRANSIENT,
    "dont_autoretry_for": (SoftTimeLimitExceeded,),
    "retry_backoff": 2,
    "retry_backoff_max": 120,
    "max_retries": 6,
}


@shared_task(name="submissions.process", **_RETRIED)
def submission_process(submission_id: str) -> None:
    """Bring a submission on from wherever it stands."""
    due = pipeline.submission_prepare(submission_id=UUID(submission_id))
    if due.extract:
        body = submission_assess.si(submission_id)
        chord([benchmark_extract.si(benchmark_id) for benchmark_id in due.extract])(body)
    elif due.assess:
        submission_assess.delay(submission_id)


@shared_task(name="submissions.benchmark_extract", **_RETRIED)
def benchmark_extract(benchmark_id: int) -> bool:
    """Extract one kind."""
    try:
        return extraction.benchmark_extract(benchmark_id=benchmark_id)
    except pipeline.PERMANENT as error:
        extraction.benchmark_give_up(benchmark_id=benchmark_id, reason=str(error))
    except SoftTimeLimitExceeded:
        limit_s = settings.PIPELINE_TASK_TIME_LIMIT_S
        reason = f"Extraction took longer than {limit_s} s and was stopped. The samples are kept."
        extraction.benchmark_give_up(benchmark_id=benchmark_id, reason=reason)
    return True


@shared_task(name="submissions.assess", **_RETRIED)
def submission_assess(submission_id: str) -> str | None:
    """Publish or quarantine."""
    state = pipeline.submission_assess(submission_id=UUID(submission_id))
    return state.value if state else None


@shared_task(name="submissions.aggregates_update", **_RETRIED)
def aggregates_update(drive_model_id: str) -> int:
    """Compute a model's aggregates anew, or leave it due where that was done lately and takes long."""
    if cooldown.cooling_down(drive_model_id=int(drive_model_id)):
        return 0
    return aggregation.aggregates_update(drive_model_id=int(drive_model_id))


@shared_task(name="submissions.sweep", ignore_result=True, expires=60)
def submissions_sweep() -> int:
    """Find what was lost."""
    return sweeper.submissions_sweep()


@shared_task(name="submissions.rejected_envelopes_expire", ignore_result=True)
def rejected_envelopes_expire() -> int:
    """Remove old rejected envelopes, and those of withdrawn runs that a kill left."""
    return sweeper.rejected_envelopes_expire() + withdrawal.withdrawn_envelopes_remove()
