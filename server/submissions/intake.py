"""Taking a submission in: everything that can be checked while the sender waits, then one transaction.

The order is what loses nothing: parse and check, store the envelope's bytes, commit the row, and only then
put a message into the queue. A document that its key did sign but that is not acceptable is kept as
`rejected`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db import IntegrityError, transaction

from server.accounts.models import ProbeKey
from server.accounts.services import probe_key_for, probe_key_register
from server.catalog.models import DriveModel
from server.catalog.services import drive_model_resolve
from server.core import clock
from server.core.envelope import Envelope, envelope_parse, sha256_hex, signature_check
from server.core.envelope_store import envelope_store
from server.core.lifecycle import Provenance, State
from server.core.locks import transaction_lock
from server.core.problems import ErrorItem, Problem, problem
from server.core.strictjson import strict_loads
from server.core.text import printable
from server.measurements.documents import summary_of, timings_count
from server.measurements.models import Batch, Benchmark, Run, Unit
from server.submissions.events import event_add, next_sweep, submission_announce
from server.submissions.models import Submission
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
    key = probe_key_for(envelope)
    signature_check(envelope, bytes(key.public_key))
    try:
        document = document_of(envelope)
        name = _store(digest, content)
        try:
            return _commit(known or Submission(digest=digest, size_bytes=len(content)), name, key, document)
        except IntegrityError:
            # Another sender was first: with these bytes, or with other ones of the same identity.
            first = Submission.objects.filter(digest=digest).exclude(state=State.REJECTED).first()
            if first is not None:
                return Received(first, created=False)
            _check_run_id(document["run_id"], digest)
            raise
    except Problem as trouble:
        # Without consent there is nothing that may be kept.
        if trouble.type.slug not in ("storage-unavailable", "no-licence"):
            _keep_rejected(digest, content, key, trouble)
        raise


def document_of(envelope: Envelope) -> dict[str, Any]:
    """Return the valid document in an envelope; raises Problem."""
    document = strict_loads(envelope.payload, max_depth=settings.SUBMISSION_MAX_DEPTH, what="The payload")
    tolerance = timedelta(seconds=settings.SUBMISSION_CLOCK_TOLERANCE_S)
    document_validate(document, now=clock.now(), tolerance=tolerance)
    found: dict[str, Any] = document
    return found


@transaction.atomic
def _commit(submission: Submission, name: str, key: ProbeKey, document: dict[str, Any]) -> Received:
    """Write a submission that is new, or was rejected before, and its run; raises IntegrityError where the
    database has the digest or the run id."""
    new = submission._state.adding
    if not new:
        submission = Submission.objects.select_for_update().get(pk=submission.pk)
        if submission.state != State.REJECTED:
            return Received(submission, created=False)
    submission.probe_key = probe_key_register(key)
    submission.storage_name = name
    submission.state = State.RECEIVED
    submission.next_sweep_at = next_sweep()
    if new:
        submission.received_at = clock.now()
    submission.save(force_insert=new)
    reason = "Received; the signature and the schema are right."
    event_add(submission, State.RECEIVED, reason if new else "Received again, and acceptable now.")
    if new or not Run.objects.filter(submission=submission).exists():
        run_create(submission=submission, document=document)
    submission_announce(submission)
    log.info("received", submission=str(submission.pk), digest=submission.digest, bytes=submission.size_bytes)
    return Received(submission, created=True)


def _keep_rejected(digest: str, content: bytes, key: ProbeKey, trouble: Problem) -> None:
    """Keep what its key signed, with the reason: the sender may ask what became of it, and a person may
    look."""
    try:
        name = _store(digest, content)
    except Problem:
        log.warning("rejected envelope not stored", digest=digest)
        return
    with transaction.atomic():
        transaction_lock("rejected", digest)
        submission = Submission.objects.filter(digest=digest).first()
        if submission is not None and submission.state != State.REJECTED:
            return
        if submission is None:
            submission = Submission(digest=digest, size_bytes=len(content), received_at=clock.now())
            submission.next_sweep_at = submission.received_at
        submission.probe_key = probe_key_register(key)
        submission.storage_name = name
        submission.state = State.REJECTED
        submission.save()
        last = submission.events.last()
        if last is None or last.reason != trouble.detail:
            event_add(submission, State.REJECTED, trouble.detail)
    trouble.extensions["submission_id"] = submission.pk


def _check_run_id(run_id: str, digest: str) -> None:
    other = Run.objects.filter(run_id=run_id).exclude(submission__digest=digest).first()
    if other is not None:
        raise problem(
            "run-id-taken",
            f"The run {run_id} is in the archive already, with other bytes. A run never changes: "
            "send the original file, or measure again, which makes a new run.",
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
            "Keep the file and submit it again in a few minutes.",
        )
        trouble.headers["Retry-After"] = "120"
        raise trouble from error


def run_create(*, submission: Submission, document: dict[str, Any]) -> Run:
    """Make the run of a submission with one row per benchmark; catalogue, unit and batch rows are found or
    made."""
    device = document["device"]
    provenance = Provenance(document["provenance"])
    drive_model = drive_model_resolve(
        vendor_name=device["vendor"], model_name=device["model"], simulated=provenance == Provenance.SIMULATED
    )
    run = Run.objects.create(
        run_id=UUID(document["run_id"]),
        submission=submission,
        drive_model=drive_model,
        unit=_unit(drive_model, device["unit_digest"]),
        batch=_batch(drive_model, device),
        provenance=provenance,
        created_at=datetime.fromisoformat(document["created_at"]),
        license=document["license"],
        firmware=printable(device["firmware"] or ""),
        capacity_bytes=device["capacity_bytes"],
        block_bytes=device["block_bytes"],
        summary=summary_of(document),
    )
    Benchmark.objects.bulk_create(
        _benchmark(run, position, part) for position, part in enumerate(document["benchmarks"])
    )
    return run


def _benchmark(run: Run, position: int, part: dict[str, Any]) -> Benchmark:
    if "skipped" in part:
        return Benchmark(
            run=run,
            kind=part["kind"],
            position=position,
            state=Benchmark.State.SKIPPED,
            reason=printable(part["skipped"]),
        )
    return Benchmark(
        run=run,
        kind=part["kind"],
        position=position,
        version=part["version"],
        elapsed_ns=part["elapsed_ns"],
        caches=part.get("caches"),
        samples=timings_count(part["samples"]),
        medium_errors=len(part["errors"]),
    )


def _unit(drive_model: DriveModel, digest: str | None) -> Unit | None:
    if digest is None:
        return None
    unit = Unit(drive_model=drive_model, digest=digest, first_seen_at=clock.now())
    # One statement, which gives the number of a row that is there too; that keeps its date.
    Unit.objects.bulk_create(
        [unit], update_conflicts=True, unique_fields=["drive_model", "digest"], update_fields=["digest"]
    )
    return unit


def _batch(drive_model: DriveModel, device: dict[str, Any]) -> Batch | None:
    made = device["manufacture"] or {"year": None, "week": None}
    label = printable(device["batch_label"] or "")
    if made["year"] is None and not label:
        return None
    batch, _created = Batch.objects.get_or_create(
        drive_model=drive_model, year=made["year"], week=made["week"], label=label
    )
    return batch
