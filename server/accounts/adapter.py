"""What the accounts' pages ask the site."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest

from server.core.rate_limit import client_address, mail_allowed


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Counts attempts to sign in by the address that all limits count by, and mails by their recipient."""

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return whether visitors may make accounts."""
        return bool(settings.SIGN_UP)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail, unless its recipient got enough today. Who asked is not told which."""
        if mail_allowed(email):
            super().send_mail(template_prefix, email, context)
