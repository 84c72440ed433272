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
from server.core.rate_limit import Budget, RateLimitState, address_block, budgets_spend
from server.submissions.models import Submission

log = structlog.get_logger("diskatlas.intake")

BACKLOG_KEEP_S = 2.0
OVERLOADED_RETRY_S = 60
STORAGE_RETRY_S = 120
_backlog = {"until": 0.0, "waiting": 0.0}


def backlog_check() -> None:
    """Raise Problem where so many wait that another promise would be kept late or never.

    The count is of rows, which are the truth, by the index of what is active; each process asks every
    `BACKLOG_KEEP_S` at most, so that some more than the limit may come in.
    """
    limit = settings.SUBMISSIONS_WAITING_MAX
    now = time.monotonic()
    if now >= _backlog["until"]:
        _backlog["waiting"] = Submission.objects.filter(state__in=ACTIVE_STATES)[:limit].count()
        _backlog["until"] = now + BACKLOG_KEEP_S
    if _backlog["waiting"] >= limit:
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


# ---- What one sender may use up in a day.

_DAY_S = 86_400
_BUDGETS = {"key": "with one key", "block": "from one network", "all": "in all"}


def storage_spend(size_bytes: int, keyid: str, address: str) -> None:
    """Count what is about to be stored, for the key where it is one sender's, the network it comes from and
    the archive; raises Problem where a day's amount is used up."""
    clients = {"block": address_block(address), "all": ""}
    if keyid:
        clients = {"key": keyid, **clients}
    budgets = [
        Budget(f"stored-{name}", client, settings.SUBMISSION_MIB_PER_DAY[name] * 1024**2)
        for name, client in clients.items()
    ]
    for name, state in zip(clients, budgets_spend(budgets, size_bytes, window_s=_DAY_S), strict=True):
        if state.exceeded:
            raise problem(
                "too-many-requests",
                f"{state.used} bytes were sent {_BUDGETS[name]} today; the limit is {state.quota} a day "
                f"(UTC). Keep the file and submit it again in {state.reset_s} s.",
            ).with_header("Retry-After", str(state.reset_s))


def useless_check(address: str) -> None:
    """Raise Problem where a network has had so many large uploads read today for nothing that no more of its
    are: each takes seconds, and a few kilobytes hold one."""
    state = useless_spend(0, address)
    if state.used >= state.quota:
        raise problem(
            "too-many-requests",
            f"{state.used} bytes of large uploads from your network were refused or known already today; the "
            f"limit is {state.quota} a day (UTC). Keep the file and submit it again in {state.reset_s} s.",
        ).with_header("Retry-After", str(state.reset_s))


def useless_spend(size_bytes: int, address: str) -> RateLimitState:
    """Count bytes that were read and not kept as a new run, for the network that they came from."""
    quota = settings.SUBMISSION_MIB_PER_DAY["block"] * 1024**2
    budget = Budget("useless-block", address_block(address), quota)
    return budgets_spend([budget], size_bytes, window_s=_DAY_S)[0]
