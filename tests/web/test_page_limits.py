"""Point 8 of what attackers found: pages are bounded as the API is, and junk in an address keeps nothing."""

from __future__ import annotations

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client, RequestFactory
from psycopg.errors import QueryCanceled

from server.config import gunicorn
from server.config.availability import AvailabilityMiddleware
from server.config.env import database_from_url
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = pytest.mark.django_db


def test_18_8_one_address_reads_only_so_many_pages(client: Client, settings: LazySettings) -> None:
    settings.PAGE_READS_PER_MINUTE = 3
    settings.NUM_PROXIES = 1
    here, there = {"X-Forwarded-For": "203.0.113.1"}, {"X-Forwarded-For": "203.0.113.2"}
    codes = [client.get("/about/", headers=here).status_code for _ in range(5)]
    assert codes == [200, 200, 200, 429, 429]
    refused = client.get("/drives/", headers=here)
    assert refused.status_code == 429 and 0 < int(refused.headers["Retry-After"]) <= 60
    assert "more than 3 pages within a minute" in refused.content.decode()
    for uncounted_before in ("/accounts/login/", "/admin/login/"):
        assert client.get(uncounted_before, headers=here).status_code == 429
    assert client.get("/about/", headers=there).status_code == 200
    assert client.get("/api/v1/drives/", headers=here).status_code == 200  # Counted by itself.
    assert client.get("/health/", headers=here).status_code == 200


@pytest.mark.parametrize(
    "address", ["/", "/drives/", "/claims/", "/compare/", "/drives/columns/", "/drives/suggest/"]
)
def test_18_8_junk_behind_an_address_keeps_nothing(
    client: Client, settings: LazySettings, address: str
) -> None:
    settings.PAGE_CACHE_S = 60
    run = sample_run(SampleRun())
    for page in (address, f"/drives/{run.drive_model.slug}/", f"/runs/{run.pk}/"):
        plain = client.get(page)
        kept = len(cache._cache)  # type: ignore[attr-defined]
        for junk in range(5):
            assert client.get(f"{page}?junk{junk}={junk}&utm_source=x").content == plain.content
        assert len(cache._cache) == kept, page  # type: ignore[attr-defined]


def test_18_8_the_web_server_bounds_every_statement() -> None:
    assert "DATABASE_STATEMENT_TIMEOUT_MS=15000" in gunicorn.raw_env
    entry = database_from_url("postgresql://user@127.0.0.1/name", statement_timeout_ms=15_000)
    assert "-c statement_timeout=15000" in entry["OPTIONS"]["options"]


def test_18_8_a_page_that_takes_the_database_too_long_says_so() -> None:
    given_up = OperationalError("canceling statement due to statement timeout")
    given_up.__cause__ = QueryCanceled()
    middleware = AvailabilityMiddleware(lambda _request: HttpResponse())
    answer = middleware.process_exception(RequestFactory().get("/drives/"), given_up)
    assert isinstance(answer, HttpResponse) and answer.status_code == 503
    assert "took the database too long" in answer.content.decode()
