"""Queries whose text is made once, and instants as connections read them."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models import QuerySet
from psycopg import adapters
from psycopg.pq import Format

from server.catalog.models import DriveAlias, DriveModel, Vendor
from server.core.querying import ByKeys, InstantLoader
from server.datasets.models import Release
from server.runs.listings import benchmarks_of


@pytest.fixture
def vendors(db: None) -> list[Vendor]:
    return [
        Vendor.objects.create(name=f"Sample vendor {n}", slug=f"sample-vendor-{n}", normalized=f"sample{n}")
        for n in range(3)
    ]


def _selected(text: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {text}")
        return cursor.fetchone()[0]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "instant",
    [
        datetime(2026, 11, 21, 6, 22, 40, tzinfo=UTC),
        datetime(2026, 11, 21, 6, 22, 40, 100000, tzinfo=UTC),
        datetime(1998, 2, 28, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, tzinfo=UTC),
    ],
)
def test_instants_come_back_as_they_went(instant: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::timestamptz", [instant])
        found = cursor.fetchone()[0]
        loader = connection.connection.adapters.get_loader(adapters.types["timestamptz"].oid, Format.TEXT)

    assert found == instant
    assert found.utcoffset() == timedelta(0)
    assert loader is InstantLoader


@pytest.mark.django_db
def test_an_instant_of_another_zone_is_the_same_instant() -> None:
    found = _selected("'2026-11-21 06:22:40+05:30'::timestamptz")

    assert found == datetime(2026, 11, 21, 0, 52, 40, tzinfo=UTC)


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["'infinity'::timestamptz", "'0044-03-15 12:00+00 BC'::timestamptz"])
def test_what_no_instant_can_hold_is_refused_as_before(text: str) -> None:
    with pytest.raises(Exception, match=r"(?i)too large|too small|year|infinity|BC"):
        _selected(text)


@pytest.mark.django_db
def test_rows_of_keys_are_those_of_the_plain_query(vendors: list[Vendor]) -> None:
    models = [
        DriveModel.objects.create(vendor=vendor, number=f"S{n}", normalized=f"s{n}", slug=f"s{n}")
        for n, vendor in enumerate(vendors)
    ]
    for model in models:
        for letter in "ba":
            DriveAlias.objects.create(
                drive_model=model, text=f"{model.number}{letter}", normalized=f"{model.pk}{letter}"
            )

    def rows(keys: Collection[Any]) -> QuerySet[Any]:
        return DriveAlias.objects.filter(drive_model_id__any_of=keys).order_by("text")

    query = ByKeys(rows, ["drive_model_id", "text"])

    wanted = [models[0].pk, models[2].pk]
    plain = DriveAlias.objects.filter(drive_model__in=wanted).order_by("text")
    assert query.read(wanted) == list(plain.values_list("drive_model_id", "text"))
    assert query.read({models[1].pk}) == [(models[1].pk, "S1a"), (models[1].pk, "S1b")]


@pytest.mark.django_db
def test_no_keys_are_no_query(django_assert_num_queries: object) -> None:
    query = ByKeys(benchmarks_of, ["kind"])

    with django_assert_num_queries(0):  # type: ignore[operator]
        assert query.read([]) == []
    with django_assert_num_queries(1):  # type: ignore[operator]
        assert query.read([uuid4()]) == []


@pytest.mark.django_db
def test_a_json_column_comes_as_django_reads_it() -> None:
    release = Release.objects.create(
        number=1, log_size=0, began_at=datetime(2026, 1, 1, tzinfo=UTC), rows={"runs": 3, "none": None}
    )

    query = ByKeys(lambda keys: Release.objects.filter(pk__any_of=keys), ["number", "rows"])

    assert query.read([release.pk]) == [(1, {"runs": 3, "none": None})]


def test_a_query_that_takes_its_keys_in_another_way_is_refused() -> None:
    with pytest.raises(TypeError, match="any_of"):
        ByKeys(lambda keys: DriveModel.objects.filter(pk__gt=3), ["pk"])
