"""What a release says of itself, read by the libraries that define it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import frictionless
import mlcroissant
import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.test import Client

from server.benchmarks.registry import kinds_by_slug
from server.datasets.builder import release_build
from server.datasets.samples import sample_columns
from server.submissions.models import Submission
from tests.server.datasets.test_releases import download
from tests.support.documents import skippy_part, zoned_part

OF_SAMPLES = {b"skippy.longest", b"zoned.longest"}
"""Metrics that the tests' extractors give and no registered kind has."""
ToolCount = Callable[[str, int, str], None]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]


@pytest.fixture
def folder(publish: Callable[..., Submission], tmp_path: Path) -> Path:
    call_command("load_catalog", verbosity=0)
    publish(skippy_part(), zoned_part())
    publish(skippy_part(steps=151), vendor="Other")
    return download(release_build(), tmp_path / "release")


def test_every_csv_keeps_to_its_table_schema(folder: Path, tool_count: ToolCount) -> None:
    """Frictionless checks descriptor, sizes, digests, types, keys and required values."""
    with frictionless.system.use_context(trusted=True):
        package = frictionless.Package(str(folder / "datapackage.json"))
        tables = [one for one in package.resources if one.format == "csv"]
        assert {one.name for one in tables} >= {"csv-runs-csv-gz", "csv-literature-csv-gz"}
        for table in tables:
            report = table.validate()
            assert report.valid, (table.name, report.flatten(["rowNumber", "fieldName", "message"])[:3])
        tool_count("frictionless", len(tables), "tables")


def test_croissant_gives_the_records_of_a_table(folder: Path, tool_count: ToolCount) -> None:
    dataset = mlcroissant.Dataset(jsonld=folder / "croissant.json")
    assert not dataset.metadata.ctx.issues.errors
    records = list(dataset.records(record_set="literature"))
    assert (
        len(records) == json.loads((folder / "datapackage.json").read_text())["diskatlas:rows"]["literature"]
    )
    assert b"skippy" not in records[0]["literature/drive_model"]
    tool_count("mlcroissant", len(records), "records")


def test_croissant_gives_the_records_of_tables_that_are_parted_by_vendor(folder: Path) -> None:
    """Whatever more than one vendor has stands in a file for each: runs, numbers and samples above all."""
    rows = json.loads((folder / "datapackage.json").read_text())["diskatlas:rows"]
    dataset = mlcroissant.Dataset(jsonld=folder / "croissant.json")
    assert len(list(dataset.records(record_set="runs"))) == rows["runs"] == 2
    numbers = sum(
        len(list(dataset.records(record_set=f"measurements-{kind}"))) for kind in ("skippy", "zoned")
    )
    assert numbers == rows["measurements"]
    samples = list(dataset.records(record_set="samples-skippy"))
    assert len({one["samples-skippy/run_id"] for one in samples}) == 2


def test_croissant_keys_tell_records_apart_and_references_lead_to_one(folder: Path) -> None:
    dataset = mlcroissant.Dataset(jsonld=folder / "croissant.json")
    assert not dataset.metadata.ctx.issues.errors and not dataset.metadata.ctx.issues.warnings
    found: dict[str, list[dict[str, Any]]] = {}
    by_source = {}
    for one in dataset.metadata.record_sets:
        found[one.id] = list(dataset.records(record_set=one.id))
        by_source[one.fields[0].source.uuid] = one.id
        keys = one.key if isinstance(one.key, list) else [one.key]
        told = [tuple(row[key] for key in keys) for row in found[one.id]]
        assert len(set(told)) == len(told), one.id
    leading = set()
    for one in dataset.metadata.record_sets:
        for field in one.fields:
            if field.references.uuid:
                other, column = by_source[field.references.uuid], field.references.extract.column
                there = {row[f"{other}/{column}"] for row in found[other]}
                assert {row[field.id] for row in found[one.id]} - OF_SAMPLES <= there, field.id
                leading.add(f"{other}/{column}")
    assert leading == {"runs/run_id", "drive_models/drive_model", "metrics/metric"}


def test_an_empty_release_says_why(tmp_path: Path, client: Client) -> None:
    call_command("load_catalog", verbosity=0)
    folder = download(release_build(), tmp_path / "release")
    why = "holds no run: none that was measured on a real drive had been published"
    for name in ("README.md", "datapackage.json", "croissant.json", "datacite.json"):
        assert why in (folder / name).read_text(), name
    for address in ("/datasets/", "/datasets/1/"):
        shown = re.sub(r"<script.*?</script>", "", client.get(address).content.decode(), flags=re.S)
        assert why in " ".join(shown.split()), address
    assert not mlcroissant.Dataset(jsonld=folder / "croissant.json").metadata.ctx.issues.errors


def test_a_release_carries_its_doi_in_all_its_metadata(
    publish: Callable[..., Submission], tmp_path: Path, settings: LazySettings, client: Client
) -> None:
    settings.DATASETS_DOI = "10.5072/diskatlas.{number}"
    publish(skippy_part())
    folder = download(release_build(formats=["csv"]), tmp_path / "release")
    told = json.loads((folder / "datacite.json").read_text())
    assert told["doi"] == "10.5072/diskatlas.1" and told["version"] == "1"
    # What DataCite's schema 4.5 asks for.
    assert told["creators"][0]["name"] and told["titles"][0]["title"] and told["publisher"]["name"]
    assert told["publicationYear"] > 2000 and told["types"]["resourceTypeGeneral"] == "Dataset"
    assert 'doi: "10.5072/diskatlas.1"' in (folder / "CITATION.cff").read_text()
    address = "https://doi.org/10.5072/diskatlas.1"
    assert json.loads((folder / "datapackage.json").read_text())["id"] == address
    assert json.loads((folder / "croissant.json").read_text())["sameAs"] == address
    page = client.get("/datasets/").content.decode()
    [block] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, flags=re.S)
    linked = json.loads(block)
    assert (linked["@type"], linked["version"], linked["identifier"]) == ("Dataset", "1", address)
    for one in linked["distribution"]:
        path = one["contentUrl"].partition("://")[2].partition("/")[2]
        assert client.get(f"/{path}").status_code == 200


def test_without_a_doi_none_is_claimed(folder: Path) -> None:
    assert "doi" not in json.loads((folder / "datacite.json").read_text())
    assert "doi:" not in (folder / "CITATION.cff").read_text()


def test_citation_names_release_and_log(folder: Path) -> None:
    text = (folder / "CITATION.cff").read_text()
    assert 'version: "1"' in text
    assert "publication log, 2 leaves, root " in text


@pytest.mark.parametrize("slug", sorted(kinds_by_slug()))
def test_every_kinds_columns_follow_from_its_schema(slug: str) -> None:
    columns = {column.name: column.type for column in sample_columns(slug)}
    assert {"run_id", "series", "params", "license"} <= columns.keys()
    lists = [name for name, kind in columns.items() if kind == "integers"]
    assert lists or slug == "random_io", columns
