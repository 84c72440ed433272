"""The sign-in form in the site's words."""

from __future__ import annotations

from typing import Any

from allauth.account import forms


class LoginForm(forms.LoginForm):  # type: ignore[misc]  # allauth has no types
    """Asks for what people call it, and says what staying signed in means."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take what allauth's takes."""
        super().__init__(*args, **kwargs)
        login, password, remember = (self.fields[name] for name in ("login", "password", "remember"))
        login.label, remember.label = "Mail address or user name", "Stay signed in on this device"
        for field in (login, password):
            del field.widget.attrs["placeholder"]
