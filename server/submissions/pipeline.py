"""What the jobs do to a submission after it was answered with 202. Every step may run twice or be killed.

A step takes a lock that ends with its process, counts its start in the row, works, and writes its result
in one
transaction. A start that never ends is therefore counted, and a document that kills its worker stops being
tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F

from server.core import clock
from server.core.envelope import signature_check
from server.core.envelope_store import EnvelopeLost
from server.core.lifecycle import ACTIVE_STATES, State
from server.core.locks import session_lock
from server.core.problems import Problem
from server.measurements.documents import document_load, envelope_of
from server.measurements.models import AggregateDue, Benchmark, Run
from server.measurements.signals import run_published
from server.plausibility.assessment import Judged, reasons_to_hold, results_record, run_assess
from server.submissions.events import aggregates_enqueue, submission_move
from server.submissions.intake import document_of
from server.submissions.models import Submission
from server.transparency.log_entry import LogEntry
from server.transparency.publication_log import log_append

log = structlog.get_logger("diskatlas.pipeline")

PERMANENT = (Problem, EnvelopeLost)
"""What no repetition mends; everything else is tried again."""


@dataclass(frozen=True, slots=True)
class Next:
    """What is to be done next for a submission."""

    extract: tuple[int, ...] = ()
    """Benchmarks to extract, by row id."""
    assess: bool = False


def submission_prepare(*, submission_id: UUID) -> Next:
    """Verify and validate the stored envelope where that is due; return what comes next."""
    with session_lock("submission", str(submission_id)) as free:
        submission = Submission.objects.filter(pk=submission_id).first()
        if not free or submission is None or submission.state not in ACTIVE_STATES:
            return Next()
        if submission.state in (State.RECEIVED, State.VERIFIED) and not _verify_and_validate(submission):
            return Next()
        return _next_of(submission)


def submission_assess(*, submission_id: UUID) -> State | None:
    """Publish or quarantine a submission all of whose benchmarks have ended; return its state if that is
    so."""
    with session_lock("submission", str(submission_id)) as free:
        submission = (
            Submission.objects.select_related("run__drive_model", "probe_key")
            .filter(pk=submission_id)
            .first()
        )
        if not free or submission is None or submission.state not in (State.VALIDATED, State.EXTRACTED):
            return None
        if _pending(submission.run) or not _attempt(submission):
            return None
        answers: tuple[Judged, ...] = ()
        try:
            answers = run_assess(run=submission.run, document=document_load(submission))
            reasons = _failures(submission.run) + reasons_to_hold(answers)
        except PERMANENT as error:
            reasons = [str(error)]
        with transaction.atomic():
            results_record(run=submission.run, answers=answers)
            if submission.state == State.VALIDATED:
                submission_move(submission, State.EXTRACTED, _extracted_words(submission.run))
            if reasons:
                submission_move(submission, State.QUARANTINED, _quarantine_words(reasons))
            else:
                submission_publish(submission, "Every check passed; the run is public.")
        return State(submission.state)


def submission_publish(submission: Submission, reason: str) -> None:
    """Publish within the present transaction, and have the model's aggregates computed anew."""
    submission_move(submission, State.PUBLISHED, reason)
    run = submission.run
    AggregateDue.objects.get_or_create(drive_model_id=run.drive_model_id)
    aggregates_enqueue(run.drive_model_id)
    run_published.send(sender=Run, run=run)
    at = submission.published_at or clock.now()
    # Last, as it holds the log's lock until the transaction ends.
    log_append(LogEntry(State.PUBLISHED.value, submission.digest, run.run_id, at))


def _verify_and_validate(submission: Submission) -> bool:
    """Check the stored bytes anew: they, not the request's, are what everything later is computed from."""
    if not _attempt(submission):
        return False
    try:
        envelope = envelope_of(submission)
        signature_check(envelope, bytes(submission.probe_key.public_key))
        document_of(envelope)
    except EnvelopeLost as error:
        with transaction.atomic():
            submission_move(submission, State.QUARANTINED, str(error))
        return False
    except Problem as error:
        with transaction.atomic():
            submission_move(submission, State.REJECTED, error.detail)
        return False
    with transaction.atomic():
        submission_move(
            submission, State.VERIFIED, "The stored bytes have the digest and the signature they came with."
        )
        submission_move(submission, State.VALIDATED, "The document fits its schemas and agrees with itself.")
    return True


def _next_of(submission: Submission) -> Next:
    pending = tuple(_pending(submission.run))
    return Next(extract=pending) if pending else Next(assess=True)


def _pending(run: Run) -> list[int]:
    return list(run.benchmarks.filter(state=Benchmark.State.PENDING).values_list("pk", flat=True))


def _attempt(submission: Submission) -> bool:
    """Count a start; after too many that never ended, hold the submission for a person and return False."""
    Submission.objects.filter(pk=submission.pk).update(attempts=F("attempts") + 1)
    submission.refresh_from_db(fields=["attempts"])
    if submission.attempts <= settings.PIPELINE_MAX_ATTEMPTS:
        return True
    with transaction.atomic():
        submission_move(
            submission,
            State.QUARANTINED,
            f"The step after {submission.state!r} was started {settings.PIPELINE_MAX_ATTEMPTS} "
            f"times and never ended. "
            "The envelope is kept; an operator finds the cause in the worker's log and releases it "
            "in the admin.",
        )
    return False


def _failures(run: Run) -> list[str]:
    return [f"{part.kind}: {part.reason}" for part in run.benchmarks.filter(state=Benchmark.State.FAILED)]


def _extracted_words(run: Run) -> str:
    parts = [f"{part.kind} {part.state}" for part in run.benchmarks.all()]
    return f"Every benchmark has ended: {', '.join(parts)}."


def _quarantine_words(reasons: list[str]) -> str:
    return f"Held for a person to decide: {' '.join(reasons)} The samples are kept as they came."
