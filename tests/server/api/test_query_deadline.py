"""Look-ups that the database would work on for too long: ended, told, and nothing of it left behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import OperationalError, connection, transaction
from django.test import Client

from server.api.framework import query_deadline
from server.api.framework.query_deadline import QueryDeadline, QueryTimeout
from server.api.framework.read_view import ReadView
from server.api.keys import CommandView
from server.api.resources import catalog
from server.api.urls import urlpatterns
from server.catalog.models import Vendor
from tests.support.sample_units import measured

UNBOUNDED = {"submissions", "log-add-checkpoint", "schema", ""}
"""Addresses that list no rows: one takes submissions, one the heads of logs that are witnessed, one is the
OpenAPI document, one is every other."""


def asked(query: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchone()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """Give a clock that is put forward by hand."""
    now = [100.0]
    monkeypatch.setattr(query_deadline.time, "monotonic", lambda: now[0])
    yield now


def test_every_address_that_reads_is_bounded() -> None:
    views = {pattern.name or "": getattr(pattern.callback, "cls", None) for pattern in urlpatterns}
    assert len(views) > 40
    bounded = {
        name
        for name, view in views.items()
        if isinstance(view, type) and issubclass(view, (ReadView, CommandView))
    }
    assert set(views) - bounded == UNBOUNDED


@pytest.mark.django_db(transaction=True)
def test_a_look_up_that_takes_too_long_is_told_with_the_limit_and_a_remedy(
    client: Client, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    slug = measured(1, 100.0).drive_model.slug
    every = catalog.drive_models_all
    monkeypatch.setattr(
        catalog, "drive_models_all", lambda: every().extra(where=["pg_sleep(0.5) IS NOT NULL"])
    )
    settings.API_PAGE_LIMIT_MS = 100
    response = client.get(f"/api/v1/drives/{slug}/")
    assert response.status_code == 503 and response.headers["Retry-After"] == "30"
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["RateLimit-Policy"].startswith('"read"')
    told = json.loads(response.content)
    assert told["type"].endswith("/problems/unavailable/")
    assert told["detail"].startswith("The database looked for this answer for 0.1 s, the limit")
    assert "ask again after 30 s" in told["detail"]
    assert asked("SHOW statement_timeout") == ("0",)
    assert client.get("/api/v1/vendors/").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_nothing_is_fetched_after_the_time_of_a_cursor_that_took_too_long(
    client: Client, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    """A cursor that outlives its transaction is filled whole as it is made, which no limit ends."""
    slug = measured(1, 100.0).drive_model.slug
    every = catalog.drive_models_all

    class Fetched:
        def filter(self, *visible: Any, **key: Any) -> Any:
            rows = every().filter(*visible, **key).extra(where=["pg_sleep(0.5) IS NOT NULL"])
            return next(rows.iterator(chunk_size=1))

    monkeypatch.setattr(catalog, "drive_models_all", Fetched)
    settings.API_PAGE_LIMIT_MS = 100
    response = client.get(f"/api/v1/drives/{slug}/")
    assert response.status_code == 503
    assert "looked for this answer for 0.1 s" in json.loads(response.content)["detail"]


@pytest.mark.django_db
def test_no_query_begins_after_the_time(clock: list[float]) -> None:
    with pytest.raises(QueryTimeout) as raised, QueryDeadline(5000):
        assert asked("SELECT 1") == (1,)
        clock[0] += 4.9
        assert asked("SELECT 2") == (2,)
        clock[0] += 0.2
        asked("SELECT 3")
    assert raised.value.limit_ms == 5000
    assert asked("SELECT 4") == (4,)


@pytest.mark.django_db
def test_what_was_begun_is_undone_also_after_the_time(clock: list[float]) -> None:
    with QueryDeadline(5000), pytest.raises(QueryTimeout), transaction.atomic():
        Vendor.objects.create(name="Sample", slug="sample")
        clock[0] += 6
        asked("SELECT 1")
    assert not Vendor.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_limit_ends_with_the_answer(clock: list[float]) -> None:
    with QueryDeadline(5000):
        assert asked("SHOW statement_timeout") == ("5s",)
    assert asked("SHOW statement_timeout") == ("0",)
    clock[0] += 100
    with QueryDeadline() as bound:
        assert asked("SHOW statement_timeout") == ("0",)
        bound.limit_ms = 7000
        assert asked("SHOW statement_timeout") == ("7s",)


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_broke_meanwhile_is_closed_and_hides_no_error(clock: list[float]) -> None:
    with pytest.raises(OperationalError), QueryDeadline(5000):
        asked("SELECT pg_terminate_backend(pg_backend_pid())")
    assert asked("SHOW statement_timeout") == ("0",)


@pytest.mark.django_db
def test_lines_may_be_looked_for_as_long_as_exports(
    client: Client, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    seen: list[tuple[str, int | None]] = []
    check = QueryDeadline._check

    def noted(bound: QueryDeadline, limit_ms: int) -> None:
        seen.append((path, limit_ms))
        check(bound, limit_ms)

    monkeypatch.setattr(QueryDeadline, "_check", noted)
    settings.API_PAGE_LIMIT_MS, settings.API_EXPORT_LIMIT_MS = 1_000, 9_000
    for path in ("drives/", "drives.csv", "log/leaves.ndjson", "wanted.csv"):
        response: Any = client.get(f"/api/v1/{path}")
        assert response.status_code == 200
        if response.streaming:
            list(response.streaming_content)
    assert set(seen) == {
        ("drives/", 1_000),
        ("drives.csv", 9_000),
        ("log/leaves.ndjson", 9_000),
        ("wanted.csv", 1_000),
    }
