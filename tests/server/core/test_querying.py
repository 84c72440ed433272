"""Queries whose text is made once."""

from datetime import UTC, datetime
from typing import Any

import pytest

from server.catalog.models import DriveAlias, DriveModel, Vendor
from server.core.querying import CompiledQuery
from server.datasets.models import Release


@pytest.fixture
def vendors(db: None) -> list[Vendor]:
    return [
        Vendor.objects.create(name=f"Sample vendor {n}", slug=f"sample-vendor-{n}", normalized=f"sample{n}")
        for n in range(3)
    ]


@pytest.mark.django_db
def test_rows_of_keys_are_those_of_the_plain_query(
    vendors: list[Vendor], django_assert_num_queries: Any
) -> None:
    models = [
        DriveModel.objects.create(vendor=vendor, number=f"S{n}", normalized=f"s{n}", slug=f"s{n}")
        for n, vendor in enumerate(vendors)
    ]
    for model in models:
        for letter in "ba":
            DriveAlias.objects.create(
                drive_model=model, text=f"{model.number}{letter}", normalized=f"{model.pk}{letter}"
            )

    query = CompiledQuery(
        lambda keys: (
            DriveAlias.objects.filter(drive_model_id__any_of=keys)
            .order_by("text")
            .values_list("drive_model_id", "text")
        )
    )

    wanted = [models[0].pk, models[2].pk]
    plain = DriveAlias.objects.filter(drive_model__in=wanted).order_by("text")
    assert query.rows(keys=wanted) == list(plain.values_list("drive_model_id", "text"))
    assert query.rows(keys=[models[1].pk]) == [(models[1].pk, "S1a"), (models[1].pk, "S1b")]
    with django_assert_num_queries(0):
        assert query.rows(keys=[]) == []


@pytest.mark.django_db
def test_instances_come_with_what_they_refer_to(
    vendors: list[Vendor], django_assert_num_queries: Any
) -> None:
    for n, vendor in enumerate(vendors):
        DriveModel.objects.create(vendor=vendor, number=f"S{n}", normalized=f"s{n}", slug=f"s{n}")
    query = CompiledQuery(
        lambda slug, kind: (
            DriveModel.objects.select_related("vendor")
            .defer("search_text")
            .filter(slug__given=slug, vendor__slug__given=kind)
        )
    )

    for n, vendor in enumerate(vendors):
        with django_assert_num_queries(1):
            (found,) = query.rows(slug=f"s{n}", kind=vendor.slug)
            assert (found.number, found.vendor) == (f"S{n}", vendor)
        assert "search_text" in found.get_deferred_fields()
    assert query.rows(slug="s0", kind=vendors[1].slug) == []


@pytest.mark.django_db
def test_flat_rows_and_other_parameters_stay_as_they_were_written(vendors: list[Vendor]) -> None:
    query = CompiledQuery(
        lambda slug: (
            Vendor.objects.filter(name__startswith="Sample", slug__given=slug)
            .order_by("pk")
            .values_list("name", flat=True)[:5]
        )
    )

    assert [query.rows(slug=vendor.slug) for vendor in vendors] == [[vendor.name] for vendor in vendors]


@pytest.mark.django_db
def test_a_json_column_comes_as_django_reads_it() -> None:
    release = Release.objects.create(
        number=1, log_size=0, began_at=datetime(2026, 1, 1, tzinfo=UTC), rows={"runs": 3, "none": None}
    )

    query = CompiledQuery(
        lambda number: Release.objects.filter(pk__given=number).values_list("number", "rows")
    )

    assert query.rows(number=release.pk) == [(1, {"runs": 3, "none": None})]


def test_a_query_that_takes_a_value_in_another_way_is_refused() -> None:
    with pytest.raises(TypeError, match="any_of"):
        CompiledQuery(lambda number: Release.objects.filter(pk=3).values_list("pk")).rows(number=3)
