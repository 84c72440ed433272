"""How often somebody may ask, said before it is reached: for reads, uploads and mails asked for.

Windows are fixed: `limits` counts for each policy, client and window, in Redis for all processes together.
While Redis is away (server/core/cache.py) each process counts alone: a client then has as much of each.
Attempts to sign in are counted by allauth and not here: it takes back those that succeeded, which `limits`
cannot, and keeps its counts in the same cache.
"""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest
from limits.storage import MemoryStorage, RedisStorage

from server.core import clock
from server.core.cache import breaker, redis_options

_UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
local_counts = MemoryStorage()
"""What this process counts alone."""


@dataclass(frozen=True, slots=True)
class RateLimitState:
    """Where a client stands in its window."""

    policy: str
    quota: int
    window_s: int
    used: int
    reset_s: int

    @property
    def exceeded(self) -> bool:
        """Whether the request that was counted is one too many."""
        return self.used > self.quota

    def headers(self) -> dict[str, str]:
        """Return the fields that announce it (draft-ietf-httpapi-ratelimit-headers-10)."""
        left = max(0, self.quota - self.used)
        return {
            "RateLimit-Policy": f'"{self.policy}";q={self.quota};w={self.window_s}',
            "RateLimit": f'"{self.policy}";r={left};t={self.reset_s}',
        }


def rate_limit_hit(*, policy: str, client: str, quota: int, window_s: int) -> RateLimitState:
    """Count one request and return where the client stands."""
    window, into = divmod(int(clock.now().timestamp()), window_s)
    key, keep_s = f"{policy}:{client}:{window}", window_s + 5
    url = settings.RATE_LIMIT_REDIS_URL
    used = (
        breaker.call(lambda: _shared(url).incr(key, keep_s), away=lambda: local_counts.incr(key, keep_s))
        if url
        else local_counts.incr(key, keep_s)
    )
    return RateLimitState(policy, quota, window_s, used, window_s - into)


@dataclass(frozen=True, slots=True)
class Budget:
    """What one client may use up within a window."""

    policy: str
    client: str
    quota: int


def budgets_spend(budgets: Sequence[Budget], amount: int, *, window_s: int) -> list[RateLimitState]:
    """Take an amount from several budgets in one go, and return where each stands."""
    window, into = divmod(int(clock.now().timestamp()), window_s)
    keys = [f"{one.policy}:{one.client}:{window}" for one in budgets]

    def alone() -> list[int]:
        return [local_counts.incr(key, window_s + 5, amount) for key in keys]

    def together() -> list[int]:
        storage = _shared(settings.RATE_LIMIT_REDIS_URL)
        with storage.storage.pipeline(transaction=False) as pipe:
            for key in map(storage.prefixed_key, keys):
                pipe.incrby(key, amount)
                pipe.expire(key, window_s + 5)
            return list(pipe.execute()[::2])

    used = breaker.call(together, away=alone) if settings.RATE_LIMIT_REDIS_URL else alone()
    return [
        RateLimitState(one.policy, one.quota, window_s, spent, window_s - into)
        for one, spent in zip(budgets, used, strict=True)
    ]


def address_block(address: str) -> str:
    """Return the network that one customer has: /24 of IPv4, /48 of IPv6 (RFC 6177)."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    found = getattr(found, "ipv4_mapped", None) or found
    return str(ipaddress.ip_network((found, 24 if found.version == 4 else 48), strict=False))


def rate_read(text: str) -> tuple[int, int]:
    """Return quota and seconds of a rate like `60/min`."""
    quota, _, unit = text.partition("/")
    return int(quota), _UNITS_S[unit.strip()[:1]]


def client_address(request: HttpRequest) -> str:
    """Return the address that a request came from, as the outermost of our own proxies tells it."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    proxies: int = settings.NUM_PROXIES
    address = forwarded[-min(proxies, len(forwarded))].strip() if proxies else ""
    return address or str(request.META.get("REMOTE_ADDR", ""))


def limit_client(request: HttpRequest) -> str:
    """Return what limits count a request by: its address, and of IPv6 the /64 that one line has to itself
    (RFC 6177), whose addresses anybody changes at will."""
    address = client_address(request)
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))


def mail_allowed(address: str) -> bool:
    """Count a mail that somebody asked for to be sent to an address, and return whether it may go.

    The budget is the recipient's, whoever asks and for what: nobody fills a stranger's mailbox from here.
    """
    name, _, domain = address.strip().lower().rpartition("@")
    mailbox = f"{name.partition('+')[0]}@{domain}"  # RFC 5233: what follows the + is the same mailbox.
    client = hashlib.sha256(mailbox.encode()).hexdigest()[:32]
    quota = settings.MAILS_PER_RECIPIENT_PER_DAY
    return not rate_limit_hit(policy="mail-to", client=client, quota=quota, window_s=86_400).exceeded


@lru_cache(maxsize=1)
def _shared(url: str) -> RedisStorage:
    return RedisStorage(url, key_prefix="diskatlas-limit", **redis_options())
