"""System checks that need more than one setting, each with a hint that says what to do."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register


@register()
def check_secret_key(**_kwargs: Any) -> list[CheckMessage]:
    """A short secret can be guessed."""
    if len(settings.SECRET_KEY) >= 32:
        return []
    hint = "Make one with `python3 -c 'import secrets; print(secrets.token_urlsafe(50))'`."
    return [Error("SECRET_KEY has fewer than 32 characters.", hint=hint, id="diskatlas.E001")]


@register()
def check_hosts(**_kwargs: Any) -> list[CheckMessage]:
    """A wildcard host lets forged Host headers into the absolute addresses that the API returns."""
    if "*" not in settings.ALLOWED_HOSTS:
        return []
    hint = "Set ALLOWED_HOSTS to the names the site is reached by, separated by commas."
    return [Error("ALLOWED_HOSTS contains *.", hint=hint, id="diskatlas.E002")]


@register()
def check_envelope_folder(**_kwargs: Any) -> list[CheckMessage]:
    """Where the folder of the envelopes cannot be written, every submission would fail."""
    location = settings.STORAGES["envelopes"].get("OPTIONS", {}).get("location")
    if not location:
        return []
    folder = Path(location)
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
        return []
    hint = (
        f"Make {location} writable for the account that runs the server, or set ENVELOPES_DIR or S3_BUCKET."
    )
    return [Error(f"Envelopes cannot be stored below {folder}.", hint=hint, id="diskatlas.E003")]


@register()
def check_limits(**_kwargs: Any) -> list[CheckMessage]:
    """The bound after decompression must not be below the bound on the wire."""
    messages: list[CheckMessage] = []
    if settings.SUBMISSION_MAX_BYTES < settings.SUBMISSION_MAX_WIRE_BYTES:
        hint = "Raise SUBMISSION_MAX_BYTES to at least SUBMISSION_MAX_WIRE_BYTES."
        messages.append(
            Error("SUBMISSION_MAX_BYTES is below SUBMISSION_MAX_WIRE_BYTES.", hint=hint, id="diskatlas.E004")
        )
    if settings.PIPELINE_VISIBILITY_TIMEOUT_S < settings.PIPELINE_TASK_TIME_LIMIT_S:
        hint = "Raise PIPELINE_VISIBILITY_TIMEOUT_S above PIPELINE_TASK_TIME_LIMIT_S."
        messages.append(
            Warning(
                "A task may run longer than its message stays hidden, so that long tasks run twice.",
                hint=hint,
                id="diskatlas.W001",
            )
        )
    return messages


@register(deploy=True)
def check_subscriptions(**_kwargs: Any) -> list[CheckMessage]:
    """Messages to followers must not reach into the machine, and their links must lead to it."""
    messages: list[CheckMessage] = []
    if settings.FOLLOW_ALLOW_LOOPBACK:
        hint = "Unset FOLLOW_ALLOW_LOOPBACK: it is for tests on one machine."
        messages.append(Error("Webhooks may point at this machine.", hint=hint, id="diskatlas.E005"))
    if settings.SITE_URL.startswith("http://localhost"):
        hint = "Set SITE_URL to the site's address, such as https://archive.example."
        messages.append(Warning("Links in mails lead to localhost.", hint=hint, id="diskatlas.W003"))
    return messages


@register(deploy=True)
def check_https(**_kwargs: Any) -> list[CheckMessage]:
    """Sign-in cookies travel in the clear without HTTPS."""
    if settings.HTTPS:
        return []
    return [
        Warning("HTTPS is off.", hint="Set HTTPS=1 where the site is reached by https.", id="diskatlas.W002")
    ]
