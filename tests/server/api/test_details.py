"""Zones, seek curves and tracks of many drives by one request, and the filters that lists share."""

from __future__ import annotations

import io
import json
from typing import Any

import pandas
import pytest
from django.test import Client

from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance, State
from server.measurements.models import Batch, Benchmark, Measurement, Run
from tests.server.api.test_frame import fetch, text_of
from tests.support.details import CURVE, SEEKS, TRACKS, ZONES
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def archive() -> list[Run]:
    """Three published runs of three models with what extraction keeps, and one that is not. Sample data."""
    found = [
        sample_run(SampleRun(model="Sample 7200")),
        sample_run(SampleRun(model="Sample 5400", unit="cd" * 32)),
        sample_run(SampleRun(model="Sample 7200 B", provenance=Provenance.SIMULATED)),
    ]
    hidden = sample_run(SampleRun(model="Sample 7200", state=State.EXTRACTED))
    Run.objects.update(capacity_bytes=2048 * 10**6)
    for run in (*found, hidden):
        for kind, details in (("zoned", ZONES), ("seeker", SEEKS), ("skippy", TRACKS)):
            Benchmark.objects.filter(run=run, kind=kind).update(details=details)
    DriveModel.objects.filter(number="Sample 7200").update(rated_rpm=7200, year=2012)
    DriveModel.objects.filter(number="Sample 5400").update(rated_rpm=5400, year=2014)
    counting = Benchmark.objects.get(run=found[0], kind="skippy")
    counting.measurements.filter(metric="skippy.sectors_per_track").delete()
    Measurement.objects.create(
        benchmark=counting,
        extractor_version="1",
        metric="skippy.sectors_per_track",
        scope="middle",
        value=430,
        count=9,
        quality="good",
    )
    return found


def rows_of(client: Client, address: str) -> list[dict[str, Any]]:
    """Return all rows of a list, page after page."""
    body = fetch(client, address)
    rows: list[dict[str, Any]] = body["results"]
    while body["next"]:
        body = fetch(client, body["next"].partition("/api/v1/")[2])
        rows += body["results"]
    return rows


def test_zones_of_many_drives_come_by_one_request(client: Client, archive: list[Run]) -> None:
    slugs = [run.drive_model.slug for run in archive[:2]]
    rows = fetch(client, f"zones/?drive__in={','.join(slugs)}")["results"]
    assert [row["run_id"] for row in rows] == [str(run.pk) for run in archive[:2] for _zone in range(3)]
    first = rows[0]
    assert (first["position"], first["start_mb"], first["end_mb"], first["mb_per_s"]) == (0, 0, 900, 120)
    assert (first["low_mb_per_s"], first["high_mb_per_s"], first["license"]) == (119.5, 120.5, "CC0-1.0")
    assert (first["vendor_slug"], first["drive_model"]) == (archive[0].drive_model.vendor.slug, slugs[0])
    assert [row["track_blocks"] for row in rows[:3]] == [None, 430, None]


def test_pages_of_zones_hold_every_row_once_and_break_within_runs(client: Client, archive: list[Run]) -> None:
    whole = rows_of(client, "zones/")
    assert len(whole) == 9 and rows_of(client, "zones/?limit=2") == whole
    lines = text_of(client.get("/api/v1/zones.ndjson")).splitlines()  # type: ignore[arg-type]
    assert [json.loads(line) for line in lines] == whole
    table = pandas.read_csv(io.StringIO(text_of(client.get("/api/v1/zones.csv"))))  # type: ignore[arg-type]
    assert list(table.columns) == list(whole[0]) and table["mb_per_s"].sum() == 900


def test_seek_points_curves_and_tracks_are_lists_too(client: Client, archive: list[Run]) -> None:
    run = archive[0].pk
    points = fetch(client, f"seek-points/?run={run}")["results"]
    assert [(one["distance_blocks"], one["latency_ms"]) for one in points] == [(1000, 1.1), (4_000_000, 9.5)]
    [curve] = fetch(client, f"seek-curves/?run={run}")["results"]
    assert {name: curve[name] for name in CURVE} == CURVE
    outer, inner = fetch(client, f"tracks/?run={run}")["results"]
    assert (outer["track_blocks"], outer["turn_ms"], inner["turn_ms"]) == (100, 8.33, None)


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("rpm=7200", {"Sample 7200"}),
        ("rpm__lte=6000", {"Sample 5400"}),
        ("year__gte=2013", {"Sample 5400"}),
        ("provenance=simulated", {"Sample 7200 B"}),
        ("unit_digest=" + "cd" * 32, {"Sample 5400"}),
        ("batch=2026-W07", {"Sample 7200", "Sample 5400", "Sample 7200 B"}),
        ("batch=2025-W07", set()),
        ("since=2999-01-01T00:00:00Z", set()),
    ],
)
def test_filters_by_model_and_run_hold_for_zones_numbers_and_benchmarks(
    client: Client, archive: list[Run], query: str, numbers: set[str]
) -> None:
    slugs = {one.slug for one in DriveModel.objects.filter(number__in=numbers)}
    for resource in ("zones", "seek-curves", "measurements", "benchmarks"):
        found = {row["drive_model"] for row in rows_of(client, f"{resource}/?limit=500&{query}")}
        assert found == slugs, resource


def test_many_runs_drives_and_kinds_are_named_at_once(client: Client, archive: list[Run]) -> None:
    both = ",".join(str(run.pk) for run in archive[:2])
    slugs = ",".join(run.drive_model.slug for run in archive[:2])
    for resource in ("runs", "benchmarks", "measurements", "zones"):
        for query in (f"run__in={both}", f"drive__in={slugs}"):
            found = {row["run_id"] for row in rows_of(client, f"{resource}/?limit=500&{query}")}
            assert found == {str(run.pk) for run in archive[:2]}, (resource, query)
    kinds = {row["kind"] for row in rows_of(client, "measurements/?limit=500&kind__in=zoned,seeker")}
    assert kinds == {"zoned", "seeker"}
    assert len(rows_of(client, "runs/?kind__in=zoned,seeker")) == 3


def test_rows_without_a_value_are_asked_for(client: Client, archive: list[Run]) -> None:
    Batch.objects.update(label="x")
    Run.objects.filter(pk=archive[0].pk).update(unit=None, batch=None, firmware="")
    for query in (
        "unit__isnull=true",
        "unit_digest__isnull=true",
        "batch__isnull=true",
        "firmware__isnull=true",
    ):
        assert [row["run_id"] for row in rows_of(client, f"runs/?{query}")] == [str(archive[0].pk)]
    for name in ("unit", "unit_digest", "firmware"):
        assert len(rows_of(client, f"runs/?{name}__isnull=false")) == 2, name
    assert {row["number"] for row in rows_of(client, "drives/?rpm=7200")} == {"Sample 7200"}
    assert {row["number"] for row in rows_of(client, "drives/?rpm__lte=6000")} == {"Sample 5400"}
    without = rows_of(client, "measurements/?limit=500&value__isnull=true")
    assert without and all(row["value"] is None for row in without)
    assert {row["number"] for row in rows_of(client, "drives/?rated_rpm__isnull=true")} == {"Sample 7200 B"}


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("zones/?drive__in=no-such", 404),
        ("zones/?rpm=fast", 400),
        ("zones/?batch=week", 400),
        ("runs/?batch=2014-W54", 400),
        ("runs/?batch=2014-W0", 400),
        ("zones/?cursor=x", 404),
        ("zones/?nothing=1", 400),
        ("zones/?run__in=x,y", 400),
        ("zones/?limit=0", 400),
    ],
)
def test_what_is_not_understood_is_a_problem(
    client: Client, archive: list[Run], address: str, status: int
) -> None:
    answer = client.get(f"/api/v1/{address}")
    assert answer.status_code == status and answer["Content-Type"] == "application/problem+json"


def test_fields_are_chosen_and_the_rest_is_left_out(client: Client, archive: list[Run]) -> None:
    row = fetch(client, "zones/?fields=mb_per_s")["results"][0]
    assert set(row) == {"run_id", "position", "mb_per_s"}
