"""The jobs. Each takes an id, calls one service and may be killed or run twice at any point.

A message is the fast path only. The rows say what is left to do, and the sweeper starts from them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded

from server.accounts import key_logins, second_factor
from server.core import clock
from server.core.each_alone import each_alone
from server.submissions import commands, pipeline, sweeper, withdrawal

RETRIED: dict[str, Any] = {
    "acks_late": True,
    "reject_on_worker_lost": True,
    "autoretry_for": pipeline.TRANSIENT,
    "dont_autoretry_for": (SoftTimeLimitExceeded,),
    "retry_backoff": 2,
    "retry_backoff_max": 120,
    "max_retries": 6,
}


@shared_task(name="submissions.process", **RETRIED)
def submission_process(submission_id: str) -> None:
    """Bring a submission from wherever it stands to its end."""
    pipeline.submissions_process(submission_id=UUID(submission_id))


@shared_task(name="submissions.sweep", ignore_result=True, expires=60)
def submissions_sweep() -> int:
    """Find what was lost."""
    return sweeper.submissions_sweep()


@shared_task(name="submissions.rejected_envelopes_expire", ignore_result=True)
def rejected_envelopes_expire() -> int:
    """Remove old rejected envelopes, those of withdrawn runs that a kill left, and what was only read."""
    jobs: tuple[Callable[[], int | None], ...] = (
        withdrawal.withdrawn_envelopes_remove,
        commands.commands_forget,
        key_logins.logins_forget,
        second_factor.sessions_forget,
        sweeper.rejected_envelopes_expire,
    )
    return each_alone(lambda job: job() or 0, jobs)


@shared_task(name="submissions.orphaned_envelopes_remove", ignore_result=True, expires=3600)
def orphaned_envelopes_remove() -> int:
    """Remove old envelopes without a row from a share of the folders."""
    return sweeper.orphaned_envelopes_remove(folders=sweeper.hourly_folders(clock.now()))
