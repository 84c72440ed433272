"""The registry names every kind there is, once, and metrics are looked up over it."""

from __future__ import annotations

from pathlib import Path

from server.benchmarks.contract import Direction, ExportDetail, Measurand
from server.benchmarks.measurands import by_measurand, source, sources, stand_ins
from server.benchmarks.registry import KINDS, kind_name, metrics_by_key

FOLDER = Path(__file__).parent


def test_a_kind_whose_folder_was_forgotten_in_the_registry_is_caught() -> None:
    folders = {path.parent.name for path in FOLDER.glob("*/extract.py")}
    assert folders == {kind.slug for kind in KINDS}


def test_every_kind_lives_in_the_folder_of_its_slug_with_schema_and_explanation() -> None:
    for kind in KINDS:
        assert kind.folder == FOLDER / kind.slug
        assert (kind.folder / "schema" / "v1.json").is_file()
        assert (kind.folder / "about.md").is_file()


def test_a_kind_is_called_by_the_short_of_its_title() -> None:
    assert kind_name("zoned") == "ZONED" and kind_name("not-here") == "not-here"
    names = [kind_name(kind.slug) for kind in KINDS]
    assert len(set(names)) == len(names) and not set(names) & {kind.slug for kind in KINDS}


def test_an_explanation_has_the_parts_that_a_reader_looks_for() -> None:
    for kind in KINDS:
        text = (kind.folder / "about.md").read_text(encoding="utf-8")
        for part in ("What it measures", "Why it matters", "How to read it", "Known traps", "Source"):
            assert f"## {part}" in text, f"{kind.slug} lacks {part}"


def test_metric_keys_carry_their_kinds_slug_and_are_unique() -> None:
    keys = [one.key for kind in KINDS for one in kind.metrics]
    assert len(keys) == len(set(keys)) == len(metrics_by_key())
    assert all(one.key.startswith(f"{kind.slug}.") for kind in KINDS for one in kind.metrics)


def test_a_rotation_is_neither_better_nor_worse_whether_told_as_a_time_or_as_a_rate() -> None:
    for measurand in (Measurand.ROTATION_TIME, Measurand.ROTATION_RATE):
        assert metrics_by_key()[source(measurand)[0]].direction is Direction.NEITHER


def test_each_measurand_is_defined_by_one_metric_and_the_others_stand_in_for_it_in_an_order() -> None:
    ranks: dict[Measurand, list[int]] = {}
    for metric in metrics_by_key().values():
        for one in metric.measures:
            ranks.setdefault(one.measurand, []).append(one.rank)
    assert ranks.keys() == set(Measurand)
    for measurand, found in ranks.items():
        assert sorted(found)[0] == 0 and len(set(found)) == len(found), measurand


def test_a_claim_is_held_against_other_kinds_that_measure_the_same_quantity() -> None:
    outer = source(Measurand.OUTER_BANDWIDTH)
    assert stand_ins()[outer] == sources()[Measurand.OUTER_BANDWIDTH][1:]
    assert all(other not in stand_ins() for other in stand_ins()[outer])


def test_numbers_are_found_by_what_they_measure_and_keep_their_scope_unless_it_is_the_whole_drives() -> None:
    track, stroke = source(Measurand.SECTORS_PER_TRACK)[0], source(Measurand.FULL_STROKE)
    other = sources()[Measurand.OUTER_BANDWIDTH][1]
    found = by_measurand(
        {(track, "inner"): 300.0, stroke: 17.0, (stroke[0], "without_mtm"): 15.0, other: 9.0}
    )
    assert found == {(Measurand.SECTORS_PER_TRACK, "inner"): 300.0, (Measurand.FULL_STROKE, ""): 17.0}


def test_columns_of_lists_have_keys_and_positions_of_their_own() -> None:
    columns = [column for metric in metrics_by_key().values() for column in metric.columns]
    assert len({column.key for column in columns}) == len(columns)
    assert len({column.position for column in columns}) == len(columns)


def test_each_part_that_exports_read_is_kept_by_one_kind() -> None:
    kept = [detail for kind in KINDS for detail in kind.export_details]
    assert sorted(kept) == sorted(ExportDetail)
