"""How long the database may look for one answer: every address that reads is bounded here."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

import psycopg
from django.db import OperationalError, connection
from psycopg.errors import QueryCanceled
from psycopg.pq import TransactionStatus

from server.core.statement_limit import statement_limit_sql

Execute = Callable[[str, Any, bool, dict[str, Any]], Any]
_UNDOING = ("SAVEPOINT", "ROLLBACK", "RELEASE")
"""Statements that keep a transaction in order: they have to go through whenever they come."""


class QueryTimeout(Exception):
    """The database looked for as long as it may; `limit_ms` is how long that is."""

    def __init__(self, limit_ms: int) -> None:
        super().__init__(f"The rows were not found within {limit_ms / 1000:g} s.")
        self.limit_ms = limit_ms


class QueryDeadline(AbstractContextManager["QueryDeadline", None]):
    """Bounds all queries inside: the database ends one that takes longer, and none begins after the time.
    Both raise QueryTimeout.

    Nothing is asked of the database before the first query, so that an answer without queries costs none.
    Together they may take up to twice the limit, since a query that begins in time may take all of it.
    """

    def __init__(self, limit_ms: int | None = None) -> None:
        self.limit_ms = limit_ms
        """How long the queries may take; None, as long as nobody has said, means any time."""
        self._ends: float | None = None
        self._wrapped: Any = None

    def __enter__(self) -> QueryDeadline:
        self._wrapped = connection.execute_wrapper(self._bounded)
        self._wrapped.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._wrapped.__exit__(kind, error, trace)
        if self._ends is not None:
            _unbound()

    def _bounded(self, execute: Execute, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        if self.limit_ms is None or sql.startswith(_UNDOING):
            return execute(sql, parameters, many, context)
        self._check(self.limit_ms)
        try:
            return execute(sql, parameters, many, context)
        except OperationalError as error:
            if isinstance(error.__cause__, QueryCanceled):
                raise QueryTimeout(self.limit_ms) from error
            raise

    def _check(self, limit_ms: int) -> None:
        now = time.monotonic()
        if self._ends is None:
            # Straight to the driver, and for the session: a transaction would cost more than the query.
            connection.connection.execute(f"SET statement_timeout = {limit_ms:d}")
            self._ends = now + limit_ms / 1000
        elif now > self._ends:
            raise QueryTimeout(limit_ms)


def _unbound() -> None:
    """Let the connection's next user take any time again."""
    raw = connection.connection
    if raw is None or raw.info.transaction_status == TransactionStatus.INERROR:
        return  # It is gone, or its transaction is undone, and with it what was set in it.
    try:
        raw.execute(statement_limit_sql())
    except psycopg.Error:
        connection.close()
