"""API tokens: made once, shown once, kept as a digest."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db.models import Q

from server.accounts.models import ApiToken, User
from server.core import clock

PREFIX = "datk_"
"""Begins every token, so that scanners for leaked secrets can tell what it is."""
_SECRET_BYTES = 32
_SEEN_EVERY = timedelta(hours=1)


def api_token_create(*, owner: User, name: str, expires_at: datetime | None = None) -> tuple[ApiToken, str]:
    """Make a token; return its row and the secret, which is not kept and can't be shown again."""
    secret = PREFIX + secrets.token_urlsafe(_SECRET_BYTES)
    token = ApiToken.objects.create(
        owner=owner,
        name=name,
        digest=_digest(secret),
        hint=secret[: len(PREFIX) + 4],
        expires_at=expires_at,
    )
    return token, secret


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
