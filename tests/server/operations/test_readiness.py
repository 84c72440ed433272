"""`/healthz` asks the process alone, `/readyz` what it works with."""

from __future__ import annotations

import threading
import time

import pytest
from django.conf import LazySettings
from django.test import Client

from server.core.cache import cache_check
from server.core.envelope_store import storage_check
from server.operations import views
from server.operations.readiness import PARTS, Readiness


def away() -> None:
    raise ConnectionError("secret-host:5432 refused")


def asked(monkeypatch: pytest.MonkeyPatch, **parts: object) -> None:
    answers = {**dict.fromkeys(PARTS, lambda: None), **parts}
    monkeypatch.setattr(views, "readiness", Readiness(answers, timeout_s=1.0, keep_s=0.0))


def test_a_living_process_answers_without_a_database(client: Client) -> None:
    # No `django_db` mark: a query would fail the test.
    response = client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok\n")


def test_all_parts_that_answer_make_it_ready(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    asked(monkeypatch)
    response = client.get("/readyz")
    assert response.status_code == 200
    assert response.json() == {"ready": True, "parts": dict.fromkeys(PARTS, "ok")}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_is_away_is_named_and_no_address_with_it(
    client: Client, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    asked(monkeypatch, **{part: away})
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert response.json()["parts"][part] == "unreachable"
    assert list(response.json()["parts"].values()).count("ok") == len(PARTS) - 1
    assert b"secret-host" not in response.content


def test_a_part_that_hangs_costs_its_time_once_and_one_thread() -> None:
    released = threading.Event()
    asked = Readiness({"storage": lambda: bool(released.wait(30)) and None}, timeout_s=0.1, keep_s=0.0)
    before = threading.active_count()
    for _ in range(3):
        began = time.monotonic()
        assert asked.troubles() == {"storage": "no answer within 0.1 s"}
        assert time.monotonic() - began < 5
    assert threading.active_count() == before + 1
    released.set()
    deadline = time.monotonic() + 10
    while asked.troubles() != {"storage": ""}:
        assert time.monotonic() < deadline


def test_who_asks_often_is_answered_from_memory() -> None:
    times = []
    asked = Readiness({"cache": lambda: times.append(1)}, timeout_s=1.0, keep_s=60.0)
    assert asked.troubles() == asked.troubles() == {"cache": ""}
    assert len(times) == 1


@pytest.mark.django_db
def test_the_real_parts_answer_here(client: Client) -> None:
    for name in ("database", "cache", "storage"):
        PARTS[name]()


def test_a_folder_that_takes_no_file_or_is_full_is_not_ready(
    settings: LazySettings, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "envelopes": {
            "BACKEND": "server.core.envelope_store.WholeFileStorage",
            "OPTIONS": {"location": str(tmp_path)},
        },
    }
    storage_check()
    monkeypatch.setattr("server.core.envelope_store.SPARE_BYTES", 2**62)
    with pytest.raises(OSError, match="MiB are free"):
        storage_check()
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(PermissionError):
        storage_check()


def test_a_cache_that_refuses_is_not_ready(settings: LazySettings) -> None:
    settings.CACHES = {
        "default": {
            "BACKEND": "server.core.cache.FailOpenRedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        }
    }
    with pytest.raises(Exception, match="refused"):
        cache_check()
