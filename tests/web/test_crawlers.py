"""What programs look for at fixed addresses, and in the heads of pages."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from urllib.robotparser import RobotFileParser
from xml.etree import ElementTree

import pytest
from django.conf import LazySettings
from django.test import Client

from server.core import clock
from server.core.lifecycle import State
from server.web.templating import NAVIGATION
from tests.support.sample_archive import SampleRun, sample_archive, sample_run

pytestmark = pytest.mark.django_db
MAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def locations(client: Client, address: str) -> list[str]:
    answer = client.get(address)
    assert answer.status_code == 200 and answer["Content-Type"].startswith("application/xml")
    found = ElementTree.fromstring(answer.content).iter(f"{MAP}loc")
    return [(one.text or "").removeprefix("http://testserver") for one in found]


def test_20_robots_may_read_drives_and_leave_accounts_alone(client: Client, settings: LazySettings) -> None:
    settings.SITE_URL = "https://archive.example"
    rules = RobotFileParser()
    rules.parse(client.get("/robots.txt").content.decode().splitlines())
    assert rules.can_fetch("any", "/drives/sample/") and rules.can_fetch("any", "/compare/?d=a")
    assert not rules.can_fetch("any", "/accounts/login/") and not rules.can_fetch("any", "/follow/stop/x/")
    assert rules.site_maps() == ["https://archive.example/sitemap.xml"]


def test_20_the_map_leads_to_every_public_drive_and_no_other(client: Client) -> None:
    model = sample_archive()
    hidden = sample_run(SampleRun(model="Hidden", state=State.QUARANTINED)).drive_model
    pages = [page for part in locations(client, "/sitemap.xml") for page in locations(client, part)]
    assert f"/drives/{model.slug}/" in pages and f"/drives/{hidden.slug}/" not in pages
    assert len(pages) == len(set(pages))
    assert [page for page in pages if client.get(page).status_code != 200] == []


def test_20_the_map_leads_to_every_page_of_the_navigation_and_the_foot(client: Client) -> None:
    pages = {page for part in locations(client, "/sitemap.xml") for page in locations(client, part)}
    foot = client.get("/").content.decode().partition('<footer class="foot">')[2]
    assert {item.address for item in NAVIGATION} <= pages
    assert set(re.findall(r'href="(/[^"]+)"', foot.partition("</footer>")[0])) - {"/accounts/"} <= pages


def test_20_a_hole_is_told_to_whom_the_operator_names(client: Client, settings: LazySettings) -> None:
    address = "/.well-known/security.txt"
    assert client.get(address).status_code == 404
    settings.SECURITY_CONTACT = "mailto:security@archive.example"
    text = client.get(address).content.decode()
    told = dict(line.split(": ", 1) for line in text.splitlines())
    assert told["Contact"] == "mailto:security@archive.example"
    expires = datetime.strptime(told["Expires"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert timedelta(days=30) < expires - clock.now() < timedelta(days=365)


def test_20_the_icon_is_found_without_reading_a_page(client: Client) -> None:
    assert re.fullmatch(r"/static/web/mark[.\w]*\.svg", client.get("/favicon.ico")["Location"])


def test_20_a_page_names_its_own_address_and_its_feed(client: Client, settings: LazySettings) -> None:
    settings.SITE_URL = "https://archive.example"
    slug = sample_archive().slug
    for asked, address in (
        ("/drives/?q=sample&sort=year", "/drives/"),
        (f"/drives/{slug}/", f"/drives/{slug}/"),
    ):
        page = client.get(asked).content.decode()
        assert re.findall(r'rel="canonical"\s+href="([^"]*)"', page) == [f"https://archive.example{address}"]
        assert '<link rel="alternate" type="application/atom+xml" title="Runs on DiskAtlas"' in page
    assert 'rel="canonical"' not in client.get("/nothing/").content.decode()
