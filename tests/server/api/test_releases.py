"""Releases over HTTP."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from server.datasets.builder import release_build
from server.datasets.models import Release
from server.submissions.models import Submission
from tests.support.documents import skippy_part

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]


@pytest.fixture
def two(publish: Callable[..., Submission]) -> list[Submission]:
    """Two releases, a run more in the second."""
    first = publish(skippy_part(steps=150))
    release_build()
    second = publish(skippy_part(steps=151), vendor="Other")
    release_build()
    return [first, second]


def body(client: Client, address: str, status: int = 200) -> Any:
    answer = client.get(f"/api/v1/{address}")
    assert answer.status_code == status, answer.content
    return json.loads(answer.content)


def content(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def test_releases_are_listed_with_what_they_hold(two: list[Submission], client: Client) -> None:
    Release.objects.create(
        number=3, schema_version="1.0", log_size=2, checkpoint="", began_at="2026-01-01T00:00:00Z"
    )
    found = body(client, "releases/")["results"]
    assert [(one["number"], one["rows"]["runs"], one["log_size"]) for one in found] == [(2, 2, 3), (1, 1, 1)]
    assert body(client, "releases/?since=2999-01-01")["results"] == []
    assert "no release 3" in body(client, "releases/3/", 404)["detail"]
    page = client.get("/datasets/").content.decode()
    assert "/api/v1/releases/2/files/SHA256SUMS" in page
    assert "/api/v1/releases/3/" not in page


def test_20_the_latest_release_has_an_address_that_stays(two: list[Submission], client: Client) -> None:
    assert client.get("/api/v1/releases/latest/")["Location"] == "/api/v1/releases/2/"
    led = client.get("/api/v1/releases/latest/files/SHA256SUMS")
    assert (led.status_code, led["Location"]) == (302, "/api/v1/releases/2/files/SHA256SUMS")
    assert led["Cache-Control"] == "public, no-cache"


@pytest.mark.django_db
def test_20_without_a_release_there_is_no_latest_one(client: Client) -> None:
    assert "no release yet" in body(client, "releases/latest/", 404)["detail"]


def test_a_reader_of_an_earlier_release_fetches_what_is_different(
    two: list[Submission], client: Client
) -> None:
    whole, delta = body(client, "releases/2/"), body(client, "releases/2/?since=1")
    paths = {file["path"] for file in delta["files"]}
    assert paths < {file["path"] for file in whole["files"]}
    assert "parquet/samples_skippy/vendor_slug=other/part-0.parquet" in paths
    assert "parquet/samples_skippy/vendor_slug=acme/part-0.parquet" not in paths
    [address] = delta["change_lists"]
    [change] = gzip.decompress(content(client.get(address))).splitlines()
    assert json.loads(change)["run_id"] == str(two[1].run.run_id)
    assert "no release 0" in body(client, "releases/2/?since=0", 404)["detail"]
    assert "from 0 to 2" in body(client, "releases/2/?since=3", 400)["detail"]


def test_a_file_is_fetched_whole_in_parts_or_not_again(two: list[Submission], client: Client) -> None:
    [file] = [one for one in body(client, "releases/2/")["files"] if one["path"] == "csv/runs.csv.gz"]
    whole = client.get(file["url"])
    raw = content(whole)
    assert hashlib.sha256(raw).hexdigest() == file["sha256"]
    assert len(raw) == file["size_bytes"] == int(whole["Content-Length"])
    part = client.get(file["url"], headers={"Range": "bytes=10-19"})
    assert (part.status_code, content(part)) == (206, raw[10:20])
    assert part["Content-Range"] == f"bytes 10-19/{len(raw)}"
    assert content(client.get(file["url"], headers={"Range": "bytes=-5"})) == raw[-5:]
    assert content(client.get(file["url"], headers={"Range": "bytes=20-"})) == raw[20:]
    assert content(client.get(file["url"], headers={"Range": "bytes=20-", "If-Range": '"other"'})) == raw
    again = client.get(file["url"], headers={"If-None-Match": whole["ETag"]})
    assert again.status_code == 304 and "Content-Type" not in again
    beyond = client.get(file["url"], headers={"Range": f"bytes={len(raw)}-"})
    assert (beyond.status_code, beyond["Content-Range"]) == (416, f"bytes */{len(raw)}")


def test_files_that_no_release_has_are_not_found(two: list[Submission], client: Client) -> None:
    for path in ("nothing.csv", "../../settings.py", "csv"):
        assert client.get(f"/api/v1/releases/1/files/{path}").status_code == 404
