"""The website's list, its suggestions and the API are asked the same: same models, order and counts."""

from __future__ import annotations

import json
import re
from itertools import product
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client

from server.catalog.loading import catalog_load
from server.catalog.models import DriveModel
from server.catalog.services import drive_model_resolve
from server.search.archive_counts import archive_counts_update
from server.search.model_index import model_index
from server.search.models import DriveSummary
from server.search.text_search import models_find
from tests.support.sample_archive import drive_model_curated

pytestmark = pytest.mark.django_db
OUTER = "zoned.outer_bandwidth|"


@pytest.fixture(autouse=True)
def models() -> None:
    """Fill the catalogue, with models beside that are level in their numbers, and one that no list shows."""
    cache.clear()
    catalog_load()
    for number in range(60):
        drive_model_curated(vendor_name="Sampledata", model_name=f"SD{number * 37}NM", simulated=False)
    DriveModel.objects.filter(number__startswith="SD").update(curated=True, rated_rpm=7200)
    drive_model_resolve(vendor_name="Sampledata", model_name="SD9999 unlisted", simulated=False)
    call_command("refresh_summaries")
    for index, row in enumerate(DriveSummary.objects.filter(sort_name__startswith="sampledata")):
        held = {OUTER: [float(index % 7), 0, 9, 2, 1]} if index % 5 else {}
        DriveSummary.objects.filter(pk=row.pk).update(headline={"probe": held}, measured_runs=index % 3)
    archive_counts_update()


def api(client: Client, address: str) -> Any:
    response = client.get(address)
    assert response.status_code == 200, response.content
    return json.loads(response.content)


def api_models(client: Client, query: str) -> list[str]:
    found, address = [], f"/api/v1/drives/?limit=7&fields=slug{query}"
    while address:
        body = api(client, address)
        found += [row["slug"] for row in body["results"]]
        address = body["next"]
    return found


def page_models(client: Client, query: str) -> list[str]:
    found: list[str] = []
    for number in range(1, 9):
        page = client.get(f"/drives/?{query}&page={number}").content.decode()
        slugs = list(dict.fromkeys(re.findall(r'name="d" value="([^"]+)"', page)))
        if f"Page {number} of" not in page and number > 1:
            break
        found += slugs
        if f"Page {number} of" not in page:
            break
    return list(dict.fromkeys(found))


def alike(text: str) -> set[str]:
    """Models that are only spelled like the text: the website puts them behind others, the API leaves them
    out there, as its rows have an order of their own."""
    index = model_index()
    found = models_find(index, text)
    places = found.fuzzy if found.literal else ()
    rows = DriveModel.objects.filter(pk__in=[index.models[place] for place in places])
    return set(rows.values_list("slug", flat=True))


def test_a_query_finds_the_same_models_in_the_same_order(client: Client) -> None:
    texts, orders = (
        ("", "sampledata", "sd 37", "ST2000NM", "samsng hd103", "zzqqxx"),
        ("name", "outer", "runs"),
    )
    for text, order, sign in product(texts, orders, ("", "-")):
        shown = page_models(client, f"q={text}&sort={sign}{order}")
        asked = f"&q={text}" if text else ""
        given = api_models(client, f"{asked}&ordering={sign}{order.replace('name', 'natural')}")
        assert "sampledata-sd9999-unlisted" not in given
        assert given == [slug for slug in shown if slug not in alike(text)], (text, order, sign)
        assert (len(shown) > 0) == (text != "zzqqxx")


def test_counts_are_the_number_of_models_listed(client: Client) -> None:
    for query in ("", "q=sampledata", "q=sampledata&rpm=7200", "rpm=7200&interface=~"):
        counted = api(client, f"/api/v1/facets/?{query}")
        assert counted["total"] == len(page_models(client, query)) > 50
    counted = api(client, "/api/v1/facets/?q=s")
    for facet in counted["facets"]:
        for value in facet["values"][:2]:
            narrowed = page_models(client, f"q=s&{facet['key']}={value['value']}")
            assert len(narrowed) == value["count"], (facet["key"], value["value"])


def test_suggestions_begin_as_the_list_by_the_best_match_does(client: Client) -> None:
    for text in ("sd37", "hd103", "samsng hd103", "st2000"):
        offered = [
            one["url"].split("/")[2]
            for one in api(client, f"/drives/suggest/?q={text}")["suggestions"]
            if one["kind"] == "drive"
        ]
        assert offered and offered == page_models(client, f"q={text}")[: len(offered)]
