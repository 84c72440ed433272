"""What the accounts' pages ask the site."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest

from server.core.rate_limit import client_address


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Counts attempts to sign in by the address that all limits count by."""

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address of who asks."""
        return client_address(request)
