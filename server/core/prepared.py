"""Statements that each connection parses and plans once. Everything else goes through Django, whose cursors
send the text anew every time and first ask in each request whether the connection still stands."""

from __future__ import annotations

from typing import Any

import psycopg
from django.db import OperationalError, connection


def prepared_row(statement: str, *parameters: str | bytes | None) -> tuple[Any, ...] | None:
    """Return the first row of a statement that does no harm where it runs twice: it is sent again over a new
    connection where the server has closed this one since. Texts are cast where they are used, so that the
    statement is the same for all values."""
    try:
        return _first_row(statement, parameters)
    except OperationalError:
        lost = connection.connection is None or connection.connection.closed
        if connection.in_atomic_block or not lost:
            raise
        connection.close()
        return _first_row(statement, parameters)


def _first_row(statement: str, parameters: tuple[str | bytes | None, ...]) -> tuple[Any, ...] | None:
    connection.ensure_connection()
    raw = connection.connection
    # Without a threshold psycopg prepares nothing, not even what asks for it; Django sets none.
    raw.prepare_threshold = 0
    try:
        with connection.wrap_database_errors, psycopg.Cursor(raw) as cursor:
            row = cursor.execute(statement.encode(), parameters, prepare=True).fetchone()
    finally:
        raw.prepare_threshold = None
    # What asks next in this request need not ask whether the connection stands.
    connection.health_check_done = True  # type: ignore[attr-defined]  # Django's, but not its stubs'
    return row
