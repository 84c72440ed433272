"""The resources: what their rows say, and that nothing unpublished stands among them."""

from __future__ import annotations

import csv
import io
import json
from typing import Any
from urllib.parse import quote

import pytest
from django.db.models import F
from django.test import Client

from server.benchmarks.registry import kinds_by_slug
from server.catalog.loading import catalog_load
from server.catalog.models import Claim
from server.core.lifecycle import Provenance, State
from server.measurements.models import Measurement
from server.submissions.models import Submission
from tests.server.api.test_frame import fetch, text_of
from tests.support.sample_archive import SampleRun, sample_archive, sample_run

pytestmark = pytest.mark.django_db
LISTS = ("runs", "units", "batches", "benchmarks", "measurements")


@pytest.mark.parametrize(
    ("address", "nearest"),
    [
        ("measurements/?metric=skippy.rotation_tim", "skippy.rotation_time"),
        ("measurements/?metric__in=skippy.mtm,skipy.surfaces", "skippy.surfaces"),
        ("measurements/?scope=outr", "outer"),
        ("measurements/?kind=skipy", "skippy"),
        ("aggregates/?metric=skippy.mtn", "skippy.mtm"),
        ("literature/?metric=skippy.mtn", "skippy.mtm"),
        ("claims/?metric__in=zoned.outer_bandwith", "zoned.outer_bandwidth"),
        ("runs/?kind=seekr", "seeker"),
        ("benchmarks/?kind__in=zonde", "zoned"),
        ("metrics/?kind=zone", "zoned"),
        ("metrics/?unit=MBs", "MB/s"),
    ],
)
def test_20_a_misspelt_name_in_a_filter_is_told_with_the_nearest_and_is_no_empty_list(
    client: Client, address: str, nearest: str
) -> None:
    sample_archive()
    answer = client.get(f"/api/v1/{address}")
    told = answer.json()
    assert answer.status_code == 422 and told["type"].endswith("/problems/unknown-name/")
    assert f"Did you mean {nearest}" in told["detail"]
    assert told["errors"][0]["path"] == "?" + address.partition("?")[2].partition("=")[0]


def results(client: Client, address: str) -> list[dict[str, Any]]:
    """Return the rows of a list."""
    found: list[dict[str, Any]] = fetch(client, address)["results"]
    return found


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("state", [State.QUARANTINED, State.EXTRACTED, State.WITHDRAWN])
def test_what_is_not_published_stands_in_no_list(client: Client, name: str, state: State) -> None:
    run = sample_run()
    assert results(client, f"{name}/")
    Submission.objects.filter(run=run).update(state=state)
    assert results(client, f"{name}/") == []


def test_a_run_tells_drive_unit_key_and_benchmarks(client: Client) -> None:
    sample_run()
    (run,) = results(client, "runs/?kind=skippy")
    assert run["drive"] == {
        "slug": "sampledata-sample-9000",
        "vendor": "Sampledata",
        "number": "Sample 9000",
    }
    assert run["unit"] == "ab" * 32 and run["batch"] == "2026-W07" and run["firmware"] == "S1"
    assert run["key"] == {"keyid": "cd" * 32, "status": "unclaimed", "revoked_from": None}
    assert [part["kind"] for part in run["benchmarks"]] == ["skippy", "zoned", "seeker"]
    assert results(client, "runs/?kind=access") == []


def test_runs_are_filtered_by_what_people_ask_for(client: Client) -> None:
    sample_archive()
    assert len(results(client, "runs/?provenance=probe")) == 3
    assert len(results(client, f"runs/?unit={'ab' * 32}&batch_year=2026&batch_week=7")) == 3
    assert len(results(client, "runs/?drive=sampledata-sample-9000&firmware=S1&provenance=simulated")) == 1
    assert len(results(client, "runs/?created_at__gte=2026-03-14T10:00:00Z")) == 3
    assert results(client, "runs/?q=no-such-drive") == []


def test_a_number_brings_interval_count_quality_and_provenance(client: Client) -> None:
    run = sample_run()
    (row,) = results(client, f"measurements/?run={run.pk}&metric=skippy.rotation_time")
    assert (row["value"], row["low"], row["high"], row["level"]) == (8.33312, 8.3302, 8.336, 0.95)
    assert (row["count"], row["quality"], row["unit"]) == (460, "good", "ms")
    assert row["provenance"] == "probe" and row["drive_unit"] == "ab" * 32 and row["kind"] == "skippy"
    (none,) = results(client, "measurements/?quality=none")
    assert none["value"] is None and none["reason"].startswith("The layout")


def test_numbers_of_an_older_extraction_are_not_given(client: Client) -> None:
    run = sample_run()
    benchmark = run.benchmarks.get(kind="zoned")
    Measurement.objects.filter(benchmark=benchmark).update(extractor_version="0")
    assert results(client, "measurements/?kind=zoned") == []


def test_an_aggregate_says_how_many_runs_and_drives_stand_behind_it(client: Client) -> None:
    sample_archive()
    query = "aggregates/?metric=skippy.rotation_time&drive=sampledata-sample-9000"
    probe, simulated = results(client, query)
    assert (probe["provenance"], probe["n"], probe["units"], probe["unit"]) == ("probe", 3, 1, "ms")
    assert (simulated["provenance"], simulated["n"], simulated["stdev"]) == ("simulated", 1, None)
    assert len(results(client, f"{query}&n__gte=2")) == 1


OPEN = {"aggregates": {"differing", "conditions", "strata"}, "releases": {"rows", "changes"}}
"""Columns that are objects whose names are not known beforehand: states, tables."""
TABLES = (
    *("runs", "drives", "vendors", "units", "batches", "benchmarks", "measurements", "aggregates", "claims"),
    *("literature", "firmware", "metrics", "methods", "releases", "tombstones", "decisions", "statistics"),
    *("wanted", "facets", "drives/{slug}/statistics", "drives/{slug}/overview", "drives/{slug}/charts"),
    *("runs/{run}/standing", "runs/{run}/charts", "log/leaves", "drives/{slug}/exports"),
)


@pytest.mark.parametrize("name", TABLES)
def test_20_an_object_becomes_columns_in_every_table(client: Client, name: str) -> None:
    catalog_load()
    run = sample_archive().runs.order_by("pk").first()
    assert run is not None
    path = name.format(slug=run.drive_model.slug, run=run.pk)
    answer = client.get(f"/api/v1/{path}.csv")
    text = text_of(answer) if answer.streaming else answer.content.decode()
    assert answer.status_code == 200, text
    for row in csv.DictReader(io.StringIO(text)):
        objects = {column for column, cell in row.items() if cell and cell.startswith("{")}
        assert objects <= OPEN.get(name, set()), row


def test_20_verdicts_and_citations_are_columns(client: Client) -> None:
    catalog_load()
    text = text_of(client.get("/api/v1/claims.csv?drive=seagate-st2000nm0001"))  # type: ignore[arg-type]
    rows = list(csv.DictReader(io.StringIO(text)))
    assert "verdict" not in rows[0] and rows[0]["citation.title"] and rows[0]["verdict.standing"]


def test_claims_bring_their_document_and_their_verdict(client: Client) -> None:
    catalog_load()
    claims = results(client, "claims/?drive=seagate-st2000nm0001&limit=500")
    assert claims and all(claim["citation"]["title"] and claim["locator"] for claim in claims)
    judged = claims[0]["verdict"]
    assert judged["standing"] and judged["words"] and judged["units"] == 0
    asked = f"claims/?drive=seagate-st2000nm0001&limit=500&verdict={quote(judged['standing'])}"
    assert claims[0]["id"] in [row["id"] for row in results(client, asked)]
    Claim.objects.filter(pk=claims[0]["id"]).update(high=F("high") + 1)
    assert results(client, "claims/?drive=seagate-st2000nm0001")[0]["verdict"] is None, "of other terms"


def test_published_values_are_literature_and_cited(client: Client) -> None:
    sample_archive()
    (value,) = results(client, "literature/?citation=sample")
    assert value["provenance"] == "literature" and value["locator"] == "Table 3"
    assert value["count"] is None and value["units"] is None


def test_metrics_and_methods_are_those_of_the_registry(client: Client) -> None:
    metrics = {row["key"]: row for row in results(client, "metrics/")}
    assert metrics["skippy.rotation_time"]["unit"] == "ms"
    assert metrics == {
        row["key"]: row for slug in kinds_by_slug() for row in results(client, f"metrics/?kind={slug}")
    }
    assert fetch(client, "metrics/skippy.rotation_time/") == metrics["skippy.rotation_time"]
    method = fetch(client, "methods/skippy/")
    assert method["about"].startswith("# ") and "skippy.rotation_time" in method["metrics"]
    assert client.get(method["schema_url"]).status_code == 200
    assert (
        len(text_of(client.get("/api/v1/methods.csv?fields=title")).splitlines()) == len(kinds_by_slug()) + 1
    )


SERIES = [
    {"variant": "write", "region": "outer", "step_blocks": [0, 1, 2, 3], "latency_ns": [10, 11, 12, 13]},
    {"variant": "read", "region": "inner", "step_blocks": [0, 1], "latency_ns": [20, 21]},
]


@pytest.fixture
def sampled(monkeypatch: pytest.MonkeyPatch) -> str:
    """A run whose document holds two series."""
    run = sample_run(SampleRun(provenance=Provenance.PROBE))
    part = {"kind": "skippy", "params": {"block_bytes": 512}, "samples": {"series": SERIES}}
    monkeypatch.setattr(
        "server.measurements.samples.document_load", lambda _submission: {"benchmarks": [part]}
    )
    return f"runs/{run.pk}/benchmarks/skippy/samples"


def test_samples_come_as_the_probe_wrote_them_or_a_window_of_them(client: Client, sampled: str) -> None:
    body = fetch(client, f"{sampled}/")
    assert body["params"] == {"block_bytes": 512}
    assert [table["columns"]["latency_ns"] for table in body["tables"]] == [[10, 11, 12, 13], [20, 21]]
    (window,) = fetch(client, f"{sampled}/?series=0&start=1&stop=3")["tables"]
    assert window["columns"] == {"step_blocks": [1, 2], "latency_ns": [11, 12]}
    assert (window["rows"], window["start"], window["labels"]["region"]) == (4, 1, "outer")


def test_samples_as_lines_name_series_and_sample(client: Client, sampled: str) -> None:
    rows = list(csv.DictReader(io.StringIO(text_of(client.get(f"/api/v1/{sampled}.csv?start=1")))))
    assert rows[0] == {
        "series": "0",
        "variant": "write",
        "region": "outer",
        "sample": "1",
        "step_blocks": "1",
        "latency_ns": "11",
    }
    assert [row["latency_ns"] for row in rows] == ["11", "12", "13", "21"]
    lines = text_of(client.get(f"/api/v1/{sampled}.ndjson?series=1")).splitlines()
    assert [json.loads(line)["latency_ns"] for line in lines] == [20, 21]


def test_samples_of_nothing_are_not_found_and_a_bad_window_is_told(client: Client, sampled: str) -> None:
    fetch(client, sampled.replace("skippy", "access") + "/", 404)
    assert "not a whole number" in fetch(client, f"{sampled}/?start=-1", 400)["detail"]
    assert fetch(client, f"{sampled}/?start=9")["tables"][0]["columns"]["latency_ns"] == []
