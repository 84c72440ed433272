"""Requests that the holder of a key signs: whose they are, and that each is carried out once.

A command is a short JSON statement in an envelope like a run's (server/core/schema/command-v1.json). It names
the archive, so that another one cannot use it, and a fresh nonce of that archive, so that nobody sends it
again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar
from urllib.parse import urlsplit

from django.db import IntegrityError, transaction

from server.accounts.holders import holder_keys
from server.accounts.models import KeyCommand, ProbeKey
from server.accounts.services import not_revoked, probe_key_for, probe_key_register
from server.core import clock
from server.core.envelope import COMMAND_TYPE, Envelope, envelope_parse, signature_check
from server.core.problems import ErrorItem, Problem, problem
from server.core.rate_limit import Budget, address_block, budgets_spend
from server.core.strictjson import strict_loads
from server.plausibility.nonces import issued_at
from server.submissions.validation import command_validator, schema_check

T = TypeVar("T")
LIFETIME = timedelta(minutes=10)
"""How long a command may take from its nonce to here."""
MOST_BYTES = 16 * 1024
BYTES_PER_DAY = 8 * 1024**2
"""Of one network's commands, which are kept as proofs. It is no part of what uploads may fill: whoever uses
that up must not keep others from revoking a key."""
_DEPTH = 6
_REMEDY = "Update the probe, or report it if the probe is new."


@dataclass(frozen=True, slots=True)
class Command:
    """A request whose signature, archive and nonce are right."""

    key: ProbeKey
    statement: dict[str, Any]


def command_run(
    *,
    content: bytes,
    action: str,
    addresses: Collection[str],
    do: Callable[[Command], T],
    sender: str = "",
) -> T:
    """Check a signed command for the archive of these addresses, which came from the sender's address, and
    carry it out once; raises Problem."""
    envelope = envelope_parse(strict_loads(content, max_depth=_DEPTH), COMMAND_TYPE)
    key, statement = signed_statement(envelope, action)
    _check_archive(statement["archive"], addresses)
    _check_nonce(statement["nonce"])
    _budget_spend(len(content), sender)
    with transaction.atomic():
        registered = probe_key_register(key)
        # Its holder may have given the key up since the signature was checked.
        keys = {one.pk: one for one in holder_keys(registered).select_for_update(no_key=True)}
        key = not_revoked(keys[registered.pk])
        _spend(statement["nonce"], key, action, content)
        return do(Command(key, statement))


def signed_statement(envelope: Envelope, action: str) -> tuple[ProbeKey, dict[str, Any]]:
    """Return what a key signed, with its key, which need not be written yet; raises Problem."""
    statement = strict_loads(envelope.payload, max_depth=_DEPTH, what="The payload")
    key = probe_key_for(envelope, ProbeKey.objects.filter(keyid=envelope.keyid).first())
    signature_check(envelope, bytes(key.public_key))
    schema_check(command_validator(action), statement, prefix="", what="command/v1", remedy=_REMEDY)
    return key, statement


def statement_of(command: KeyCommand) -> dict[str, Any]:
    """Return what the key signed that a command was carried out for."""
    envelope = envelope_parse(strict_loads(bytes(command.envelope), max_depth=_DEPTH), COMMAND_TYPE)
    statement: dict[str, Any] = strict_loads(envelope.payload, max_depth=_DEPTH, what="The payload")
    return statement


def host_of(address: str) -> str:
    """Return host and port of an address, without the port that goes without saying. The scheme does not
    count: behind a proxy the archive may not know it."""
    return urlsplit(address).netloc.lower().removesuffix(":443").removesuffix(":80")


def commands_forget() -> int:
    """Forget what was only read, once its nonces are too old to be sent again; return how many."""
    before = clock.now() - 2 * LIFETIME
    return KeyCommand.objects.filter(action="runs", at__lt=before).delete()[0]


def _check_archive(archive: str, addresses: Collection[str]) -> None:
    if host_of(archive) not in {host_of(address) for address in addresses}:
        raise problem(
            "other-archive",
            f"The command was signed for {archive[:100]}, which is not this archive's address. Name the "
            "address by which the archive is reached: --server URL.",
            ErrorItem("/archive", "is another archive's address"),
        )


def _budget_spend(size_bytes: int, sender: str) -> None:
    """Count what is about to be kept, for the network that it comes from; raises Problem."""
    budget = Budget("commands", address_block(sender), BYTES_PER_DAY)
    [state] = budgets_spend([budget], size_bytes, window_s=86_400)
    if state.exceeded:
        raise problem(
            "too-many-requests",
            f"{state.used} bytes of commands came from your network today; the limit is {state.quota} a day "
            f"(UTC). Nothing was done. Ask again in {state.reset_s} s.",
        ).with_header("Retry-After", str(state.reset_s))


def _check_nonce(nonce: str) -> None:
    given = issued_at(nonce)
    if given is None:
        raise _bad_nonce("was not given out by this archive")
    if clock.now() - given > LIFETIME:
        raise _bad_nonce(f"was given out more than {LIFETIME.seconds // 60} minutes ago")


def _spend(nonce: str, key: ProbeKey, action: str, content: bytes) -> None:
    digest = hashlib.sha256(nonce.encode()).hexdigest()
    try:
        with transaction.atomic():
            KeyCommand.objects.create(
                nonce_digest=digest, key=key, action=action, envelope=content, at=clock.now()
            )
    except IntegrityError:
        raise _bad_nonce("was used before") from None


def _bad_nonce(what: str) -> Problem:
    return problem(
        "bad-nonce",
        f"The command's nonce {what}; each is good for one command within {LIFETIME.seconds // 60} minutes. "
        "Nothing was done. Ask again, for which the probe fetches another one.",
        ErrorItem("/nonce", what),
    )
