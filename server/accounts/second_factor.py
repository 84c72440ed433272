"""Who needs a second factor, and what happens once there is one."""

from __future__ import annotations

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session

from server.accounts.models import User
from server.core import clock

FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
"""What counts as one; recovery codes only stand in for it."""


def second_factor_needed(user: User) -> bool:
    """Return whether an account may do more than what is its own: moderate, or administer."""
    return user.is_staff or user.is_superuser or user.groups.exists() or user.user_permissions.exists()


def second_factor_due(user: User) -> bool:
    """Return whether an account needs a second factor and has none."""
    return second_factor_needed(user) and not factors_of(user).exists()


def factors_of(user: User) -> Any:
    """Return an account's second factors."""
    return Authenticator.objects.filter(user=user, type__in=FACTORS)


def other_sessions_end(*, user: User, session_key: str | None) -> None:
    """End an account's sessions but one: they began without what the account is guarded by since."""
    for session in UserSession.objects.filter(user=user).exclude(session_key=session_key):
        session.end()


def sessions_forget() -> int:
    """Forget sessions that have expired, and from where they were opened; return how many."""
    SessionStore.clear_expired()
    live = Session.objects.filter(expire_date__gt=clock.now()).values("session_key")
    return int(UserSession.objects.exclude(session_key__in=live).delete()[0])
