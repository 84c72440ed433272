"""How often the API may be asked; who asks for more is answered with 429."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from server.core.rate_limit import (
    Budget,
    RateLimitState,
    budgets_spend,
    limit_client,
    rate_limit_hit,
    rate_read,
)


class RateLimitThrottle(BaseThrottle):
    """Refuses what is beyond a limit."""

    state: RateLimitState

    def hit(self, request: Request, view: Any) -> RateLimitState:
        raise NotImplementedError

    def allow_request(self, request: Request, view: Any) -> bool:
        self.state = self.hit(request, view)
        return not self.state.exceeded

    def wait(self) -> float:
        """Return the seconds until the window ends."""
        return float(self.state.reset_s)


class ReadThrottle(RateLimitThrottle):
    """Counts reads: by address, or by the account of a token, which may ask ten times as often; streams count
    apart. Who has fifty tokens, or makes new ones, asks no more often than with one."""

    def hit(self, request: Request, view: Any) -> RateLimitState:
        kind = "export" if view.exports(request) else "read"
        token = request.auth
        client = _reader(request)
        quota, window_s = settings.API_LIMITS[f"{kind}-by-token" if token is not None else kind]
        state = rate_limit_hit(policy=kind, client=client, quota=quota, window_s=window_s)
        request._request.rate_limit_state = state  # type: ignore[attr-defined]
        return state


def samples_spend(request: Request, samples: int) -> None:
    """Count samples that are given to somebody, by address or account; raises Throttled where they have had
    their share before these. What has begun is given to its end: the next request waits."""
    token = request.auth
    quota, window_s = settings.API_LIMITS["samples" if token is None else "samples-by-token"]
    [state] = budgets_spend([Budget("samples", _reader(request), quota)], samples, window_s=window_s)
    if samples == 0 and state.used >= quota:
        request._request.rate_limit_state = state  # type: ignore[attr-defined]
        raise Throttled(state.reset_s)


def _reader(request: Request) -> str:
    """Return whom reads count for."""
    token: Any = request.auth
    if token is not None:
        return f"account:{token.owner_id}"
    return f"address:{limit_client(request._request)}"


class SubmissionThrottle(RateLimitThrottle):
    """Counts uploads: by address, or by token, so that machines behind one address may have one each."""

    policy = "submission"

    def hit(self, request: Request, view: Any) -> RateLimitState:
        quota, window_s = rate_read(settings.SUBMISSION_RATE)
        client = f"token:{request.auth.pk}" if request.auth else limit_client(request._request)
        return rate_limit_hit(policy=self.policy, client=client, quota=quota, window_s=window_s)


class CommandThrottle(SubmissionThrottle):
    """Counts signed commands by address: as many as uploads, apart from them."""

    policy = "command"
