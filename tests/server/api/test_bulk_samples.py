"""All samples of a model by one request, and limits that count samples."""

from __future__ import annotations

import io
import json
from typing import Any

import pandas
import pytest
from django.conf import LazySettings
from django.test import Client

from server.measurements.models import Run
from tests.server.api.test_frame import fetch, text_of
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = pytest.mark.django_db
SERIES = [
    {"variant": "read", "pattern": "outward", "from_blocks": [0, 1, 2], "latency_ns": [9, 8, 7]},
    {"variant": "read", "pattern": "random", "from_blocks": [5, 6], "latency_ns": [4, 3]},
]


@pytest.fixture
def archive(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """Three runs of one model and one of another, with the same samples. Sample data."""
    part = {"kind": "seeker", "params": {}, "samples": {"series": SERIES}}
    monkeypatch.setattr(
        "server.measurements.samples.document_load", lambda _submission: {"benchmarks": [part] * 3}
    )
    return [sample_run(SampleRun(model="Sample A")) for _run in range(3)] + [
        sample_run(SampleRun(model="Sample B"))
    ]


def lines_of(client: Client, address: str) -> str:
    return text_of(client.get(f"/api/v1/{address}"))  # type: ignore[arg-type]


def test_all_samples_of_a_model_are_one_table(client: Client, archive: list[Run]) -> None:
    table = pandas.read_csv(
        io.StringIO(lines_of(client, f"samples.csv?kind=seeker&drive={archive[0].drive_model.slug}"))
    )
    assert len(table) == 15 and set(table["run_id"]) == {str(run.pk) for run in archive[:3]}
    first = table[table["run_id"] == str(archive[0].pk)]
    assert list(first["latency_ns"]) == [9, 8, 7, 4, 3] and list(first["sample"]) == [0, 1, 2, 0, 1]
    assert list(first["pattern"]) == ["outward"] * 3 + ["random"] * 2
    assert {"vendor_slug", "unit_digest", "license", "kind"} <= set(table.columns)


def test_pages_and_lines_of_series_hold_each_once(client: Client, archive: list[Run]) -> None:
    body: Any = fetch(client, "samples/?kind=seeker&limit=3")
    rows = body["results"]
    while body["next"]:
        body = fetch(client, body["next"].partition("/api/v1/")[2])
        rows += body["results"]
    assert [row["series"] for row in rows] == [0, 1] * 4
    assert rows[0]["columns"]["latency_ns"] == [9, 8, 7] and rows[0]["labels"]["pattern"] == "outward"
    assert [json.loads(line) for line in lines_of(client, "samples.ndjson?kind=seeker").splitlines()] == rows


def test_samples_count_by_samples_and_not_by_runs(
    client: Client, archive: list[Run], settings: LazySettings
) -> None:
    settings.API_LIMITS = {**settings.API_LIMITS, "samples": (21, 3600), "export": (2, 3600)}
    runs = [f"/api/v1/runs/{run.pk}/benchmarks/seeker/samples.csv" for run in archive]
    assert [client.get(address).status_code for address in runs] == [200] * 4  # more than lists as streams
    assert len(lines_of(client, "samples.csv?kind=seeker").splitlines()) == 21  # begun, and given to its end
    refused = client.get("/api/v1/samples.csv?kind=seeker")
    assert refused.status_code == 429 and int(refused["Retry-After"]) > 0
    assert refused["RateLimit-Policy"].startswith('"samples";q=21')
    assert client.get(runs[0]).status_code == 429


@pytest.mark.parametrize(
    ("query", "status"),
    [("", 400), ("?kind=seekr", 422), ("?kind=seeker&drive=no-such", 404), ("?kind=seeker&cursor=x", 404)],
)
def test_samples_without_a_kind_or_of_none_are_refused(
    client: Client, archive: list[Run], query: str, status: int
) -> None:
    assert client.get(f"/api/v1/samples/{query}").status_code == status


def test_a_kind_whose_samples_are_no_one_table_says_where_they_are(
    client: Client, archive: list[Run]
) -> None:
    answer = client.get("/api/v1/samples.csv?kind=random_io")
    assert answer.status_code == 400 and "NDJSON" in answer.json()["detail"]
