"""Refusing uploads before a promise could not be kept."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import structlog
from django.conf import settings

from server.core.envelope_store import envelope_kept
from server.core.lifecycle import ACTIVE_STATES
from server.core.problems import problem
from server.submissions.models import Submission

log = structlog.get_logger("diskatlas.intake")

ROOM_KEEP_S = 2.0
OVERLOADED_RETRY_S = 60
STORAGE_RETRY_S = 120
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


@contextmanager
def envelope_received(digest: str) -> Iterator[None]:
    """Keep the envelope of that digest for the block, which stores it and writes its row; raises Problem
    where the storage is away."""
    with ExitStack() as stack:
        with storage_failures_logged(digest):
            stack.enter_context(envelope_kept(digest=digest))
        yield


@contextmanager
def storage_failures_logged(digest: str) -> Iterator[None]:
    """Raise Problem where the block finds the storage full or away: nothing was accepted then."""
    try:
        yield
    except OSError as error:
        log.error("envelope not stored", digest=digest, exc_info=error)
        raise problem(
            "storage-unavailable",
            "The archive cannot store the envelope at the moment, so that nothing was accepted. "
            "Keep the file and submit it again in a few minutes.",
        ).with_header("Retry-After", str(STORAGE_RETRY_S)) from error
