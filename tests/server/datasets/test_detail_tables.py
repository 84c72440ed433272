"""Zones, seek curves and tracks as tables of a release, and names that are the same in all of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
from django.core.management import call_command

from server.benchmarks.registry import KINDS, kinds_by_slug, metrics_by_key
from server.catalog.models import Claim
from server.datasets.builder import release_build
from server.datasets.metadata import ALL_TABLES
from server.datasets.samples import sample_columns
from server.measurements.models import Benchmark, Measurement
from server.submissions.models import Submission
from tests.server.datasets.test_releases import download, withdraw
from tests.support.details import CURVE, SEEKS, TRACKS, ZONES
from tests.support.documents import skippy_part, zoned_part

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]
DETAILS = {"zoned": ZONES, "skippy": TRACKS, "seeker": SEEKS}


@pytest.fixture
def archive(publish: Callable[..., Submission]) -> list[Submission]:
    """Two measured runs of two vendors and a simulated one, with what extraction keeps. Sample data."""
    found = [
        publish(skippy_part(), zoned_part(), license="CC-BY-4.0"),
        publish(skippy_part(steps=151), zoned_part(regions=33), vendor="Other", model="SAMPLE-2"),
        publish(zoned_part(regions=34), provenance="simulated"),
    ]
    for benchmark in Benchmark.objects.all():
        benchmark.details = DETAILS[benchmark.kind]
        benchmark.save()
    first = Benchmark.objects.get(run=found[0].run, kind="skippy")
    for scope, blocks in (("outer", 512), ("middle", 430), ("inner", 300)):
        Measurement.objects.create(
            benchmark=first,
            extractor_version=first.extractor_version,
            metric="skippy.sectors_per_track",
            scope=scope,
            value=blocks,
            count=9,
            quality="poor" if scope == "inner" else "good",
        )
    Benchmark.objects.filter(run=found[1].run, kind="skippy").update(kind="seeker", details=SEEKS)
    return found


def test_zones_of_all_drives_are_one_table_with_the_tracks_that_were_counted(
    archive: list[Submission], tmp_path: Path
) -> None:
    folder = download(release_build(), tmp_path)
    zones = pandas.read_parquet(folder / "parquet" / "zones")
    assert set(zones["run_id"]) == {str(one.run.run_id) for one in archive[:2]}
    mine = zones[zones["run_id"] == str(archive[0].run.run_id)].sort_values("position")
    assert list(mine["position"]) == [0, 1, 2]
    assert list(mine["mb_per_s"]) == [120, 100, 80] and list(mine["regions"]) == [12, 12, 12]
    assert list(mine["start_mb"]) == [0, 900, 1600] and list(mine["low_mb_per_s"]) == [119.5, 99.5, 79.5]
    # The inner count is poor, and no other zone holds a counted track.
    assert list(mine["track_blocks"])[:2] == [512, 430] and pandas.isna(mine["track_blocks"].iloc[2])
    assert set(mine["license"]) == {"CC-BY-4.0"}
    assert zones[zones["run_id"] != str(archive[0].run.run_id)]["track_blocks"].isna().all()
    for form, reader in (("csv", "read_csv"), ("ndjson", "read_json")):
        query = f"SELECT sum(mb_per_s), count(*) FROM {reader}('{folder}/{form}/zones.{form}.gz')"
        assert duckdb.sql(query).fetchall() == [(600.0, 6)]


def test_seek_points_curves_and_tracks_are_tables(archive: list[Submission], tmp_path: Path) -> None:
    folder = download(release_build(), tmp_path)
    points = pandas.read_csv(folder / "csv" / "seek_points.csv.gz")
    assert list(points["distance_blocks"]) == [1000, 4_000_000] and points["covered"].all()
    [curve] = pandas.read_csv(folder / "csv" / "seek_curves.csv.gz").to_dict("records")
    assert {name: curve[name] for name in CURVE} == CURVE
    tracks = pandas.read_csv(folder / "csv" / "tracks.csv.gz").sort_values("position")
    assert list(tracks["region"]) == ["outer", "inner"]
    outer, inner = tracks.to_dict("records")
    assert (outer["track_blocks"], outer["physical_track_blocks"], outer["head_gap_ms"]) == (100, 101, 0.9)
    assert pandas.isna(inner["track_blocks"]) and not inner["trusted"]


def test_detail_tables_have_deltas(
    archive: list[Submission], publish: Callable[..., Submission], tmp_path: Path
) -> None:
    release_build()
    added = publish(zoned_part(regions=36))
    Benchmark.objects.filter(run=added.run).update(details=ZONES)
    withdraw(archive[1].run)
    folder = download(release_build(), tmp_path)
    delta = pandas.read_csv(folder / "csv" / "delta_zones.csv.gz")
    mine = delta[delta["run_id"] == str(added.run.run_id)]
    assert set(mine["change"]) == {"added"} and len(mine) == 3
    assert str(archive[1].run.run_id) not in set(delta["run_id"])


def test_what_each_number_is_and_each_claim_has_a_key(transactional_db: None, tmp_path: Path) -> None:
    call_command("load_catalog", verbosity=0)
    folder = download(release_build(), tmp_path)
    metrics = pandas.read_parquet(folder / "parquet" / "metrics.parquet").set_index("metric")
    assert set(metrics.index) >= set(metrics_by_key())
    assert metrics.loc["zoned.outer_bandwidth", "unit_of_measure"] == "MB/s"
    assert metrics.loc["zoned.outer_bandwidth", "kind"] == "zoned"
    claims = pandas.read_parquet(folder / "parquet" / "claims.parquet")
    shown = Claim.objects.filter(hidden=False, drive_model__simulated=False)
    assert set(claims["claim_id"]) == set(shown.values_list("pk", flat=True))
    assert set(claims["metric"]) | set(
        pandas.read_parquet(folder / "parquet" / "literature.parquet")["metric"]
    ) <= set(metrics.index)


def test_one_name_has_one_meaning_in_all_tables() -> None:
    tables = {table.name: {one.name for one in table.columns} for table in ALL_TABLES}
    tables |= {f"samples_{slug}": {one.name for one in sample_columns(slug)} for slug in kinds_by_slug()}
    for name, columns in tables.items():
        assert not columns & {"unit", "vendor", "drive", "run", "id", "slug", "model", "key"}, name
        if "run_id" in columns and name not in ("tombstones", "changes"):
            assert {"drive_model", "unit_digest"} <= columns, name
        if "value" in columns:
            assert {"metric", "unit_of_measure"} <= columns, name


def test_samples_of_a_kind_open_as_one_table_with_all_its_columns(
    archive: list[Submission], tmp_path: Path
) -> None:
    """Kinds have different columns: in one folder pandas would take those of the first file for all."""
    folder = download(release_build(), tmp_path)
    opened = sorted(path.name for path in (folder / "parquet").iterdir() if path.name.startswith("samples"))
    assert opened == ["samples_skippy", "samples_zoned"]
    for name in opened:
        rows = pandas.read_parquet(folder / "parquet" / name)
        slug = name.removeprefix("samples_")
        assert set(rows.columns) == {one.name for one in sample_columns(slug)} | {"vendor_slug"}
        assert set(rows["kind"]) == {slug} and set(rows["vendor_slug"]) == {"acme", "other"}


def test_no_folder_of_parquet_files_mixes_schemas(archive: list[Submission], tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    folder = download(release_build(), tmp_path) / "parquet"
    tables = [path for path in folder.iterdir() if path.is_dir()]
    assert len(tables) >= 6
    for table in tables:
        schemas = {tuple(pq.read_schema(path).names) for path in table.rglob("*.parquet")}
        assert len(schemas) == 1, table.name


def test_detail_tables_have_names_of_their_own_and_describe_every_column() -> None:
    tables = [table for kind in KINDS for table in kind.detail_tables]
    assert len({table.name for table in tables}) == len(tables)
    assert not {table.name for table in tables} & {"runs", "benchmarks", "measurements", "samples"}
    for table in tables:
        names = [one.name for one in table.columns]
        assert len(set(names)) == len(names) and all(one.about.endswith(".") for one in table.columns)


def test_the_data_package_describes_the_tables(archive: list[Submission], tmp_path: Path) -> None:
    folder = download(release_build(), tmp_path)
    package = json.loads((folder / "datapackage.json").read_text())
    [zones] = [one for one in package["resources"] if one["path"] == "csv/zones.csv.gz"]
    fields: dict[str, Any] = {one["name"]: one["type"] for one in zones["schema"]["fields"]}
    assert fields["start_mb"] == "number" and fields["regions"] == "integer"
    assert zones["schema"]["primaryKey"] == ["run_id", "position"]
    assert package["diskatlas:schemaVersion"] == "2.1"
