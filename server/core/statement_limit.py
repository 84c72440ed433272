"""How long the database may take for a statement of this process, where the settings say."""

from __future__ import annotations

from typing import Any

from django.conf import settings


def statement_limit_set(connection: Any, **_: Any) -> None:
    """Bound the statements of a connection that was just made. Connections ask for it when they begin, too,
    but a pool of them (PgBouncer) passes that on to nobody."""
    with connection.cursor() as cursor:
        cursor.execute(statement_limit_sql())


def statement_limit_sql() -> str:
    """Return the statement that gives a session the limit of its process."""
    return f"SET statement_timeout = {settings.DATABASE_STATEMENT_TIMEOUT_MS:d}"
