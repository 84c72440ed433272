"""Rows that are different from the release before: with them, the one before becomes this one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import duckdb
import pandas
import polars
import pytest
from django.test import Client

from server.catalog.models import DriveModel
from server.core import clock
from server.datasets import snapshot
from server.datasets.builder import release_build
from server.measurements.detail_tables import detail_tables
from server.measurements.models import Benchmark, Measurement
from server.submissions.models import Submission
from tests.server.datasets.test_releases import download, withdraw
from tests.support.documents import skippy_part, zoned_part

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]
Publish = Callable[..., Submission]


@pytest.fixture(autouse=True)
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """In tests nothing is under way while a release is made."""
    monkeypatch.setattr(snapshot, "DELTA_MARGIN", timedelta(0))


@pytest.fixture
def releases(publish: Publish, tmp_path: Path) -> tuple[Path, Path, dict[str, Submission]]:
    """Two releases, with one run kept, one changed, one withdrawn and one added between them. Sample data."""
    runs = {
        name: publish(skippy_part(steps=150 + index), *more, unit_digest=f"{index}a" * 32)
        for index, (name, more) in enumerate(
            {"kept": (), "changed": (zoned_part(),), "withdrawn": ()}.items()
        )
    }
    before = download(release_build(), tmp_path / "1")
    withdraw(runs["withdrawn"].run)
    benchmark = Benchmark.objects.get(run=runs["changed"].run, kind="zoned")
    Measurement.objects.filter(benchmark=benchmark).update(extractor_version="sample-2", value=12.5)
    benchmark.extractor_version, benchmark.extracted_at = "sample-2", clock.now()
    benchmark.save()
    runs["added"] = publish(skippy_part(steps=160), unit_digest="9a" * 32)
    return before, download(release_build(), tmp_path / "2"), runs


def table(folder: Path, name: str) -> pandas.DataFrame:
    """Return a table with every column, of its CSV files."""
    paths = sorted((folder / "csv").glob(f"{name}.csv.gz")) or sorted(
        (folder / "csv" / name).glob("*.csv.gz")
    )
    return pandas.concat([pandas.read_csv(path, dtype=str) for path in paths], ignore_index=True)


def same(left: pandas.DataFrame, right: pandas.DataFrame, key: list[str]) -> None:
    columns = list(right.columns)
    pandas.testing.assert_frame_equal(
        left[columns].sort_values(key).reset_index(drop=True),
        right.sort_values(key).reset_index(drop=True),
        check_dtype=False,
    )


def test_the_release_before_becomes_this_one_by_its_deltas(
    releases: tuple[Path, Path, dict[str, Submission]],
) -> None:
    before, now, runs = releases
    named = table(now, "delta_runs")
    told = dict(zip(named["run_id"], named["change"], strict=True))
    assert told == {str(runs[name].run.pk): name for name in ("changed", "withdrawn", "added")}
    for name, key in (
        ("runs", ["run_id"]),
        ("benchmarks", ["run_id", "kind"]),
        ("measurements", ["run_id", "metric", "scope"]),
    ):
        delta = table(now, f"delta_{name}")
        kept = table(before, name)
        kept = kept[~kept["run_id"].isin(named["run_id"])]
        fresh = delta[delta["change"] != "withdrawn"].drop(columns="change")
        same(pandas.concat([kept, fresh], ignore_index=True), table(now, name), key)


def test_deltas_are_read_by_pandas_polars_and_duckdb(
    releases: tuple[Path, Path, dict[str, Submission]],
) -> None:
    _before, now, runs = releases
    path = now / "parquet" / "delta_measurements.parquet"
    changed = str(runs["changed"].run.pk)
    by_pandas = pandas.read_parquet(path)
    of_kind = by_pandas[(by_pandas["run_id"] == changed) & (by_pandas["kind"] == "zoned")]
    assert set(of_kind["value"]) == {12.5} and set(of_kind["change"]) == {"changed"}
    by_polars = polars.read_parquet(path)
    counted = duckdb.sql(f"SELECT count(*) FROM read_parquet('{path}')").fetchall()
    assert counted == [(len(by_pandas),)] and by_polars.height == len(by_pandas) > 0
    gone = polars.read_parquet(now / "parquet" / "delta_runs.parquet").filter(
        polars.col("change") == "withdrawn"
    )
    assert gone["run_id"].to_list() == [str(runs["withdrawn"].run.pk)]
    assert gone["document"].to_list() == [None] and gone["digest"].to_list() == [None]


def test_the_first_release_has_no_deltas_and_an_unchanged_one_neither(
    publish: Publish, tmp_path: Path
) -> None:
    publish(skippy_part(steps=150))
    for number in (1, 2):
        release = release_build()
        deltas = {name: rows for name, rows in release.rows.items() if name.startswith("delta_")}
        assert {"delta_runs", "delta_benchmarks", "delta_measurements", "delta_zones"} <= deltas.keys()
        assert not any(deltas.values()), number


def test_a_renamed_model_changes_the_rows_of_its_runs(publish: Publish, tmp_path: Path) -> None:
    run = publish(skippy_part(steps=150)).run
    publish(skippy_part(steps=151), vendor="Other", model="SAMPLE-2")
    release_build()
    DriveModel.objects.filter(pk=run.drive_model_id).update(slug="acme-renamed")
    named = table(download(release_build(), tmp_path), "delta_runs")
    assert list(named["run_id"]) == [str(run.pk)] and list(named["drive_model"]) == ["acme-renamed"]


def test_the_api_gives_the_deltas_since_an_earlier_release(
    releases: tuple[Path, Path, dict[str, Submission]], client: Client
) -> None:
    body = client.get("/api/v1/releases/2/?since=1").json()
    assert {(file["table"], file["format"]) for file in body["deltas"]} == {
        (f"delta_{name}", form)
        for name in ("runs", "benchmarks", "measurements", *detail_tables())
        for form in ("parquet", "csv", "ndjson")
    }
    assert all("/releases/2/files/" in file["url"] for file in body["deltas"])
    assert client.get("/api/v1/releases/2/").json()["deltas"] == []
