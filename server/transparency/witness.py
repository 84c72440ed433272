"""Witnessing other logs: their heads are cosigned (C2SP tlog-cosignature) once they are proved to go on from
what was cosigned before. Whoever is shown another head than a witness finds the fork.

A head is asked for (`head_witness`), or is sent by a log that the operator named (`checkpoint_add`, C2SP
tlog-witness). What was cosigned is one history for each log, by whichever way it came.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from server.core import clock
from server.core.locks import transaction_lock
from server.core.merkle import EMPTY_ROOT, is_consistent
from server.core.signed_note import (
    Checkpoint,
    NoteError,
    checkpoint_cosign,
    checkpoint_open,
    verifier_key,
    verifier_key_open,
)
from server.transparency import log_http
from server.transparency.log_http import Ask, NotAsked, address_read
from server.transparency.log_key import signing_key
from server.transparency.models import WitnessedHead

MOST_HASHES = 63
"""Of a proof in a request; C2SP tlog-witness has the number."""
_OLD = re.compile(r"old (0|[1-9][0-9]{0,17})")


class NotWitnessed(Exception):
    """The head was not cosigned; the message says why, and what was seen before stays."""


class LogForked(NotWitnessed):
    """The log does not go on from the head that was cosigned before: two histories were shown."""


class CheckpointRefused(NotWitnessed):
    """A head that was sent is not cosigned: the status says why, as C2SP tlog-witness has it."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class OtherSize(NotWitnessed):
    """The head that was sent goes on from another size than the one cosigned last."""

    def __init__(self, size: int) -> None:
        super().__init__(f"The head cosigned last has {size} leaves.")
        self.size = size


def witness_key() -> str:
    """Return the key by which this archive's cosignatures are verified, as one line."""
    return verifier_key(settings.LOG_ORIGIN, signing_key().public_key().public_bytes_raw(), cosigner=True)


# ---- Asking.


def head_witness(*, server: str, key: str = "", ask: Ask | None = None) -> WitnessedHead:
    """Ask an archive for its log's head, and cosign and keep it where it goes on from the one before.

    `key` is its verifier key; without one, that which was seen first is trusted. A head that was cosigned is
    given as it is. Raises NotWitnessed, and LogForked where the archive contradicts what it showed before.
    """
    ask = ask or log_http.ask
    try:
        server = address_read(server)
    except NotAsked as error:
        raise NotWitnessed(str(error)) from error
    seen = WitnessedHead.objects.filter(server=server).last()
    head = _json(ask, f"{server}/api/v1/log/")
    trusted = (key or (seen.verifier_key if seen else _text(head, "verifier_key"))).strip()
    note = _text(head, "checkpoint")
    try:
        now = checkpoint_open(note, trusted)
    except NoteError as error:
        raise NotWitnessed(
            f"{error} It was expected of {trusted!r}: ask the archive why; if you trust another key, name it."
        ) from error
    if seen is not None and now.origin != seen.origin:
        raise NotWitnessed(f"The log is called {now.origin}, and was {seen.origin}.")
    before = _cosigned_last(server, trusted, now.origin)
    if before is not None:
        _go_on(server, before, now, note, ask)
    # Nothing is held while the other archive takes its time.
    with transaction.atomic():
        transaction_lock("witness", now.origin)
        if _cosigned_last(server, trusted, now.origin) != before:
            raise NotWitnessed("Another head of this log was cosigned meanwhile. Ask again.")
        if before is not None and before.size == now.size:
            return before
        return WitnessedHead.objects.create(server=server, **_cosigned(now, trusted, note))


def _cosigned_last(server: str, trusted: str, origin: str) -> WitnessedHead | None:
    """Return the longest head of a log that was cosigned: under its key, wherever it was shown, or at that
    place under a key that it had before."""
    of_log = Q(verifier_key=trusted) | Q(server=server, origin=origin)
    return WitnessedHead.objects.filter(of_log).order_by("size", "id").last()


def _cosigned(now: Checkpoint, trusted: str, note: str) -> dict[str, Any]:
    """Return the values of a head's row, with this archive's cosignature."""
    at = clock.now()
    signed = checkpoint_cosign(note, name=settings.LOG_ORIGIN, key=signing_key(), at_s=int(at.timestamp()))
    stated = {"origin": now.origin, "verifier_key": trusted, "size": now.size, "root": now.root}
    return {**stated, "note": signed, "at": at}


def _go_on(server: str, before: WitnessedHead, now: Checkpoint, note: str, ask: Ask) -> None:
    """Raise LogForked unless the head goes on from the one before. Both heads stand in the message: they are
    signed, and together they prove it to anybody."""
    roots = bytes(before.root), now.root
    if before.size > now.size:
        raise LogForked(f"The log has {now.size} leaves, and had {before.size}.\n{before.note}\n{note}")
    proof: list[bytes] = []
    if 0 < before.size < now.size:
        path = f"{server}/api/v1/log/proofs/consistency?first={before.size}&second={now.size}"
        proof = _hashes(_json(ask, path).get("proof"))
    if not is_consistent(before.size, now.size, roots, proof):
        raise LogForked(
            f"The log of {now.size} leaves does not go on from that of {before.size}: what it held was "
            f"changed, or others are shown another log.\n{before.note}\n{note}"
        )


def _json(ask: Ask, url: str) -> dict[str, Any]:
    try:
        answer = ask(url, None)
        found = json.loads(answer.body) if answer.status == 200 else None
    except NotAsked as error:
        raise NotWitnessed(str(error)) from error
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise NotWitnessed(f"{url} did not give what a publication log says.")
    return found


def _text(answer: dict[str, Any], name: str) -> str:
    found = answer.get(name)
    if not isinstance(found, str) or len(found) > 4000:
        raise NotWitnessed(f"The log's answer has no {name}.")
    return found


def _hashes(listed: Any) -> list[bytes]:
    try:
        found = [base64.b64decode(one, validate=True) for one in listed or []]
    except (binascii.Error, ValueError, TypeError) as error:
        raise NotWitnessed("The log's proof is no list of hashes.") from error
    if any(len(one) != 32 for one in found):
        raise NotWitnessed("The log's proof is no list of hashes.")
    return found


# ---- Being asked.


def checkpoint_add(content: bytes) -> str:
    """Cosign a head that its log sent, with the proof that it goes on from the one cosigned last, and return
    the cosignature's line (C2SP tlog-witness, add-checkpoint). Only logs of `WITNESSED_LOGS` are cosigned.

    Raises CheckpointRefused, and OtherSize where the proof begins elsewhere.
    """
    old, proof, note = _request(content)
    now, trusted = _opened(note)
    if old > now.size:
        raise CheckpointRefused(400, f"A log of {now.size} leaves does not go on from one of {old}.")
    with transaction.atomic():
        transaction_lock("witness", now.origin)
        before = _cosigned_last("", trusted, now.origin)
        size, root = (before.size, bytes(before.root)) if before else (0, EMPTY_ROOT)
        if old != size or (old == now.size and root != now.root):
            raise OtherSize(size)
        if not is_consistent(old, now.size, (root, now.root), proof):
            raise CheckpointRefused(422, f"The proof does not lead from {old} to {now.size} leaves.")
        values = _cosigned(now, trusted, note)
        WitnessedHead.objects.filter(server="", origin=now.origin).delete()
        WitnessedHead.objects.create(server="", **values)
    return str(values["note"]).splitlines()[-1] + "\n"


def _request(content: bytes) -> tuple[int, list[bytes], str]:
    """Return the size that a request goes on from, its proof, and the head."""
    head, there, note = content.decode(errors="replace").partition("\n\n")
    first, *hashes = head.split("\n")
    matched = _OLD.fullmatch(first)
    if matched is None or not there or len(hashes) > MOST_HASHES:
        raise CheckpointRefused(
            400, f"Expected `old SIZE`, at most {MOST_HASHES} hashes, an empty line and a head, a line each."
        )
    try:
        return int(matched[1]), _hashes(hashes), note
    except NotWitnessed as error:
        raise CheckpointRefused(400, str(error)) from error


def _opened(note: str) -> tuple[Checkpoint, str]:
    """Return what a head states, and the key of a named log that signed it."""
    origin = note.partition("\n")[0]
    keys = [key for key in settings.WITNESSED_LOGS if key.partition("+")[0] == origin]
    if not keys:
        raise CheckpointRefused(404, "This archive witnesses no log of that name. Ask its operator to.")
    for key in keys:
        try:
            return checkpoint_open(note, key), key
        except NoteError as error:
            why = str(error)
    raise CheckpointRefused(403, why)


def logs_named(lines: list[str]) -> list[str]:
    """Return what is wrong with verifier keys of logs, as settings name them."""
    wrong = []
    for line in lines:
        try:
            verifier_key_open(line)
        except NoteError as error:
            wrong.append(str(error))
    return wrong
