"""What the accounts do when others act."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "server.accounts"

    def ready(self) -> None:
        from allauth.mfa.signals import authenticator_added

        authenticator_added.connect(_factor_added, dispatch_uid="accounts-factor-added")


def _factor_added(request: Any, user: Any, **_kwargs: Any) -> None:
    from server.accounts.second_factor import other_sessions_end

    other_sessions_end(user=user, session_key=request.session.session_key)
