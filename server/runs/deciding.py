"""What a person decides about a held submission: who, when and why stay in the log, and in the submission's
events.

Every decision locks the submission's row, so that of two at the same time the second one sees the first. The
same verdict again changes nothing and gives the decision that stands.
"""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db import transaction

from server.accounts.models import User
from server.core import clock
from server.runs.events import submission_enqueue, submission_move
from server.runs.models import Benchmark, Decision, State, Submission
from server.runs.pipeline import submission_publish

PERMISSION = "runs.decide"
SHORTEST_REASON = 10
LEFT_BY = {Decision.Verdict.ACCEPTED: State.PUBLISHED, Decision.Verdict.REJECTED: State.REJECTED}


class NotHeld(Exception):
    """Only a quarantined submission waits for a decision."""


class NoReason(Exception):
    """A decision nobody can understand later is none."""


@transaction.atomic
def submission_accept(submission: Submission, *, by: User, reason: str) -> Decision:
    """Publish a held submission; kinds whose extraction failed stay failed. Raises NotHeld, NoReason,
    PermissionDenied."""
    held, decided = _decide(submission, Decision.Verdict.ACCEPTED, by, reason)
    if held is not None:
        submission_publish(held, f"Accepted by {by.get_username()}: {decided.reason}")
    return decided


@transaction.atomic
def submission_reject(submission: Submission, *, by: User, reason: str) -> Decision:
    """Reject a held submission; its samples are kept. Raises NotHeld, NoReason, PermissionDenied."""
    held, decided = _decide(submission, Decision.Verdict.REJECTED, by, reason)
    if held is not None:
        submission_move(held, State.REJECTED, f"Rejected by {by.get_username()}: {decided.reason}")
    return decided


@transaction.atomic
def submission_restart(submission: Submission, *, by: User, reason: str) -> Decision:
    """Have a held submission processed from the start, failed kinds included. Raises NotHeld, NoReason,
    PermissionDenied."""
    held, decided = _decide(submission, Decision.Verdict.RESTARTED, by, reason)
    if held is not None:
        held.run.benchmarks.filter(state=Benchmark.State.FAILED).update(
            state=Benchmark.State.PENDING, reason="", attempts=0
        )
        submission_move(held, State.RECEIVED, f"Started over by {by.get_username()}: {decided.reason}")
        submission_enqueue(held)
    return decided


def _decide(
    submission: Submission, verdict: Decision.Verdict, by: User, reason: str
) -> tuple[Submission | None, Decision]:
    """Log the decision; the submission is None where the same verdict stands already."""
    if not by.is_active or not by.has_perm(PERMISSION):
        raise PermissionDenied("Deciding about held submissions needs the permission 'runs.decide'.")
    reason = " ".join(reason.split())
    if len(reason) < SHORTEST_REASON:
        raise NoReason(
            f"The reason has {len(reason)} characters, of {SHORTEST_REASON} at least: say what the evidence "
            "shows."
        )
    locked = Submission.objects.select_for_update().get(pk=submission.pk)
    if locked.state != State.QUARANTINED:
        last = locked.decisions.last()
        if last is not None and last.verdict == verdict and LEFT_BY.get(verdict) == locked.state:
            return None, last
        raise NotHeld(f"The submission is {locked.state}, not quarantined: there is nothing to decide.")
    return locked, Decision.objects.create(
        submission=locked, verdict=verdict, reason=reason, by=by, at=clock.now()
    )
