"""Objects whose rows come as CSV and NDJSON too: the same numbers, one line for each."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from django.test import Client

from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance
from server.measurements.model_charts import drive_charts_update
from server.measurements.models import Run
from server.model_stats.refresh import refresh_model
from tests.support.sample_archive import sample_archive
from tests.support.sample_registry import sample_kinds_registered
from tests.support.sample_units import measured

pytestmark = pytest.mark.django_db


@pytest.fixture
def model() -> DriveModel:
    """The sample archive's model."""
    return sample_archive()


def body(client: Client, address: str) -> Any:
    response = client.get(f"/api/v1/{address}")
    assert response.status_code == 200, response.content
    return json.loads(response.content)


def table(client: Client, address: str) -> list[dict[str, str]]:
    """Return the rows of an address as CSV, held against those that it gives as NDJSON."""
    path, _, query = address.partition("?")
    text = client.get(f"/api/v1/{path}.csv?{query}")
    assert text.status_code == 200 and text.headers["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(text.content.decode())))
    lines = client.get(f"/api/v1/{path}/?{query}", headers={"Accept": "application/x-ndjson"})
    objects = [json.loads(line) for line in lines.content.decode().splitlines()]
    assert lines.headers["Content-Type"] == "application/x-ndjson; charset=utf-8"
    assert [list(one) for one in objects] == [list(row) for row in rows]
    return rows


def test_facets_have_a_line_for_each_value(client: Client, model: DriveModel) -> None:
    told = body(client, "facets/?vendor=sampledata")["facets"]
    rows = table(client, "facets?vendor=sampledata")
    assert [(row["facet"], row["value"], int(row["count"]), row["chosen"]) for row in rows] == [
        (facet["key"], value["value"], value["count"], "true" if value["chosen"] else "false")
        for facet in told
        for value in facet["values"]
    ]
    assert {row["title"] for row in rows if row["facet"] == "rpm"} == {"Rated rpm"}


def test_the_archives_counts_are_one_line(client: Client, model: DriveModel) -> None:
    [row] = table(client, "statistics")
    assert (row["models_measured"], row["measured_runs"], row["simulated_runs"]) == ("1", "3", "1")


def test_wanted_runs_have_a_line_for_each_model(client: Client, model: DriveModel) -> None:
    [row] = table(client, "wanted")
    assert (row["drive"], row["rank"], row["measured_runs"]) == (model.slug, "30", "3")


def test_an_overview_has_a_line_for_each_part_and_provenance(client: Client, model: DriveModel) -> None:
    rows = table(client, f"drives/{model.slug}/overview")
    assert [(row["provenance"], row["division"], row["part"], row["runs"]) for row in rows] == [
        ("probe", "model", "", "3"),
        ("probe", "batch", "2026-w07", "3"),
        ("probe", "firmware", "S1", "3"),
        ("simulated", "model", "", "1"),
        ("simulated", "batch", "2026-w07", "1"),
        ("simulated", "firmware", "S1", "1"),
    ]


def test_the_keys_of_an_overview_ask_for_the_runs_that_it_counts(client: Client, model: DriveModel) -> None:
    """Measured and simulated runs may have the same firmware: a key without its provenance means measured
    ones."""
    rows = table(client, f"drives/{model.slug}/overview")
    keys = {(row["provenance"], row["division"]): row["key"] for row in rows}
    assert keys["probe", "firmware"] == f"{model.slug}~fw:S1"
    assert keys["simulated", "firmware"] == f"{model.slug}~fw:S1~sim"
    query = f"d={keys['probe', 'firmware']}&d={keys['simulated', 'firmware']}"
    compared = body(client, f"comparisons/?{query}")["groups"]
    assert [(one["provenance"], one["runs"]) for one in compared] == [("probe", 3), ("simulated", 1)]


def spread() -> DriveModel:
    """Make a model with two measured units and a simulated one."""
    model = measured(1, 100.0).drive_model
    measured(2, 104.0, firmware="S2")
    measured(3, 500.0, provenance=Provenance.SIMULATED)
    refresh_model(drive_model_id=model.pk)
    return model


def test_statistics_have_a_line_for_each_number(client: Client) -> None:
    model = spread()
    told = body(client, f"drives/{model.slug}/statistics/")["statistics"]
    rows = table(client, f"drives/{model.slug}/statistics")
    numbers = [(one["provenance"], number) for one in told for number in one["numbers"]]
    assert len(rows) == len(numbers) > 2
    for row, (provenance, number) in zip(rows, numbers, strict=True):
        assert row["provenance"] == provenance and row["metric"] == number["metric"]
        assert float(row["mean"]) == number["mean"] and int(row["units"]) == number["units"]
    assert {row["group"] for row in rows} == {model.slug, f"{model.slug}~sim"}
    apart = table(client, f"drives/{model.slug}/statistics?rows=apart")
    assert len(apart) == sum(len(one["apart"]) for one in told)


def test_a_part_of_a_model_has_its_statistics_as_lines(client: Client) -> None:
    model = spread()
    rows = table(client, f"drives/{model.slug}/firmware/S2")
    assert {row["group"] for row in rows} == {f"{model.slug}~fw:S2"}
    assert {row["metric"]: float(row["mean"]) for row in rows}["zoned.outer_bandwidth"] == 104.0


def test_a_table_that_is_not_there_is_told_with_those_that_are(client: Client) -> None:
    model = spread()
    response = client.get(f"/api/v1/drives/{model.slug}/statistics.csv?rows=mechanisms")
    assert response.status_code == 422 and b"Choose of: apart, numbers" in response.content
    assert client.get("/api/v1/facets.csv?rows=values").status_code == 400
    assert client.get("/api/v1/facets.xml").status_code == 404


def test_a_comparison_has_a_line_for_each_number_of_each_group_or_pair(client: Client) -> None:
    model = spread()
    query = f"d={model.slug}~fw:S1&d={model.slug}~fw:S2"
    told = body(client, f"comparisons/?{query}")["numbers"]
    rows = table(client, f"comparisons?{query}")
    assert [(row["metric"], row["letter"]) for row in rows] == [
        (number["metric"], letter) for number in told for letter in "AB"
    ]
    assert [row["mean"] for row in rows if row["metric"] == "zoned.outer_bandwidth"] == ["100.0", "104.0"]
    pairs = table(client, f"comparisons?{query}&rows=pairs")
    assert [(row["metric"], row["a"], row["b"]) for row in pairs] == [
        (number["metric"], pair["a"], pair["b"]) for number in told for pair in number["pairs"]
    ]


def test_20_differences_below_the_margin_are_practically_equal(client: Client) -> None:
    """Speeds of 150 and 153 MB/s differ by 2 %: by 5 % asked for, nothing is better by so little."""
    for index in range(4):
        measured(index, 150.0 + index / 100, firmware="S1")
        measured(10 + index, 153.0 + index / 100, firmware="S2")
    model = "sampledata-sample-9000"
    address = f"/api/v1/comparisons/?d={model}~fw:S1&d={model}~fw:S2&margin="

    def pair(margin: str) -> tuple[dict[str, Any], dict[str, Any]]:
        body = client.get(address + margin).json()
        assert body["margin"] == float(margin) and body["summary"]
        number = next(one for one in body["numbers"] if one["metric"] == "zoned.outer_bandwidth")
        return number["pairs"][0], body

    told, body = pair("1")
    assert (told["better"], told["equal"]) == ("B", False) and told["percent"] == pytest.approx(
        -2.0, rel=1e-3
    )
    assert "B" in body["summary"][0]
    told, _body = pair("5")
    assert (told["better"], told["equal"]) == (None, True)
    for wrong in ("-1", "51", "two"):
        answer = client.get(address + wrong)
        assert answer.status_code == 400 and answer.json()["errors"][0]["path"] == "/margin"


def test_a_runs_standing_and_charts_are_tables(client: Client, model: DriveModel) -> None:
    run = Run.objects.filter(provenance="probe", drive_model=model).first()
    assert run is not None
    numbers = table(client, f"runs/{run.pk}/standing")
    assert [row["metric"] for row in numbers] == [
        one["metric"] for one in body(client, f"runs/{run.pk}/standing/")["numbers"]
    ]
    with sample_kinds_registered():
        drive_charts_update(drive_model_id=model.pk)
        for address in (f"drives/{model.slug}/charts", f"runs/{run.pk}/charts"):
            charts = table(client, address)
            drawn = body(client, charts[0]["url"].partition("/api/v1/")[2])
            assert drawn["id"] == charts[0]["id"]


def test_the_forms_of_a_model_are_a_table(client: Client, model: DriveModel) -> None:
    rows = table(client, f"drives/{model.slug}/exports")
    assert rows == body(client, f"drives/{model.slug}/exports/")
    assert all("/exports/" in row["url"] and ".csv" not in row["url"] for row in rows)


def test_the_lines_of_a_short_table_have_a_tag(client: Client, model: DriveModel) -> None:
    first = client.get("/api/v1/wanted.csv")
    again = client.get("/api/v1/wanted.csv", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    assert first.headers["RateLimit-Policy"].startswith('"read"')
