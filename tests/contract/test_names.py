"""Archive and probe name a drive alike; called as a program, this records what the archive says."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from server.catalog.identities import identities
from server.catalog.names import drive_name

DATA = Path(__file__).parent / "data"
CASES = DATA / "names.json"
with (DATA / "field_strings.csv").open(encoding="utf-8") as file:
    FIELD_STRINGS = list(csv.DictReader(file))


def named(vendor: str, model: str) -> dict[str, Any]:
    """What both programs must say of two strings."""
    name = asdict(drive_name(vendor, model))
    name["facts"] = {fact: decoded["value"] for fact, decoded in name["facts"].items()}
    return {"strings": [vendor, model], "name": name}


def cases() -> list[dict[str, Any]]:
    strings = [("", one.model_string) for one in identities()]
    return [
        named(*pair) for pair in [*strings, *((entry["vendor"], entry["model"]) for entry in FIELD_STRINGS)]
    ]


def record() -> None:
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases())
    CASES.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def test_the_recorded_names_are_what_the_archive_says() -> None:
    """The probe is held against the same file (`client/probe/src/identify/names.rs`)."""
    assert json.loads(CASES.read_text(encoding="utf-8")) == cases()


@pytest.mark.parametrize("entry", FIELD_STRINGS, ids=lambda entry: f"{entry['vendor']} {entry['model']}")
def test_bridges_resellers_and_controllers_are_seen_through(entry: dict[str, str]) -> None:
    name = drive_name(entry["vendor"], entry["model"])
    assert {
        "maker": name.maker,
        "brand": name.brand,
        "number": name.model,
        "variant": name.variant,
        "oem_part": name.oem_part,
        "kind": name.kind,
    } == {key: entry[key] for key in ("maker", "brand", "number", "variant", "oem_part", "kind")}


@pytest.mark.parametrize(
    ("number", "family"),
    [
        # Front pages of Seagate's product manuals list these numbers; their endings are those of other lines.
        ("ST2000NM0001", "Constellation ES"),  # 100650925, Rev. C
        ("ST4000NM0011", "Enterprise Performance 3.5 HDD"),  # 100790573, Rev. B
        ("ST1000NM0033", "Constellation ES.3"),  # 100671511, Rev. E
        ("ST2000NM0034", "Enterprise Capacity 3.5 HDD"),  # 100726011, Rev. C
        ("ST6000NM001B", "Exos 7E10"),  # 201473700, Rev. E
        ("ST6000NM003A", "Exos 7E8"),  # 100846379, Rev. D
        ("ST1200MM0007", "Enterprise Performance 10K HDD v7"),  # 100713202, Rev. C
        ("ST1200MM0009", "Exos 10E2400"),  # 100827454, Rev. F
        ("ST500LT012", "Laptop Thin HDD"),  # 100713732, Rev. K
        ("ST3200822AS", "Barracuda 7200.7"),  # 100270024, Rev. N
        ("ST3000DM007", "BarraCuda"),  # 100805918, Rev. N
        # No document at hand says what these are, and what looks like them belongs to several lines.
        ("ST5000LM001", ""),
        ("ST340823A", ""),
        ("ST34311A", ""),
        ("SAMSUNG HD080HJ", ""),
        ("Maxtor 6L040J2", ""),
    ],
)
def test_a_family_is_that_of_the_number_and_not_of_its_ending(number: str, family: str) -> None:
    assert drive_name(None, number).family == family


if __name__ == "__main__":
    record()
