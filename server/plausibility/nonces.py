"""Nonces of challenges: given to whoever is about to measure, good for a time and for one run.

A nonce is signed and remembers nothing here until a run comes under it: giving one costs no row.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.core.signing import BadSignature, Signer

from server.core import clock
from server.measurements.models import Run
from server.plausibility.evidence import Request
from server.plausibility.models import UsedNonce

LIFETIME = timedelta(days=10)
"""The longest suite takes a week; what comes later was not measured on request."""
_BYTES = 16
_SIGNER = Signer(salt="diskatlas.challenge", sep=":")


@dataclass(frozen=True, slots=True)
class Nonce:
    """A nonce that was just given out."""

    nonce: str
    expires_at: datetime


def nonce_issue() -> Nonce:
    """Return a new nonce."""
    now = clock.now()
    return Nonce(_SIGNER.sign(f"{secrets.token_urlsafe(_BYTES)}:{int(now.timestamp())}"), now + LIFETIME)


def issued_at(nonce: str) -> datetime | None:
    """Return when this archive gave a nonce; None where it never did."""
    try:
        _random, _colon, seconds = _SIGNER.unsign(nonce).partition(":")
    except BadSignature:
        return None
    return datetime.fromtimestamp(int(seconds), UTC)


def requests_of(runs: Sequence[tuple[Run, Mapping[str, Any]]]) -> dict[UUID, Request]:
    """Return the challenges under which some runs say that they were measured; each nonce of this archive is
    the first run's that comes under it."""
    nonces = {run.pk: document["challenge"]["nonce"] for run, document in runs if document.get("challenge")}
    given = {run_id: issued_at(nonce) for run_id, nonce in nonces.items()}
    digests = {run_id: hashlib.sha256(nonce.encode()).hexdigest() for run_id, nonce in nonces.items()}
    UsedNonce.objects.bulk_create(
        [UsedNonce(digest=digests[run_id], run_id=run_id) for run_id, at in given.items() if at is not None],
        ignore_conflicts=True,
    )
    used = dict(UsedNonce.objects.filter(digest__in=digests.values()).values_list("digest", "run_id"))
    return {
        run_id: Request(
            nonce=nonce,
            issued_at=given[run_id],
            used_by=str(other) if (other := used.get(digests[run_id], run_id)) != run_id else "",
        )
        for run_id, nonce in nonces.items()
    }
