"""One slug everywhere: the probe's registry, the archive's registry and the folders of both agree."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest

from server.benchmarks.contract import Kind
from server.benchmarks.registry import KINDS
from tests.contract.folders import (
    ARCHIVE_KINDS,
    PROBE_KINDS,
    kind_folders,
    missing_files,
    missing_sections,
    unregistered,
)
from tests.support.probe import Probe

SLUGS = [kind.slug for kind in KINDS]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=SLUGS)


def probe_kinds(probe: Probe) -> dict[str, int]:
    """The probe's registry: schema version by slug."""
    done = probe.call("kinds", "--json")
    assert done.returncode == 0, done.stderr
    return {entry["slug"]: entry["version"] for entry in json.loads(done.stdout)}


def test_there_are_kinds_at_all() -> None:
    assert {"skippy", "zoned", "seeker"} <= set(SLUGS)


def test_probe_and_archive_name_the_same_kinds(probe: Probe) -> None:
    assert sorted(probe_kinds(probe)) == sorted(SLUGS)


def test_every_folder_of_the_archive_is_registered() -> None:
    assert unregistered(ARCHIVE_KINDS, SLUGS) == []


def test_every_folder_of_the_probe_is_registered(probe: Probe) -> None:
    assert unregistered(PROBE_KINDS, probe_kinds(probe)) == []


@pytest.mark.parametrize("source", ["extract.py", "mod.rs"])
def test_a_forgotten_registry_line_is_told_on_either_side(tmp_path: Path, source: str) -> None:
    for slug in ("skippy", "forgotten"):
        (tmp_path / slug).mkdir()
        (tmp_path / slug / source).touch()
    (tmp_path / "__pycache__").mkdir()
    assert kind_folders(tmp_path) == {"skippy", "forgotten"}
    told = unregistered(tmp_path, ["skippy", "gone"])
    assert told == [
        f"{tmp_path.name}/forgotten has no line in the registry",
        "the registry names gone, which has no folder",
    ]


@each_kind
def test_a_kind_has_its_files_and_lies_in_the_folder_of_its_slug(kind: Kind, probe: Probe) -> None:
    assert kind.folder.resolve() == ARCHIVE_KINDS / kind.slug
    assert missing_files(ARCHIVE_KINDS, kind.slug, range(1, probe_kinds(probe)[kind.slug] + 1)) == []


def test_a_missing_file_of_a_kind_is_told(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "extract.py").touch()
    assert missing_files(tmp_path, "new", [1]) == ["new/schema/v1.json", "new/about.md", "new/chart.py"]


@each_kind
def test_a_kinds_about_page_has_its_four_sections(kind: Kind) -> None:
    assert missing_sections((kind.folder / "about.md").read_text(encoding="utf-8")) == []


@each_kind
def test_a_kinds_schemas_are_valid_and_describe_that_kind(kind: Kind) -> None:
    for path in sorted((kind.folder / "schema").glob("v*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        jsonschema_rs.validator_for(schema)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert schema["properties"]["kind"] == {"const": kind.slug}
        assert schema["properties"]["version"] == {"const": int(path.stem.removeprefix("v"))}
        assert schema["additionalProperties"] is False


@each_kind
def test_every_metric_says_what_it_is_how_it_is_found_and_whence(kind: Kind) -> None:
    assert kind.metrics
    assert kind.extractor_version
    for metric in kind.metrics:
        assert metric.key.startswith(f"{kind.slug}.")
        for words in (metric.title, metric.unit, metric.definition, metric.method, metric.source):
            assert words.strip(), metric.key


def test_no_two_metrics_share_a_key() -> None:
    keys = [metric.key for kind in KINDS for metric in kind.metrics]
    assert sorted(keys) == sorted(set(keys))
