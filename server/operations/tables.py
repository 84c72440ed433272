"""All tables as files, and back: COPY within one snapshot, in text, so that no client program and no version
of the database's own formats is needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

import zstandard
from django.db import connection, transaction
from psycopg import sql

_CHUNK_BYTES = 1 << 20
MIGRATIONS = "django_migrations"

_TABLES = """
SELECT relname, (
    SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
    WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
)
FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname
"""
_SEQUENCES = "SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1"


@dataclass(frozen=True, slots=True)
class Table:
    """A table and the columns that its file has, in their order."""

    name: str
    columns: tuple[str, ...]

    def copy(self, direction: str) -> sql.Composed:
        """Return the COPY to STDOUT or from STDIN."""
        columns = sql.SQL(", ").join(map(sql.Identifier, self.columns))
        return sql.SQL("COPY {} ({}) {}").format(sql.Identifier(self.name), columns, sql.SQL(direction))


@contextmanager
def snapshot() -> Iterator[None]:
    """Show the database as it is now, to all that is read within, and let nothing be written."""
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def tables_list() -> list[Table]:
    """Return all tables with the columns that hold something of their own."""
    with connection.cursor() as cursor:
        cursor.execute(_TABLES)
        return [Table(name, tuple(columns or ())) for name, columns in cursor.fetchall()]


def migrations_applied() -> list[str]:
    """Return the migrations that made the tables what they are."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT app || '.' || name FROM {MIGRATIONS} ORDER BY 1")
        return [name for (name,) in cursor.fetchall()]


def sequences_read() -> dict[str, int | None]:
    """Return the last number of each sequence; None where none was taken."""
    with connection.cursor() as cursor:
        cursor.execute(_SEQUENCES)
        names = [name for (name,) in cursor.fetchall()]
        found = {}
        for name in names:
            query = sql.SQL("SELECT CASE WHEN is_called THEN last_value END FROM {}")
            cursor.execute(query.format(sql.Identifier(name)))
            found[name] = cursor.fetchone()[0]
    return found


def table_write(table: Table, file: IO[bytes]) -> int:
    """Write a table's rows, compressed; return how many. Call it within `snapshot`."""
    with (
        connection.cursor() as cursor,
        zstandard.ZstdCompressor(level=3).stream_writer(file, closefd=False) as packed,
    ):
        with _raw(cursor).copy(table.copy("TO STDOUT")) as copy:
            for piece in copy:
                packed.write(piece)
        return int(_raw(cursor).rowcount)


def table_read(table: Table, file: IO[bytes]) -> int:
    """Write a file's rows into an empty table; return how many."""
    with connection.cursor() as cursor, zstandard.ZstdDecompressor().stream_reader(file) as plain:
        with _raw(cursor).copy(table.copy("FROM STDIN")) as copy:
            while piece := plain.read(_CHUNK_BYTES):
                copy.write(piece)
        return int(_raw(cursor).rowcount)


@contextmanager
def tables_replaced(tables: list[Table], sequences: Mapping[str, int | None]) -> Iterator[None]:
    """Give empty tables to fill within the present transaction, without the triggers that seal and touch
    rows; check all references and set the sequences at the end."""
    names = [sql.Identifier(table.name) for table in tables]
    with connection.cursor() as cursor:
        for table in names:
            cursor.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(table))
        cursor.execute(sql.SQL("TRUNCATE {}").format(sql.SQL(", ").join(names)))
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        yield
        # A table whose references are still to be checked can't be altered.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in names:
            cursor.execute(sql.SQL("ALTER TABLE {} ENABLE TRIGGER USER").format(table))
        for sequence, last in sequences.items():
            name = f'public."{sequence}"'
            cursor.execute("SELECT setval(%s::regclass, %s, %s)", [name, last or 1, last is not None])


def _raw(cursor: Any) -> Any:
    """Return psycopg's cursor, which knows COPY."""
    return cursor.cursor.cursor if hasattr(cursor.cursor, "cursor") else cursor.cursor
