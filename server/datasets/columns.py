"""Columns of a release's tables: SQL, Parquet, Table Schema and Croissant follow from one description."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

TIME_SQL = """to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""

ARROW: dict[str, Any] = {
    "string": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "datetime": pa.timestamp("us", tz="UTC"),
    "json": pa.string(),
    "strings": pa.list_(pa.string()),
    "numbers": pa.list_(pa.float64()),
    "integers": pa.list_(pa.int64()),
}
FRICTIONLESS = {"json": "object", "strings": "array", "numbers": "array", "integers": "array"}
CROISSANT = {
    "integer": "sc:Integer",
    "number": "sc:Float",
    "boolean": "sc:Boolean",
    "datetime": "sc:DateTime",
    "numbers": "sc:Float",
    "integers": "sc:Integer",
}
FORMATS = ("parquet", "csv", "ndjson")
"""What a release is written as, unless fewer are asked for. Samples have no CSV."""
LISTS = {"strings", "numbers", "integers"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column."""

    name: str
    type: str
    """A key of `ARROW`."""
    sql: str
    """The expression that gives it; empty where the archive's own code does."""
    about: str

    def select_sql(self, *, as_json: bool) -> str:
        """Return the expression with its name; for CSV, what is no single value is JSON text."""
        sql = self.sql
        if self.type == "datetime":
            sql = TIME_SQL.format(sql)
        elif not as_json and self.type == "boolean":
            sql = f"({sql})::text"
        elif not as_json and self.type in LISTS:
            sql = f"to_json({sql})::text"
        return f'{sql} AS "{self.name}"'

    def field(self) -> pa.Field:
        return pa.field(self.name, ARROW[self.type], metadata={"description": self.about})

    def table_schema(self) -> dict[str, Any]:
        """Return the column's field descriptor (Table Schema)."""
        found: dict[str, Any] = {
            "name": self.name,
            "type": FRICTIONLESS.get(self.type, self.type),
            "description": self.about,
        }
        # Six decimals of the second and a Z, as every instant here.
        return {**found, "format": "%Y-%m-%dT%H:%M:%S.%fZ"} if self.type == "datetime" else found


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a release."""

    name: str
    title: str
    about: str
    columns: tuple[Column, ...]
    source: str
    """From FROM to WHERE; `{kind}` stands for the kind where the table is cut by it."""
    order: str
    key: tuple[str, ...]
    by_kind: bool = False
    by_vendor: bool = False

    def select(self, *, as_json: bool, kind: str | None) -> str:
        """Return the query; `kind` is one of the registry, never a stranger's text."""
        columns = ", ".join(one.select_sql(as_json=as_json) for one in self.columns)
        source = self.source.replace("{kind}", f"'{kind}'")
        return f"SELECT {columns} {source} ORDER BY {self.order}"

    def stored_columns(self) -> tuple[Column, ...]:
        """Return what Parquet files hold: the columns that stand in their folders' names are left out."""
        cut = {name for name, used in (("kind", self.by_kind), ("vendor_slug", self.by_vendor)) if used}
        return tuple(one for one in self.columns if one.name not in cut)
