"""System checks that need more than one setting, each with a hint that says what to do."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.http.request import validate_host

from server.transparency.cosignatures import NotCosigned, witness_read
from server.transparency.witness import logs_named

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


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
def check_witnesses(**_kwargs: Any) -> list[CheckMessage]:
    """A witness or log that is written wrong would be passed over in silence."""
    wrong = logs_named(settings.WITNESSED_LOGS)
    for entry in settings.LOG_WITNESSES:
        try:
            witness_read(entry)
        except NotCosigned as error:
            wrong.append(str(error))
    hint = (
        "`manage.py witness --show` prints the key of an archive's cosignatures, /api/v1/log/ that of a log."
    )
    return [Error(words, hint=hint, id="diskatlas.E015") for words in wrong]


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


@register()
def check_providers(**_kwargs: Any) -> list[CheckMessage]:
    """A provider that is configured by halves shows a button that fails."""
    halves = [
        name
        for name, provider in settings.SOCIALACCOUNT_PROVIDERS.items()
        for app in provider["APPS"]
        if not (
            app["client_id"] and app["secret"] and app.get("settings", {"server_url": "none"})["server_url"]
        )
    ]
    hint = "Set its ..._CLIENT_ID and ..._CLIENT_SECRET, and OIDC_ISSUER for openid_connect; or none of them."
    return [Error(f"Signing in by {name} lacks settings.", hint=hint, id="diskatlas.E014") for name in halves]


@register(deploy=True)
def check_subscriptions(**_kwargs: Any) -> list[CheckMessage]:
    """Messages to followers must not reach into the machine."""
    if not settings.FOLLOW_ALLOW_LOOPBACK:
        return []
    hint = "Unset FOLLOW_ALLOW_LOOPBACK: it is for tests on one machine."
    return [Error("Webhooks may point at this machine.", hint=hint, id="diskatlas.E005")]


@register(deploy=True)
def check_public_names(**_kwargs: Any) -> list[CheckMessage]:
    """What leaves the archive must name it, and not the machine that it runs on."""
    scheme = "https" if settings.HTTPS else "http"
    example = f"{scheme}://archive.example"
    site = urlsplit(settings.SITE_URL)
    messages: list[CheckMessage] = []
    if site.hostname in _LOOPBACK:
        hint = f"Set SITE_URL to the site's address, such as {example}."
        messages.append(Error("Links in mails lead to localhost.", hint=hint, id="diskatlas.E006"))
    elif settings.HTTPS and site.scheme != "https":
        hint = f"Set SITE_URL to https://{site.netloc}."
        messages.append(Error("HTTPS is on, links in mails do not use it.", hint=hint, id="diskatlas.E007"))
    elif not validate_host(site.hostname or "", settings.ALLOWED_HOSTS):
        hint = f"Add {site.hostname} to ALLOWED_HOSTS."
        messages.append(Error("The site does not answer to SITE_URL.", hint=hint, id="diskatlas.E008"))
    if settings.LOG_ORIGIN.partition("/")[0] in _LOOPBACK:
        hint = "Set LOG_ORIGIN once, such as archive.example/log: every signed head carries it."
        messages.append(Error("The publication log is named localhost.", hint=hint, id="diskatlas.E009"))
    if not settings.EMAIL_BACKEND.endswith("smtp.EmailBackend"):
        hint = "Set EMAIL_HOST, and EMAIL_HOST_USER and EMAIL_HOST_PASSWORD where it wants an account."
        messages.append(Warning("Mails are not sent but written down.", hint=hint, id="diskatlas.W003"))
    elif settings.DEFAULT_FROM_EMAIL.rstrip(">").rpartition("@")[2] in _LOOPBACK:
        hint = "Set EMAIL_FROM, such as DiskAtlas <archive@archive.example>."
        messages.append(Error("Mails come from localhost.", hint=hint, id="diskatlas.E010"))
    return messages


@register(deploy=True)
def check_proxy(**_kwargs: Any) -> list[CheckMessage]:
    """Behind a proxy that is not counted all share one limit; without one, anybody may name any address."""
    messages: list[CheckMessage] = []
    if settings.BEHIND_PROXY and not settings.NUM_PROXIES:
        hint = "Set NUM_PROXIES to the number of proxies in front, or leave it empty for one."
        messages.append(Error("All contributors share one rate limit.", hint=hint, id="diskatlas.E011"))
    if settings.NUM_PROXIES and not settings.BEHIND_PROXY:
        hint = "Set BEHIND_PROXY=1 where a proxy stands in front; else unset NUM_PROXIES."
        messages.append(Error("X-Forwarded-For is believed without a proxy.", hint=hint, id="diskatlas.E012"))
    if settings.HTTPS and not settings.BEHIND_PROXY:
        hint = "Put a proxy with TLS in front and set BEHIND_PROXY=1: the web server speaks no TLS itself."
        messages.append(
            Error("Every page redirects to an address nobody serves.", hint=hint, id="diskatlas.E013")
        )
    return messages


@register(deploy=True)
def check_https(**_kwargs: Any) -> list[CheckMessage]:
    """Sign-in cookies travel in the clear without HTTPS."""
    if settings.HTTPS:
        return []
    return [
        Warning("HTTPS is off.", hint="Set HTTPS=1 where the site is reached by https.", id="diskatlas.W002")
    ]
