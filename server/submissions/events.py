"""The steps of a submission's life: each leaves a reason, and each moves the sweeper's clock."""

from __future__ import annotations

from datetime import timedelta

import structlog
from django.conf import settings
from django.db import transaction

from server.core import clock
from server.core.cache import RUNS, model_tag, purge_on_commit, run_tag
from server.core.lifecycle import State
from server.core.task_queue import message_send
from server.submissions.models import Submission, SubmissionEvent

log = structlog.get_logger("diskatlas.life")

PROCESS = "submissions.process"
REFRESH = "submissions.aggregates_update"


def event_add(submission: Submission, state: State, reason: str) -> SubmissionEvent:
    """Append an event."""
    return SubmissionEvent.objects.create(submission=submission, at=clock.now(), state=state, reason=reason)


def submission_move(submission: Submission, state: State, reason: str) -> None:
    """Move a submission to its next state; its attempts start anew there."""
    public = State.PUBLISHED in (submission.state, state)
    submission.state = state
    submission.attempts = 0
    submission.sweeps = 0
    submission.next_sweep_at = clock.now() + timedelta(seconds=settings.PIPELINE_STALE_AFTER_S)
    if state == State.PUBLISHED:
        submission.published_at = clock.now()
    submission.save(update_fields=["state", "attempts", "sweeps", "next_sweep_at", "published_at"])
    event_add(submission, state, reason)
    if public:
        run = submission.run
        purge_on_commit(RUNS, run_tag(run.run_id), model_tag(run.drive_model_id))
    log.info("moved", submission=str(submission.pk), state=state.value, reason=reason)


def submission_enqueue(submission: Submission) -> None:
    """Put a message into the queue once the transaction has committed.

    The row is the truth: a broker that is away costs nothing but time, since the sweeper finds the row.
    """
    submission.next_sweep_at = clock.now() + timedelta(seconds=settings.PIPELINE_STALE_AFTER_S)
    submission.save(update_fields=["next_sweep_at"])
    submission_id = str(submission.pk)
    transaction.on_commit(lambda: message_send(PROCESS, submission_id))


def aggregates_enqueue(drive_model_id: int) -> None:
    """Put the recomputation of a model's aggregates into the queue once the transaction has committed."""
    transaction.on_commit(lambda: message_send(REFRESH, str(drive_model_id)))
