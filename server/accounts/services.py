"""Writing accounts and keys."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from server.accounts.models import ApiToken, KeyLogin, ProbeKey, User, scopes_usual
from server.core import clock
from server.core.envelope import ALGORITHM, Envelope
from server.core.problems import ErrorItem, problem


def probe_key_for(envelope: Envelope, known: ProbeKey | None) -> ProbeKey:
    """Return the key to check the envelope with, which is the known one of its keyid or not yet written;
    raises Problem where there is none or it is revoked."""
    if known is not None:
        return not_revoked(known)
    if envelope.public_key is not None:
        return ProbeKey(keyid=envelope.keyid, public_key=envelope.public_key, algorithm=ALGORITHM)
    raise problem(
        "unknown-key",
        "The envelope brings no public key, and the archive does not know its keyid. Add public_key "
        "to the signature, "
        "as the probe does.",
        ErrorItem("/signatures/0", "public_key is needed for a key that is new here"),
    )


def not_revoked(key: ProbeKey) -> ProbeKey:
    """Return the key; raises Problem where its holder gave it up."""
    if key.status != ProbeKey.Status.REVOKED:
        return key
    raise problem(
        "revoked-key",
        "The key that signed this was revoked by its holder. Make a new one with `diskatlas key new "
        "--force`: it signs from then on.",
        ErrorItem("/signatures/0/keyid", "is revoked"),
    )


def probe_key_register(key: ProbeKey) -> ProbeKey:
    """Return the row of a key whose signature was found right; a new one is unclaimed."""
    if not key._state.adding:
        return key
    found, _created = ProbeKey.objects.get_or_create(
        keyid=key.keyid, defaults={"public_key": key.public_key, "algorithm": key.algorithm}
    )
    return found


@transaction.atomic
def probe_key_revoke(*, key: ProbeKey, since: datetime) -> ProbeKey:
    """Refuse what a key signs from now on, and mark what came in since then; an earlier date holds. What the
    key asked for and waits for an account to approve is refused too."""
    locked = ProbeKey.objects.select_for_update(no_key=True).get(pk=key.pk)
    KeyLogin.objects.filter(key=locked, state=KeyLogin.State.PENDING).update(state=KeyLogin.State.DENIED)
    if locked.revoked_from is None or since < locked.revoked_from:
        locked.status, locked.revoked_from = ProbeKey.Status.REVOKED, since
        locked.save(update_fields=["status", "revoked_from"])
    return locked


# ---- API tokens: made once, shown once, kept as a digest.

PREFIX = "datk_"
"""Begins every token, so that scanners for leaked secrets can tell what it is."""
_SECRET_BYTES = 32
MOST_TOKENS = 50
_SEEN_EVERY = timedelta(hours=1)


class TooManyTokens(Exception):
    """An account has as many tokens as it may."""


def api_token_create(
    *, owner: User, name: str, scopes: Sequence[str] | None = None, expires_at: datetime | None = None
) -> tuple[ApiToken, str]:
    """Make a token; return its row and the secret, which is not kept and can't be shown again.

    Raises TooManyTokens."""
    if api_tokens_in_use(owner=owner).count() >= MOST_TOKENS:
        raise TooManyTokens(f"The account has {MOST_TOKENS} tokens in use, the limit. End one first.")
    secret = PREFIX + secrets.token_urlsafe(_SECRET_BYTES)
    token = ApiToken.objects.create(
        owner=owner,
        name=name,
        digest=_digest(secret),
        hint=secret[: len(PREFIX) + 4],
        scopes=sorted(set(scopes)) if scopes else scopes_usual(),
        expires_at=expires_at,
    )
    return token, secret


def api_tokens_in_use(*, owner: User) -> QuerySet[ApiToken]:
    """Return the account's tokens that are taken now, the latest first."""
    lasting = Q(expires_at__isnull=True) | Q(expires_at__gt=clock.now())
    return ApiToken.objects.filter(lasting, owner=owner, revoked_at__isnull=True)


def api_token_find(*, secret: str) -> ApiToken | None:
    """Return the token of a secret, or None where there is none, or it is revoked, expired or its account
    closed.

    The secret is 256 random bits: a plain SHA-256 of it can't be turned back, and needs no salt.
    """
    if not secret.startswith(PREFIX) or len(secret) > 100:
        return None
    now = clock.now()
    token = (
        ApiToken.objects.select_related("owner")
        .filter(Q(expires_at__isnull=True) | Q(expires_at__gt=now), digest=_digest(secret))
        .filter(revoked_at__isnull=True, owner__is_active=True)
        .first()
    )
    if token is not None and (token.seen_at is None or now - token.seen_at > _SEEN_EVERY):
        ApiToken.objects.filter(pk=token.pk).update(seen_at=now)
    return token


def api_token_revoke(*, token: ApiToken) -> None:
    """End a token; ending it again changes nothing."""
    ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=clock.now())


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
