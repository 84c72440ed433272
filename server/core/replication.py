"""The primary and the replica of the database, and how far each has got.

A position is a number of bytes of PostgreSQL's write-ahead log. Whatever was committed before the primary was
at a position is on a replica that has replayed up to there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections

REPLICA = "replica"
_primary: ContextVar[Any] = ContextVar("replication_primary", default=None)
"""The thread's connection to the primary, while the replica's stands in its place."""


def has_replica() -> bool:
    """Return whether the settings name a replica."""
    return REPLICA in settings.DATABASES


def primary() -> Any:
    """Return this thread's connection to the primary."""
    return _primary.get() or connections[DEFAULT_DB_ALIAS]


def reads_replica() -> bool:
    """Return whether what this thread asks of the database goes to the replica."""
    return _primary.get() is not None


def replica_enter() -> None:
    """Have this thread ask the replica, whatever asks, until `replica_leave`."""
    _primary.set(connections[DEFAULT_DB_ALIAS])
    connections[DEFAULT_DB_ALIAS] = connections[REPLICA]


def replica_leave() -> None:
    """Have this thread ask the primary again."""
    if (primary := _primary.get()) is not None:
        connections[DEFAULT_DB_ALIAS] = primary
        _primary.set(None)


@contextmanager
def on_primary() -> Iterator[None]:
    """Ask the primary inside: for what writes, or must be of this moment."""
    if not reads_replica():
        yield
        return
    replica_leave()
    try:
        yield
    finally:
        replica_enter()


def primary_position() -> int:
    """Return a position after all that was committed on the primary so far."""
    with primary().cursor() as cursor:
        # What was committed asynchronously is visible before it is written: `pg_current_wal_lsn` lacks it.
        cursor.execute("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint")
        return int(cursor.fetchone()[0])


def replica_position() -> int | None:
    """Return up to where the replica has replayed; None where it is a replica no longer."""
    with connections[REPLICA].cursor() as cursor:
        cursor.execute("SELECT (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint WHERE pg_is_in_recovery()")
        row = cursor.fetchone()
    return int(row[0]) if row and row[0] is not None else None
