"""Search understands sizes, speeds and misspelt makers, and offers the nearest where nothing is found."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from server.catalog.models import DriveModel
from server.search.archive_counts import archive_counts_update
from server.search.model_index import model_index
from server.search.summaries import summary_update
from server.search.text_search import models_find, models_nearest
from tests.support.sample_archive import drive_model_curated

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def models() -> None:
    cache.clear()
    for vendor, number, size_gb, rpm in (
        ("Maxtor", "6L040J2", 40, 7200),
        ("Maxtor", "2F040L0", 41, 5400),
        ("Maxtor", "6Y160", 160, 7200),
        ("Seagate", "ST2000NM", 2000, 7200),
    ):
        model = drive_model_curated(vendor_name=vendor, model_name=number, simulated=False)
        DriveModel.objects.filter(pk=model.pk).update(capacity_bytes=size_gb * 10**9, rated_rpm=rpm)
        summary_update(drive_model_id=model.pk)
    archive_counts_update()


def found(text: str) -> set[str]:
    index = model_index()
    places = models_find(index, text).literal
    ids = [index.models[place] for place in places]
    return set(DriveModel.objects.filter(pk__in=ids).values_list("number", flat=True))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("maxtor 40gb", {"6L040J2", "2F040L0"}),
        ("maxtor 40 GB 7200 rpm", {"6L040J2"}),
        ("7,200 rpm", {"6L040J2", "6Y160", "ST2000NM"}),
        ("2 TB", {"ST2000NM"}),
        ("seagte 2tb", {"ST2000NM"}),
        ("maxxtor 160gb", {"6Y160"}),
        ("segaet", {"ST2000NM"}),
        ("hitachi 40gb", set()),
        ("3tb", set()),
    ],
)
def test_sizes_rates_and_makers_with_two_letters_wrong_are_understood(text: str, numbers: set[str]) -> None:
    assert found(text) == numbers


def test_where_nothing_is_found_the_nearest_names_are_offered() -> None:
    assert models_nearest("maxtor 6l041j9x")[0][1] == "Maxtor 6L040J2"
    assert models_nearest("qqqqzzzz") == []
