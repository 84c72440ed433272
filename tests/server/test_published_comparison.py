"""Comparing what documents state: Maxtor, section 6, out of the catalogue."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from server.catalog.loading import catalog_load

pytestmark = pytest.mark.django_db
MAXTOR = "/compare/?d=maxtor-2f040l0&d=maxtor-6l040j2"


def text_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_maxtors_pair_gives_the_interval_of_the_document(client: Client) -> None:
    catalog_load()
    text = text_of(client, f"{MAXTOR}&level=0.9")
    assert "A is 6.3 MB/s higher than B on average over nine positions, between 5.8 and 6.8 at 90 %" in text
    assert "published values" in text
    swapped = text_of(client, "/compare/?d=maxtor-6l040j2&d=maxtor-2f040l0&level=0.9")
    assert (
        "B is 6.3 MB/s higher than A on average over nine positions, between 5.8 and 6.8 at 90 %" in swapped
    )


def test_any_level_between_the_limits_can_be_asked_for(client: Client) -> None:
    catalog_load()
    assert "at 77 %" in text_of(client, f"{MAXTOR}&level=0.77")


def test_a_drive_is_found_and_added_without_losing_the_state(client: Client) -> None:
    catalog_load()
    page = client.get("/compare/?d=maxtor-2f040l0&level=0.9&q=6L040").content.decode()
    found = re.findall(r'<a href="([^"]+)">Maxtor 6L040J2</a>', page)
    assert found == ["/compare/?d=maxtor-2f040l0&amp;d=maxtor-6l040j2&amp;level=0.9"]
