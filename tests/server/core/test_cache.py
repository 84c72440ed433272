"""Cache, limits and sign-in with a real Redis that is killed, or hangs: they fail open, and soon."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from django.conf import LazySettings
from django.core.cache import cache
from django.test import Client

from server.accounts.models import User
from server.core import circuit_breaker
from server.core.cache import (
    TIMEOUT_S,
    breaker,
    cache_purge,
    cached,
    model_tag,
    purges_before,
    tagged_get,
    tagged_set,
)
from server.core.rate_limit import rate_limit_hit
from tests.support.redis_server import RedisServer, redis_server

ENOUGH_S = 3.0
"""Room for a machine with other work."""


@pytest.fixture(autouse=True)
def redis(settings: LazySettings, tmp_path: Path) -> Iterator[RedisServer]:
    with redis_server(tmp_path) as server:
        settings.CACHES = {
            "default": {"BACKEND": "server.core.cache.FailOpenRedisCache", "LOCATION": server.url}
        }
        settings.RATE_LIMIT_REDIS_URL = server.url
        yield server


@pytest.fixture(params=["kill", "hang"])
def away(request: pytest.FixtureRequest, redis: RedisServer) -> str:
    """Take Redis away once it was used."""
    cache.set("kept", 1)
    assert cache.get("kept") == 1 and hit() == 1
    getattr(redis, request.param)()
    return str(request.param)


class Trap:
    """What a stranger with a hand on Redis would leave there: unpickling it would run something."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (sprung.append, ("ran",))


sprung: list[str] = []


def test_18_9_an_entry_that_the_archive_did_not_write_is_not_there_and_runs_nothing() -> None:
    cache.set("page", {"text": "own"})
    client = cache._cache.get_client(None, write=True)  # type: ignore[attr-defined]
    raw = client.get(cache.make_key("page"))
    for forged in (pickle.dumps(Trap()), pickle.dumps(Trap()) + raw[-16:], raw[:-1] + b"x", b"", b"x"):
        client.set(cache.make_key("page"), forged)
        assert cache.get("page") is None
        assert cache.get_many(["page"]) == {}
    assert sprung == []
    client.set(cache.make_key("page"), raw)
    assert cache.get("page") == {"text": "own"}


def come_back(redis: RedisServer, away: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have it answer again, and the breaker try."""
    redis.start() if away == "kill" else redis.go_on()
    monkeypatch.setattr(circuit_breaker, "OPEN_S", 0.0)
    breaker.failed(OSError("sample"))
    cache.get("anything")
    assert not breaker.open


def hit() -> int:
    return rate_limit_hit(policy="sample", client="one", quota=2, window_s=3600).used


def test_without_redis_nothing_is_found_and_all_calls_together_wait_once(away: str) -> None:
    began = time.monotonic()
    for number in range(200):
        assert cache.get("kept") is None
        assert cached(f"number:{number}", lambda: 7) == 7
        cache.set_many({"a": 1})
        assert cache.get_many(["a", "b"]) == {}
    assert time.monotonic() - began < TIMEOUT_S + ENOUGH_S


def test_without_redis_each_process_holds_the_limits(away: str) -> None:
    assert [hit() for _ in range(3)] == [1, 2, 3]


@pytest.mark.django_db
def test_without_redis_signing_in_works_and_its_attempts_are_bounded(away: str, client: Client) -> None:
    user = User.objects.create_user("reader", password="a sample password")
    answers = []
    for _attempt in range(7):
        form = {"login": "reader", "password": "a wrong one"}
        answers.append(client.post("/accounts/login/", form).content.decode())
    assert ["Too many failed login attempts" in answer for answer in answers] == [False] * 5 + [True] * 2
    other = User.objects.create_user("other", password="a sample password")
    EmailAddress.objects.create(user=other, email="other@example.org", verified=True, primary=True)
    assert (
        client.post("/accounts/login/", {"login": "other", "password": "a sample password"}).status_code
        == 302
    )
    assert client.session["_auth_user_id"] == str(other.pk) != str(user.pk)


def test_redis_is_used_again_and_what_was_kept_before_is_purged(
    redis: RedisServer, away: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tagged_set("lost", "never kept", tags=["lists"], purges=purges_before(), keep_s=60)
    come_back(redis, away, monkeypatch)
    tagged_set("page", "new", tags=["lists"], purges=purges_before(), keep_s=60)
    assert (tagged_get("lost"), tagged_get("page")) == (None, "new")


def test_a_purge_that_was_lost_leaves_nothing_old(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    tagged_set("page", "old", tags=[model_tag(1)], purges=purges_before(), keep_s=60)
    assert tagged_get("page") == "old"
    redis.hang()
    cache_purge(model_tag(1))
    come_back(redis, "hang", monkeypatch)
    assert tagged_get("page") is None


def test_an_entry_that_cannot_be_read_is_not_there() -> None:
    raw = cache._cache.get_client(None, write=True)  # type: ignore[attr-defined]
    raw.set(cache.make_key("strange"), b"\x80\x05cserver.gone\nThing\n.")
    assert cached("strange", lambda: 7) == 7
