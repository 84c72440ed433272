"""What all readable resources share: pages, formats, fields, filters, tags, limits."""

from __future__ import annotations

import csv
import gzip
import io
import json
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
import zstandard
from django.http import HttpResponse
from django.test import Client, override_settings

from server.api.framework import keyset
from server.catalog.models import DriveModel
from tests.support.derived_rows import derived_rows_refresh
from tests.support.sample_archive import DAY, SampleRun, drive_model_curated, sample_archive, sample_run

pytestmark = pytest.mark.django_db


def fetch(client: Client, address: str, status: int = 200, **headers: str) -> Any:
    """Return the JSON body of an answer of that status."""
    response = client.get(f"/api/v1/{address}", headers=headers)
    assert response.status_code == status, response.content
    return json.loads(response.content)


def text_of(response: HttpResponse) -> str:
    """Return the whole body of a stream."""
    return b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]


def sample_drive(number: str) -> DriveModel:
    """Make a model of a sample vendor."""
    return drive_model_curated(vendor_name="Sampledata", model_name=number, simulated=False)


def drives(count: int) -> list[DriveModel]:
    """Make models of a sample vendor; every third has no year."""
    made = []
    for number in range(count):
        model = sample_drive(f"Sample {number:03d}")
        model.year = None if number % 3 == 0 else 2000 + number % 5
        model.capacity_bytes = 10**9 * (number + 1)
        model.save()
        made.append(model)
    return made


def walk(client: Client, address: str, link: str = "next") -> list[list[str]]:
    """Follow a list's links to its end; return the slugs of each page."""
    pages = []
    body = fetch(client, address)
    while True:
        pages.append([row["slug"] for row in body["results"]])
        if body[link] is None:
            return pages
        body = fetch(client, body[link].partition("/api/v1/")[2])


@pytest.mark.parametrize("ordering", ["name", "-name", "year", "-year", "capacity_bytes", "-updated_at"])
def test_pages_hold_every_row_once_in_order_and_lead_back_again(client: Client, ordering: str) -> None:
    drives(17)
    whole = [row["slug"] for row in fetch(client, f"drives/?ordering={ordering}&limit=500")["results"]]
    assert len(whole) == len(set(whole)) == 17
    pages = walk(client, f"drives/?ordering={ordering}&limit=4")
    assert [slug for page in pages for slug in page] == whole and len(pages) == 5
    body = fetch(client, f"drives/?ordering={ordering}&limit=4")
    while body["next"]:
        body = fetch(client, body["next"].partition("/api/v1/")[2])
    back = [[row["slug"] for row in body["results"]]]
    while body["previous"]:
        body = fetch(client, body["previous"].partition("/api/v1/")[2])
        back.append([row["slug"] for row in body["results"]])
    assert list(reversed(back)) == pages


def test_rows_without_the_ordered_value_come_last_both_ways(client: Client) -> None:
    drives(6)
    for ordering in ("year", "-year"):
        years = [row["year"] for row in fetch(client, f"drives/?ordering={ordering}")["results"]]
        assert years[-2:] == [None, None] and None not in years[:-2]


def test_a_row_that_comes_in_between_shifts_no_page(client: Client) -> None:
    drives(6)
    first = fetch(client, "drives/?limit=3")
    sample_drive("Sample 000a")
    second = fetch(client, first["next"].partition("/api/v1/")[2])
    assert [row["number"] for row in second["results"]] == ["Sample 003", "Sample 004", "Sample 005"]


def test_a_cursor_of_another_list_or_order_leads_nowhere(client: Client) -> None:
    drives(3)
    cursor = fetch(client, "drives/?limit=1")["next"].partition("cursor=")[2]
    for address in (
        f"drives/?ordering=year&cursor={cursor}",
        f"vendors/?cursor={cursor}",
        "drives/?cursor=x",
    ):
        assert fetch(client, address, 404)["type"].endswith("/problems/not-found/")


def test_csv_and_ndjson_stream_the_whole_result_in_chunks(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "CHUNK_ROWS", 4)
    drives(11)
    numbers = [f"Sample {number:03d}" for number in range(11)]
    response = client.get("/api/v1/drives.csv")
    assert response.streaming and response.headers["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(text_of(response))))
    assert [row["number"] for row in rows] == numbers
    assert rows[0]["simulated"] == "false" and rows[0]["year"] == ""
    lines = text_of(client.get("/api/v1/drives/", headers={"Accept": "application/x-ndjson"})).splitlines()
    assert [json.loads(line)["number"] for line in lines] == numbers
    assert len(text_of(client.get("/api/v1/drives.ndjson?limit=5")).splitlines()) == 5


def test_objects_inside_rows_become_columns_and_lists_stay_json(client: Client) -> None:
    sample_archive()
    (row, *_rest) = csv.DictReader(io.StringIO(text_of(client.get("/api/v1/runs.csv"))))
    assert row["drive.slug"] == "sampledata-sample-9000" and row["key.status"] == "unclaimed"
    assert json.loads(row["benchmarks"])[0]["kind"] == "skippy"


def test_the_suffix_json_is_the_page_and_an_unknown_one_is_nothing(client: Client) -> None:
    drives(1)
    assert fetch(client, "drives.json") == fetch(client, "drives/")
    fetch(client, "drives.xml", 404)


def test_fields_leaves_only_the_chosen_ones_and_the_identity(client: Client) -> None:
    drives(1)
    assert set(fetch(client, "drives/?fields=year,number")["results"][0]) == {"slug", "year", "number"}
    assert text_of(client.get("/api/v1/drives.csv?fields=year")).splitlines()[0] == "slug,year"
    assert "has no 'nonsense'" in fetch(client, "drives/?fields=nonsense", 422)["detail"]


def test_expand_brings_what_does_not_come_unasked(client: Client) -> None:
    sample_archive()
    run = fetch(client, "runs/?limit=1")["results"][0]
    assert "measurements" not in run and "document" not in run
    expanded = fetch(client, f"runs/{run['id']}/?expand=measurements,document")
    assert expanded["document"]["host"]["cpu"] == "Sample CPU"
    (rotation,) = (row for row in expanded["measurements"] if row["metric"] == "skippy.rotation_time")
    assert rotation["value"] == 8.33312 and rotation["count"] == 460 and rotation["low"] == 8.3302


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("capacity=5", "'capacity' is not known at this address. Did you mean capacity_bytes? Known here: "),
        ("limit=0", "not a whole number above 0"),
        ("limit=-1", "not a whole number above 0"),
        ("limit=501", "is above 500"),
        ("limit=1&limit=2", "given more than once"),
        ("q=", "is empty"),
        ("q=a%00b", "holds a NUL character"),
        ("year=12.5", "Enter a whole number"),
        ("since=yesterday", "not an instant with a time zone"),
        ("since=2026-03-14T00:00:00", "not an instant with a time zone"),
    ],
)
def test_a_parameter_that_is_wrong_is_told_with_the_remedy(client: Client, query: str, words: str) -> None:
    body = fetch(client, f"drives/?{query}", 400)
    assert body["type"].endswith("/problems/bad-parameter/") and words in body["detail"]
    assert body["errors"][0]["path"] == "?" + query.partition("=")[0]


def test_ranges_and_words_filter(client: Client) -> None:
    for model in drives(9):
        model.curated = True
        model.save()
        derived_rows_refresh(drive_model_id=model.pk)
    found = fetch(client, "drives/?capacity_bytes__gte=3000000000&capacity_bytes__lte=4000000000")["results"]
    assert [row["number"] for row in found] == ["Sample 002", "Sample 003"]
    assert len(fetch(client, "drives/?vendor=sampledata&year=2001")["results"]) == 1
    assert [row["number"] for row in fetch(client, "drives/?q=sample+004")["results"]] == ["Sample 004"]
    alike = [row["number"] for row in fetch(client, "drives/?q=sampel+004")["results"]]
    assert "Sample 004" in alike, "mistakes are forgiven as the website forgives them"
    assert fetch(client, f"drives/?capacity_bytes={10**40}")["results"] == []


@pytest.mark.parametrize("words", [",", "year,", "a,,b", "a, ,b"])
def test_an_empty_word_among_words_is_an_error(client: Client, words: str) -> None:
    assert "empty word" in fetch(client, f"drives/?vendor__in={quote(words)}", 400)["detail"]


def test_a_drive_that_is_not_there_is_no_empty_list(client: Client) -> None:
    assert "no drive 'no-such'" in fetch(client, "runs/?drive=no-such", 404)["detail"]


def test_since_gives_what_was_added_or_changed_since(client: Client) -> None:
    first, second = drives(2)
    first.refresh_from_db()
    second.refresh_from_db()
    assert second.updated_at > first.updated_at
    stamp = second.updated_at.isoformat().replace("+00:00", "Z")
    assert [row["slug"] for row in fetch(client, f"drives/?since={stamp}")["results"]] == [second.slug]
    DriveModel.objects.filter(pk=first.pk).update(notes="Sample note.")
    assert len(fetch(client, f"drives/?since={stamp}")["results"]) == 2


def test_a_run_counts_as_changed_when_it_is_extracted_anew(client: Client) -> None:
    run = sample_run(SampleRun(at=DAY))
    run.refresh_from_db()
    stamp = (run.updated_at + timedelta(microseconds=1)).isoformat().replace("+00:00", "Z")
    assert fetch(client, f"runs/?since={stamp}")["results"] == []
    run.benchmarks.update(extractor_version="2")
    assert [row["id"] for row in fetch(client, f"runs/?since={stamp}")["results"]] == [str(run.pk)]


def test_who_has_the_answer_gets_a_304(client: Client) -> None:
    (drive,) = drives(1)
    for address in ("drives/", f"drives/{drive.slug}/"):
        tag = client.get(f"/api/v1/{address}").headers["ETag"]
        again = client.get(f"/api/v1/{address}", headers={"If-None-Match": tag})
        assert again.status_code == 304 and not again.content and "RateLimit" in again.headers
    modified = client.get(f"/api/v1/drives/{drive.slug}/").headers["Last-Modified"]
    since = {"If-Modified-Since": modified}
    assert client.get(f"/api/v1/drives/{drive.slug}/", headers=since).status_code == 304
    drive.notes = "Sample note."
    drive.save()
    assert client.get("/api/v1/drives/", headers={"If-None-Match": tag}).status_code == 200


def test_a_list_gives_no_date_since_a_row_taken_out_leaves_none(client: Client) -> None:
    drives(1)
    assert "Last-Modified" not in client.get("/api/v1/drives/").headers


def test_scripts_of_any_site_may_read_and_a_preflight_says_so(client: Client) -> None:
    elsewhere = {"Origin": "https://example.org"}
    response = client.get("/api/v1/drives/", headers=elsewhere)
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "RateLimit" in response.headers["Access-Control-Expose-Headers"]
    assert response.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    preflight = client.options(
        "/api/v1/drives/", headers={**elsewhere, "Access-Control-Request-Method": "GET"}
    )
    assert preflight.status_code == 200 and not preflight.content
    assert preflight.headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"
    assert "Authorization, If-None-Match" in preflight.headers["Access-Control-Allow-Headers"]
    assert preflight.headers["Access-Control-Max-Age"] == "86400"
    for public in ("/schema/run/v1.json", "/drives/any/badge.svg"):
        assert client.get(public, headers=elsewhere).headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Origin" not in client.get("/", headers=elsewhere).headers


def test_20_the_root_lists_what_there_is(client: Client) -> None:
    sample_archive()
    told = fetch(client, "")
    assert {"drives", "runs", "claims", "releases", "log"} <= set(told["resources"])
    assert not {"submissions", "follows", "my-runs", "schema"} & set(told["resources"])
    led = {"release-latest"}  # No release was made here.
    for name, address in told["resources"].items():
        assert client.get(address).status_code == (404 if name in led else 200), name
    assert client.get(told["openapi_url"]).status_code == 200


def test_head_and_options_are_answered(client: Client) -> None:
    head = client.head("/api/v1/drives/")
    assert head.status_code == 200 and head.content == b"" and head.headers["ETag"]
    options = client.options("/api/v1/drives/")
    assert options.status_code == 204 and options.headers["Allow"] == "GET, HEAD, OPTIONS"
    assert client.post("/api/v1/drives/").status_code == 405


@pytest.mark.parametrize("refused", ["gzip;q=0", "gzip; q=0.000, zstd;q=0", "identity, GZIP;Q=0"])
def test_20_an_encoding_that_is_refused_is_not_used(client: Client, refused: str) -> None:
    drives(3)
    answer = client.get("/api/v1/drives/", headers={"Accept-Encoding": refused})
    assert "Content-Encoding" not in answer and answer.json()["results"]
    assert "Accept-Encoding" in answer["Vary"]
    taken = client.get("/api/v1/drives/", headers={"Accept-Encoding": "zstd;q=0, gzip;q=0.5"})
    assert taken["Content-Encoding"] == "gzip"


def test_answers_travel_compressed(client: Client) -> None:
    drives(5)
    plain = client.get("/api/v1/drives/").content
    packed = client.get("/api/v1/drives/", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip" and gzip.decompress(packed.content) == plain
    packed = client.get("/api/v1/drives/", headers={"Accept-Encoding": "gzip, zstd"})
    assert packed.headers["Content-Encoding"] == "zstd" and packed.headers["ETag"].startswith('W/"')
    assert zstandard.ZstdDecompressor().decompress(packed.content) == plain
    stream = client.get("/api/v1/drives.csv", headers={"Accept-Encoding": "zstd"})
    content = b"".join(stream.streaming_content)  # type: ignore[attr-defined]
    unpacked = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(content), read_across_frames=True).read()
    assert unpacked.decode().count("\r\n") == 6


LIMITS = dict.fromkeys(("read", "export", "export-by-token"), (2, 60)) | {"read-by-token": (4, 60)}


@override_settings(API_LIMITS=LIMITS)
def test_limits_are_announced_before_they_are_reached(client: Client) -> None:
    first = client.get("/api/v1/drives/")
    assert first.headers["RateLimit-Policy"] == '"read";q=2;w=60'
    assert first.headers["RateLimit"].startswith('"read";r=1;t=')
    client.get("/api/v1/vendors/")
    refused = client.get("/api/v1/drives/")
    assert refused.status_code == 429 and 0 < int(refused.headers["Retry-After"]) <= 60
    assert json.loads(refused.content)["type"].endswith("/problems/too-many-requests/")
    assert refused.headers["RateLimit"].startswith('"read";r=0;t=')
    assert client.get("/api/v1/drives.csv").status_code == 200, "streams count apart"
