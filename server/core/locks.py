"""Locks by name that PostgreSQL keeps (advisory locks): they end with their holder, even a killed one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import connection


def transaction_lock(*name: str) -> None:
    """Wait for the lock of that name and hold it until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_number(name)])


@contextmanager
def session_lock(*name: str) -> Iterator[bool]:
    """Try to take the lock of that name for the block; give whether it was free."""
    number = _number(name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [number])
        row = cursor.fetchone()
    taken = bool(row and row[0])
    try:
        yield taken
    finally:
        if taken and connection.connection is not None and not connection.connection.closed:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [number])


@contextmanager
def session_lock_shared(*name: str) -> Iterator[None]:
    """Wait for the lock of that name and hold it for the block, together with others who share it."""
    number = _number(name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock_shared(%s)", [number])
    try:
        yield
    finally:
        if connection.connection is not None and not connection.connection.closed:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock_shared(%s)", [number])


def session_locks_take(names: Sequence[tuple[str, ...]]) -> list[bool]:
    """Try to take several locks that outlast the transaction; return which were free. Whoever takes some
    gives them back with `session_locks_release`."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_try_advisory_lock(number)"
            " FROM unnest(%s::bigint[]) WITH ORDINALITY AS t(number, place) ORDER BY place",
            [[_number(name) for name in names]],
        )
        return [row[0] for row in cursor.fetchall()]


def session_locks_release(names: Sequence[tuple[str, ...]]) -> None:
    """Give locks back; a connection that is gone has none."""
    if connection.connection is not None and not connection.connection.closed:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_advisory_unlock(number) FROM unnest(%s::bigint[]) AS t(number)",
                [[_number(name) for name in names]],
            )


def _number(name: tuple[str, ...]) -> int:
    """Return the lock's 64-bit number: two names share one with a probability of 2^-64."""
    digest = hashlib.sha256("\0".join(name).encode()).digest()
    return int.from_bytes(digest[:8], signed=True)
