"""Single charts as CSV and NDJSON: the points that the JSON has, each as a row of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from server.benchmarks.chart_json import chart_of
from server.benchmarks.chart_rows import POINT_COLUMNS, point_rows
from server.benchmarks.contract import Axis, Chart, Series, View
from server.catalog.models import DriveModel
from server.measurements.model_charts import drive_charts_update
from server.measurements.models import Run
from server.model_stats.refresh import refresh_model
from tests.server.api.test_tables import body, table
from tests.support.sample_archive import sample_archive
from tests.support.sample_registry import sample_kinds_registered
from tests.support.sample_units import measured

pytestmark = pytest.mark.django_db


def test_a_row_tells_the_word_of_a_category_and_the_axis_that_its_series_stands_on() -> None:
    share = Axis("Share", "%")
    chart = Chart(
        "sample",
        "curve",
        "Sample",
        "Sample data.",
        Axis("Size", "KiB", categories=("4", "16 or more")),
        Axis("Bandwidth", "MB/s"),
        (
            Series("read", "Read", "points", (0.0, 1.0), (5.0, 7.5), low=(4.0, 7.0), high=(6.0, 8.0)),
            Series("busy", "Busy", "line", (1.0,), (40.0,), axis="y2"),
            Series("rest", "Rest", "line", (3.0,), (0.5,)),
        ),
        y2=share,
        views=(View("main", "Main", ("read", "busy")), View("rest", "Rest", ("rest",), x=Axis("Hour", "h"))),
    )
    rows = list(point_rows(chart))
    assert [list(row) for row in rows] == [list(POINT_COLUMNS)] * 4
    assert [(row["series"], row["x"], row["y"], row["low"], row["high"]) for row in rows] == [
        ("read", "4", 5.0, 4.0, 6.0),
        ("read", "16 or more", 7.5, 7.0, 8.0),
        ("busy", "16 or more", 40.0, None, None),
        ("rest", 3.0, 0.5, None, None),
    ]
    assert [(row["x_axis"], row["y_axis"]) for row in rows] == [
        ("Size (KiB)", "Bandwidth (MB/s)"),
        ("Size (KiB)", "Bandwidth (MB/s)"),
        ("Size (KiB)", "Share (%)"),
        ("Hour (h)", "Bandwidth (MB/s)"),
    ]


def points(told: dict[str, Any]) -> list[tuple[str, float, float]]:
    """Return a chart's points as its JSON has them."""
    return [(one["key"], x, y) for one in told["series"] for x, y in zip(one["x"], one["y"], strict=True)]


def read(rows: list[dict[str, str]]) -> list[tuple[str, float, float]]:
    return [(row["series"], float(row["x"]), float(row["y"])) for row in rows]


def test_charts_of_a_run_and_of_a_model_have_a_line_for_each_point(client: Client) -> None:
    model = sample_archive()
    run = Run.objects.filter(provenance="probe", drive_model=model).first()
    assert run is not None
    with sample_kinds_registered():
        drive_charts_update(drive_model_id=model.pk)
        for address in (f"drives/{model.slug}/charts/", f"runs/{run.pk}/charts/"):
            path = body(client, address)["results"][0]["url"].partition("/api/v1/")[2]
            told = body(client, path)
            assert told == body(client, f"{path.rstrip('/')}.json")
            rows = table(client, path.rstrip("/"))
            assert read(rows) == points(told) and len(rows) > 100
            assert {row["x_axis"] for row in rows} == {"Step (blocks)"}
            assert {row["y_axis"] for row in rows} == {"Latency (ms)"}
            assert client.get(f"/api/v1/{path.rstrip('/')}.xml").status_code == 404


def test_the_lines_of_a_chart_have_a_tag_and_those_of_all_its_points_are_a_stream(client: Client) -> None:
    model = sample_archive()
    run = Run.objects.filter(provenance="probe", drive_model=model).first()
    assert run is not None
    with sample_kinds_registered():
        path = (
            body(client, f"runs/{run.pk}/charts/")["results"][0]["url"].partition("/api/v1/")[2].rstrip("/")
        )
        first = client.get(f"/api/v1/{path}.csv")
        again = client.get(f"/api/v1/{path}.csv", headers={"If-None-Match": first.headers["ETag"]})
        assert again.status_code == 304
        assert first.headers["RateLimit-Policy"].startswith('"read"')
        assert f'filename="skippy-sawtooth-outer-{run.pk}.csv"' in first.headers["Content-Disposition"]
        every: Any = client.get(f"/api/v1/{path}.ndjson?full=true")
        assert every.headers["RateLimit-Policy"].startswith('"export"')
        lines = [json.loads(line) for line in b"".join(every.streaming_content).splitlines()]
        assert [(row["series"], row["x"], row["y"]) for row in lines] == points(
            body(client, f"{path}/?full=true")
        )
        assert client.get(f"/api/v1/{path}.json?full=true").headers["RateLimit-Policy"].startswith('"read"')


def test_a_chart_that_is_not_there_is_told_in_each_format(client: Client) -> None:
    run = measured(1, 100.0)
    for ending in ("/", ".csv", ".ndjson"):
        for address in (f"runs/{run.pk}", f"drives/{run.drive_model.slug}"):
            middle = "probe/" if address.startswith("drives") else ""
            response = client.get(f"/api/v1/{address}/charts/{middle}zoned/nothing{ending}")
            assert response.status_code == 404, address
            assert response.headers["Content-Type"] == "application/problem+json"


def spread() -> DriveModel:
    """Make a model of two units in each of two firmware revisions."""
    model = measured(1, 100.0).drive_model
    for unit, value, firmware in ((2, 101.0, "S1"), (3, 140.0, "S2"), (4, 141.0, "S2")):
        measured(unit, value, firmware=firmware)
    refresh_model(drive_model_id=model.pk)
    return model


def test_a_comparison_has_the_charts_of_its_page(client: Client) -> None:
    model = spread()
    query = f"d={model.slug}~fw:S1&d={model.slug}~fw:S2"
    told = body(client, f"comparisons/charts/?{query}")["results"]
    page = client.get(f"/compare/?{query}").content.decode()
    assert told and all(f"compare-{one['id']}" in page for one in told)
    values = {(key, y) for one in told for key, _x, y in points(one)}
    assert {100.0, 101.0, 140.0, 141.0} <= {y for _key, y in values}
    rows = table(client, f"comparisons/charts?{query}")
    charts = [chart_of(one) for one in told]
    wanted = [(chart.id, row["series"], row["y"]) for chart in charts for row in point_rows(chart)]
    assert [(row["chart"], row["series"], float(row["y"])) for row in rows] == wanted


def test_charts_of_a_comparison_take_the_same_groups_as_the_comparison(client: Client) -> None:
    for query in ("", "d=nothing&d=nobody", "level=7"):
        bare = client.get(f"/api/v1/comparisons/?{query}")
        drawn = client.get(f"/api/v1/comparisons/charts/?{query}")
        assert bare.status_code == drawn.status_code == 400
        assert json.loads(bare.content)["errors"] == json.loads(drawn.content)["errors"]
