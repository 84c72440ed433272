"""What the archive says of itself, and the way to its places."""

from __future__ import annotations

import pytest
from django.test import Client

from server.web.templating import NAVIGATION
from tests.support.sample_archive import sample_archive
from tests.web.test_pages import get, text_of

pytestmark = pytest.mark.django_db


def test_every_page_leads_to_every_place_and_marks_the_present_one(client: Client) -> None:
    page = get(client, "/about/")
    for place in NAVIGATION:
        assert f'<a href="{place.address}"' in page
    assert '<a href="/about/" aria-current="page">About</a>' in page
    assert page.count('aria-current="page"') == 1


def test_the_page_about_the_archive_names_its_documents(client: Client) -> None:
    sample_archive()
    words = text_of(get(client, "/about/"))
    assert "Sample Author (2000). A sample document ." in words
    assert "Where a number comes from is always said" in words


def test_the_datasets_page_gives_addresses_of_this_server(client: Client) -> None:
    page = get(client, "/datasets/")
    assert "http://testserver/api/v1/runs/RUN/envelope/" in page
    assert 'href="/api/v1/schema/"' in page


@pytest.mark.parametrize("address", ["/", "/drives/"])
def test_a_page_with_a_search_of_its_own_has_no_second_one(client: Client, address: str) -> None:
    assert get(client, address).count('role="search"') == 1


def test_other_pages_have_the_search_in_their_head(client: Client) -> None:
    page = get(client, "/methods/")
    assert page.index('role="search"') < page.index("<main")
