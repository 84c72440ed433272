"""What the accounts' pages ask the site."""

from __future__ import annotations

import base64
import secrets
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.core.mail import EmailMessage
from django.http import HttpRequest
from django.urls import reverse
from django.utils.encoding import force_bytes

from server.accounts.mails import MAILS, NOTICES
from server.accounts.models import User
from server.accounts.second_factor import factors_of, second_factor_needed
from server.core import clock
from server.core.rate_limit import client_address, mail_allowed


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Counts attempts to sign in by the address that all limits count by, and mails by their recipient."""

    _counted = True

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return whether visitors may make accounts."""
        return bool(settings.SIGN_UP)

    def populate_username(self, request: HttpRequest, user: User) -> None:
        """Give an account a name that says nothing: mails to any address may carry it."""
        user.username = f"member-{secrets.token_hex(6)}"

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        """Return the link of a mail: under the site's own name, whatever name the request asked for."""
        return self._at_site("account_confirm_email", emailconfirmation.key)

    def get_reset_password_from_key_url(self, key: str) -> str:
        """Return the link of a mail, likewise."""
        return self._at_site("account_reset_password_from_key", *key.split("-", 1))

    def _at_site(self, name: str, *parts: str) -> str:
        return f"{settings.SITE_URL}{reverse(name, args=parts)}"

    def render_mail(
        self,
        template_prefix: str,
        email: str | list[str],
        context: dict[str, Any],
        headers: dict[str, str] | None = None,
    ) -> EmailMessage:
        """Return a mail in the site's words."""
        mail, at = (MAILS | NOTICES)[template_prefix], clock.now()
        given = {"forgotten_url": self._at_site("account_reset_password"), "at": f"{at:%Y-%m-%d %H:%M}"}
        text = mail.text.format_map({**context, **given, "site": settings.SITE_URL})
        return EmailMessage(mail.subject, text, None, [email] if isinstance(email, str) else email)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail, unless its recipient got enough today. Who asked is not told which."""
        if not self._counted or mail_allowed(email):
            super().send_mail(template_prefix, email, context)

    def send_notification_mail(
        self,
        template_prefix: str,
        user: User,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Tell somebody what was changed about the account. Only who is signed in causes it, so that no
        budget, which others could use up, keeps it back."""
        self._counted = False
        try:
            super().send_notification_mail(template_prefix, user, context, email)
        finally:
            self._counted = True


class ProviderAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Takes of another site's account whose it is and a mail address, and nothing else."""

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: dict[str, Any]) -> User:
        sociallogin.account.extra_data = {}
        found: User = super().populate_user(request, sociallogin, {"email": data.get("email")})
        return found


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """Keeps the secrets of second factors encrypted, and the last one of whoever needs one."""

    def encrypt(self, text: str) -> str:
        return _secrets().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return a secret; one of a SECRET_KEY that is gone is as good as lost, and no code fits it."""
        try:
            return _secrets().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            return base64.b32encode(secrets.token_bytes(20)).decode()

    def can_delete_authenticator(self, authenticator: Any) -> bool:
        """Return whether what is left is enough: who moderates or administers keeps a second factor."""
        others = factors_of(authenticator.user).exclude(pk=authenticator.pk)
        return not second_factor_needed(authenticator.user) or others.exists()

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        return {**super().get_public_key_credential_rp_entity(), "name": "DiskAtlas"}


def _secrets() -> MultiFernet:
    """Return what encrypts with a key of SECRET_KEY, and decrypts with those of former ones too."""
    return MultiFernet(
        [Fernet(_derived(key)) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    )


def _derived(key: Any) -> bytes:
    made = HKDF(SHA256(), 32, salt=None, info=b"diskatlas second factors").derive(force_bytes(key))
    return base64.urlsafe_b64encode(made)
