"""Refusing uploads before a promise could not be kept."""

from __future__ import annotations

import time

from django.conf import settings

from server.core.lifecycle import ACTIVE_STATES
from server.core.problems import problem
from server.submissions.models import Submission

ROOM_KEEP_S = 2.0
OVERLOADED_RETRY_S = 60
_room_known = {"until": 0.0, "waiting": 0.0}


def room_check() -> None:
    """Raise Problem where so many wait that another promise would be kept late or never.

    The count is of rows, which are the truth, by the index of what is active; each process asks every
    `ROOM_KEEP_S` at most, so that some more than the limit may come in.
    """
    limit = settings.SUBMISSIONS_WAITING_MAX
    now = time.monotonic()
    if now >= _room_known["until"]:
        _room_known["waiting"] = Submission.objects.filter(state__in=ACTIVE_STATES)[:limit].count()
        _room_known["until"] = now + ROOM_KEEP_S
    if _room_known["waiting"] >= limit:
        raise problem(
            "overloaded",
            f"{limit} submissions wait to be processed, so that nothing was accepted. Keep the file and "
            f"submit it again in {OVERLOADED_RETRY_S} s.",
        ).with_header("Retry-After", str(OVERLOADED_RETRY_S))
