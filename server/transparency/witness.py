"""Witnessing another archive's log: its head is cosigned (C2SP tlog-cosignature) once it is proved to go on
from the one that was cosigned before. Whoever is shown another head than a witness finds the fork."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, build_opener

from django.conf import settings
from django.db import transaction

from server.core import clock
from server.core.locks import transaction_lock
from server.core.merkle import is_consistent
from server.core.signed_note import Checkpoint, NoteError, checkpoint_cosign, checkpoint_open, verifier_key
from server.transparency.log_key import signing_key
from server.transparency.models import WitnessedHead

TIMEOUT_S = 20
MOST_BYTES = 1_000_000
Fetch = Callable[[str], bytes]


class NotWitnessed(Exception):
    """The head was not cosigned; the message says why, and what was seen before stays."""


class LogForked(NotWitnessed):
    """The log does not go on from the head that was cosigned before: two histories were shown."""


def witness_key() -> str:
    """Return the key by which this archive's cosignatures are verified, as one line."""
    return verifier_key(settings.LOG_ORIGIN, signing_key().public_key().public_bytes_raw(), cosigner=True)


@transaction.atomic
def head_witness(*, server: str, key: str = "", fetch: Fetch | None = None) -> WitnessedHead:
    """Ask an archive for its log's head, and cosign and keep it where it goes on from the one before.

    `key` is its verifier key; without one, that which was seen first is trusted. A head that was cosigned is
    given as it is. Raises NotWitnessed, and LogForked where the archive contradicts what it showed before.
    """
    server = _address(server)
    fetch = fetch or _fetch
    transaction_lock("witness", server)
    before = WitnessedHead.objects.filter(server=server).last()
    head = _json(fetch, f"{server}/api/v1/log/")
    trusted = key or (before.verifier_key if before else _text(head, "verifier_key"))
    note = _text(head, "checkpoint")
    try:
        now = checkpoint_open(note, trusted)
    except NoteError as error:
        raise NotWitnessed(
            f"{error} It was expected of {trusted}: ask the archive why; if you trust another key, name it."
        ) from error
    if before is not None:
        _go_on(server, before, now, note, fetch)
        if before.size == now.size:
            return before
    at = clock.now()
    signed = checkpoint_cosign(note, name=settings.LOG_ORIGIN, key=signing_key(), at_s=int(at.timestamp()))
    return WitnessedHead.objects.create(
        server=server,
        origin=now.origin,
        verifier_key=trusted,
        size=now.size,
        root=now.root,
        note=signed,
        at=at,
    )


def _go_on(server: str, before: WitnessedHead, now: Checkpoint, note: str, fetch: Fetch) -> None:
    """Raise LogForked unless the head goes on from the one before. Both heads stand in the message: they are
    signed, and together they prove it to anybody."""
    roots = bytes(before.root), now.root
    if now.origin != before.origin:
        raise NotWitnessed(f"The log is called {now.origin}, and was {before.origin}.")
    if before.size > now.size:
        raise LogForked(f"The log has {now.size} leaves, and had {before.size}.\n{before.note}\n{note}")
    proof: list[bytes] = []
    if 0 < before.size < now.size:
        path = f"{server}/api/v1/log/proofs/consistency?first={before.size}&second={now.size}"
        proof = _hashes(_json(fetch, path))
    if not is_consistent(before.size, now.size, roots, proof):
        raise LogForked(
            f"The log of {now.size} leaves does not go on from that of {before.size}: what it held was "
            f"changed, or others are shown another log.\n{before.note}\n{note}"
        )


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_args: Any, **_options: Any) -> None:
        return None


def _address(server: str) -> str:
    """Return an archive's address without a slash at its end; raises NotWitnessed where it is none."""
    parts = urlsplit(server.rstrip("/"))
    loopback = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not parts.hostname or (parts.scheme != "https" and not (loopback and parts.scheme == "http")):
        raise NotWitnessed(f"{server} is no address of an archive: expected https://NAME.")
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def _fetch(url: str) -> bytes:
    """Return what an address answers: no redirect is followed, and no more is read than a head may have."""
    try:
        with build_opener(_NoRedirects).open(url, timeout=TIMEOUT_S) as answer:
            body: bytes = answer.read(MOST_BYTES + 1)
    except (URLError, OSError) as error:
        raise NotWitnessed(f"{url} could not be read: {error}") from error
    if len(body) > MOST_BYTES:
        raise NotWitnessed(f"{url} gave more than {MOST_BYTES} bytes.")
    return body


def _json(fetch: Fetch, url: str) -> dict[str, Any]:
    try:
        found = json.loads(fetch(url))
    except (ValueError, RecursionError) as error:
        raise NotWitnessed(f"{url} did not give what a publication log says.") from error
    if not isinstance(found, dict):
        raise NotWitnessed(f"{url} did not give what a publication log says.")
    return found


def _text(answer: dict[str, Any], name: str) -> str:
    found = answer.get(name)
    if not isinstance(found, str) or len(found) > 4000:
        raise NotWitnessed(f"The log's answer has no {name}.")
    return found


def _hashes(answer: dict[str, Any]) -> list[bytes]:
    listed = answer.get("proof")
    try:
        found = [base64.b64decode(one, validate=True) for one in listed or []]
    except (binascii.Error, ValueError, TypeError) as error:
        raise NotWitnessed("The log's proof is no list of hashes.") from error
    if any(len(one) != 32 for one in found):
        raise NotWitnessed("The log's proof is no list of hashes.")
    return found
