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
from server.search.columns import COLUMNS
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


def figure_address() -> str:
    run = sample_run()
    return f"/runs/{run.run_id}/charts/zoned/profile.svg"


@pytest.mark.parametrize("junk", ["?&&&&", "?size=wide", "?size=narrow&size=wide", "?junk=1&&size=broad"])
def test_18_8_a_picture_is_drawn_once_whatever_is_written_behind_its_address(
    client: Client, settings: LazySettings, junk: str
) -> None:
    settings.PAGE_CACHE_S = 60
    address = figure_address()
    plain = client.get(address)
    kept = len(cache._cache)  # type: ignore[attr-defined]
    assert client.get(f"{address}{junk}").content == plain.content
    assert len(cache._cache) == kept  # type: ignore[attr-defined]


def test_18_8_a_picture_has_no_views_but_those_of_its_chart(client: Client) -> None:
    address = figure_address()
    for form in ("svg", "png", "bib", "csl.json"):
        asked = f"{address.removesuffix('svg')}{form}?view=junk"
        assert client.get(asked).status_code == 404, asked


@pytest.mark.parametrize(
    "headers",
    [{"Cookie": "theme=junk"}, {"Host": "TestServer"}, {"X-Part": "1"}],
    ids=["a theme that there is not", "the host in capitals", "a header that the view does not read"],
)
def test_18_8_what_does_not_shape_a_page_keeps_no_copy_of_it(
    client: Client, settings: LazySettings, headers: dict[str, str]
) -> None:
    settings.PAGE_CACHE_S = 60
    settings.ALLOWED_HOSTS = ["testserver"]
    plain = client.get("/claims/")
    kept = len(cache._cache)  # type: ignore[attr-defined]
    assert client.get("/claims/", headers=headers).content == plain.content
    assert len(cache._cache) == kept  # type: ignore[attr-defined]


def test_18_8_the_order_of_parameters_keeps_no_second_copy(client: Client, settings: LazySettings) -> None:
    settings.PAGE_CACHE_S = 60
    client.get("/claims/?sort=model&page=1")
    kept = len(cache._cache)  # type: ignore[attr-defined]
    client.get("/claims/?page=1&sort=model")
    assert len(cache._cache) == kept  # type: ignore[attr-defined]


def test_18_8_the_explorer_keeps_nothing_for_numbers_that_nothing_has(
    client: Client, settings: LazySettings
) -> None:
    settings.PAGE_CACHE_S = 60
    client.get("/explore/")
    kept = len(cache._cache)  # type: ignore[attr-defined]
    for scope in ("Buy+these", "\u202ebuy", "x" * 100):
        key = f"{COLUMNS[0].metric}|{scope}"
        page = client.get("/explore/", {"x": key})
        assert page.status_code == 200 and "\u202e" not in page.content.decode()
        assert "\u202e" not in client.get("/explore/explore.svg", {"x": key}).content.decode()
    for junk in ("?x=junk", "?rpm=-1", "?rpm=nan", "?vendor=%00", "?vendor=" + "a" * 300, "?by=junk"):
        client.get(f"/explore/{junk}")
    assert len(cache._cache) == kept  # type: ignore[attr-defined]


@pytest.mark.parametrize("forwarded", [True, False])
def test_18_8_one_line_of_ipv6_is_one_client_however_many_addresses_it_has(
    client: Client, settings: LazySettings, forwarded: bool
) -> None:
    settings.PAGE_READS_PER_MINUTE = 3
    settings.NUM_PROXIES = int(forwarded)

    def asked(address: str) -> int:
        if forwarded:
            return client.get("/about/", headers={"X-Forwarded-For": address}).status_code
        return client.get("/about/", REMOTE_ADDR=address).status_code

    line = [f"2001:db8:1:2::{host:x}" for host in range(1, 6)]
    assert [asked(address) for address in line] == [200, 200, 200, 429, 429]
    assert asked("2001:db8:1:3::1") == 200
    mapped = ["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201", "192.0.2.1"]
    assert [asked(address) for address in mapped] == [200, 200, 200, 429]


@pytest.mark.parametrize("host", ["testserver:8001", "testserver:65535", "testserver.", "any.sample.example"])
def test_18_a_name_that_is_not_the_sites_own_keeps_no_copy_of_a_page(
    client: Client, settings: LazySettings, host: str
) -> None:
    """Each of 65,535 ports was a copy of every page, and a way around the one that is kept."""
    settings.PAGE_CACHE_S = 60
    settings.ALLOWED_HOSTS = ["testserver", ".sample.example"]
    slug = sample_run().drive_model.slug
    for page in ("/claims/", f"/drives/{slug}/", f"/drives/{slug}/badge.svg"):
        assert client.get(page).status_code == 200
        kept = len(cache._cache)  # type: ignore[attr-defined]
        assert client.get(page, headers={"Host": host}).status_code == 200
        assert len(cache._cache) == kept, page  # type: ignore[attr-defined]


@pytest.mark.parametrize("host", ["testserver", "TESTSERVER:80", "archive.example:8443"])
def test_18_under_its_own_names_a_page_is_kept(client: Client, settings: LazySettings, host: str) -> None:
    settings.PAGE_CACHE_S = 60
    settings.ALLOWED_HOSTS = ["testserver", "archive.example"]
    settings.SITE_URL = "https://archive.example:8443"
    assert client.get("/claims/", headers={"Host": host}).status_code == 200
    assert any("page:" in key for key in cache._cache)  # type: ignore[attr-defined]
