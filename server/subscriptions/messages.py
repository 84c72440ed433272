"""What a message says: its body as JSON, and the mail that is made of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse

from server.catalog.models import DriveModel
from server.measurements.models import Run
from server.subscriptions.events import details_of
from server.subscriptions.models import ArchiveEvent, Delivery, Subscription

# ---- Signed links of mails: whoever holds one may confirm or end that one follow, without an account.

_CONFIRM = "follows.confirm"
_STOP = "follows.stop"


def confirm_url(follow: Subscription) -> str:
    """Return the address that confirms a follow."""
    return _url("follow-confirm", _CONFIRM, follow)


def stop_url(follow: Subscription) -> str:
    """Return the address that ends a follow."""
    return _url("follow-stop", _STOP, follow)


def confirm_read(token: str) -> UUID | None:
    """Return the follow that a link may confirm; None where nobody here signed it."""
    return _read(_CONFIRM, token)


def stop_read(token: str) -> UUID | None:
    """Return the follow that a link may end; None where nobody here signed it."""
    return _read(_STOP, token)


def _url(name: str, salt: str, follow: Subscription) -> str:
    token = signing.Signer(salt=salt, sep=".").sign(follow.pk.hex)
    return f"{settings.SITE_URL}{reverse(name, args=[token])}"


def _read(salt: str, token: str) -> UUID | None:
    try:
        return UUID(signing.Signer(salt=salt, sep=".").unsign(token))
    except (signing.BadSignature, ValueError):
        return None


MOST_LISTED = 100
"""Runs or events that a message lists; it says how many there are, and where the others stand."""
TYPES = {
    Delivery.Kind.RUNS: "runs.published",
    Delivery.Kind.EVENTS: "archive.events",
    Delivery.Kind.TEST: "follow.test",
    Delivery.Kind.CONFIRMATION: "follow.confirmation",
}
_SUBJECTS = {
    Delivery.Kind.RUNS: "{count} new {runs} of a model that you follow",
    Delivery.Kind.CONFIRMATION: "Confirm that you follow a model",
    Delivery.Kind.TEST: "Test",
}
"""Without a model's name: contributors write it."""


def body_text(*, kind: Delivery.Kind, model: DriveModel, runs: Sequence[Run], at: datetime) -> str:
    """Return the body of a message about a model; `runs` are those it tells of, the oldest first."""
    data: dict[str, Any] = {
        "drive": {
            "slug": model.slug,
            "title": model.title,
            "url": _page("drive-detail", model.slug),
            "api_url": _page("api:drive", model.slug),
        },
        "count": len(runs),
        "runs": [_run(run) for run in runs[:MOST_LISTED]],
        "all_url": _all_url(model, runs),
    }
    return _message(kind, data, at)


def events_text(
    events: Sequence[ArchiveEvent],
    *,
    count: int,
    after: int,
    at: datetime,
    kind: Delivery.Kind = Delivery.Kind.EVENTS,
) -> str:
    """Return the body of a message about the archive: the first of `count` events behind number `after`."""
    data: dict[str, Any] = {
        "drive": None,
        "count": count,
        "events": [event_data(event) for event in events],
        "all_url": f"{_page('api:events')}?after={after}",
    }
    return _message(kind, data, at)


def event_data(event: ArchiveEvent) -> dict[str, Any]:
    """Return an event as a message tells it."""
    return {
        "id": event.number,
        "type": event.kind,
        "at": instant_text(event.at),
        "run_id": str(event.run_id) if event.run_id else None,
        "claim_id": event.claim_id,
        "release": event.release,
        **details_of(event)._asdict(),
    }


def _message(kind: Delivery.Kind, data: dict[str, Any], at: datetime) -> str:
    return json.dumps({"type": TYPES[kind], "timestamp": instant_text(at), "data": data}, ensure_ascii=False)


def _run(run: Run) -> dict[str, Any]:
    published = run.submission.published_at
    return {
        "id": str(run.pk),
        "provenance": run.provenance,
        "published_at": instant_text(published) if published else None,
        "url": _page("run-detail", run.pk),
        "api_url": _page("api:run", run.pk),
    }


def _all_url(model: DriveModel, runs: Sequence[Run]) -> str:
    """Return where the runs stand as a list: from the first one's publication on."""
    address = f"{_page('api:runs')}?drive={model.slug}"
    first = runs[0].submission.published_at if runs else None
    return f"{address}&published_at__gte={instant_text(first)}" if first else address


def mail_of(delivery: Delivery) -> EmailMessage:
    """Return the mail of a message, with the header by which mail programs end a follow (RFC 2369, 8058)."""
    follow = delivery.follow
    message = json.loads(delivery.body)["data"]
    confirming = delivery.kind == Delivery.Kind.CONFIRMATION
    context = {
        "follow": follow,
        "message": message,
        "more": message["count"] - len(message["runs"]),
        "confirm_url": confirm_url(follow),
        "stop_url": stop_url(follow),
        "hours": settings.FOLLOW_CONFIRM_HOURS,
    }
    count = message["count"]
    subject = _SUBJECTS[Delivery.Kind(delivery.kind)].format(
        count=count, runs="run" if count == 1 else "runs"
    )
    text = render_to_string("subscriptions/confirm.txt" if confirming else "subscriptions/runs.txt", context)
    host = settings.SITE_URL.partition("://")[2].partition("/")[0].partition(":")[0] or "localhost"
    headers = {"Message-ID": f"<{delivery.pk.hex}@{host}>", "Auto-Submitted": "auto-generated"}
    if not confirming:
        headers["List-Unsubscribe"] = f"<{stop_url(follow)}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        headers["List-Id"] = f"<{message['drive']['slug']}.follows.{host}>"
    return EmailMessage(" ".join(subject.split()), text, to=[follow.mail], headers=headers)


def instant_text(at: datetime) -> str:
    """Return an instant as messages write it: RFC 3339 in UTC."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _page(name: str, *args: object) -> str:
    return f"{settings.SITE_URL}{reverse(name, args=args)}"
