"""How many rows a list has: told where it costs nothing, counted where that was asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from server.api.framework import views
from server.catalog.models import DriveModel
from server.search.archive_counts import archive_counts_update
from tests.support.sample_archive import drive_model_curated

pytestmark = pytest.mark.django_db


def fetch(client: Client, address: str, status: int = 200) -> Any:
    response = client.get(address)
    assert response.status_code == status, response.content
    return json.loads(response.content)


@pytest.fixture(autouse=True)
def models() -> None:
    for number in range(5):
        drive_model_curated(vendor_name="Sampledata", model_name=f"Sample {number}")
    DriveModel.objects.update(curated=True)
    archive_counts_update()


def counts(queries: CaptureQueriesContext) -> int:
    return sum("COUNT(*)" in query["sql"] for query in queries)


def test_a_list_of_one_page_says_its_total_without_counting(client: Client) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert fetch(client, "/api/v1/drives/")["total"] == 5
        assert fetch(client, "/api/v1/drives/?number__icontains=sample 3")["total"] == 1
    assert counts(queries) == 0
    assert fetch(client, "/api/v1/methods/")["total"] == len(fetch(client, "/api/v1/methods/")["results"])


@pytest.mark.parametrize("ordering", ["name", "evidence"])
def test_more_pages_are_counted_on_the_first_one_where_that_is_asked_for(
    client: Client, ordering: str
) -> None:
    address = f"/api/v1/drives/?limit=2&ordering={ordering}"
    with CaptureQueriesContext(connection) as queries:
        assert fetch(client, address)["total"] is None
    assert counts(queries) == 0
    first = fetch(client, f"{address}&total=true")
    assert first["total"] == 5 and len(first["results"]) == 2
    with CaptureQueriesContext(connection) as queries:
        assert fetch(client, first["next"])["total"] is None
    assert counts(queries) == 0
    assert fetch(client, f"{address}&total=yes", 422)["errors"][0]["path"] == "?total"


def test_what_is_not_counted_in_time_is_null_and_the_page_is_there(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = views.QueryDeadline._check

    def slow(self: views.QueryDeadline, limit_ms: int) -> None:
        if limit_ms == views.COUNT_LIMIT_MS:
            raise views.QueryTimeout(limit_ms)
        usual(self, limit_ms)

    monkeypatch.setattr(views.QueryDeadline, "_check", slow)
    page = fetch(client, "/api/v1/drives/?limit=2&total=true")
    assert page["total"] is None and len(page["results"]) == 2
