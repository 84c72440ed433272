"""From received to published: what a worker does to a submission after it was answered with 202, in order.

    claim     take the submission and others that nobody started, and count the start
    read      the stored envelope: its bytes have their digest, and its key signed them
    extract   each kind's numbers and charts
    assess    put the plausibility checks
    write     all rows, the verdict and the entry of the publication log, in one transaction

Small runs go through in one go and several at a time, so that they share queries, the commit and the log's
lock. Large ones, and whatever was started before and never ended, go alone and kind by kind, each written
when it is through. Every step may be killed and done again: locks end with their process, starts are counted
in the row, and a document that kills its worker stops being tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db import Error, InterfaceError, OperationalError, transaction
from django.db.models import F, Q

from server.benchmarks.registry import kind_name
from server.core import clock
from server.core.bulk import rows_copy, rows_update
from server.core.envelope import signature_check
from server.core.envelope_store import EnvelopeLost
from server.core.lifecycle import ACTIVE_STATES, State
from server.core.locks import session_locks_release, session_locks_take
from server.core.metrics import extraction_failures
from server.core.problems import Problem
from server.measurements.documents import document_in, envelope_of
from server.measurements.extraction import (
    Extracted,
    MeasurementRow,
    benchmark_extracted,
    benchmark_failed,
    extracted_store,
    rows_of,
)
from server.measurements.models import Benchmark
from server.plausibility.assessment import Judged, reasons_to_quarantine, results_record, runs_assess
from server.plausibility.evidence_loader import AssessedRun
from server.submissions.events import (
    SMALL_BYTES,
    STATE_FIELDS,
    announced_forget,
    models_due,
    runs_purge,
    state_set,
    submission_announce,
    submission_enqueue,
    submission_move,
)
from server.submissions.intake import document_check
from server.submissions.models import Submission, SubmissionEvent
from server.subscriptions.events import run_events_add
from server.subscriptions.models import ArchiveEvent
from server.subscriptions.outbox import pending_notifications_add
from server.transparency.log_entry import LogEntry
from server.transparency.publication_log import log_extend

log = structlog.get_logger("diskatlas.pipeline")

TRANSIENT = (OperationalError, InterfaceError, OSError)
"""What another try may mend: the database, the storage or the network was away."""
_AWAY_STATES = ("08", "53", "57P")
"""PostgreSQL's classes of a lost connection, of resources that are used up, and of a server that stops."""

BATCH = 32
"""So many small runs at once: they take half a second, and a kill costs no more than that."""


@dataclass(slots=True)
class _Work:
    """A submission on its way through the steps."""

    submission: Submission
    benchmarks: list[Benchmark]
    document: dict[str, Any] = field(default_factory=dict)
    rows: list[MeasurementRow] = field(default_factory=list)
    """The numbers of all its extracted benchmarks."""
    answers: tuple[Judged, ...] = ()
    extracted: list[Extracted] = field(default_factory=list)
    """What is yet to be written; `events` too."""
    events: list[SubmissionEvent] = field(default_factory=list)

    @property
    def pending(self) -> list[Benchmark]:
        """The benchmarks that are yet to be extracted."""
        return [one for one in self.benchmarks if one.state == Benchmark.State.PENDING]

    @property
    def started_before(self) -> bool:
        """Whether an earlier start did not end, or did a part of it."""
        ended = (Benchmark.State.EXTRACTED, Benchmark.State.FAILED)
        return (
            self.submission.state != State.RECEIVED
            or self.submission.attempts > 1
            or any(one.state in ended for one in self.benchmarks)
        )

    def move(self, state: State, reason: str) -> None:
        """Put the submission into its next state."""
        self.events.append(state_set(self.submission, state, reason))


def submissions_process(*, submission_id: UUID) -> list[State]:
    """Bring a submission on, and small ones beside it that nobody started; return what became of them."""
    with _claimed(submission_id) as claimed:
        works = _works(claimed)
        alone = [work for work in works if work.started_before or not _small(work.submission)]
        together = [work for work in works if work not in alone]
        try:
            _process_together(together)
        except Exception:
            # Whose fault it is shows when each goes alone.
            log.exception("a batch failed", runs=len(together))
            alone += _works([work.submission.pk for work in together])
        troubles = []
        for work in alone:
            try:
                _process_alone(work)
            except Exception as error:
                troubles.append(error)
                if _part_away(error):
                    _starts_forget(work.submission)
                if work.submission.pk != submission_id:
                    submission_enqueue(work.submission)
        if troubles:
            raise troubles[0]
        return [State(work.submission.state) for work in works]


def _process_together(works: Sequence[_Work]) -> None:
    """Take small runs through all steps, and write what came of them at once."""
    if not works:
        return
    for work in works:
        if _read(work):
            work.extracted = [benchmark_extracted(one, work.document) for one in work.pending]
            work.rows = [row for one in work.extracted for row in one.rows]
    _assess([work for work in works if work.document])
    _write(works)


def _process_alone(work: _Work) -> None:
    """Take one run through the steps, each written when it ends: a start that never ends is then known to be
    that step's, and one kind leaves the others alone."""
    go_on = not _started_too_often(work) and _read(work)
    _write([work])
    if not go_on:
        return
    for benchmark in work.pending:
        benchmark.attempts += 1
        benchmark.save(update_fields=["attempts"])
        too_often = benchmark.attempts > settings.PIPELINE_MAX_ATTEMPTS
        if too_often:
            extraction_failures.labels(benchmark.kind, "never ended").inc()
        work.extracted = [
            benchmark_failed(
                benchmark,
                f"Extraction was started {settings.PIPELINE_MAX_ATTEMPTS} times and never ended: the worker "
                "was killed or ran out of memory each time. The samples are kept; an operator finds the "
                "cause in the worker's log.",
            )
            if too_often
            else benchmark_extracted(benchmark, work.document)
        ]
        work.submission.attempts = 0
        _write([work])
    work.rows = rows_of(work.benchmarks)
    _assess([work])
    _write([work])


# Claim.


@contextmanager
def _claimed(submission_id: UUID) -> Iterator[list[UUID]]:
    """Give the submission where nobody has it and it is not through, and small ones that nobody started;
    their starts are counted. Locks of their names keep other workers away, and end with this process.

    A message is a call to work more than an order: each takes what waits, and a full batch calls the next
    worker.
    """
    active = Submission.objects.filter(state__in=ACTIVE_STATES)
    waiting = Q(state=State.RECEIVED, attempts=0, size_bytes__lte=SMALL_BYTES)
    mine: list[Submission] = []
    announced_forget()
    try:
        with transaction.atomic():
            unlocked = active.select_for_update(skip_locked=True)
            mine += _locks_take(unlocked.filter(pk=submission_id))
            if not mine or _startable_together(mine[0]):
                others = unlocked.filter(waiting).exclude(pk=submission_id).order_by("next_sweep_at")
                mine += _locks_take(others[: BATCH - len(mine)])
            if len(mine) == BATCH:
                submission_announce(mine[-1], linger_s=0.0)
            _count_starts(mine)
        yield [one.pk for one in mine]
    finally:
        if mine:
            session_locks_release([_lock_name(one) for one in mine])


def _locks_take(found: Iterable[Submission]) -> list[Submission]:
    rows = list(found)
    free = session_locks_take([_lock_name(one) for one in rows]) if rows else []
    return [one for one, taken in zip(rows, free, strict=True) if taken]


def _lock_name(submission: Submission) -> tuple[str, ...]:
    return ("submission", str(submission.pk))


def _count_starts(found: Sequence[Submission]) -> None:
    if not found:
        return
    Submission.objects.filter(pk__in=[one.pk for one in found]).update(attempts=F("attempts") + 1)
    # Those that go together start all of their kinds; the others count each when its turn comes.
    together = [one.pk for one in found if _startable_together(one)]
    Benchmark.objects.filter(run__submission__in=together, state=Benchmark.State.PENDING).update(
        attempts=F("attempts") + 1
    )


def _part_away(error: Exception) -> bool:
    """Return whether a part of the archive was away. PostgreSQL also calls operational what a document may be
    the cause of: a statement that takes too long, or a row that no index holds."""
    state = getattr(error.__cause__, "sqlstate", None) if isinstance(error, Error) else None
    return isinstance(error, TRANSIENT) and (state is None or state.startswith(_AWAY_STATES))


def _starts_forget(submission: Submission) -> None:
    """Count none of the starts of a step that ended because a part of the archive was away: a storage that is
    away for an hour must not look like a document that kills its worker."""
    with suppress(Error), transaction.atomic():
        Submission.objects.filter(pk=submission.pk).update(attempts=0)
        Benchmark.objects.filter(run__submission=submission, state=Benchmark.State.PENDING).update(attempts=0)


def _startable_together(submission: Submission) -> bool:
    return submission.state == State.RECEIVED and submission.attempts == 0 and _small(submission)


def _small(submission: Submission) -> bool:
    return submission.size_bytes <= SMALL_BYTES


def _works(ids: Sequence[UUID]) -> list[_Work]:
    if not ids:
        return []
    found = Submission.objects.filter(pk__in=ids).select_related("probe_key", "run__drive_model")
    rows = {one.pk: one for one in found.prefetch_related("run__benchmarks")}
    return [_Work(rows[pk], list(rows[pk].run.benchmarks.all())) for pk in ids]


def _started_too_often(work: _Work) -> bool:
    """Hold a submission for a person whose step was started often and never ended. While kinds are pending,
    their own starts count."""
    submission = work.submission
    unread = submission.state in (State.RECEIVED, State.VERIFIED)
    if submission.attempts <= settings.PIPELINE_MAX_ATTEMPTS or (work.pending and not unread):
        return False
    step = f"The step after {submission.state!r}"
    work.move(
        State.QUARANTINED,
        f"{step} was started {settings.PIPELINE_MAX_ATTEMPTS} times and never ended. The envelope is kept; "
        "an operator finds the cause in the worker's log and releases it in the admin.",
    )
    return True


# Read.


def _read(work: _Work) -> bool:
    """Take the document from the stored bytes: they, not the request's, are what everything is computed from.

    What intake found valid is valid here, under the digest of its bytes. What was started before is held
    against the schemas once more.
    """
    submission = work.submission
    try:
        envelope = envelope_of(submission)
        signature_check(envelope, bytes(submission.probe_key.public_key))
        if work.started_before:
            document_check(document_in(envelope))
    except EnvelopeLost as error:
        # A folder that is not mounted, or a wrong bucket, has no envelope: what waits stays as it is, and the
        # sweeper asks again, later each time.
        log.error("envelope lost", submission=str(submission.pk), starts=submission.attempts, why=str(error))
        if submission.attempts >= settings.PIPELINE_MAX_ATTEMPTS:
            work.move(State.QUARANTINED, str(error))
        return False
    except Problem as error:
        work.move(State.REJECTED, error.detail)
        return False
    work.document = document_in(envelope)
    if submission.state in (State.RECEIVED, State.VERIFIED):
        work.move(State.VERIFIED, "The stored bytes have the digest and the signature they came with.")
        work.move(State.VALIDATED, "The document fits its schemas and agrees with itself.")
    return True


# Assess.


def _assess(works: Sequence[_Work]) -> None:
    """Put the checks to runs all of whose benchmarks have ended, and say what becomes of them."""
    runs = [AssessedRun(work.submission.run, work.document, work.benchmarks, work.rows) for work in works]
    for work, answers in zip(works, runs_assess(runs), strict=True):
        work.answers = answers
        if work.submission.state == State.VALIDATED:
            ended = ", ".join(f"{kind_name(part.kind)} {part.state}" for part in work.benchmarks)
            work.move(State.EXTRACTED, f"Every benchmark has ended: {ended}.")
        failed = [part for part in work.benchmarks if part.state == Benchmark.State.FAILED]
        reasons = [f"{kind_name(part.kind)}: {part.reason}" for part in failed] + reasons_to_quarantine(
            answers
        )
        if reasons:
            work.move(
                State.QUARANTINED,
                f"For a person to decide: {' '.join(reasons)} The samples are kept as they came.",
            )
        else:
            work.move(State.PUBLISHED, "Every check passed; the run is public.")


# Write.


def _write(works: Sequence[_Work]) -> None:
    """Write what is known so far and was not written yet. A submission that is through stays as it is."""
    with transaction.atomic():
        active = Submission.objects.select_for_update().filter(
            pk__in=[work.submission.pk for work in works], state__in=ACTIVE_STATES
        )
        locked = set(active.values_list("pk", flat=True))
        works = [work for work in works if work.submission.pk in locked]
        extracted_store([one for work in works for one in work.extracted])
        results_record((work.submission.run, work.answers) for work in works if work.answers)
        rows_update([work.submission for work in works], STATE_FIELDS)
        rows_copy(
            SubmissionEvent,
            ("submission_id", "at", "state", "reason"),
            (
                (event.submission_id, event.at, str(event.state), event.reason)
                for work in works
                for event in work.events
            ),
        )
        follow_publications([work.submission for work in works if work.submission.state == State.PUBLISHED])
    for work in works:
        work.extracted, work.events = [], []


def follow_publications(submissions: Sequence[Submission]) -> None:
    """Do what belongs to publications within the transaction that publishes."""
    if not submissions:
        return
    pending_notifications_add([one.run for one in submissions])
    run_events_add(ArchiveEvent.Kind.RUN_PUBLISHED, [one.run.pk for one in submissions])
    runs_purge(submissions)
    models_due({one.run.drive_model_id for one in submissions})
    # Last, as it holds the log's lock until the transaction ends.
    log_extend(
        [
            LogEntry(State.PUBLISHED.value, one.digest, one.run.run_id, one.published_at or clock.now())
            for one in submissions
        ]
    )


def submission_publish(submission: Submission, reason: str) -> None:
    """Publish a submission that a person accepted, within the present transaction."""
    submission_move(submission, State.PUBLISHED, reason)
    follow_publications([submission])
