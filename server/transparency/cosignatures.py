"""What witnesses signed under this log's head: asked for as C2SP tlog-witness has it, kept where it holds,
and published with the head, so that readers need not trust this archive alone."""

from __future__ import annotations

import base64
import re
from collections import defaultdict
from dataclasses import dataclass

import structlog
from django.conf import settings

from server.core import clock
from server.core.signed_note import NoteError, cosignature_open, verifier_key_open
from server.transparency import log_http
from server.transparency.log_http import Answer, Ask, NotAsked, address_read
from server.transparency.models import Cosignature
from server.transparency.publication_log import LogHead, NotInLog, log_consistency, log_head

log = structlog.get_logger("diskatlas.log")

CLOCKS_APART_S = 86_400
"""A cosignature of another day was not made for this request."""
_MOST_LINES = 100
_SIZE = re.compile(rb"(0|[1-9][0-9]{0,17})\n?")


class NotCosigned(Exception):
    """A witness gave no cosignature that holds; the message says why."""


@dataclass(frozen=True, slots=True)
class Witness:
    """Whom this log's heads are sent to."""

    url: str
    """The submission prefix, without a slash at its end."""
    key: str
    """The verifier key of its cosignatures."""

    @property
    def name(self) -> str:
        """What it calls itself."""
        return self.key.partition("+")[0]


def witness_read(entry: str) -> Witness:
    """Return a witness of its `URL KEY`; raises NotCosigned where it is none."""
    url, _space, key = entry.strip().partition(" ")
    try:
        verifier_key_open(key, cosigner=True)
        return Witness(address_read(url), key.strip())
    except (NoteError, NotAsked) as error:
        raise NotCosigned(f"{error} A witness is written as URL KEY.") from error


def cosignatures_ask(*, ask: Ask | None = None) -> list[str]:
    """Send the log's head to each witness of `LOG_WITNESSES`, keep what they signed, and return what came of
    it, a line each. One that fails keeps no other from being asked."""
    ask, head, lines = ask or log_http.ask, log_head(), []
    for entry in settings.LOG_WITNESSES:
        try:
            witness = witness_read(entry)
            kept = _cosignature_ask(witness, head, ask)
        except NotCosigned as error:
            log.warning("not cosigned", witness=entry, reason=str(error))
            lines.append(f"not cosigned: {entry}: {error}")
        else:
            lines.append(f"{witness.name} cosigned {kept.size} leaves")
    return lines


def _cosignature_ask(witness: Witness, head: LogHead, ask: Ask) -> Cosignature:
    known = Cosignature.objects.filter(witness=witness.key).first()
    answer = _sent(witness, head, min(known.size, head.size) if known else 0, ask)
    if answer.status == 409 and (size := _SIZE.fullmatch(answer.body)):
        answer = _sent(witness, head, int(size[1]), ask)
    if answer.status != 200:
        raise NotCosigned(f"It answered with status {answer.status}.")
    at_s, line = _checked(witness, head, answer)
    values = {"size": head.size, "line": line, "at_s": at_s}
    return Cosignature.objects.update_or_create(witness=witness.key, defaults=values)[0]


def _sent(witness: Witness, head: LogHead, old: int, ask: Ask) -> Answer:
    """Send a head with the proof that it goes on from a size, and return the answer."""
    try:
        _size, proof = log_consistency(first=old, second=head.size)
    except NotInLog as error:
        raise NotCosigned(
            f"It has seen this log with {old} leaves, of which there are {head.size}: the log was put back "
            "to an older state, or others are shown another one."
        ) from error
    hashes = "".join(f"{base64.b64encode(one).decode()}\n" for one in proof)
    try:
        return ask(f"{witness.url}/add-checkpoint", f"old {old}\n{hashes}\n{head.checkpoint}".encode())
    except NotAsked as error:
        raise NotCosigned(str(error)) from error


def _checked(witness: Witness, head: LogHead, answer: Answer) -> tuple[int, str]:
    """Return time and line of the witness's own cosignature among those that it sent."""
    lines = answer.body.decode(errors="replace").split("\n")[:_MOST_LINES]
    for line in lines:
        try:
            at_s = cosignature_open(f"{head.checkpoint}{line}\n", witness.key)
        except NoteError:
            continue
        if abs(at_s - clock.now().timestamp()) > CLOCKS_APART_S:
            raise NotCosigned("Its cosignature is of another day: one of the two clocks is wrong.")
        return at_s, line
    raise NotCosigned("It sent no cosignature that holds under this head and its key.")


def head_cosigned() -> str | None:
    """Return the head that most of the named witnesses cosigned, the longest of several, with their lines;
    None where there is none. What no longer holds is left out."""
    keys = [entry.strip().partition(" ")[2].strip() for entry in settings.LOG_WITNESSES]
    by_size: dict[int, list[Cosignature]] = defaultdict(list)
    for one in Cosignature.objects.filter(witness__in=keys).order_by("pk"):
        by_size[one.size].append(one)
    for size in sorted(by_size, key=lambda size: (len(by_size[size]), size), reverse=True):
        try:
            note = log_head(size=size).checkpoint
            lines = [
                one.line for one in by_size[size] if cosignature_open(f"{note}{one.line}\n", one.witness)
            ]
        except (NotInLog, NoteError):
            continue
        return note + "".join(f"{line}\n" for line in lines)
    return None
