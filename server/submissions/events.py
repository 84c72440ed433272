"""The steps of a submission's life: each leaves a reason, and each moves the sweeper's clock."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db import connection, transaction

from server.core import clock
from server.core.cache import RUNS, cache, model_tag, purge_on_commit, run_tag
from server.core.lifecycle import State
from server.core.metrics import submission_moves
from server.core.task_queue import message_send
from server.measurements.models import AggregateDue
from server.submissions.models import Submission, SubmissionEvent

log = structlog.get_logger("diskatlas.life")

PROCESS = "submissions.process"
REFRESH = "model_stats.refresh"
SMALL_BYTES = 256 * 1024
"""Envelopes up to here share a batch; what is larger takes long enough to go alone."""


def event_add(submission: Submission, state: State, reason: str) -> SubmissionEvent:
    """Append an event."""
    return SubmissionEvent.objects.create(submission=submission, at=clock.now(), state=state, reason=reason)


def state_set(submission: Submission, state: State, reason: str) -> SubmissionEvent:
    """Put a submission into its next state, where its attempts start anew; return the event. Both are yet to
    be written."""
    submission.state = state
    submission.attempts = 0
    submission.sweeps = 0
    submission.next_sweep_at = next_sweep()
    at = clock.now()
    if state == State.PUBLISHED:
        submission.published_at = at
    submission_moves.labels(str(state)).inc()
    log.info("moved", submission=str(submission.pk), state=state.value, reason=reason)
    return SubmissionEvent(submission=submission, at=at, state=state, reason=reason)


STATE_FIELDS = ("state", "attempts", "sweeps", "next_sweep_at", "published_at")
"""What `state_set` changes."""


def submission_move(submission: Submission, state: State, reason: str) -> None:
    """Move a submission to its next state within the present transaction."""
    public = State.PUBLISHED in (submission.state, state)
    event = state_set(submission, state, reason)
    submission.save(update_fields=STATE_FIELDS)
    event.save()
    if public:
        runs_purge([submission])


def runs_purge(submissions: Iterable[Submission]) -> None:
    """End the cached pages that show runs which are public from now on, or no longer."""
    runs = [one.run for one in submissions]
    models = {model_tag(run.drive_model_id) for run in runs}
    purge_on_commit(RUNS, *(run_tag(run.run_id) for run in runs), *models)


def next_sweep() -> datetime:
    """Return when the sweeper takes a message that is sent now for lost."""
    return clock.now() + timedelta(seconds=settings.PIPELINE_STALE_AFTER_S)


def submission_enqueue(submission: Submission) -> None:
    """Put a message into the queue once the transaction has committed.

    The row is the truth: a broker that is away costs nothing but time, since the sweeper finds the row.
    """
    submission_id = str(submission.pk)
    queue = queue_of(submission)
    transaction.on_commit(lambda: message_send(PROCESS, submission_id, queue=queue))


def queue_of(submission: Submission) -> str:
    """Return the queue of a submission's message: what takes long alone must not stand before what does
    not."""
    return "ingest" if submission.size_bytes <= SMALL_BYTES else "extract"


_CALLED = "submissions.called"
_CALLED_S = 10
LINGER_S = 0.3
"""So long a worker waits for more small ones: a batch of one asks the database as often as one of thirty."""


def submission_announce(submission: Submission, *, linger_s: float = LINGER_S) -> None:
    """Have a worker look for what nobody started, this one among it, once the transaction has committed; for
    small ones after `linger_s`.

    A worker takes all small ones that wait: while a message lies in the queue whose worker has not looked
    yet, another one would find nothing left to do. Should that message be lost, a new one is sent after some
    seconds, and the sweeper finds the row.
    """
    submission_id = str(submission.pk)
    small = submission.size_bytes <= SMALL_BYTES

    def send() -> None:
        if not small:
            message_send(PROCESS, submission_id, queue="extract")
        elif cache.add(_CALLED, 1, _CALLED_S):
            message_send(PROCESS, submission_id, countdown=linger_s)

    transaction.on_commit(send)


def announced_forget() -> None:
    """Have what comes from now on announced anew. Called before a worker looks, so that nothing that was
    committed without a message is missed."""
    cache.delete(_CALLED)


_DUE = f"""
INSERT INTO {AggregateDue._meta.db_table} AS due (drive_model_id, since, changes)
SELECT model, now(), 1 FROM unnest(%s::bigint[]) AS t(model)
ON CONFLICT (drive_model_id) DO UPDATE SET changes = due.changes + 1
RETURNING drive_model_id, changes
"""


def models_due(drive_model_ids: Collection[int]) -> None:
    """Have what is computed from models' runs computed anew: once for all that changes within a few seconds.

    Within the present transaction, whose changes are then part of it. A message is sent for a model that was
    not due; where one is due already, a message is on its way.
    """
    if not drive_model_ids:
        return
    with connection.cursor() as cursor:
        # In one order, so that no two transactions wait for each other.
        cursor.execute(_DUE, [sorted(set(drive_model_ids))])
        new = [model for model, changes in cursor.fetchall() if changes == 1]
    for drive_model_id in new:
        refresh_enqueue(drive_model_id)


def refresh_enqueue(drive_model_id: int) -> None:
    """Put the refresh of a model into the queue once the transaction has committed."""
    delay_s = settings.MODEL_REFRESH_DELAY_S
    transaction.on_commit(lambda: message_send(REFRESH, str(drive_model_id), countdown=delay_s))
