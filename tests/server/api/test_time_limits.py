"""Lists that the database would look through for too long: told with what helps, and nothing half given."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import OperationalError, connection
from django.db.models import Model
from django.test import Client

from server.api.framework import keyset
from server.api.framework.query_deadline import QueryTimeout
from server.api.framework.views import ListView
from server.api.resources.numbers import MeasurementsView
from server.api.urls import urlpatterns
from server.measurements.models import Measurement, Run
from tests.support.sample_archive import sample_archive

pytestmark = pytest.mark.django_db
LISTS: dict[str, Any] = {
    view.__name__: view
    for pattern in urlpatterns
    if isinstance(view := getattr(pattern.callback, "cls", None), type) and issubclass(view, ListView)
}


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Iterator[None]:
    """Make each row of the numbers take the database half a minute, and give it a tenth of a second."""
    sample_archive()
    rows = MeasurementsView.rows
    monkeypatch.setattr(
        MeasurementsView, "rows", lambda _view: rows().extra(where=["pg_sleep(30) IS NOT NULL"])
    )
    settings.API_PAGE_LIMIT_MS, settings.API_EXPORT_LIMIT_MS = 100, 200
    yield


def told(client: Client, address: str) -> Any:
    response = client.get(f"/api/v1/{address}")
    assert response.status_code == 422, response
    assert response.headers["Content-Type"] == "application/problem+json"
    found = json.loads(response.content)
    assert found["type"].endswith("/problems/takes-too-long/")
    return found["detail"]


def test_a_page_that_takes_too_long_is_told_with_the_limit_and_what_helps(client: Client, slow: None) -> None:
    assert told(client, "measurements/?value__gte=0") == (
        "The rows were looked for during 0.1 s, the limit, and not all found. Narrow the list by a filter "
        "that has an index: drive, run, drive_unit, metric. As .ndjson or .csv each piece may take 0.2 s."
    )


def test_a_stream_that_finds_nothing_in_its_longer_time_is_told_before_it_begins(
    client: Client, slow: None
) -> None:
    for form in ("csv", "ndjson"):
        words = told(client, f"measurements.{form}")
        assert words.startswith("The rows were looked for during 0.2 s") and "ndjson" not in words


def test_what_else_the_connection_does_afterwards_has_no_limit(
    client: Client, slow: None, settings: LazySettings, transactional_db: None
) -> None:
    told(client, "measurements/")
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)


def test_a_stream_that_has_begun_is_cut_and_never_ends_as_if_it_were_whole(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads it sees the answer break off: its end is not marked."""
    sample_archive()
    monkeypatch.setattr(keyset, "CHUNK_ROWS", 2)
    read, pages = keyset.page_read, []

    def third_is_slow(queryset: Any, **more: Any) -> Any:
        pages.append(more)
        if len(pages) == 3:
            raise QueryTimeout(200)
        return read(queryset, **more)

    monkeypatch.setattr(keyset, "page_read", third_is_slow)
    response: Any = client.get("/api/v1/measurements.ndjson")
    assert response.status_code == 200
    got: list[bytes] = []
    with pytest.raises(QueryTimeout):
        got.extend(response.streaming_content)
    assert len(b"".join(got).splitlines()) == 4


def test_a_database_that_fails_otherwise_is_no_matter_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("sample")

    monkeypatch.setattr("django.db.models.query.QuerySet.values_list", fail)
    ordering = MeasurementsView.orderings["id"]
    with pytest.raises(OperationalError):
        keyset.page_read(Measurement.objects.all(), columns=["pk"], ordering=ordering, cursor=None, limit=1)


def test_filters_that_are_recommended_exist_and_the_answer_is_described() -> None:
    assert "MeasurementsView" in LISTS
    for view in LISTS.values():
        known = set((getattr(view, "filterset_class", None) and view.filterset_class.base_filters) or ())
        assert set(view.indexed) <= known and 422 in view.more_problems


@pytest.mark.parametrize(
    ("model", "index", "columns"),
    [
        (Measurement, "measurement_by_value", ["metric", "value"]),
        (Run, "run_by_capacity", ["capacity_bytes"]),
        (Run, "run_by_block", ["block_bytes"]),
        (Run, "run_by_license", ["license"]),
    ],
)
def test_values_that_nothing_has_can_be_looked_for_by_an_index(
    model: type[Model], index: str, columns: list[str]
) -> None:
    """Whether the database takes it depends on how many rows there are: few tell nothing of that."""
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, model._meta.db_table)[index]
    assert found["index"] and found["columns"] == columns
