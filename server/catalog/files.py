"""The catalogue's files, read and checked: one per drive, and those that all drives share."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

from server.core.units import UnitError, convert_stated

DATA = Path(__file__).parent / "data"
_GROUP_FIELDS = ("basis", "units", "conditions", "note")


class CatalogError(Exception):
    """A file of the catalogue is wrong. Its text names the file and the place, and says what to do."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A published number that no benchmark measures."""

    key: str
    title: str
    unit: str
    definition: str


@dataclass(frozen=True, slots=True)
class CatalogFiles:
    """What the files hold, as they write it."""

    citations: list[dict[str, Any]]
    vendors: dict[str, list[str]]
    drives: dict[str, dict[str, Any]]
    """By the name of the file, which is the drive's address."""
    sheets: dict[str, dict[str, Any]]
    """Vendors' documents by the name of the file, which is the citation's key; see `sheets.py`."""


def catalog_read(folder: Path = DATA) -> CatalogFiles:
    """Read and check all files; raises CatalogError at the first that is wrong."""
    citations = _checked(folder / "citations.json", "citations")["citations"]
    vendors = _checked(folder / "vendors.json", "vendors")["vendors"]
    drives = {path.stem: _checked(path, "drive") for path in sorted((folder / "drives").glob("*.json"))}
    sheets = {path.stem: _checked(path, "sheet") for path in sheet_paths(folder)}
    keys = {entry["key"] for entry in citations}
    if both := sorted(keys & sheets.keys()):
        raise CatalogError(f"{both[0]} is a document of citations.json and of sheets/. Rename one of them.")
    for name, drive in drives.items():
        for entry in [*drive["published"], *drive["claims"]]:
            if entry["citation"] not in keys:
                raise CatalogError(
                    f"{name}.json cites {entry['citation']!r}. citations.json has {', '.join(sorted(keys))}. "
                    "Add the document there, or cite one of these."
                )
        _check_numbers(name, drive)
    return CatalogFiles(citations, vendors, drives, sheets)


def sheet_paths(folder: Path = DATA) -> list[Path]:
    """Return the files of vendors' documents, in the order of their names."""
    return sorted((folder / "sheets").glob("*.json"))


@cache
def facts_by_key(folder: Path = DATA) -> dict[str, Fact]:
    """Return the published numbers that no benchmark measures, by their key (`published.<name>`)."""
    entries = _checked(folder / "facts.json", "facts")["facts"]
    return {entry["key"]: Fact(**entry) for entry in entries}


def value_rows(drive: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a drive's published values as rows: what a place has in common in each, units as stored."""
    rows = []
    for group in drive["published"]:
        common = {name: group[name] for name in _GROUP_FIELDS if name in group}
        for entry in group["values"]:
            row = {"citation": group["citation"], "locator": group["locator"], **common, **entry}
            rows.append(_in_stored_unit(row, ("value", "deviation", "samples")))
    return rows


def claim_rows(drive: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a drive's claims as rows, `value` put where the form has it, units as stored."""
    rows = []
    for entry in drive["claims"]:
        row = _in_stored_unit(entry, ("value", "low", "high"))
        if "value" in row:
            value = row.pop("value")
            row["low"] = value if row["form"] in ("minimum", "typical") else None
            row["high"] = value if row["form"] in ("maximum", "typical") else None
        rows.append(row)
    return rows


def _in_stored_unit(entry: dict[str, Any], numbers: tuple[str, ...]) -> dict[str, Any]:
    row = dict(entry)
    to = row.pop("as", row["unit"])
    for name in numbers:
        if name in row:
            given = row[name]
            row[name] = (
                [convert_stated(one, row["unit"], to) for one in given]
                if isinstance(given, list)
                else convert_stated(given, row["unit"], to)
            )
    row["unit"] = to
    return row


def _check_numbers(name: str, drive: dict[str, Any]) -> None:
    seen = set()
    try:
        rows = value_rows(drive)
        claim_rows(drive)
    except UnitError as error:
        raise CatalogError(f"{name}.json: {error}") from None
    for row in rows:
        key = (row["citation"], row["locator"], row["metric"], row.get("scope", ""))
        if key in seen:
            raise CatalogError(
                f"{name}.json states {row['metric']} {row.get('scope', '')} twice at {row['locator']}. "
                "A place states a number once. Make the locators say which is which."
            )
        seen.add(key)


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((DATA / "schema.json").read_text(encoding="utf-8"))
    return schema


@cache
def _validator(name: str) -> jsonschema_rs.Draft202012Validator:
    schema = _schema()
    return jsonschema_rs.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})


def _checked(path: Path, name: str) -> dict[str, Any]:
    data, errors = file_read(path, name)
    if errors:
        raise CatalogError(f"{path.name}{errors[0]}")
    return data


def file_read(path: Path, name: str) -> tuple[dict[str, Any], list[str]]:
    """Return a file's content, and all that the schema's `name` finds wrong with it, each with its place."""
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return {}, [f" cannot be read as JSON: {error}. Mend the file."]
    wrong = [
        f", at {'/'.join(str(part) for part in error.instance_path) or 'the top'}: {error.message}. "
        "See data/schema.json."
        for error in _validator(name).iter_errors(data)
    ]
    return data, wrong


@dataclass(frozen=True, slots=True)
class RotationRating:
    """A rate in rpm that drives are rated at."""

    rpm: float
    class_of: tuple[str, ...]
    """Beginnings of the names of drives for whose vendor it is a class and no rate."""
    class_turns_at: tuple[float, ...]
    """The rates at which drives of the class turn."""

    def turns_at(self, name: str) -> tuple[float, ...]:
        """Return the rates that the rating stands for on a drive whose vendor and model are `name`."""
        return self.class_turns_at if name.upper().startswith(self.class_of) else (self.rpm,)


@cache
def rotation_ratings() -> tuple[RotationRating, ...]:
    """Return the ratings that drives are known to have."""
    entries = json.loads((DATA / "rotation_ratings.json").read_text(encoding="utf-8"))["ratings"]
    return tuple(
        RotationRating(
            rpm=float(one["rpm"]),
            class_of=tuple(name.upper() for name in one.get("class_of", [])),
            class_turns_at=tuple(float(rate) for rate in one.get("class_turns_at", [])),
        )
        for one in entries
    )
