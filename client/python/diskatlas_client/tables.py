"""Rows as tables of pandas, polars and Arrow, where those are installed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

Row = TypeVar("Row")


class Rows(Iterator[Row], Generic[Row]):
    """The rows of a list, read page after page as they are taken; what is taken is not there again."""

    def __init__(self, rows: Iterator[Row]) -> None:
        """Take the iterator over the rows."""
        self._rows = rows

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        return next(self._rows)

    def flat(self) -> list[dict[str, Any]]:
        """Return all rows with an object's fields as columns `object.field`, as CSV has them. Each row has
        all columns, so that none is lost by which row comes first."""
        found = [dict(_flat(row)) for row in self._rows]  # type: ignore[arg-type]  # rows are mappings
        names = list(dict.fromkeys(name for row in found for name in row))
        return [{name: row.get(name) for name in names} for row in found]

    def to_pandas(self) -> Any:
        """Return all rows as a `pandas.DataFrame`."""
        import pandas

        return pandas.DataFrame(self.flat())

    def to_polars(self) -> Any:
        """Return all rows as a `polars.DataFrame`."""
        import polars

        return polars.DataFrame(self.flat(), infer_schema_length=None)

    def to_arrow(self) -> Any:
        """Return all rows as a `pyarrow.Table`."""
        import pyarrow

        return pyarrow.Table.from_pylist(self.flat())


def _flat(row: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value
