"""Filling tables by COPY, and what is taken off them meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from django.db import connection, models
from psycopg import sql

from server.core.bulk import rows_copy

WRITTEN_AT = datetime(2026, 10, 1, tzinfo=UTC)
"""What columns say that hold the time of writing: the same for the same seed."""


class CopyTable:
    """Rows of a model's table, written by COPY. Columns that they leave out get the field's default."""

    def __init__(self, model: type[models.Model], columns: Iterable[str]) -> None:
        """Take the columns (`attname`) in the order of the rows' values."""
        given = list(columns)
        left = [
            field
            for field in model._meta.concrete_fields
            if field.attname not in given
            and not (field.generated or field.primary_key or field.has_db_default())
        ]
        self._model = model
        self._columns = [str(model._meta.get_field(name).column) for name in given]  # type: ignore[union-attr]
        self._columns += [str(field.column) for field in left]
        self._tail = [_default(field) for field in left]
        self._rows: list[tuple[Any, ...]] = []

    def add(self, *values: Any) -> None:
        """Note a row."""
        self._rows.append((*values, *self._tail))

    def send(self) -> int:
        """Write the noted rows; return how many there were."""
        count = len(self._rows)
        rows_copy(self._model, self._columns, self._rows)
        self._rows.clear()
        return count


def _default(field: models.Field[Any, Any]) -> Any:
    if getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False):
        return WRITTEN_AT
    value = field.get_default()
    return json.dumps(value or {}) if isinstance(field, models.JSONField) else value


def sequences_set(tables: Iterable[type[models.Model]]) -> None:
    """Let the tables' own numbers go on behind the highest one."""
    with connection.cursor() as cursor:
        for model in tables:
            key = model._meta.pk
            if not isinstance(key, models.AutoField | models.BigAutoField):
                continue
            cursor.execute(
                sql.SQL(
                    "SELECT setval(pg_get_serial_sequence({}, {}), (SELECT max({}) FROM {}))"
                    " WHERE EXISTS (SELECT FROM {})"
                ).format(
                    sql.Literal(model._meta.db_table),
                    sql.Literal(key.column),
                    sql.Identifier(str(key.column)),
                    sql.Identifier(model._meta.db_table),
                    sql.Identifier(model._meta.db_table),
                )
            )


@contextmanager
def without_indexes(tables: Iterable[type[models.Model]]) -> Iterator[None]:
    """Take foreign keys, unique constraints and indexes off for the block, primary keys aside; put all back
    at its end, also where the block fails."""
    names = [model._meta.db_table for model in tables]
    constraints, indexes = _constraints(names), _indexes(names)
    with connection.cursor() as cursor:
        for table, name, _definition in constraints:
            cursor.execute(f'ALTER TABLE "{table}" DROP CONSTRAINT "{name}"')
        for name, _definition in indexes:
            cursor.execute(f'DROP INDEX "{name}"')
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SET maintenance_work_mem = '512MB'")
            for _name, definition in indexes:
                cursor.execute(definition)
            for table, name, definition in constraints:
                cursor.execute(f'ALTER TABLE "{table}" ADD CONSTRAINT "{name}" {definition}')
            cursor.execute("RESET maintenance_work_mem")


def _constraints(tables: list[str]) -> list[tuple[str, str, str]]:
    """Return unique constraints, then foreign keys: table, name, definition."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE conrelid = ANY(%s::text[]::regclass[]) AND contype IN ('u', 'f')"
            " AND NOT EXISTS (SELECT FROM pg_constraint other WHERE other.contype = 'f'"
            "   AND other.conindid = pg_constraint.conindid AND pg_constraint.contype = 'u')"
            " ORDER BY contype = 'f', conname",
            [tables],
        )
        return list(cursor.fetchall())


def _indexes(tables: list[str]) -> list[tuple[str, str]]:
    """Return the indexes that belong to no constraint: name, definition."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index"
            " WHERE indrelid = ANY(%s::text[]::regclass[])"
            " AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)"
            " ORDER BY 1",
            [tables],
        )
        return list(cursor.fetchall())
