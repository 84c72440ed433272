"""Locks by name that PostgreSQL keeps (advisory locks): they end with their holder, even a killed one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
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


def _number(name: tuple[str, ...]) -> int:
    """Return the lock's 64-bit number: two names share one with a probability of 2^-64."""
    digest = hashlib.sha256("\0".join(name).encode()).digest()
    return int.from_bytes(digest[:8], signed=True)
