"""Runs made of files that people drop into the archive's page: read, shown, consented to, published.

Between reading and consent nothing is stored: the page carries the document, signed, and brings it back. No
probe signed such a run. The archive seals it with a key of its own, so that its bytes can be checked like any
other's; `Run.in_browser` keeps it out of every number.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any
from uuid import UUID

from django.core import signing
from django.db import transaction

from server.core import clock
from server.core.envelope import sha256_hex
from server.core.large_bodies import LARGE_BYTES, large_turn
from server.core.lifecycle import State
from server.core.locks import transaction_lock
from server.core.problems import problem
from server.submissions.import_program import NotRead
from server.submissions.intake import Received, document_check, submission_receive
from server.submissions.models import Decision, FileImport, Submission
from server.submissions.seal import sealed
from server.submissions.validation import LICENSES
from server.submissions.withdrawal import published_withdraw, unpublished_withdraw

OFFER_LASTS_S = 2 * 3600
MOST_OFFER_CHARACTERS = 2_000_000
_OFFER_SALT = "diskatlas.file-import.offer"
_OWN_SALT = "diskatlas.file-import.own"
_WITHDRAWN = "Whoever imported it took it back."


class AlreadyImported(Exception):
    """The same files are in the archive: their run."""

    def __init__(self, run_id: UUID) -> None:
        super().__init__(str(run_id))
        self.run_id = run_id


# ---- What a person is shown before anything is stored.


def offer_make(document: dict[str, Any]) -> str:
    """Return a document as the page carries it until its reader consents; raises NotRead where it is larger
    than that, and Problem where the archive would refuse it."""
    document_check({**document, "license": LICENSES[0]})
    offer = signing.dumps(document, salt=_OFFER_SALT, compress=True)
    if len(offer) > MOST_OFFER_CHARACTERS:
        raise NotRead("the files", "their run is larger than the page takes; import them with the program")
    return offer


def offer_read(offer: str) -> dict[str, Any] | None:
    """Return the document of an offer; None where it was changed, or made too long ago."""
    try:
        found: dict[str, Any] = signing.loads(offer, salt=_OFFER_SALT, max_age=OFFER_LASTS_S)
    except signing.BadSignature:
        return None
    return found


# ---- Publishing.


def import_publish(*, document: dict[str, Any], license: str, address: str) -> Received:
    """Take in a document that a person consented to, sent from an address; the same one again changes
    nothing. Raises AlreadyImported, and Problem as an upload does."""
    digest = files_digest(document)
    envelope = sealed({**document, "license": license})
    alone = large_turn() if len(envelope) > LARGE_BYTES else nullcontext()
    with alone, transaction.atomic():
        transaction_lock("file-import", digest)
        known = FileImport.objects.filter(files_digest=digest).select_related("submission__run").first()
        if known is not None:
            _check_known(known.submission, document)
        received = submission_receive(content=envelope, address=address)
        FileImport.objects.update_or_create(
            files_digest=digest, defaults={"submission_id": received.submission_id, "at": clock.now()}
        )
    return received


def _check_known(submission: Submission, document: dict[str, Any]) -> None:
    """Let files come again whose run was withdrawn, or is this very one."""
    run = submission.run
    rejected = submission.decisions.filter(verdict=Decision.Verdict.REJECTED).first()
    if submission.state == State.REJECTED and rejected is not None:
        raise problem(
            "rejected",
            f"A person looked at the run of these files and rejected it: {rejected.reason} Write to the "
            "archive's operator if that was a mistake.",
        )
    if submission.state not in (State.WITHDRAWN, State.REJECTED) and str(run.pk) != document["run_id"]:
        raise AlreadyImported(run.pk)


def files_digest(document: dict[str, Any]) -> str:
    """Return what the measuring tool's files are known by, in whatever order they came; another file that
    names the drive makes no other measurement."""
    files = document["imported"]["files"]
    measured = [file["sha256"] for file in files if not file["format"].startswith("smartctl-")]
    return sha256_hex("\n".join(sorted(measured or [file["sha256"] for file in files])).encode())


# ---- Whoever imported a run may take it back: the address of its own page says so.


def own_token(run_id: UUID) -> str:
    """Return what shows that somebody imported a run. It holds as long as the archive's secret."""
    return signing.Signer(salt=_OWN_SALT).sign(run_id.hex)


def own_submission(token: str) -> Submission | None:
    """Return the submission that a token speaks for, or None."""
    try:
        run_id = signing.Signer(salt=_OWN_SALT).unsign(token)
    except signing.BadSignature:
        return None
    found = Submission.objects.filter(run__run_id=UUID(run_id), run__in_browser=True)
    return found.select_related("run__drive_model__vendor").first()


@transaction.atomic
def import_withdraw(submission: Submission) -> None:
    """Take a run back for whoever imported it; one that is withdrawn or was rejected stays so."""
    locked = Submission.objects.select_for_update().get(pk=submission.pk)
    if locked.state == State.PUBLISHED:
        published_withdraw(locked, _WITHDRAWN)
    elif locked.state not in (State.WITHDRAWN, State.REJECTED):
        unpublished_withdraw(locked, _WITHDRAWN)
