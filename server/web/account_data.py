"""All that the archive keeps of an account, as one JSON document for whoever it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession

from server.accounts.models import ApiToken, KeyCommand, ProbeKey, Profile, User
from server.core import clock
from server.submissions.holder import submissions_of
from server.submissions.models import Appeal, CatalogueChange, Decision, Submission
from server.submissions.selectors import submission_run
from server.subscriptions.services import mail_follows_of, webhooks_of

_AT_ONCE = 200
"""Submissions that are read together."""


def account_export(*, user: User, site: str) -> Iterator[bytes]:
    """Give the document in pieces: it is as long as the account has runs. `site` begins all addresses.

    No secret is in it: of passwords, tokens and second factors the archive keeps what checks them alone.
    """
    parts: dict[str, Iterable[dict[str, Any]]] = {
        "mail_addresses": _rows(EmailAddress.objects.filter(user=user), "email", "verified", "primary"),
        "linked_accounts": _rows(
            SocialAccount.objects.filter(user=user), "provider", "uid", "date_joined", "extra_data"
        ),
        "second_factors": _rows(
            Authenticator.objects.filter(user=user), "type", "created_at", "last_used_at"
        ),
        "sessions": _rows(UserSession.objects.filter(user=user), "created_at", "ip", "user_agent"),
        "tokens": _rows(
            ApiToken.objects.filter(owner=user),
            *("name", "hint", "scopes", "created_at", "expires_at", "revoked_at", "seen_at"),
        ),
        "profile": _rows(Profile.objects.filter(user=user), "id", "name", "orcid"),
        "keys": _rows(
            ProbeKey.objects.filter(owner=user),
            *("keyid", "name", "status", "first_seen_at", "revoked_from"),
        ),
        "commands": _rows(KeyCommand.objects.filter(key__owner=user), "key__keyid", "action", "at"),
        "webhooks": _rows(webhooks_of(user), "drive_model__slug", "url", "state", "created_at"),
        "followed_by_mail": _rows(
            mail_follows_of(
                EmailAddress.objects.filter(user=user, verified=True).values_list("email", flat=True)
            ),
            *("drive_model__slug", "mail", "state", "simulated", "created_at"),
        ),
        "decisions": _rows(Decision.objects.filter(by=user), "submission", "verdict", "reason", "at"),
        "appeals": _rows(Appeal.objects.filter(by=user), "submission", "words", "at"),
        "changes_of_names": _rows(CatalogueChange.objects.filter(by=user), "action", "title", "reason", "at"),
        "runs": _runs(user, site),
    }
    account = {"user_name": user.username, "joined": user.date_joined, "last_sign_in": user.last_login}
    yield b'{"made_at":' + orjson.dumps(clock.now()) + b',"account":' + orjson.dumps(account)
    for name, rows in parts.items():
        yield b',"%s":[' % name.encode()
        for index, row in enumerate(rows):
            yield (b"," if index else b"") + orjson.dumps(row, default=str)
        yield b"]"
    yield b"}\n"


def _rows(found: Any, *fields: str) -> Iterable[dict[str, Any]]:
    rows: Iterable[dict[str, Any]] = found.order_by("pk").values(*fields)
    return rows


def _runs(user: User, site: str) -> Iterator[dict[str, Any]]:
    for submission in submissions_of(user.probe_keys.all()).iterator(chunk_size=_AT_ONCE):
        yield _run(submission, site)


def _run(submission: Submission, site: str) -> dict[str, Any]:
    run = submission_run(submission)
    return {
        "submission": submission.pk,
        "run": run.pk if run else None,
        "keyid": submission.probe_key.keyid,
        "state": submission.state,
        "received_at": submission.received_at,
        "published_at": submission.published_at,
        "drive": str(run.drive_model) if run else None,
        "license": run.license if run else None,
        "envelope": f"{site}/runs/{run.pk}/envelope.json" if run else None,
        "events": [
            {"at": event.at, "state": event.state, "reason": event.reason}
            for event in submission.events.all()
        ],
    }
