"""Releases as researchers read them: by pandas, polars and DuckDB, with sums as in the database."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import numpy as np
import pandas
import polars
import pyarrow.parquet as pq
import pytest
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.db.models import F

from server.accounts.models import ProbeKey, User
from server.accounts.services import probe_key_revoke
from server.datasets.builder import release_build
from server.datasets.models import Release
from server.datasets.selectors import file_open, release_files, releases_list
from server.measurements.documents import document_load
from server.measurements.models import Aggregate, Measurement, Run
from server.measurements.strata import FIELDS
from server.model_stats.refresh import refresh_model
from server.submissions.models import Submission
from server.submissions.withdrawal import run_withdraw
from server.subscriptions.models import ArchiveEvent
from server.transparency.models import LogLeaf
from server.transparency.publication_log import log_check, log_head
from tests.support.documents import skippy_part, zoned_part
from tests.support.log_verifier import checkpoint_open

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]

Publish = Callable[..., Submission]
WAYS: list[dict[str, Any]] = [
    {"interface": "sata", "bridge": None},
    {"interface": "usb", "bridge": {"vendor": "Acme", "product": "Bridge"}},
    {"interface": "usb", "bridge": None},
    {"interface": "unknown", "bridge": None},
]
"""Ways to a disk: direct, two through a bridge, and one that nobody told."""


@pytest.fixture
def archive(publish: Publish) -> list[Submission]:
    """Five runs of three drives of two vendors, one of them simulated. Sample data."""
    found = [
        publish(skippy_part(steps=150), zoned_part(), license="CC-BY-4.0"),
        publish(skippy_part(steps=151)),
        publish(skippy_part(steps=152), unit_digest="cd" * 32, firmware='2.0 "b",x'),
        publish(skippy_part(steps=153), vendor="Other", model="SAMPLE-2", unit_digest=None),
    ]
    publish(skippy_part(steps=154), provenance="simulated")
    return found


def download(release: Release, folder: Path) -> Path:
    """Bring a release's files into a folder, as a reader would."""
    for file in release_files(release=release):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        with file_open(file) as source:
            path.write_bytes(source.read())
    return folder


def withdraw(run: Run) -> None:
    keeper, _created = User.objects.get_or_create(username="keeper")
    keeper.user_permissions.add(*Permission.objects.filter(codename="withdraw"))
    run_withdraw(run=run, by=User.objects.get(pk=keeper.pk), reason="Measured through a broken bridge.")


def test_a_release_is_read_by_pandas_polars_and_duckdb_with_the_databases_sums(
    archive: list[Submission], tmp_path: Path, tool_count: Callable[[str, int, str], None]
) -> None:
    release = release_build()
    assert [event.release for event in ArchiveEvent.objects.filter(release__isnull=False)] == [release.number]
    folder = download(release, tmp_path)
    measured = Measurement.objects.filter(benchmark__run__provenance="probe", value__isnull=False)
    expected = float(np.sum(sorted(measured.values_list("value", flat=True))))
    count = Measurement.objects.filter(benchmark__run__provenance="probe").count()

    by_pandas = pandas.read_parquet(folder / "parquet" / "measurements")
    assert len(by_pandas) == count
    assert by_pandas["value"].sum() == pytest.approx(expected, rel=1e-12)
    assert set(by_pandas["kind"]) == {"skippy", "zoned"}

    by_polars = polars.read_parquet(
        folder / "parquet" / "measurements" / "**" / "*.parquet", hive_partitioning=True
    )
    assert by_polars["value"].sum() == pytest.approx(expected, rel=1e-12)
    assert set(by_polars["vendor_slug"]) == {"acme", "other"}

    query = f"SELECT sum(value), count(*) FROM read_parquet('{folder}/parquet/measurements/**/*.parquet')"
    assert duckdb.sql(query).fetchall() == [(pytest.approx(expected, rel=1e-12), count)]
    for form in ("csv", "ndjson"):
        reader = {"csv": "read_csv", "ndjson": "read_json"}[form]
        query = f"SELECT sum(value), count(*) FROM {reader}('{folder}/{form}/measurements/*.{form}.gz')"
        assert duckdb.sql(query).fetchall() == [(pytest.approx(expected, rel=1e-12), count)]
    tool_count("pandas and polars", 2 * count, "rows")
    tool_count("duckdb", 3 * count, "rows")


def test_formats_say_the_same_of_every_run(archive: list[Submission], tmp_path: Path) -> None:
    folder = download(release_build(), tmp_path)
    stored = pandas.read_parquet(folder / "parquet" / "runs").set_index("run_id")
    text = pandas.read_csv(folder / "csv" / "runs.csv.gz").set_index("run_id")
    lines = pandas.read_json(folder / "ndjson" / "runs.ndjson.gz", lines=True, dtype=False).set_index(
        "run_id"
    )
    assert set(stored.index) == {str(one.run.run_id) for one in archive}
    odd = str(archive[2].run.run_id)
    assert (
        stored.loc[odd, "firmware"] == text.loc[odd, "firmware"] == lines.loc[odd, "firmware"] == '2.0 "b",x'
    )
    assert stored.loc[odd, "published_at"].to_pydatetime() == archive[2].published_at
    assert stored.loc[str(archive[0].run.run_id), "license"] == "CC-BY-4.0"
    assert stored["unit_digest"].isna().sum() == text["unit_digest"].isna().sum() == 1
    assert lines.loc[odd, "document"]["device"]["model"] == "SAMPLE-1"
    assert json.loads(stored.loc[odd, "document"]) == archive[2].run.summary


def test_samples_are_lists_as_the_signed_documents_have_them(
    archive: list[Submission], tmp_path: Path
) -> None:
    folder = download(release_build(), tmp_path)
    rows = pandas.read_parquet(folder / "parquet" / "samples_skippy")
    for submission in archive:
        [series] = document_load(submission)["benchmarks"][0]["samples"]["series"]
        [row] = rows[rows["run_id"] == str(submission.run.run_id)].to_dict("records")
        assert list(row["latency_ns"]) == series["latency_ns"]
        assert (row["variant"], row["region"], row["start_block"]) == ("write", "outer", 0)
    zoned = pq.read_table(next((folder / "parquet" / "samples_zoned").rglob("*.parquet")))
    assert str(zoned.schema.field("elapsed_ns").type) == "list<element: int64>"
    path = next((folder / "ndjson" / "samples" / "zoned").iterdir())
    [line] = pandas.read_json(path, lines=True, dtype=False).to_dict("records")
    assert line["params"]["mode"] == "sampled"


def test_aggregates_are_those_of_the_pages(archive: list[Submission], tmp_path: Path) -> None:
    for model in set(Run.objects.values_list("drive_model_id", flat=True)):
        refresh_model(drive_model_id=model)
    rows = pandas.read_parquet(download(release_build(), tmp_path) / "parquet" / "aggregates.parquet")
    shown = Aggregate.objects.filter(provenance="probe").select_related("drive_model")
    assert len(rows) == shown.count() > 0
    found = rows.set_index(["drive_model", "metric", "scope"])
    for one in shown:
        row = found.loc[(one.drive_model.slug, one.metric, one.scope)]
        for name in ("n", "units", "excluded", "mean", "median", "q1", "q3", "minimum", "maximum"):
            assert row[name] == pytest.approx(getattr(one, name), rel=1e-12), name
        assert (row["stdev"] if one.stdev else 0) == pytest.approx(one.stdev or 0, rel=1e-9)
    assert found.loc["acme-sample-1", "license"].eq("CC-BY-4.0").any()


def test_aggregates_weigh_units_under_one_set_of_conditions_as_the_pages_do(
    publish: Publish, tmp_path: Path
) -> None:
    drawn = random.Random(5)
    for number in range(16):
        publish(skippy_part(steps=150 + number), unit_digest=drawn.choice([None, "ab" * 32, "cd" * 32]))
    for run in Run.objects.all():
        run.summary["device"] |= drawn.choices(WAYS, [6, 1, 1, 1])[0]
        write_cache, look_ahead = (drawn.choices([True, False, None], [6, 1, 1])[0] for _cache in range(2))
        run.summary["conditions"] |= {"write_cache_during": write_cache, "look_ahead_during": look_ahead}
        run.save()
        for benchmark in run.benchmarks.all():
            told = {"write": drawn.choice([None, True]), "look_ahead": True}
            benchmark.caches = drawn.choices([None, told], [4, 1])[0]
            benchmark.save()
            factor = drawn.uniform(0.9, 1.1)
            benchmark.measurements.update(
                value=F("value") * factor, low=F("low") * factor, high=F("high") * factor
            )
    (model,) = set(Run.objects.values_list("drive_model_id", flat=True))
    refresh_model(drive_model_id=model)
    rows = pandas.read_parquet(download(release_build(), tmp_path) / "parquet" / "aggregates.parquet")
    found = rows.set_index(["metric", "scope"])
    shown = Aggregate.objects.filter(provenance="probe")
    assert len(rows) == shown.count() > 0
    assert any(one.n > one.units for one in shown) and any(one.strata for one in shown)
    for one in shown:
        row = found.loc[(one.metric, one.scope)]
        for name in ("n", "units", "excluded", "mean", "median", "q1", "q3", "minimum", "maximum"):
            assert row[name] == pytest.approx(getattr(one, name), rel=1e-12), (one.metric, name)
        assert {name: row[name] for name in FIELDS if row[name]} == one.conditions
        assert row["elsewhere"] == sum(other["n"] for other in one.strata)


def test_literature_is_a_table_of_its_own_and_claims_carry_their_verdicts(
    transactional_db: None, tmp_path: Path
) -> None:
    call_command("load_catalog", verbosity=0)
    folder = download(release_build(), tmp_path)
    literature = pandas.read_parquet(folder / "parquet" / "literature.parquet")
    claims = pandas.read_parquet(folder / "parquet" / "claims.parquet")
    models = pandas.read_parquet(folder / "parquet" / "drive_models.parquet")
    assert len(literature) > 300
    assert literature["authors"].ne("").all()
    assert any(len(samples) > 1 for samples in literature["samples"])
    assert len(claims) > 20
    assert not models["drive_model"].str.contains("modern-20-tb").any()
    assert pandas.read_parquet(folder / "parquet" / "aggregates.parquet").empty


def test_a_release_holds_the_log_head_and_the_sums_of_its_files(
    archive: list[Submission], tmp_path: Path
) -> None:
    release = release_build()
    folder = download(release, tmp_path)
    head = log_head()
    opened = checkpoint_open(
        (folder / "checkpoint").read_text(), origin=head.origin, public_key=head.public_key
    )
    assert (opened.size, opened.root) == (5, log_head(size=5).root)
    sums = dict(line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    paths = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert sums.keys() == paths - {"SHA256SUMS"}
    assert all(hashlib.sha256((folder / path).read_bytes()).hexdigest() == one for path, one in sums.items())
    leaf = LogLeaf.objects.get(kind="released")
    assert leaf.digest == hashlib.sha256((folder / "SHA256SUMS").read_bytes()).hexdigest()
    assert (leaf.index, leaf.run_id, log_check()) == (5, UUID(int=0), [])
    package = json.loads((folder / "datapackage.json").read_text())
    assert package["diskatlas:extractors"] == {"skippy": {"1": 4}, "zoned": {"1": 1}}
    assert package["diskatlas:rows"]["runs"] == 4


def test_runs_since_a_revocation_are_marked_and_in_no_aggregate(
    archive: list[Submission], tmp_path: Path
) -> None:
    before = pandas.read_csv(download(release_build(), tmp_path / "one") / "csv" / "runs.csv.gz")
    assert not before["after_revocation"].any() and set(before["standing"]) == {"plausible"}
    key = archive[0].probe_key
    probe_key_revoke(key=key, since=min(one.received_at for one in archive))
    folder = download(release_build(), tmp_path / "two")
    after = pandas.read_csv(folder / "csv" / "runs.csv.gz")
    assert after["after_revocation"].all() and len(after) == len(before)
    assert pandas.read_csv(folder / "csv" / "aggregates.csv.gz").empty
    assert set(pandas.read_csv(folder / "csv" / "delta_runs.csv.gz")["change"]) == {"changed"}


def test_a_release_leaves_out_what_is_beyond_a_holders_share_as_the_pages_do(
    publish: Publish, tmp_path: Path
) -> None:
    sent = [publish(skippy_part(steps=150 + n), unit_digest=f"{n:064x}") for n in range(6)]
    for number in (4, 5):
        public = bytes([number]) * 32
        key = ProbeKey.objects.create(keyid=hashlib.sha256(public).hexdigest(), public_key=public)
        Submission.objects.filter(pk=sent[number].pk).update(probe_key=key)
    refresh_model(drive_model_id=sent[0].run.drive_model_id)
    folder = download(release_build(), tmp_path) / "csv"
    runs = pandas.read_csv(folder / "runs.csv.gz")
    assert runs["beyond_share"].tolist() == [False, True, True, True, False, False]
    rows = pandas.read_csv(folder / "aggregates.csv.gz").set_index(["metric", "scope"]).sort_index()
    shown = Aggregate.objects.filter(provenance="probe")
    assert len(rows) == shown.count() > 0
    for one in shown:
        row = rows.loc[(one.metric, one.scope or np.nan)]
        row = row.iloc[0] if isinstance(row, pandas.DataFrame) else row
        assert (row["n"], row["units"]) == (one.n, one.units) == (3, 3)
        assert row["median"] == pytest.approx(one.median, rel=1e-12)


def test_the_same_state_gives_the_same_bytes(archive: list[Submission]) -> None:
    first, second = release_build(), release_build()
    assert second.number == first.number + 1

    def data(release: Release) -> dict[str, str]:
        # What is different from the release before is so by what that was.
        files = release_files(release=release).exclude(table__in=["", "changes"])
        files = files.exclude(table__startswith="delta_")
        return dict(files.values_list("path", "sha256"))

    assert data(first) == data(second)
    old = {file.path: file.storage_name for file in release_files(release=first)}
    same = [file for file in release_files(release=second) if old[file.path] == file.storage_name]
    assert {file.table for file in same} == {"samples"}


def test_the_change_list_says_what_is_different_from_the_release_before(
    archive: list[Submission], publish: Publish, kinds: Any, tmp_path: Path
) -> None:
    first = release_build()
    assert first.changes == {"added": 4, "withdrawn": 0, "reextracted": 0}
    added = publish(skippy_part(steps=160))
    passing = publish(skippy_part(steps=161))
    withdraw(archive[1].run)
    withdraw(passing.run)
    call_command("reextract", "--run", str(archive[0].run.run_id), "--present", verbosity=0)
    second = release_build()
    folder = download(second, tmp_path)
    changes = pandas.read_csv(folder / "csv" / "changes.csv.gz")
    found = set(zip(changes["change"], changes["run_id"], strict=True))
    assert ("added", str(added.run.run_id)) in found
    assert ("withdrawn", str(archive[1].run.run_id)) in found
    assert ("reextracted", str(archive[0].run.run_id)) in found
    assert len(found) == 3  # what came and went between two releases is in neither
    runs = set(pandas.read_parquet(folder / "parquet" / "runs")["run_id"])
    assert str(archive[1].run.run_id) not in runs
    stones = pandas.read_csv(folder / "csv" / "tombstones.csv.gz")
    assert set(stones["run_id"]) == {str(archive[1].run.run_id), str(passing.run.run_id)}
    samples = pandas.read_parquet(folder / "parquet" / "samples_skippy")
    assert str(archive[1].run.run_id) not in set(samples["run_id"])
    # What was released stays as it was.
    before = pandas.read_parquet(download(first, tmp_path / "first") / "parquet" / "runs")
    assert str(archive[1].run.run_id) in set(before["run_id"])


def test_an_empty_archive_gives_a_release_with_empty_tables(transactional_db: None, tmp_path: Path) -> None:
    folder = download(release_build(), tmp_path)
    for name in ("aggregates", "claims", "literature", "changes", "tombstones"):
        assert pandas.read_parquet(folder / "parquet" / f"{name}.parquet").empty
        assert pandas.read_csv(folder / "csv" / f"{name}.csv.gz").empty


def test_samples_that_cannot_be_read_are_said_and_stop_nothing(
    archive: list[Submission], tmp_path: Path
) -> None:
    from server.core.envelope_store import envelope_delete

    envelope_delete(name=archive[0].storage_name)
    release = release_build()
    assert [one["run_id"] for one in release.missing] == [str(archive[0].run.run_id)]
    folder = download(release, tmp_path)
    told = (folder / "README.md").read_text()
    assert f"- {archive[0].run.run_id}: No envelope is stored" in told
    assert f"the samples of {release.rows['runs'] - 1} of them" in told and "all samples" not in told
    assert list(releases_list()) == [release]


def test_a_release_in_one_format_has_the_same_rows_and_nothing_else(
    archive: list[Submission], tmp_path: Path
) -> None:
    whole = release_build()
    call_command("release_dataset", "--formats", "parquet")
    release = releases_list()[0]
    assert release.number == whole.number + 1
    data = [file for file in release_files(release=release) if file.table]
    assert {file.format for file in data} == {"parquet"}
    assert {file.path for file in data} == {
        file.path for file in release_files(release=whole) if file.format == "parquet"
    }
    for table in ("runs", "benchmarks", "measurements", "claims", "literature", "samples"):
        assert release.rows[table] == whole.rows[table]
    before = download(whole, tmp_path / "whole") / "parquet" / "samples_skippy"
    after = download(release, tmp_path / "parquet") / "parquet" / "samples_skippy"
    assert pandas.read_parquet(before).equals(pandas.read_parquet(after))
