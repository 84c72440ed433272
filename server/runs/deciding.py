"""What a person decides about a held submission. Each decision is an event that names who decided."""

from __future__ import annotations

from django.db import transaction

from server.runs.events import submission_enqueue, submission_move
from server.runs.models import Benchmark, State, Submission
from server.runs.pipeline import submission_publish


class NotHeld(Exception):
    """Only a quarantined submission waits for a decision."""


@transaction.atomic
def submission_release(submission: Submission, *, by: str) -> None:
    """Publish a held submission; kinds whose extraction failed stay failed. Raises NotHeld."""
    submission_publish(_held(submission), f"Released by {by} after a look at it.")


@transaction.atomic
def submission_reject(submission: Submission, *, by: str) -> None:
    """Reject a held submission; its samples are kept. Raises NotHeld."""
    submission_move(_held(submission), State.REJECTED, f"Rejected by {by} after a look at it.")


@transaction.atomic
def submission_restart(submission: Submission, *, by: str) -> None:
    """Have a held submission processed from the start, failed kinds included. Raises NotHeld."""
    held = _held(submission)
    held.run.benchmarks.filter(state=Benchmark.State.FAILED).update(
        state=Benchmark.State.PENDING, reason="", attempts=0
    )
    submission_move(held, State.RECEIVED, f"Started over by {by}: what stood against it is mended.")
    submission_enqueue(held)


def _held(submission: Submission) -> Submission:
    locked = Submission.objects.select_for_update().get(pk=submission.pk)
    if locked.state != State.QUARANTINED:
        raise NotHeld(f"The submission is {locked.state}, not quarantined: there is nothing to decide.")
    return locked
