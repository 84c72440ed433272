"""Taking a submission in: everything that can be checked while the sender waits, then one transaction.

The order is what loses nothing: parse and check, store the envelope's bytes, commit the row, and only then
put a
message into the queue. A document that its key did sign but that is not acceptable is kept as `rejected`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction

from server.accounts.models import ProbeKey
from server.accounts.services import probe_key_for, probe_key_register
from server.core import clock
from server.core.envelope import Envelope, envelope_parse, sha256_hex, signature_check
from server.core.envelope_store import envelope_store
from server.core.lifecycle import State
from server.core.locks import transaction_lock
from server.core.problems import ErrorItem, Problem, problem
from server.core.strictjson import strict_loads
from server.measurements.models import Run
from server.submissions.events import event_add, submission_enqueue
from server.submissions.models import Submission
from server.submissions.records import run_create
from server.submissions.validation import document_validate

log = structlog.get_logger("diskatlas.intake")


@dataclass(frozen=True, slots=True)
class Received:
    """What came of a submission."""

    submission: Submission
    created: bool
    """False where the same bytes had come before."""


def submission_receive(*, content: bytes) -> Received:
    """Take in an envelope's bytes; raises Problem where they are not acceptable.

    A problem found in a document whose signature fits carries the extension `submission_id` of the kept row.
    """
    digest = sha256_hex(content)
    known = Submission.objects.filter(digest=digest).first()
    if known is not None and known.state != State.REJECTED:
        return Received(known, created=False)
    envelope = envelope_parse(strict_loads(content, max_depth=settings.SUBMISSION_MAX_DEPTH))
    public_key = probe_key_for(envelope)
    signature_check(envelope, public_key)
    try:
        document = document_of(envelope)
        _check_run_id(document["run_id"], digest)
        name = _store(digest, content)
        return _commit(digest, len(content), name, envelope.keyid, public_key, document)
    except Problem as trouble:
        # Without consent there is nothing that may be kept.
        if trouble.type.slug not in ("storage-unavailable", "no-licence"):
            _keep_rejected(digest, content, envelope.keyid, public_key, trouble)
        raise


def document_of(envelope: Envelope) -> dict[str, Any]:
    """Return the valid document in an envelope; raises Problem."""
    document = strict_loads(envelope.payload, max_depth=settings.SUBMISSION_MAX_DEPTH, what="The payload")
    tolerance = timedelta(seconds=settings.SUBMISSION_CLOCK_TOLERANCE_S)
    document_validate(document, now=clock.now(), tolerance=tolerance)
    found: dict[str, Any] = document
    return found


@transaction.atomic
def _commit(
    digest: str, size_bytes: int, name: str, keyid: str, public_key: bytes, document: dict[str, Any]
) -> Received:
    # The same bytes carry the same run_id, so that one lock orders both: equal senders and rivals for an
    # identity.
    transaction_lock("run", document["run_id"])
    known = Submission.objects.select_for_update().filter(digest=digest).first()
    if known is not None and known.state != State.REJECTED:
        return Received(known, created=False)
    _check_run_id(document["run_id"], digest)
    probe_key = probe_key_register(keyid=keyid, public_key=public_key)
    submission = known or _new_submission(digest, size_bytes, probe_key)
    submission.storage_name = name
    submission.state = State.RECEIVED
    submission.save()
    reason = (
        "Received again, and acceptable now."
        if known
        else "Received; the signature and the schema are right."
    )
    event_add(submission, State.RECEIVED, reason)
    if not Run.objects.filter(submission=submission).exists():
        run_create(submission=submission, document=document)
    submission_enqueue(submission)
    log.info("received", submission=str(submission.pk), digest=digest, bytes=size_bytes)
    return Received(submission, created=True)


def _keep_rejected(digest: str, content: bytes, keyid: str, public_key: bytes, trouble: Problem) -> None:
    """Keep what its key signed, with the reason: the sender may ask what became of it, and a person may
    look."""
    try:
        name = _store(digest, content)
    except Problem:
        log.warning("rejected envelope not stored", digest=digest)
        return
    with transaction.atomic():
        transaction_lock("rejected", digest)
        probe_key = probe_key_register(keyid=keyid, public_key=public_key)
        submission = Submission.objects.filter(digest=digest).first()
        if submission is not None and submission.state != State.REJECTED:
            return
        if submission is None:
            submission = _new_submission(digest, len(content), probe_key)
        submission.storage_name = name
        submission.state = State.REJECTED
        submission.save()
        last = submission.events.last()
        if last is None or last.reason != trouble.detail:
            event_add(submission, State.REJECTED, trouble.detail)
    trouble.extensions["submission_id"] = submission.pk


def _new_submission(digest: str, size_bytes: int, probe_key: ProbeKey) -> Submission:
    now = clock.now()
    return Submission(
        digest=digest, size_bytes=size_bytes, probe_key=probe_key, received_at=now, next_sweep_at=now
    )


def _check_run_id(run_id: str, digest: str) -> None:
    other = Run.objects.filter(run_id=run_id).exclude(submission__digest=digest).first()
    if other is not None:
        raise problem(
            "run-id-taken",
            f"The run {run_id} is in the archive already, with other bytes. A run never changes: "
            f"send the original "
            "file, or measure again, which makes a new run.",
            ErrorItem("/run_id", "belongs to another submission"),
        )


def _store(digest: str, content: bytes) -> str:
    try:
        return envelope_store(digest=digest, content=content)
    except Exception as error:
        # Whatever the backend raises (a full disk, an object store that is away): nothing was accepted.
        log.error("envelope not stored", digest=digest, exc_info=error)
        trouble = problem(
            "storage-unavailable",
            "The archive cannot store the envelope at the moment, so that nothing was accepted. "
            "Keep the file and "
            "submit it again in a few minutes.",
        )
        trouble.headers["Retry-After"] = "120"
        raise trouble from error
