"""The registry names every kind there is, once, and metrics are looked up over it."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.benchmarks.contract import Direction
from server.benchmarks.metrics import metric, metrics
from server.benchmarks.registry import KINDS

FOLDER = Path(__file__).parent


def test_a_kind_whose_folder_was_forgotten_in_the_registry_is_caught() -> None:
    folders = {path.parent.name for path in FOLDER.glob("*/extract.py")}
    assert folders == {kind.slug for kind in KINDS}


def test_every_kind_lives_in_the_folder_of_its_slug_with_schema_and_explanation() -> None:
    for kind in KINDS:
        assert kind.folder == FOLDER / kind.slug
        assert (kind.folder / "schema" / "v1.json").is_file()
        assert (kind.folder / "about.md").is_file()


def test_an_explanation_has_the_parts_that_a_reader_looks_for() -> None:
    for kind in KINDS:
        text = (kind.folder / "about.md").read_text(encoding="utf-8")
        for part in ("What it measures", "Why it matters", "How to read it", "Known traps", "Source"):
            assert f"## {part}" in text, f"{kind.slug} lacks {part}"


def test_metric_keys_carry_their_kinds_slug_and_are_unique() -> None:
    keys = [one.key for kind in KINDS for one in kind.metrics]
    assert len(keys) == len(set(keys)) == len(metrics())
    assert all(one.key.startswith(f"{kind.slug}.") for kind in KINDS for one in kind.metrics)


def test_an_unknown_metric_is_named_in_the_error() -> None:
    assert metric("skippy.mtm").unit == "ms"
    with pytest.raises(KeyError, match=r"skippy\.colour"):
        metric("skippy.colour")


def test_a_rotation_is_neither_better_nor_worse_whether_told_as_a_time_or_as_a_rate() -> None:
    assert metric("skippy.rotation_time").direction is Direction.NEITHER
    assert metric("skippy.rotation_rate").direction is Direction.NEITHER
