"""The catalogue's files: what they may hold, and that what they hold is what the documents print."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

from server.benchmarks.registry import metrics_by_key
from server.catalog.files import DATA, CatalogError, catalog_read, claim_rows, facts_by_key, value_rows

FILES = catalog_read()
ROWS = [(name, row) for name, drive in FILES.drives.items() for row in value_rows(drive)]
CLAIMS = [(name, row) for name, drive in FILES.drives.items() for row in claim_rows(drive)]


def values(drive: str, metric: str, **wanted: Any) -> list[float]:
    rows = value_rows(FILES.drives[drive])
    fits = [
        row
        for row in rows
        if row["metric"] == metric and all(row.get(name, "") == text for name, text in wanted.items())
    ]
    return [row["value"] for row in fits]


def test_every_number_is_of_a_registered_metric_or_a_known_fact_in_its_unit() -> None:
    units = {key: metric.unit for key, metric in metrics_by_key().items()}
    units |= {key: fact.unit for key, fact in facts_by_key().items()}
    wrong = [
        (name, row["metric"], row["unit"])
        for name, row in ROWS + CLAIMS
        if units.get(row["metric"]) != row["unit"]
    ]
    assert wrong == []


def test_every_number_names_its_document_and_the_place_in_it() -> None:
    assert all(row["citation"] and row["locator"] for _name, row in ROWS + CLAIMS)


def test_a_fact_does_not_bear_the_name_of_a_metric_and_is_used() -> None:
    assert not set(facts_by_key()) & set(metrics_by_key())
    assert set(facts_by_key()) == {row["metric"] for _name, row in ROWS + CLAIMS} & set(facts_by_key())


def test_every_printed_mean_and_deviation_is_that_of_its_samples() -> None:
    sampled = [row for _name, row in ROWS if row.get("samples")]
    assert [len(row["samples"]) for row in sampled] == [10, 10, 10]
    for row in sampled:
        assert row["count"] == 10
        assert round(mean(row["samples"]), 2) == row["value"]
        assert round(stdev(row["samples"]), 2) == row["deviation"]


def test_the_published_results_of_the_documents_are_there() -> None:
    zones = [
        value
        for n in range(1, 9)
        for value in values("ibm-ultrastar-xp", "skippy.sectors_per_track", scope=f"zone/{n}")
    ]
    assert zones == [187.36, 179.85, 167.66, 155.82, 147.76, 142.10, 134.14, 120.39]
    assert len(values("seagate-st2000nm0001", "published.write_rate", citation="olp")) == 11
    assert (
        len(values("maxtor-2f040l0", "access.rate_at"))
        == len(values("maxtor-6l040j2", "access.rate_at"))
        == 9
    )
    assert values("western-digital-raptor", "random_io.iops", scope="write/512/p1") == [344827]
    assert values("samsung-hd103sj", "temperature.threshold", scope="write") == [19]
    assert not claim_rows(FILES.drives["western-digital-wd1600aajs"])


def test_a_number_in_another_unit_is_converted_and_shows_what_was_printed() -> None:
    (row,) = [
        row
        for row in value_rows(FILES.drives["ibm-ultrastar-xp"])
        if (row["locator"], row["metric"]) == ("Table 3", "zoned.outer_bandwidth")
    ]
    assert (row["value"], row["unit"], row["printed"]) == (10.15, "MB/s", "9.68 MB/s")


def test_sizes_are_exact_in_the_archives_unit() -> None:
    assert values("samsung-hd103sj", "buffer.plateau_end") == [8192]
    assert values("samsung-hd103sj", "published.buffer_memory") == [32768]


def test_values_measured_on_a_simulator_say_so() -> None:
    simulators = {name for name, row in ROWS if row.get("basis") == "simulated"}
    assert simulators == {"hp-97560", "dec-rz26"}
    for name in simulators:
        assert not [
            row for row in value_rows(FILES.drives[name]) if row.get("basis", "measured") == "measured"
        ]


def test_a_file_is_named_as_the_address_of_its_drive() -> None:
    from django.utils.text import slugify

    for name, drive in FILES.drives.items():
        assert name == slugify(f"{drive['vendor']} {drive['number']}")


def broken(tmp_path: Path, change: Any) -> Path:
    """Return a copy of the files with one drive changed."""
    folder = tmp_path / "data"
    shutil.copytree(DATA, folder)
    path = folder / "drives" / "samsung-hd103sj.json"
    drive = json.loads(path.read_text())
    change(drive)
    path.write_text(json.dumps(drive))
    return folder


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda drive: drive["published"][0].pop("locator"), "locator"),
        (lambda drive: drive["published"][0].update(citation="nobody"), "cites 'nobody'"),
        (lambda drive: drive["claims"][0].update(form="about"), "form"),
        (lambda drive: drive["claims"][0].update(low=1.0), "claims/0"),
        (lambda drive: drive["published"][0]["values"].append(drive["published"][0]["values"][0]), "twice"),
        (lambda drive: drive.update(colour="black"), "colour"),
        (
            lambda drive: drive["published"][0]["values"][0].update({"as": "ms"}),
            "TB is a unit of size",
        ),
    ],
    ids=[
        "no place",
        "no such document",
        "no such form",
        "two numbers",
        "stated twice",
        "unknown field",
        "unit",
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_name_and_place(
    tmp_path: Path, change: Any, words: str
) -> None:
    with pytest.raises(CatalogError, match=words) as caught:
        catalog_read(broken(tmp_path, change))
    assert "samsung-hd103sj" in str(caught.value)
