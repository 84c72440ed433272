"""Asking for a drive that nobody has measured here."""

from __future__ import annotations

import re

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import Permission
from django.test import Client

from server.accounts.models import User
from server.core.rate_limit import local_counts
from server.search.drive_requests import drive_request_add, drive_requests
from server.search.models import DriveRequest
from tests.support.sample_archive import drive_model_curated, sample_archive
from tests.web.test_pages import get, text_of

pytestmark = pytest.mark.django_db
ASK = "/drives/ask/"


@pytest.fixture(autouse=True)
def counted_alone(settings: LazySettings) -> None:
    settings.RATE_LIMIT_REDIS_URL = ""
    local_counts.reset()


def ask(client: Client, address: str = "203.0.113.1", **fields: str) -> int:
    return client.post(ASK, fields, REMOTE_ADDR=address).status_code


def names() -> dict[str, int]:
    return dict(DriveRequest.objects.values_list("name", "asked"))


def test_20_where_nothing_is_found_one_asks_and_it_counts(client: Client) -> None:
    page = get(client, "/drives/?q=WD101EFBX-99")
    [address] = re.findall(r'href="(/drives/ask/[^"]+)"', page)
    assert 'value="WD101EFBX-99"' in get(client, address)
    assert ask(client, q="wd101efbx-99") == 302
    assert ask(client, address="198.51.100.7", q="WD101EFBX-99") == 302
    assert names() == {"WD101EFBX-99": 2}
    assert "WD101EFBX-99 2 times" in text_of(get(client, ASK))


def test_20_one_network_counts_once_a_day(client: Client) -> None:
    assert [ask(client, f"203.0.113.{host}", q="ST4000DM000") for host in (1, 2, 2)] == [302] * 3
    assert names() == {"ST4000DM000": 1}


def test_20_a_network_that_asks_for_too_many_is_refused(client: Client, settings: LazySettings) -> None:
    settings.ASKS_PER_HOUR = 2
    assert [ask(client, q=f"ST{number}DM000") for number in (1000, 2000, 3000)] == [302, 302, 429]
    assert len(names()) == 2


def test_20_a_models_page_that_nobody_measured_asks_and_tells_how_many_did(client: Client) -> None:
    model = drive_model_curated(vendor_name="Sampledata", model_name="Lonely 1", simulated=False)
    address = f"/drives/{model.slug}/"
    assert f'href="{ASK}?drive={model.slug}"' in get(client, address)
    assert ask(client, drive=model.slug) == 302
    assert "Visitors asked for it 1 time." in text_of(get(client, address))
    assert f'href="{address}"' in get(client, ASK)


def test_20_a_measured_model_is_wanted_no_more(client: Client) -> None:
    model = sample_archive()
    drive_request_add(model=model)
    assert list(drive_requests(every_name=True)) == []


@pytest.mark.parametrize("text", ["", "no number", "<b>7200", "7" * 61, "mail me at a@b.example 1"])
def test_20_what_is_no_number_is_not_taken(client: Client, text: str) -> None:
    assert ask(client, q=text) == 400
    assert names() == {}


def test_20_words_that_read_like_no_makers_number_are_shown_to_moderators_alone(client: Client) -> None:
    assert ask(client, q="SOMEBODY 12") == 302
    assert "SOMEBODY 12" not in get(client, ASK)
    moderator = User.objects.create_user("sample-moderator")
    moderator.user_permissions.add(Permission.objects.get(codename="decide"))
    client.force_login(moderator)
    assert "SOMEBODY 12" in get(client, ASK)


def test_20_nothing_is_kept_of_who_asked() -> None:
    kept = {field.name for field in DriveRequest._meta.get_fields()}
    assert kept == {"id", "drive_model", "name", "known_form", "asked", "last_asked_on"}


def test_18_whoever_fills_the_list_drives_out_what_was_asked_for_once(
    client: Client, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One network filled it in a fortnight, and nothing new was counted for ever."""
    monkeypatch.setattr("server.search.drive_requests.NAMES_MOST", 3)
    settings.ASKS_PER_HOUR = 100
    for network in ("203.0.113.1", "198.51.100.1"):
        ask(client, network, q="ST4000DM000")
    for number in range(6):
        ask(client, "192.0.2.1", q=f"JUNK {number}")
    assert ask(client, "203.0.113.1", q="WD10EZEX") == 302
    assert names() == {"ST4000DM000": 2, "JUNK 5": 1, "WD10EZEX": 1}
    assert ask(client, "198.51.100.1", q="WD10EZEX") == 302
    assert names()["WD10EZEX"] == 2, "a name that is known takes nobody's place"
