"""The one module through which everything is cached. It fails open: without Redis nothing is found and
nothing is kept, and whoever asked computes.

A Redis that is gone refuses at once, one that hangs costs `TIMEOUT_S`. After either a circuit breaker leaves
Redis alone for `OPEN_S`, then lets one call try: a hung Redis costs each process one such wait in that time,
and not one for each request.

What is rendered from several things is kept under tags that name them (`tagged_set`), and ends with
`cache_purge` of any of them, as a content delivery network does it with surrogate keys.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from hmac import compare_digest
from pickle import UnpicklingError
from typing import Any, TypeVar
from uuid import UUID

import structlog
from django.conf import settings
from django.core.cache import cache as cache
from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisCacheClient, RedisSerializer
from django.db import InterfaceError, OperationalError, transaction
from django.utils.functional import cached_property
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.retry import Retry

from server.core.circuit_breaker import CircuitBreaker
from server.core.replication import has_replica, primary_position

log = structlog.get_logger("diskatlas.cache")

TIMEOUT_S = 0.5
AWAY = (RedisError, OSError)
"""What a Redis that is gone, or hangs, raises."""
DAY_S = 24 * 3600
_UNREADABLE = (UnpicklingError, EOFError, AttributeError, ImportError, IndexError, TypeError)
"""What an entry raises that was written by a release with other classes."""
_COUNTED = "allauth:rl:"
"""Keys of the attempts to sign in, which each process bounds alone while Redis is away."""
T = TypeVar("T")


def redis_options() -> dict[str, Any]:
    """Return the options of every connection that a request may wait for."""
    # A connection that a restarted Redis has closed is opened anew; what hangs is not waited for twice.
    retry = Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,))
    return {"socket_timeout": TIMEOUT_S, "socket_connect_timeout": TIMEOUT_S, "retry": retry}


class SignedSerializer(RedisSerializer):
    """Pickles entries and signs them with the archive's secret: who writes to Redis runs nothing here."""

    _MARK_BYTES = 16

    def _mark(self, pickled: bytes) -> bytes:
        key = settings.SECRET_KEY.encode()[:64]
        return blake2b(pickled, key=key, digest_size=self._MARK_BYTES, person=b"diskatlas-cache").digest()

    def dumps(self, obj: Any) -> Any:
        """Return an entry's bytes; counts stay numbers, which Redis adds up."""
        if type(obj) is int:
            return obj
        pickled = super().dumps(obj)
        return pickled + self._mark(pickled)

    def loads(self, data: Any) -> Any:
        """Return what was kept; raises UnpicklingError for what the archive did not write."""
        if data.lstrip(b"-").isdigit():
            return int(data)
        pickled, mark = data[: -self._MARK_BYTES], data[-self._MARK_BYTES :]
        if not compare_digest(mark, self._mark(pickled)):
            raise UnpicklingError("not signed by this archive")
        return super().loads(pickled)


def _opened(error: Exception) -> None:
    log.warning("redis away; nothing is cached, each process limits alone", error=repr(error))


def _closed() -> None:
    """Purges may have been lost, by any process: what was kept before is let go."""
    log.warning("redis back")
    cache_purge(EVERYTHING)


breaker = CircuitBreaker(AWAY, opened=_opened, closed=_closed)


local_attempts = LocMemCache("sign-in", {})


class _KeptClient(RedisCacheClient):
    """Django's makes a client for each call, which takes longer than the call."""

    @cached_property
    def _kept(self) -> Any:
        return super().get_client(write=True)

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        """Return the one client of the one server; it is made for threads."""
        return self._kept


class FailOpenRedisCache(RedisCache):
    """Django's cache in Redis for everybody, libraries too: away, it is empty and takes nothing."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        params["OPTIONS"] = {
            **redis_options(),
            "serializer": SignedSerializer,
            **params.get("OPTIONS", {}),
        }
        super().__init__(server, params)
        self._class = _KeptClient

    def add(self, key: str, *args: Any, **more: Any) -> bool:
        """Return True where nothing can be added: a lock that cannot be taken must not stop anybody."""
        return bool(self._call("add", key, *args, away=True, **more))

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        """Return what was kept; an entry that this release cannot read is not there."""
        try:
            return self._call("get", key, default, version, away=default)
        except _UNREADABLE:
            return default

    def set(self, key: str, *args: Any, **more: Any) -> None:
        """Keep."""
        self._call("set", key, *args, away=None, **more)

    def delete(self, key: str, *args: Any, **more: Any) -> bool:
        """Let go."""
        return bool(self._call("delete", key, *args, away=False, **more))

    def incr(self, key: str, *args: Any, **more: Any) -> Any:
        """Return the sum; None where there is none."""
        return self._call("incr", key, *args, away=None, **more)

    def get_many(self, keys: Iterable[str], *args: Any, **more: Any) -> dict[str, Any]:
        """Return those that were kept."""
        try:
            found: dict[str, Any] = self._call("get_many", keys, *args, away={}, **more)
        except _UNREADABLE:
            found = {}
        return found

    def set_many(self, data: dict[str, Any], *args: Any, **more: Any) -> list[str]:
        """Keep several."""
        self._call("set_many", data, *args, away=None, **more)
        return []

    def _call(self, name: str, key: Any, *args: Any, away: Any, **more: Any) -> Any:
        def otherwise() -> Any:
            if isinstance(key, str) and key.startswith(_COUNTED):
                return getattr(local_attempts, name)(key, *args, **more)
            return away

        return breaker.call(lambda: getattr(RedisCache, name)(self, key, *args, **more), away=otherwise)


def cache_check() -> None:
    """Raise where the cache does not answer; whatever the circuit breaker knows."""
    backend = caches["default"]
    if isinstance(backend, FailOpenRedisCache):
        backend._cache.get_client().ping()


def cache_policy() -> str | None:
    """Return what the cache does when it is full (`maxmemory-policy`); None where it won't tell."""
    backend = caches["default"]
    if not isinstance(backend, FailOpenRedisCache):
        return None
    policy: str | None = backend._cache.get_client().info("memory").get("maxmemory_policy")
    return policy


def cached(key: str, compute: Callable[[], T], *, keep_s: int = DAY_S) -> T:
    """Return what is kept under `key`, or else compute and keep it. An empty key, and None, keep nothing."""
    found: T | None = cache.get(key) if key else None
    if found is None:
        found = compute()
        if key and found is not None:
            cache.set(key, found, keep_s)
    return found


EVERYTHING = "everything"
LISTS = "lists"
"""Counts, facets and orders of all models."""
RUNS = "runs"
"""Which runs were published last."""
_PURGES = "purges"
_POSITION = "purges:position"
_KEEP_PURGES_S = 7 * DAY_S
"""Longer than anything is kept under tags."""


def model_tag(drive_model_id: int) -> str:
    """Return the tag of what shows a drive model."""
    return f"model:{drive_model_id}"


def run_tag(run_id: UUID) -> str:
    """Return the tag of what shows a run."""
    return f"run:{run_id}"


def key_tag(probe_key_id: int) -> str:
    """Return the tag of what shows whose key signed it."""
    return f"key:{probe_key_id}"


def cache_purge(*tags: str) -> None:
    """Let go of all that is kept under any of these tags."""
    # The count starts at the clock: one that Redis lost must not start below what pages were kept with.
    cache.add(_PURGES, time.time_ns() // 1000, None)
    count = cache.incr(_PURGES)
    if count is not None:
        cache.set_many({f"tag:{tag}": count for tag in tags}, _KEEP_PURGES_S)
        if has_replica():
            _position_keep(count)


def _position_keep(count: int) -> None:
    """Note up to where a replica has to have replayed so that it has what this purge, and those before it,
    stand for. The position is asked for after the count is taken: purges before it were committed before."""
    with suppress(OperationalError, InterfaceError):
        cache.set(_POSITION, (count, primary_position()), _KEEP_PURGES_S)


def purged_up_to(purges: int) -> int:
    """Return a position of the primary's log that is not before any commit whose purge is among `purges`."""
    noted: tuple[int, int] | None = cache.get(_POSITION)
    if noted is not None and noted[0] == purges:
        return noted[1]
    # Nobody noted it, or another process is about to: at this moment all of them are committed.
    return primary_position()


def purge_on_commit(*tags: str) -> None:
    """Purge once the present transaction stands: until then everybody sees, and keeps, what was before."""
    transaction.on_commit(lambda: cache_purge(*tags))


@dataclass(frozen=True, slots=True)
class _Tagged:
    tags: tuple[str, ...]
    purges: int
    value: Any


def purges_before() -> int:
    """Return what to hand to `tagged_set`; called before anything is read that the value is made of."""
    count: int | None = cache.get(_PURGES)
    if count is None:
        cache.add(_PURGES, time.time_ns() // 1000, None)
        count = cache.get(_PURGES)
    return count or 0


def tagged_get(key: str) -> Any:
    """Return what is kept under a key, unless one of its tags was purged since."""
    found = cache.get(key)
    if not isinstance(found, _Tagged):
        return None
    purged = cache.get_many([f"tag:{tag}" for tag in found.tags])
    return found.value if all(count <= found.purges for count in purged.values()) else None


def tagged_set(key: str, value: Any, *, tags: Iterable[str], purges: int, keep_s: int) -> None:
    """Keep a value under a key and the tags of all that it shows."""
    if purges:
        cache.set(key, _Tagged((*sorted(tags), EVERYTHING), purges, value), min(keep_s, _KEEP_PURGES_S))
