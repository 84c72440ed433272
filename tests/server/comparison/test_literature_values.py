"""Comparing what documents state: Maxtor, section 6, out of the catalogue."""

from __future__ import annotations

import re
from typing import Any

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
    words = "The curve of {} is 6.3 MB/s higher than that of {} on average over nine positions, between"
    assert f"{words.format('A', 'B')} 5.8 and 6.8 at 90 %" in text
    assert "published values" in text
    swapped = text_of(client, "/compare/?d=maxtor-6l040j2&d=maxtor-2f040l0&level=0.9")
    assert f"{words.format('B', 'A')} 5.8 and 6.8 at 90 %" in swapped


def test_any_level_between_the_limits_can_be_asked_for(client: Client) -> None:
    catalog_load()
    assert "at 77 %" in text_of(client, f"{MAXTOR}&level=0.77")


def test_a_drive_is_found_and_added_without_losing_the_state(client: Client) -> None:
    catalog_load()
    page = client.get("/compare/?d=maxtor-2f040l0&level=0.9&q=6L040").content.decode()
    found = re.findall(r'<a href="([^"]+)">Maxtor 6L040J2</a>', page)
    assert found == ["/compare/?d=maxtor-2f040l0&amp;d=maxtor-6l040j2&amp;level=0.9"]


API = "/api/v1/comparisons/?d=maxtor-2f040l0&d=maxtor-6l040j2"


def test_the_api_gives_maxtors_interval_in_full(client: Client) -> None:
    catalog_load()
    body: dict[str, Any] = client.get(f"{API}&level=0.9").json()
    assert [group["provenance"] for group in body["groups"]] == ["literature", "literature"]
    (curves,) = [one for one in body["curves"] if one["metric"] == "access.rate_at"]
    assert curves["places"] == ["2.75", "15.25", "27.75", "40.25", "52.75", "65.25", "77.75", "90.25", "100"]
    difference = curves["difference"]
    # The document cuts its figures off: 6.28 and 0.476.
    assert difference["value"] == pytest.approx(56.6 / 9)
    assert difference["high"] - difference["value"] == pytest.approx(0.4766, abs=5e-5)
    # One drive of each: an interval over places says nothing of other drives.
    assert (curves["interval_over"], curves["better"], curves["p"]) == ("places", None, None)


def test_numbers_of_documents_are_never_marked_in_the_table(client: Client) -> None:
    catalog_load()
    body: dict[str, Any] = client.get(API).json()
    assert body["tests"] == 0
    assert not any(cell["better_than"] for row in body["numbers"] for cell in row["groups"])


WRONG = {
    "d=maxtor-2f040l0": "2 to 8",
    "": "No group was given",
    "d=maxtor-2f040l0&d=maxtor-2f040l0": "given twice",
    "d=maxtor-2f040l0&d=none-such": "There is no model “none-such”",
    "d=maxtor-2f040l0&d=maxtor-6l040j2&level=7": "between 0.5 and 0.999",
    "d=maxtor-2f040l0&d=maxtor-6l040j2&kind=none": "There is no kind",
}


def test_the_api_answers_what_is_wrong_as_a_problem(client: Client) -> None:
    catalog_load()
    for query, said in WRONG.items():
        response = client.get(f"/api/v1/comparisons/?{query}")
        assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")
        assert said in response.json()["detail"]
