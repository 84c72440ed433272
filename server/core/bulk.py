"""Writing many rows with one statement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import orjson
from django.db import connection
from django.db.models import Model


def rows_copy(model: type[Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows by COPY, each with the values of these columns in their order: what `bulk_create` does for
    each value costs several times what the database does. Values are the columns' own, JSON is text; columns
    that are left out have the database's default."""
    columns = ", ".join(f'"{name}"' for name in names)
    statement = f'COPY "{model._meta.db_table}" ({columns}) FROM STDIN'
    with connection.cursor() as cursor, connection.wrap_database_errors, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def row_upsert(row: Model, *unique: str) -> None:
    """Write a row in one statement, in place of the one that has the same values in the unique fields."""
    given = [field.name for field in row._meta.concrete_fields if not field.generated and field.name != "id"]
    type(row)._default_manager.bulk_create(
        [row],
        update_conflicts=True,
        unique_fields=unique,
        update_fields=[name for name in given if name not in unique],
    )


def rows_update(rows: Sequence[Model], names: Sequence[str]) -> None:
    """Write these fields of the rows, each row its own values. Unlike `bulk_update`, whose statement grows by
    a condition for each value, this one sends them as one JSON text."""
    if not rows:
        return
    meta = rows[0]._meta
    every = {field.name: field for field in meta.concrete_fields}
    fields = [every[name] for name in names]
    key = meta.pk
    assert key is not None
    columns = [key, *fields]
    given = ", ".join(f'"{field.column}" {field.db_type(connection)}' for field in columns)
    changes = ", ".join(f'"{field.column}" = given."{field.column}"' for field in fields)
    values = [{field.column: getattr(row, field.attname) for field in columns} for row in rows]
    with connection.cursor() as cursor:
        cursor.execute(
            f'UPDATE "{meta.db_table}" AS found SET {changes} FROM json_to_recordset(%s) AS given({given})'
            f' WHERE found."{key.column}" = given."{key.column}"',
            [json_text(values)],
        )


def json_text(value: Any) -> str:
    """Return plain values as JSON: a statement with one of it is made and read faster than one with an array
    for each column."""
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode()
