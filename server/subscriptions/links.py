"""Signed links of mails: whoever holds one may confirm or end that one follow, without an account."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.core import signing
from django.urls import reverse

from server.subscriptions.models import Follow

_CONFIRM = "follows.confirm"
_STOP = "follows.stop"


def confirm_url(follow: Follow) -> str:
    """Return the address that confirms a follow."""
    return _url("follow-confirm", _CONFIRM, follow)


def stop_url(follow: Follow) -> str:
    """Return the address that ends a follow."""
    return _url("follow-stop", _STOP, follow)


def confirm_read(token: str) -> UUID | None:
    """Return the follow that a link may confirm; None where nobody here signed it."""
    return _read(_CONFIRM, token)


def stop_read(token: str) -> UUID | None:
    """Return the follow that a link may end; None where nobody here signed it."""
    return _read(_STOP, token)


def _url(name: str, salt: str, follow: Follow) -> str:
    token = signing.Signer(salt=salt, sep=".").sign(follow.pk.hex)
    return f"{settings.SITE_URL}{reverse(name, args=[token])}"


def _read(salt: str, token: str) -> UUID | None:
    try:
        return UUID(signing.Signer(salt=salt, sep=".").unsign(token))
    except (signing.BadSignature, ValueError):
        return None
