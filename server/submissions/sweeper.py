"""Finding rows whose queue message was lost, and envelopes that need not be kept any longer."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q

from server.core import clock
from server.core.cache import DAY_S, cache
from server.core.envelope_store import envelope_delete
from server.core.lifecycle import ACTIVE_STATES, State
from server.measurements.models import AggregateDue
from server.submissions.events import event_add, refresh_enqueue, submission_enqueue
from server.submissions.models import Submission

log = structlog.get_logger("diskatlas.sweeper")

_BATCH = 200
SWEPT_AT = "swept-at"
"""Under it the cache has when the sweeper ran last, in seconds since 1970."""


def submissions_sweep() -> int:
    """Enqueue again what has not moved for too long; return how many submissions.

    A message may be late rather than lost, so that a repeated one must do no harm, and each repetition
    waits twice
    as long as the one before. What never ends is stopped by the count of its starts, not by the sweeper.
    """
    now = clock.now()
    with transaction.atomic():
        due = list(
            Submission.objects.select_for_update(skip_locked=True)
            .filter(state__in=ACTIVE_STATES, next_sweep_at__lte=now)
            .order_by("next_sweep_at")[:_BATCH]
        )
        for submission in due:
            submission_enqueue(submission)
            submission.sweeps += 1
            doubled_s = settings.PIPELINE_STALE_AFTER_S * 2 ** min(submission.sweeps, 20)
            wait_s = min(doubled_s, settings.PIPELINE_SWEEP_MAX_S)
            submission.next_sweep_at = now + timedelta(seconds=wait_s)
            submission.save(update_fields=["sweeps", "next_sweep_at"])
            log.warning("enqueued again", submission=str(submission.pk), sweeps=submission.sweeps)
        _refreshes_sweep()
    cache.set(SWEPT_AT, now.timestamp(), DAY_S)
    return len(due)


def _refreshes_sweep() -> None:
    now = clock.now()
    stale = now - timedelta(seconds=settings.PIPELINE_STALE_AFTER_S)
    lost = Q(not_before=None, since__lte=stale)
    for due in AggregateDue.objects.filter(lost | Q(not_before__lte=now))[:_BATCH]:
        refresh_enqueue(due.drive_model_id)


def rejected_envelopes_expire() -> int:
    """Remove the bytes of all rejected documents after their time; the row and its reasons stay. Return how
    many."""
    before = clock.now() - timedelta(days=settings.REJECTED_KEEP_DAYS)
    expired = Submission.objects.filter(state=State.REJECTED, received_at__lt=before, run=None)
    return sum(_envelope_expire(submission.pk) for submission in expired.exclude(storage_name="").iterator())


def _envelope_expire(submission_id: UUID) -> bool:
    with transaction.atomic():
        # What was sent again meanwhile, and is acceptable now, keeps its bytes.
        locked = Submission.objects.select_for_update().filter(pk=submission_id, state=State.REJECTED)
        submission = locked.exclude(storage_name="").first()
        if submission is None:
            return False
        # Before the row tells so: a kill between the two leaves a name to try again.
        envelope_delete(name=submission.storage_name)
        submission.storage_name = ""
        submission.save(update_fields=["storage_name"])
        event_add(
            submission, State.REJECTED, f"The bytes were removed after {settings.REJECTED_KEEP_DAYS} days."
        )
        return True
