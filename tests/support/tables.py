"""What the database holds, whatever the models are."""

from __future__ import annotations

from django.db import connection


def tables_that_say(word: str) -> list[str]:
    """Return the tables of which a row holds a word."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT count(*) FROM "{table}" t WHERE t::text ILIKE %s', [f"%{word}%"])
            if cursor.fetchone()[0]:
                found.append(table)
    return found
