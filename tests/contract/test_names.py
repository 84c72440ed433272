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


if __name__ == "__main__":
    record()
