"""People whose accounts are guarded as the site wants it."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret

from server.accounts.models import User


def second_factor(user: User) -> Authenticator:
    """Give an account an authenticator app, without which those who moderate or administer get nowhere."""
    return TOTP.activate(user, generate_totp_secret()).instance
