"""The explorer: a number of every model against another."""

from __future__ import annotations

import csv
import io
from xml.etree import ElementTree

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.test import Client

from server.catalog.models import DriveModel
from server.search.columns import COLUMNS
from server.search.models import DriveSummary
from server.search.summaries import summary_update
from tests.support.sample_archive import sample_aggregate, sample_archive

pytestmark = pytest.mark.django_db
COLUMN = COLUMNS[0]


@pytest.fixture
def model() -> DriveModel:
    found = sample_archive()
    DriveModel.objects.filter(pk=found.pk).update(capacity_bytes=100_000_000_000, year=2014)
    found.aggregates.filter(metric=COLUMN.metric, scope=COLUMN.scope).delete()
    sample_aggregate(found, COLUMN.metric, [8.0, 8.5, 9.0], scope=COLUMN.scope)
    summary_update(drive_model_id=found.pk)
    return found


def rows(client: Client, query: str) -> list[dict[str, str]]:
    response = client.get(f"/explore/explore.csv{query}")
    return list(csv.DictReader(io.StringIO(response.getvalue().decode())))


def test_a_model_is_a_point_with_its_median_and_its_capacity(client: Client, model: DriveModel) -> None:
    (row,) = rows(client, f"?x=capacity&y={COLUMN.key}")
    assert (row["drive"], row["Capacity (GB)"], row["numbers"]) == (model.slug, "100.0", "probe")
    assert "8.5" in row.values()


def test_the_page_has_picture_table_and_files_of_what_the_address_asks_for(
    client: Client, model: DriveModel
) -> None:
    page = client.get(f"/explore/?x=year&y={COLUMN.key}&by=rotation&junk=1").content.decode()
    assert f'href="/drives/{model.slug}/"' in page
    assert ">2014</td>" in page
    for end in (".csv", ".svg", ".png"):
        assert f'href="/explore/explore{end}?x=year&amp;y=' in page
    assert '<img class="drawing" src="data:image/svg+xml,' in page


def test_the_picture_is_a_document_that_says_where_it_is_from(client: Client, model: DriveModel) -> None:
    drawing = client.get(f"/explore/explore.svg?x=capacity&y={COLUMN.key}")
    words = " ".join(ElementTree.fromstring(drawing.content).itertext())
    assert "Capacity (GB)" in words and "/explore/?x=capacity" in words
    again = client.get(
        f"/explore/explore.svg?x=capacity&y={COLUMN.key}", headers={"If-None-Match": drawing["ETag"]}
    )
    assert again.status_code == 304
    assert client.get(f"/explore/explore.png?y={COLUMN.key}").content.startswith(b"\x89PNG")


def test_other_vendors_and_rotations_can_be_left_out(client: Client, model: DriveModel) -> None:
    assert rows(client, f"?y={COLUMN.key}&vendor={model.vendor.slug}")
    assert not rows(client, f"?y={COLUMN.key}&vendor=nobody")
    assert not rows(client, f"?y={COLUMN.key}&rpm=15000")


@pytest.mark.parametrize(
    "query", ["", "?x=none&y=none", "?y=a|b%00&rpm=nan&numbers=x&by=x", "?x=year&y=year"]
)
def test_an_archive_without_such_numbers_says_so(client: Client, query: str) -> None:
    response = client.get(f"/explore/{query}")
    assert response.status_code == 200
    assert "How to contribute" in response.content.decode()
    assert client.get(f"/explore/explore.svg{query}").status_code == 200


def test_18_a_rotation_in_another_spelling_keeps_no_copy(
    client: Client, model: DriveModel, settings: LazySettings
) -> None:
    settings.PAGE_CACHE_S = 60
    DriveSummary.objects.filter(drive_model=model).update(rpm=7200)
    page = client.get(f"/explore/?y={COLUMN.key}&rpm=7200").content.decode()
    assert f'href="/drives/{model.slug}/"' in page
    client.get(f"/explore/?y={COLUMN.key}")
    kept = len(cache._cache)  # type: ignore[attr-defined]
    for text in ("7200.0", "07200", "7.2e3", "%2B7200", "7_200", "%207200", "72e2"):
        assert client.get(f"/explore/?y={COLUMN.key}&rpm={text}").status_code == 200
    assert len(cache._cache) == kept  # type: ignore[attr-defined]
