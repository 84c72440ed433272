"""Finding rows whose queue message was lost, and envelopes that need not be kept any longer."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from server.core import clock
from server.core.cache import DAY_S, cache
from server.core.each_alone import each_alone
from server.core.envelope_store import (
    envelope_age,
    envelope_delete,
    envelope_digest,
    envelope_names,
    envelope_removable,
)
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
            .filter(Q(next_sweep_at__lte=now) | _ahead(now), state__in=ACTIVE_STATES)
            .order_by("next_sweep_at")[:_BATCH]
        )
        for submission in due:
            submission_enqueue(submission)
            submission.sweeps += 1
            submission.next_sweep_at = now + _wait(submission.sweeps)
            submission.save(update_fields=["sweeps", "next_sweep_at"])
            log.warning("enqueued again", submission=str(submission.pk), sweeps=submission.sweeps)
        _refreshes_sweep()
    cache.set(SWEPT_AT, now.timestamp(), DAY_S)
    return len(due)


def _wait(sweeps: int) -> timedelta:
    """Return how long a message may take that was sent after so many sweeps."""
    doubled_s: int = settings.PIPELINE_STALE_AFTER_S * 2 ** min(sweeps, 20)
    longest_s = max(settings.PIPELINE_SWEEP_MAX_S, settings.PIPELINE_STALE_AFTER_S)
    return timedelta(seconds=min(doubled_s, longest_s))


def _ahead(now: datetime) -> Q:
    """Return which submissions wait for longer than they should: a clock that was ahead said until when."""
    found, sweeps = Q(next_sweep_at__gt=now + _wait(20) + clock.SKEW), 0
    while _wait(sweeps) < _wait(20):
        found |= Q(sweeps=sweeps, next_sweep_at__gt=now + _wait(sweeps) + clock.SKEW)
        sweeps += 1
    return found


def _refreshes_sweep() -> None:
    """Enqueue again the models that are due, those first whose message is the oldest. One whose refresh fails
    for good is asked for less and less often, so that it does not keep the others waiting."""
    now = clock.now()
    stale = now - timedelta(seconds=settings.PIPELINE_STALE_AFTER_S)
    lost = Q(not_before=None) & (Q(since__lte=stale) | Q(since__gt=now + clock.SKEW))
    ahead = Q(drive_model__aggregate_cost__at__gt=now + clock.SKEW)
    unsent = Q(next_sweep_at=None) | Q(next_sweep_at__lte=now)
    unsent |= Q(next_sweep_at__gt=now + _wait(20) + clock.SKEW)
    # The row of a run that is being published is locked: its message is on its way.
    rows = AggregateDue.objects.select_for_update(skip_locked=True, of=("self",))
    found = rows.filter(unsent, lost | Q(not_before__lte=now) | ahead)
    for due in found.order_by(F("next_sweep_at").asc(nulls_first=True), "since")[:_BATCH]:
        refresh_enqueue(due.drive_model_id)
        due.sweeps += 1
        due.next_sweep_at = now + _wait(due.sweeps)
        due.save(update_fields=["sweeps", "next_sweep_at"])


def rejected_envelopes_expire() -> int:
    """Remove the bytes of all rejected documents after their time; the row and its reasons stay. Return how
    many."""
    before = clock.now() - timedelta(days=settings.REJECTED_KEEP_DAYS)
    expired = Submission.objects.filter(state=State.REJECTED, received_at__lt=before, run=None)
    return each_alone(_envelope_expire, expired.exclude(storage_name="").values_list("pk", flat=True))


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


ORPHANED_AFTER = timedelta(days=1)
"""Far longer than a request may take that has stored an envelope and is yet to write its row."""


def orphaned_envelopes_remove(*, older_than: timedelta = ORPHANED_AFTER, folders: Iterable[str]) -> int:
    """Remove envelopes without a row from the folders, such as "a7"; return how many.

    A web process that was killed leaves one between storing and writing, or a storage that wrote and said
    that it did not. Whoever sends the same file again takes it up; of the others nobody was told that they
    were received.
    """
    return each_alone(partial(_folder_clean, older_than), folders)


def _folder_clean(older_than: timedelta, folder: str) -> int:
    found, count = envelope_names(folder), 0
    while names := list(islice(found, _BATCH)):
        digests = {envelope_digest(name) for name in names}
        rows = Submission.objects.filter(digest__in=digests).exclude(storage_name="")
        known = set(rows.values_list("storage_name", flat=True))
        count += each_alone(partial(_orphan_remove, older_than), [one for one in names if one not in known])
    return count


def hourly_folders(at: datetime) -> list[str]:
    """Return which of the 256 folders are looked through in an hour: all of them within a day."""
    return [f"{number:02x}" for number in range(256) if number % 24 == at.hour]


def _orphan_remove(older_than: timedelta, name: str) -> bool:
    with envelope_removable(digest=envelope_digest(name)) as free:
        if not free or Submission.objects.filter(storage_name=name, digest=envelope_digest(name)).exists():
            return False
        try:
            if envelope_age(name=name) <= older_than:
                return False
        except FileNotFoundError:
            return False
        envelope_delete(name=name)
    log.warning("envelope without a row removed", name=name)
    return True
