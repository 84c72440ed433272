"""How often one may ask, said before it is reached.

Fields as in draft-ietf-httpapi-ratelimit-headers-10: `RateLimit-Policy` names quota and window, `RateLimit`
what is left of them. Windows are fixed: a counter in the cache for each client, policy and window.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import structlog
from django.conf import settings
from django.core.cache import cache
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from server.core import clock

log = structlog.get_logger("diskatlas.api")


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a client stands in its window."""

    policy: str
    quota: int
    window_s: int
    used: int
    reset_s: int

    def headers(self) -> dict[str, str]:
        """Return the fields that announce it."""
        left = max(0, self.quota - self.used)
        return {
            "RateLimit-Policy": f'"{self.policy}";q={self.quota};w={self.window_s}',
            "RateLimit": f'"{self.policy}";r={left};t={self.reset_s}',
        }


def standing_of(*, policy: str, client: str, quota: int, window_s: int) -> Standing:
    """Count one request and return where the client stands; a cache that fails counts nothing."""
    now = int(clock.now().timestamp())
    window, into = divmod(now, window_s)
    key = f"api-limit:{policy}:{client}:{window}"
    try:
        used = _counted(key, window_s + 5)
    except (RedisError, ValueError, OSError) as error:
        log.warning("requests are not counted", error=str(error))
        used = 1
    return Standing(policy, quota, window_s, used, window_s - into)


def _counted(key: str, keep_s: int) -> int:
    try:
        return int(cache.incr(key))
    except ValueError:  # the window's first request
        cache.add(key, 0, keep_s)
        return int(cache.incr(key))


class ReadThrottle(BaseThrottle):
    """Counts reads: by address, or by token, which may ask ten times as often; streams count apart."""

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count the request and note the standing on it for the answer's headers."""
        kind = "export" if view.streams(request) else "read"
        token = request.auth
        client = f"token:{token.pk}" if token is not None else f"address:{self.get_ident(request)}"
        quota, window_s = settings.API_LIMITS[f"{kind}-by-token" if token is not None else kind]
        self.standing = standing_of(policy=kind, client=client, quota=quota, window_s=window_s)
        request._request.rate_standing = self.standing  # type: ignore[attr-defined]
        return self.standing.used <= self.standing.quota

    def wait(self) -> float:
        """Return the seconds until the window ends."""
        return float(self.standing.reset_s)
