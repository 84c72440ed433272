"""Claims as a file has them, CSV or JSON, before anyone asks whether they are right. Pure.

Takes what spreadsheets write: a byte order mark, CRLF, semicolons or tabs between columns, decimal commas.
"""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import dataclass
from typing import Any

from server.core.csv_text import cell_unguarded
from server.core.problems import Problem
from server.core.strictjson import strict_loads

MAX_BYTES = 2 * 1024 * 1024
MAX_CLAIMS = 5000
COLUMNS = (
    "vendor",
    "model",
    "metric",
    "scope",
    "form",
    "value",
    "low",
    "high",
    "unit",
    "quantity",
    "tolerance",
    "conditions",
    "write_cache",
    "document",
    "locator",
    "stated_on",
    "printed",
    "note",
)
"""`value` stands for low and high where a form has one number."""
NEEDED = ("model", "metric", "form", "unit", "document", "locator")
NUMBERS = ("value", "low", "high", "tolerance")


class ClaimFileError(Exception):
    """Claims that can't be taken. Each text says fact, limit and remedy, and begins with its place."""

    def __init__(self, errors: list[str]) -> None:
        super().__init__("\n".join(errors))
        self.errors = errors


@dataclass(frozen=True, slots=True)
class Entry:
    """One claim as the file writes it."""

    where: str
    """`line 3`, or `entry 2` of a JSON file."""
    fields: dict[str, str]
    """Every column, in text; empty where the file has none."""


def claims_read(content: bytes) -> list[Entry]:
    """Return the claims of a file; raises ClaimFileError that names every line that can't be read."""
    if len(content) > MAX_BYTES:
        raise ClaimFileError(
            [f"The file has {len(content):,} bytes. The limit is {MAX_BYTES:,}. Import it in parts."]
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ClaimFileError(
            [f"Byte {error.start} is not UTF-8. Only UTF-8 is read. Save the file as UTF-8 and try again."]
        ) from None
    if "\0" in text:
        raise ClaimFileError(
            ["The file holds NUL characters. Only text is read. Save it as CSV or JSON in UTF-8."]
        )
    entries = _json_entries(text) if text.lstrip()[:1] in ("[", "{") else _csv_entries(text)
    if not entries:
        raise ClaimFileError(
            ["The file holds no claims. At least one is needed. Add a line below the header."]
        )
    if len(entries) > MAX_CLAIMS:
        raise ClaimFileError(
            [f"The file holds {len(entries):,} claims. The limit is {MAX_CLAIMS:,}. Import it in parts."]
        )
    return entries


def _csv_entries(text: str) -> list[Entry]:
    header = text.lstrip("\r\n").splitlines()[0] if text.strip() else ""
    delimiter = max(";\t,", key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    columns: list[str] | None = None
    entries: list[Entry] = []
    errors: list[str] = []
    start = 1
    try:
        for row in reader:
            where, start = f"line {start}", reader.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if columns is None:
                columns = _header(row)
            elif len(row) != len(columns):
                errors.append(
                    f"{where}: it has {len(row)} columns. The header has {len(columns)}. "
                    "Put texts that hold the separator into double quotes."
                )
            else:
                entries.append(Entry(where, _fields(dict(zip(columns, row, strict=True)))))
    except csv.Error as error:
        errors.append(f"line {start}: not CSV: {error}. Close each quote, and save the file anew.")
    if errors:
        raise ClaimFileError(errors)
    return entries


def _header(row: list[str]) -> list[str]:
    columns = ["_".join(cell.strip().casefold().split()) for cell in row]
    errors = [
        f"line 1: the column {name!r} is not known. Columns are {', '.join(COLUMNS)}. Rename or remove it."
        for name in columns
        if name not in COLUMNS
    ]
    errors += [
        f"line 1: the column {name} stands twice. Remove one."
        for name in sorted(set(columns))
        if columns.count(name) > 1
    ]
    errors += [
        f"line 1: there is no column {name}. Needed are {', '.join(NEEDED)}. Add it."
        for name in NEEDED
        if name not in columns
    ]
    if errors:
        raise ClaimFileError(errors)
    return columns


def _json_entries(text: str) -> list[Entry]:
    try:
        data = strict_loads(text.encode(), what="The file")
    except Problem as error:
        raise ClaimFileError([error.detail.replace("Send what the probe wrote.", "Mend the file.")]) from None
    if isinstance(data, dict):
        data = data.get("claims")
    if not isinstance(data, list):
        raise ClaimFileError(['The file is no list of claims. Write [{...}, ...] or {"claims": [...]}.'])
    errors: list[str] = []
    entries: list[Entry] = []
    for number, item in enumerate(data, 1):
        where = f"entry {number}"
        wrong = _json_errors(where, item)
        errors += wrong
        if not wrong:
            entries.append(Entry(where, _fields({name: _text(value) for name, value in item.items()})))
    if errors:
        raise ClaimFileError(errors)
    return entries


def _json_errors(where: str, item: Any) -> list[str]:
    if not isinstance(item, dict):
        return [f"{where}: it is no object. A claim is an object of columns and values. Write it as one."]
    errors = [
        f"{where}: {name!r} is not known. Known are {', '.join(COLUMNS)}. Rename or remove it."
        for name in item
        if name not in COLUMNS
    ]
    return errors + [
        f"{where}: {name} is neither text nor number. Write the value itself."
        for name, value in item.items()
        if isinstance(value, (dict, list, bool))
    ]


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _fields(given: dict[str, str]) -> dict[str, str]:
    """Return every column, trimmed, without the mark that keeps a spreadsheet from seeing a formula."""
    cells = {name: " ".join(given.get(name, "").split()) for name in COLUMNS}
    return {name: cell_unguarded(text) for name, text in cells.items()}


def number_read(text: str) -> float:
    """Return the number in a cell, with a decimal point or comma; raises ValueError with a remedy."""
    squeezed = re.sub(r"[\s\u00a0\u202f]", "", text)
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+", squeezed):
        raise ValueError(
            f"{text!r} may mean thousands or decimals. A comma before three digits is not taken for either. "
            "Write 1000 or 1.000"
        )
    if re.fullmatch(r"[+-]?\d+,\d+", squeezed):
        squeezed = squeezed.replace(",", ".")
    if squeezed.casefold().lstrip("+-") in ("nan", "inf", "infinity"):
        raise ValueError(f"{text!r} is not finite. A claim needs finite numbers. Write the number printed")
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?", squeezed, re.ASCII | re.IGNORECASE):
        raise ValueError(f"{text!r} is no number. Digits with one point or comma are. Write 152 or 8.9")
    number = float(squeezed)
    if not math.isfinite(number):
        raise ValueError(f"{text!r} is too large. Numbers up to 1e308 are taken. Write the number printed")
    return number
