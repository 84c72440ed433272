"""Taking a submission in: everything that can be checked while the sender waits, then one transaction.

The order is what loses nothing: parse and check, store the envelope's bytes, commit the row, and only then
put a message into the queue. A document that its key did sign but that is not acceptable is kept as
`rejected`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import orjson
import structlog
from django.conf import settings
from django.db import IntegrityError, transaction

from server.accounts.models import ProbeKey
from server.accounts.services import probe_key_for, probe_key_register
from server.catalog.services import drive_model_id_resolve
from server.core import clock
from server.core.envelope import Envelope, envelope_parse, frame_check, sha256_hex, signature_check
from server.core.envelope_store import envelope_store
from server.core.ids import uuid7
from server.core.large_bodies import LARGE_BYTES
from server.core.lifecycle import Provenance, State
from server.core.locks import transaction_lock
from server.core.metrics import submissions
from server.core.prepared import prepared_row
from server.core.problems import ErrorItem, Problem, problem
from server.core.strictjson import strict_loads
from server.core.text import printable
from server.measurements.documents import summary_of, timings_count
from server.measurements.models import Batch, Benchmark, Run
from server.submissions.backpressure import (
    backlog_check,
    envelope_received,
    storage_failures_logged,
    storage_spend,
    useless_check,
    useless_spend,
)
from server.submissions.events import event_add, next_sweep, submission_announce
from server.submissions.models import Submission
from server.submissions.seal import in_browser, sealed_check
from server.submissions.validation import LICENSES, document_validate

log = structlog.get_logger("diskatlas.intake")


@dataclass(frozen=True, slots=True)
class Received:
    """What came of a submission."""

    submission_id: UUID
    digest: str
    state: str
    run_id: UUID | None
    created: bool
    """False where the same bytes had come before."""


def submission_receive(*, content: bytes, address: str = "") -> Received:
    """Take in an envelope's bytes, sent from an address; raises Problem where they are not acceptable.

    A problem found in a document whose signature fits carries the extension `submission_id` of the kept row.
    """
    large = len(content) > LARGE_BYTES
    if large:
        useless_check(address)
    try:
        received = _receive(content, address)
    except Problem as trouble:
        submissions.labels(trouble.type.slug).inc()
        if large and trouble.type.status < 500:
            useless_spend(len(content), address)
        raise
    if large and not received.created:
        useless_spend(len(content), address)
    submissions.labels("accepted" if received.created else "known").inc()
    return received


def _receive(content: bytes, address: str) -> Received:
    digest = sha256_hex(content)
    envelope = envelope_parse(strict_loads(content, max_depth=settings.SUBMISSION_MAX_DEPTH))
    frame_check(envelope, len(content))
    document = _payload_data(envelope)
    known = _lookup(digest, envelope.keyid, document)
    if known.received is not None:
        return known.received
    if known.rejection is not None:
        raise _rejected_by_a_person(*known.rejection)
    key = probe_key_for(envelope, known.key)
    signature_check(envelope, bytes(key.public_key))
    try:
        document_check(document)
        sealed_check(document, key.keyid)
        if known.run_id_taken:
            raise _run_id_taken(document)
        backlog_check()
        storage_spend(len(content), _sender(document, key), address)
        with envelope_received(digest):
            name = _store(digest, content)
            return _commit(digest, len(content), name, key, document)
    except Problem as trouble:
        if trouble.type.slug not in NOT_STORED and _consented(document):
            _keep_rejected(digest, content, key, address, trouble)
        raise


NOT_STORED = frozenset({"overloaded", "storage-unavailable", "run-id-taken", "too-many-requests"})


def _consented(document: Any) -> bool:
    """Whether a document, valid or not, says what may be done with it: nothing else may be kept."""
    return isinstance(document, dict) and document.get("license") in LICENSES


@dataclass(frozen=True, slots=True)
class _Known:
    """What the archive knows of an upload before it is checked."""

    received: Received | None
    """What came of these bytes, where they were accepted before."""
    rejection: tuple[UUID, str] | None
    """The submission of these bytes that a person rejected, and why."""
    key: ProbeKey | None
    run_id_taken: bool


_KEY_FIELDS = ("id", "keyid", "algorithm", "public_key", "status")
_LOOKUP = f"""
SELECT submission.id, submission.state, own.run_id,
    EXISTS (SELECT FROM measurements_run WHERE run_id = asked.run_id AND own.run_id IS NULL),
    (SELECT max(reason) FROM submissions_decision WHERE submission_id = submission.id
        AND verdict = 'rejected'),
    {", ".join(f"probe_key.{name}" for name in _KEY_FIELDS)}
FROM (SELECT %s::text AS digest, %s::text AS keyid, %s::uuid AS run_id) AS asked
LEFT JOIN submissions_submission AS submission ON submission.digest = asked.digest
LEFT JOIN measurements_run AS own ON own.submission_id = submission.id
LEFT JOIN accounts_probekey AS probe_key ON probe_key.keyid = asked.keyid
"""


def _lookup(digest: str, keyid: str, document: Any) -> _Known:
    try:
        run_id = str(UUID(document["run_id"]))
    except (TypeError, KeyError, ValueError, AttributeError):
        run_id = None
    row = prepared_row(_LOOKUP, digest, keyid, run_id)
    assert row is not None
    submission_id, state, own_run_id, taken, rejection, *key = row
    accepted = submission_id is not None and state != State.REJECTED
    return _Known(
        Received(submission_id, digest, state, own_run_id, created=False) if accepted else None,
        (submission_id, rejection) if rejection is not None and not accepted else None,
        ProbeKey.from_db(None, _KEY_FIELDS, key) if key[0] is not None else None,
        taken,
    )


def _payload_data(envelope: Envelope) -> Any:
    """Return the data in an envelope, which need not be a run document; raises Problem."""
    return strict_loads(envelope.payload, max_depth=settings.SUBMISSION_MAX_DEPTH, what="The payload")


def document_check(document: Any) -> None:
    """Check a run document; raises Problem."""
    tolerance = timedelta(seconds=settings.SUBMISSION_CLOCK_TOLERANCE_S)
    document_validate(document, now=clock.now(), tolerance=tolerance)


_COMMIT = """
WITH given AS MATERIALIZED (
    SELECT * FROM jsonb_to_record(%s::jsonb) AS given(
        id uuid, digest text, size_bytes bigint, storage_name text, probe_key bigint, now timestamptz,
        next_sweep_at timestamptz, drive_model bigint, unit text, batch bigint, run_id uuid, provenance text,
        created_at timestamptz, license text, firmware text, capacity_bytes bigint, block_bytes integer,
        in_browser boolean, summary jsonb, benchmarks jsonb
    )
), submission AS (
    INSERT INTO submissions_submission AS known (
        id, digest, size_bytes, storage_name, probe_key_id, state, received_at, attempts, sweeps,
        next_sweep_at
    )
    SELECT id, digest, size_bytes, storage_name, probe_key, 'received', now, 0, 0, next_sweep_at FROM given
    ON CONFLICT (digest) DO UPDATE SET
        state = excluded.state, storage_name = excluded.storage_name, probe_key_id = excluded.probe_key_id,
        next_sweep_at = excluded.next_sweep_at
    WHERE known.state = 'rejected'
        AND NOT EXISTS (
            SELECT FROM submissions_decision WHERE submission_id = known.id AND verdict = 'rejected'
        )
    RETURNING known.id, known.xmax = 0 AS new
), event AS (
    INSERT INTO submissions_submissionevent (submission_id, at, state, reason)
    SELECT submission.id, given.now, 'received',
        CASE WHEN new THEN 'Received; the signature and the schema are right.'
        ELSE 'Received again, and acceptable now.' END
    FROM submission, given
), without_run AS (
    SELECT submission.id AS submission, given.* FROM submission, given
    WHERE NOT EXISTS (SELECT FROM measurements_run WHERE submission_id = submission.id)
), unit AS (
    -- The update changes nothing, but gives the number of a row that is there.
    INSERT INTO measurements_unit (drive_model_id, digest, first_seen_at)
    SELECT drive_model, unit, now FROM without_run WHERE unit IS NOT NULL
    ON CONFLICT (drive_model_id, digest) DO UPDATE SET digest = excluded.digest
    RETURNING id
), run AS (
    INSERT INTO measurements_run (
        run_id, submission_id, drive_model_id, unit_id, batch_id, provenance, created_at, license, firmware,
        capacity_bytes, block_bytes, in_browser, summary
    )
    SELECT run_id, submission, drive_model, (SELECT id FROM unit), batch, provenance, created_at, license,
        firmware, capacity_bytes, block_bytes, in_browser, summary
    FROM without_run
    RETURNING run_id
), benchmark AS (
    INSERT INTO measurements_benchmark (
        run_id, kind, position, version, state, reason, elapsed_ns, samples, caches, medium_errors,
        attempts, extractor_version, details, charts_version
    )
    SELECT run.run_id, part.*, 0, '', '{}', '' FROM run, given, jsonb_to_recordset(given.benchmarks) AS part(
        kind text, position smallint, version smallint, state text, reason text, elapsed_ns bigint,
        samples bigint, caches jsonb, medium_errors integer
    )
)
SELECT id FROM submission
"""
"""Writes a submission that is new, or was rejected before, and its run; gives no row for one that stands."""


def _commit(digest: str, size_bytes: int, name: str, key: ProbeKey, document: dict[str, Any]) -> Received:
    """Write the rows, in one statement; raises IntegrityError where the run id is another submission's."""
    now = clock.now()
    row = {
        "id": uuid7(),
        "digest": digest,
        "size_bytes": size_bytes,
        "storage_name": name,
        "probe_key": probe_key_register(key).pk,
        "now": now,
        "next_sweep_at": next_sweep(),
        **_run_row(document),
        "benchmarks": [_benchmark_row(*part) for part in enumerate(document["benchmarks"])],
    }
    try:
        written = prepared_row(_COMMIT, orjson.dumps(row).decode())
    except IntegrityError:
        if Run.objects.filter(run_id=document["run_id"]).exclude(submission__digest=digest).exists():
            raise _run_id_taken(document) from None
        raise
    if written is None:
        # Another sender was first with these bytes.
        first = _lookup(digest, key.keyid, document).received
        assert first is not None
        return first
    submission_announce(Submission(id=written[0], size_bytes=size_bytes))
    log.info("received", submission=str(written[0]), digest=digest, bytes=size_bytes)
    return Received(written[0], digest, State.RECEIVED.value, UUID(document["run_id"]), created=True)


def _keep_rejected(digest: str, content: bytes, key: ProbeKey, address: str, trouble: Problem) -> None:
    """Keep what its key signed, with the reason: the sender may ask what became of it, and a person may
    look."""
    try:
        storage_spend(len(content), key.keyid, address)
        with envelope_received(digest):
            _rejected_write(digest, content, key, trouble)
    except Problem:
        log.warning("rejected envelope not stored", digest=digest)


def _rejected_write(digest: str, content: bytes, key: ProbeKey, trouble: Problem) -> None:
    name = _store(digest, content)
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


def _rejected_by_a_person(submission_id: UUID, reason: str) -> Problem:
    return problem(
        "rejected",
        f"A person looked at this run and rejected it: {reason} That is final for these bytes. Write to the "
        "archive's operator if it was a mistake, or measure again, which makes a new run.",
        submission_id=submission_id,
    )


def _run_id_taken(document: dict[str, Any]) -> Problem:
    return problem(
        "run-id-taken",
        f"The run {document['run_id']} is in the archive already, with other bytes. A run never changes: "
        "send the original file, or measure again, which makes a new run.",
        ErrorItem("/run_id", "belongs to another submission"),
    )


def _sender(document: dict[str, Any], key: ProbeKey) -> str:
    """Return the id of the key whose holder sends a document; empty for what the archive sealed itself, with
    one key for all who import in a browser."""
    return "" if in_browser(document) else key.keyid


def _store(digest: str, content: bytes) -> str:
    with storage_failures_logged(digest):
        return envelope_store(digest=digest, content=content)


def _run_row(document: dict[str, Any]) -> dict[str, Any]:
    """Return the run's columns; catalogue and batch rows are found or made."""
    device = document["device"]
    drive_model_id = drive_model_id_resolve(
        vendor_name=device["vendor"],
        model_name=device["model"],
        simulated=document["provenance"] == Provenance.SIMULATED,
    )
    return {
        "run_id": document["run_id"],
        "drive_model": drive_model_id,
        "unit": device["unit_digest"],
        "batch": _batch(drive_model_id, device),
        "provenance": document["provenance"],
        "created_at": document["created_at"],
        "license": document["license"],
        "firmware": printable(device["firmware"] or ""),
        "capacity_bytes": device["capacity_bytes"],
        "block_bytes": device["block_bytes"],
        "in_browser": in_browser(document),
        "summary": summary_of(document),
    }


def _benchmark_row(position: int, part: dict[str, Any]) -> dict[str, Any]:
    row = {"kind": part["kind"], "position": position}
    if "skipped" in part:
        skipped = Benchmark.State.SKIPPED.value
        return {
            **row,
            "version": 1,
            "state": skipped,
            "reason": printable(part["skipped"]),
            "medium_errors": 0,
        }
    return {
        **row,
        "version": part["version"],
        "state": Benchmark.State.PENDING.value,
        "reason": "",
        "elapsed_ns": part["elapsed_ns"],
        "caches": part.get("caches"),
        "samples": timings_count(part["samples"]),
        "medium_errors": len(part["errors"]),
    }


def _batch(drive_model_id: int, device: dict[str, Any]) -> int | None:
    made = device["manufacture"] or {"year": None, "week": None}
    label = printable(device["batch_label"] or "")
    if made["year"] is None and not label:
        return None
    batch, _created = Batch.objects.get_or_create(
        drive_model_id=drive_model_id, year=made["year"], week=made["week"], label=label
    )
    return batch.pk
