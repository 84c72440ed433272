"""Changing many rows with one statement."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection
from django.db.models import Model


def rows_update(rows: Sequence[Model], names: Sequence[str]) -> None:
    """Write these fields of the rows, each row its own values. Unlike `bulk_update`, whose statement grows by
    a condition for each value, this one sends a column for each field."""
    if not rows:
        return
    meta = rows[0]._meta
    every = {field.name: field for field in meta.concrete_fields}
    fields = [every[name] for name in names]
    key = meta.pk
    assert key is not None
    columns = [key, *fields]
    arrays = ", ".join(f"%s::{field.db_type(connection)}[]" for field in columns)
    given = ", ".join(f'"{field.column}"' for field in columns)
    changes = ", ".join(f'"{field.column}" = given."{field.column}"' for field in fields)
    values = [
        [field.get_db_prep_save(getattr(row, field.attname), connection) for row in rows] for field in columns
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            f'UPDATE "{meta.db_table}" AS found SET {changes} FROM unnest({arrays}) AS given({given})'
            f' WHERE found."{key.column}" = given."{key.column}"',
            values,
        )
