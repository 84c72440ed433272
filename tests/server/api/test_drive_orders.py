"""Drive models in the orders of the website's list: the same rows in the same order, page by page."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from server.api.resources.catalog import DrivesView
from server.catalog.models import DriveModel
from server.search.archive_counts import archive_counts_update
from server.search.columns import COLUMN_OF_KEY
from server.search.drive_list import DriveList, drive_query_of
from server.search.model_index import EVIDENCE, SORTS
from server.search.models import DriveSummary
from tests.support.derived_rows import derived_rows_refresh
from tests.support.sample_archive import DAY, drive_model_curated

pytestmark = pytest.mark.django_db
MODELS = 9


def fetch(client: Client, address: str, status: int = 200) -> Any:
    response = client.get(f"/api/v1/{address}")
    assert response.status_code == status, response.content
    return json.loads(response.content)


@pytest.fixture
def models() -> None:
    """Make models some of which are level in each value, and some of which have none."""
    for number in range(MODELS):
        made = drive_model_curated(
            vendor_name="Sampledata", model_name=f"Sample {number + 2}", simulated=False
        )
        DriveModel.objects.filter(pk=made.pk).update(curated=True)
        derived_rows_refresh(drive_model_id=made.pk)
        some = [round(1.1 * (number % 3) + 0.1, 3), 1.0, 2.0, 3, 2] if number % 4 else None
        held = {column.metric_scope: some for column in COLUMN_OF_KEY.values()} if some else {}
        DriveSummary.objects.filter(pk=made.pk).update(
            measured_runs=number % 3,
            units=number % 2,
            claims=5 - number % 4,
            last_published_at=DAY + timedelta(microseconds=number % 5) if number % 4 else None,
            headline={"probe": held, "simulated": {"zoned.outer_bandwidth|": [float(-number), 0, 0, 1, 1]}},
        )
    archive_counts_update()


def walked(client: Client, address: str, link: str = "next") -> list[str]:
    """Return a list's rows from an address on."""
    body, found = fetch(client, address), []
    while True:
        rows = [row["slug"] for row in body["results"]]
        found = found + rows if link == "next" else rows + found
        if body[link] is None:
            return found
        body = fetch(client, body[link].partition("/api/v1/")[2])


def website(sort: str, show: str = "probe") -> list[str]:
    query = drive_query_of(QueryDict(f"sort={sort}&show={show}"))
    return [row.drive_model.slug for row in DriveList(query).every()]


@pytest.mark.parametrize(
    "sort", ["evidence", "runs", "units", "claims", "latest", "outer", "seek", "write-off"]
)
@pytest.mark.parametrize("sign", ["", "-"])
def test_the_order_is_the_websites_page_by_page_there_and_back(
    client: Client, models: None, sort: str, sign: str
) -> None:
    expected = website(f"{sign}{sort}")
    assert walked(client, f"drives/?ordering={sign}{sort}&limit=2") == expected and len(expected) == MODELS
    body = fetch(client, f"drives/?ordering={sign}{sort}&limit=7")
    last = fetch(client, body["next"].partition("/api/v1/")[2])
    back = walked(client, last["previous"].partition("/api/v1/")[2], "previous")
    assert back + [row["slug"] for row in last["results"]] == expected


def test_names_stand_in_the_websites_order_too(client: Client, models: None) -> None:
    assert walked(client, "drives/?ordering=natural&limit=2") == website("name")
    assert walked(client, "drives/?ordering=-natural&limit=4") == website("-name")
    assert website("name") != walked(client, "drives/?ordering=name")  # 10 comes before 2 by letters


def test_every_column_of_the_website_is_an_order(client: Client, models: None) -> None:
    natural = {"natural", EVIDENCE} | set(SORTS) - {"name", "year", "capacity", "rpm"} | set(COLUMN_OF_KEY)
    assert natural == {name for name in DrivesView.more_orderings if not name.startswith("-")}
    for sort in COLUMN_OF_KEY:
        assert len(fetch(client, f"drives/?ordering=-{sort}")["results"]) == MODELS


def test_numbers_of_another_provenance_make_another_order(client: Client, models: None) -> None:
    simulated = walked(client, "drives/?ordering=outer&numbers=simulated&limit=4")
    assert simulated == website("outer", "simulated") != website("outer")
    body = fetch(client, "drives/?ordering=outer&limit=2")
    other = (
        body["next"].partition("/api/v1/")[2].replace("ordering=outer", "ordering=outer&numbers=simulated")
    )
    fetch(client, other, 404)
    fetch(client, "drives/?ordering=outer&numbers=guessed", 422)


@pytest.mark.parametrize("sort", ["-outer", "outer", "runs", "evidence", "natural", "-natural"])
def test_models_without_a_summary_come_last_and_once(client: Client, models: None, sort: str) -> None:
    bare = [
        drive_model_curated(vendor_name="Sampledata", model_name=f"Sample {number}", simulated=False)
        for number in (0, 1)
    ]
    DriveSummary.objects.filter(pk__in=bare).delete()
    rows = walked(client, f"drives/?ordering={sort}&limit=3")
    turned = sort == "-natural"
    assert rows[-2:] == [model.slug for model in (reversed(bare) if turned else bare)]
    assert rows[:-2] == website("-name" if turned else "name" if sort == "natural" else sort)
    page = fetch(client, f"drives/?ordering={sort}&limit={MODELS + 1}&expand=summary")
    assert [row["summary"] is None for row in page["results"]] == [False] * MODELS + [True]
    back = walked(
        client,
        fetch(client, page["next"].partition("/api/v1/")[2])["previous"].partition("/api/v1/")[2],
        "previous",
    )
    assert back == rows[:-1]


def test_the_websites_usual_order_is_an_order_of_the_api_whose_own_stays_by_name(
    client: Client, models: None
) -> None:
    usual = [row.drive_model.slug for row in DriveList(drive_query_of(QueryDict(""))).every()]
    assert walked(client, "drives/?ordering=evidence&limit=2") == usual != website("name")
    assert walked(client, "drives/") == walked(client, "drives/?ordering=name")


def test_what_the_order_goes_by_is_shown_when_asked_for(client: Client, models: None) -> None:
    rows = fetch(client, "drives/?ordering=-outer&expand=summary&fields=slug")["results"]
    medians = [row["summary"]["numbers"].get("probe", {}).get("outer", {}).get("median") for row in rows]
    told = [median for median in medians if median is not None]
    assert told == sorted(told, reverse=True) and medians[len(told) :] == [None] * (MODELS - len(told))
    assert rows[0]["summary"]["numbers"]["probe"]["outer"] == {
        "median": 2.3,
        "q1": 1.0,
        "q3": 2.0,
        "low": None,
        "high": None,
        "runs": 3,
        "units": 2,
    }
    assert "summary" not in fetch(client, "drives/")["results"][0]
    one = fetch(client, f"drives/{rows[0]['slug']}/?expand=summary")
    assert one["summary"] == rows[0]["summary"]
