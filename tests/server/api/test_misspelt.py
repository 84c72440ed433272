"""What is misspelt is told with the nearest, in every list and parameter; it gives no empty list."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from server.api.framework.filters import value_trouble
from server.catalog.loading import catalog_load
from server.catalog.models import DriveModel
from server.measurements.listings import runs_all
from server.measurements.models import Aggregate, Run
from tests.support.sample_archive import sample_archive

pytestmark = pytest.mark.django_db

WORDS = [
    ("drives/?vendor=segate", "seagate"),
    ("drives/?vendor__in=maxtor,segate", "seagate"),
    ("drives/?interface=SATTA", "SATA"),
    ("drives/?form_factor=3.5 inh", "3.5 inch"),
    ("drives/?simulated=tru", "true"),
    ("drives/?fields=slg", "slug"),
    ("drives/?expand=sumary", "summary"),
    ("drives/?ordering=-inne", "-inner"),
    ("drives/?ordering=inner&numbers=prob", "probe"),
    ("runs/?vendor=segate", "seagate"),
    ("runs/?firmware=S11", "S1"),
    ("runs/?license=CC0-1", "CC0-1.0"),
    ("runs/?provenance=simulatd", "simulated"),
    ("runs/?standing=plausble", "plausible"),
    ("runs/?ordering=published", "published_at"),
    ("runs/?expand=measurement", "measurements"),
    ("benchmarks/?state=extractd", "extracted"),
    ("measurements/?quality=goood", "good"),
    ("measurements/?quality__in=good,far", "fair"),
    ("measurements/?firmware=S11", "S1"),
    ("measurements/?provenance=prob", "probe"),
    ("aggregates/?provenance=prob", "probe"),
    ("zones/?provenance=prob", "probe"),
    ("zones/?vendor=segate", "seagate"),
    ("claims/?citation=ol", "olp"),
    ("claims/?verdict=mised", "missed"),
    ("claims/?verdict__in=met,mised", "missed"),
    ("claims/?evidence=mesured", "measured"),
    ("claims/?form=rang", "range"),
    ("literature/?basis=measurd", "measured"),
    ("facets/?vendor=segate", "seagate"),
    ("facets/?recording=SMRR", "SMR"),
    ("drives/sampledata-sample-9000/statistics.csv?rows=aprt", "apart"),
    ("units.csv?vendor=segate", "seagate"),
]


def test_20_a_misspelt_word_is_a_422_with_the_nearest(client: Client) -> None:
    catalog_load()
    sample_archive()
    wrong = []
    for address, nearest in WORDS:
        answer = client.get(f"/api/v1/{address}")
        told = answer.json()
        right = answer.status_code == 422 and told["type"].endswith("/problems/unknown-name/")
        if not right or f"Did you mean {nearest}" not in told["detail"]:
            wrong.append((address, answer.status_code, told.get("detail")))
    assert wrong == []


def test_20_a_model_that_is_not_there_is_told_with_the_nearest(client: Client) -> None:
    catalog_load()
    for address in ("drives/{}/", "runs/?drive={}", "zones/?drive__in={}", "drives/{}/statistics/"):
        answer = client.get(f"/api/v1/{address.format('seagate-st2000nm001')}")
        assert answer.status_code == 404
        assert "Did you mean seagate-st2000nm0001" in answer.json()["detail"], address


def test_20_many_models_are_looked_up_at_once(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    catalog_load()
    slugs = list(DriveModel.objects.order_by("slug").values_list("slug", flat=True)[:100])
    with django_assert_max_num_queries(6):
        assert client.get(f"/api/v1/zones/?drive__in={','.join(slugs)}").status_code == 200


def test_20_the_nearest_scope_is_not_looked_for_in_all_numbers(client: Client) -> None:
    sample_archive()
    one = Aggregate.objects.all()[0]
    one.pk, one.scope = None, "outer/read"
    one.save()
    with CaptureQueriesContext(connection) as asked:
        answer = client.get("/api/v1/measurements/?scope=outer/reed")
    assert answer.status_code == 422 and "Did you mean outer/read" in answer.json()["detail"]
    distinct = [one["sql"] for one in asked if "DISTINCT" in one["sql"]]
    assert not any('FROM "measurements_measurement"' in sql for sql in distinct)


def test_20_a_misspelt_parameter_is_told_with_the_nearest(client: Client) -> None:
    answer = client.get("/api/v1/runs/?provenence=probe")
    assert answer.status_code == 400 and "Did you mean provenance?" in answer.json()["detail"]


def test_20_words_that_are_there_pass_whatever_else_is_asked(client: Client) -> None:
    sample_archive()
    for address in ("runs/?firmware=S1", "measurements/?firmware=S1", "facets/?vendor=sampledata"):
        assert client.get(f"/api/v1/{address}").status_code == 200, address


@pytest.mark.parametrize("path", ["drives", "runs", "drives/seagate-st2000nm0001", "releases/latest"])
def test_20_an_address_without_its_last_slash_leads_there(client: Client, path: str) -> None:
    answer = client.get(f"/api/v1/{path}?limit=1&q=a%20b")
    assert answer.status_code == 308
    assert answer.headers["Location"] == f"/api/v1/{path}/?limit=1&q=a%20b"


def test_20_an_address_that_is_none_with_a_slash_either_is_told(client: Client) -> None:
    assert client.get("/api/v1/no-such").status_code == 404
    assert client.get("/api/v1/drives/no-such/").status_code == 404


def test_20_uploads_without_the_last_slash_are_led_there_with_their_body(client: Client) -> None:
    answer = client.post("/api/v1/submissions", b"{}", content_type="application/json")
    assert (answer.status_code, answer.headers["Location"]) == (308, "/api/v1/submissions/")


def test_20_scripts_of_other_sites_read_ranges(client: Client) -> None:
    elsewhere = {"Origin": "https://example.org"}
    told = client.get("/api/v1/drives/", headers=elsewhere).headers["Access-Control-Expose-Headers"]
    assert {"Accept-Ranges", "Content-Range", "Content-Length", "ETag"} <= set(told.split(", "))
    asked = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "range"}
    preflight = client.options("/api/v1/releases/1/files/csv/runs.csv.gz", headers={**elsewhere, **asked})
    assert "Range" in preflight.headers["Access-Control-Allow-Headers"].split(", ")


def test_a_value_that_is_known_is_not_looked_for_in_all_rows_again(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    sample_archive()
    trouble = value_trouble("firmware revision", runs_all, "firmware")
    assert trouble("S1") is None
    with django_assert_num_queries(0):
        assert trouble("S1") is None
    with django_assert_num_queries(1):
        assert "S1" in (trouble("S11") or "")
    Run.objects.update(firmware="S11")
    assert trouble("S11") is None, "what came in since"
