"""The one way in which tables are written as CSV (RFC 4180): no cell is a formula to a spreadsheet.

Names come from devices and contributors. A text that a spreadsheet would run is marked by an apostrophe, as
OWASP's page on CSV injection has it; numbers stand as they are.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Any, Protocol

_FORMULA = (*"=+-@\t\r", *"\uff1d\uff0b\uff0d\uff20")
"""First characters of what Excel and LibreOffice run, and their full-width forms."""


def cell_unguarded(text: str) -> str:
    """Return what `cell_guarded` was given."""
    return text[1:] if text[:1] == "'" and text[1:].startswith(_FORMULA) else text


class _Writes(Protocol):
    def write(self, text: str, /) -> Any: ...


def cell_guarded(value: Any) -> Any:
    """Return a value for a cell; a text that would be a formula gets an apostrophe before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


class CSVWriter:
    """Writes rows to a file, or to whatever takes lines; each method returns what the file's `write` did."""

    def __init__(self, file: _Writes) -> None:
        self._writer = csv.writer(file)

    def writerow(self, row: Iterable[Any]) -> Any:
        """Write one row."""
        return self._writer.writerow([cell_guarded(value) for value in row])

    def writerows(self, rows: Iterable[Iterable[Any]]) -> None:
        """Write some rows."""
        for row in rows:
            self.writerow(row)


class Echo:
    """A file that hands back what is written to it: a CSV line at a time."""

    def write(self, text: str) -> str:
        """Return the line."""
        return text
