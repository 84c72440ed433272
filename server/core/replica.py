"""Answers made from a read replica of the database, where there is one and it is fresh enough.

How far the replica lags is told by positions in the write-ahead log, of which each process asks the primary
now and then: it is as old as the youngest position of the primary that it has replayed. No clocks are
compared, and a replica that the primary no longer reaches grows old as well. One that is away is left alone
by a circuit breaker. Whoever asks is answered from the primary then, and so is who would get an error: what
the replica does not have, or refuses, the primary may.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import structlog
from django.conf import settings
from django.core.signals import request_started
from django.db import Error, InterfaceError, OperationalError, connections
from django.http import Http404, HttpResponseBase, StreamingHttpResponse
from psycopg.errors import QueryCanceled

from server.core.cache import purged_up_to
from server.core.circuit_breaker import CircuitBreaker
from server.core.metrics import replica_reads
from server.core.replication import (
    REPLICA,
    has_replica,
    primary,
    primary_position,
    reads_replica,
    replica_enter,
    replica_leave,
    replica_position,
)

log = structlog.get_logger("diskatlas.replica")
UNREACHABLE = (OperationalError, InterfaceError)
ASK_REPLICA_S = 0.25
"""So long its position counts as known: it only grows."""
SAMPLES = 20
"""Positions of the primary that a process keeps, over the longest lag that is allowed."""
R = TypeVar("R", bound=HttpResponseBase)


class Replica:
    """What a process knows of the replica, for all of its threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.breaker = CircuitBreaker(
            UNREACHABLE,
            opened=lambda error: log.warning("replica away; the primary answers", error=repr(error)),
            closed=lambda: log.warning("replica back"),
        )
        self._samples: deque[tuple[int, float]] = deque(maxlen=SAMPLES + 1)
        self._position: tuple[int, float] = (0, -ASK_REPLICA_S)

    def usable(self, purges: int | None) -> bool:
        """Return whether to answer from the replica.

        It has to be within `REPLICA_MAX_LAG_S`, and for what is kept in the cache (`purges` of
        `purges_before`) to have replayed all that was changed before: a page of an older state, kept after
        the purge, would stay.
        """
        if not has_replica() or reads_replica() or primary().in_atomic_block or not self.breaker.allows():
            return False
        needed = purged_up_to(purges) if purges else 0
        try:
            replayed = self._replayed(needed)
        except UNREACHABLE as error:
            self.failed(error)
            return False
        self.breaker.succeeded()
        return replayed is not None and needed <= replayed and self._lag_s(replayed) <= self._lag_max_s()

    def failed(self, error: Exception) -> None:
        """Leave the replica alone for a while."""
        self.breaker.failed(error)
        connections[REPLICA].close()

    def doubted(self) -> None:
        """Leave it alone where it does not answer."""
        try:
            replica_position()
        except UNREACHABLE as error:
            self.failed(error)

    def _lag_max_s(self) -> float:
        return float(settings.REPLICA_MAX_LAG_S)

    def _replayed(self, needed: int) -> int | None:
        position, known_at = self._position
        if position < needed or time.monotonic() - known_at > ASK_REPLICA_S:
            asked_at, found = time.monotonic(), replica_position()
            if found is None:
                return None
            position = found
            self._position = (found, asked_at)
        return position

    def _lag_s(self, replayed: int) -> float:
        """Return for how long at most the primary has been beyond a position."""
        now = time.monotonic()
        with self._lock:
            due = not self._samples or now - self._samples[-1][1] >= self._lag_max_s() / SAMPLES
        if due:
            try:
                # The moment before asking: what is written meanwhile counts as older, never as younger.
                sample = (primary_position(), now)
            except UNREACHABLE:
                sample = None  # What is known already counts on, and grows old.
            with self._lock:
                if sample is not None:
                    self._samples.append(sample)
        with self._lock:
            samples = sorted(self._samples)
        index = bisect_right(samples, (replayed, float("inf")))
        return now - max((at for _, at in samples[:index]), default=float("-inf"))


replica = Replica()


class _Reading:
    """One answer made from the replica."""

    def __init__(self) -> None:
        self.failed = False
        self._wrapped: Any = connections[REPLICA].execute_wrapper(self._watch)
        self._wrapped.__enter__()
        replica_enter()

    def end(self) -> None:
        """Have the thread ask the primary again."""
        if self._wrapped is not None:
            self._wrapped.__exit__(None, None, None)
            self._wrapped = None
            replica_leave()

    def _watch(self, execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        try:
            return execute(sql, parameters, many, context)
        except Error as error:
            # What takes too long would take as long on the primary.
            self.failed = self.failed or not isinstance(error.__cause__, QueryCanceled)
            raise


class _Stream:
    """The pieces of an answer, which end the reading."""

    def __init__(self, pieces: Any, end: Callable[[], None]) -> None:
        self._pieces, self._end = pieces, end

    def __iter__(self) -> Iterator[bytes]:
        yield from self._pieces

    def close(self) -> None:
        try:
            if hasattr(self._pieces, "close"):
                self._pieces.close()
        finally:
            self._end()


def replica_answer(answer: Callable[[], R], *, purges: int | None = None) -> R:
    """Return an answer to a request that only reads: from the replica where it may be, else from the primary.

    `answer` may be called twice. It must have no effect and belong to nobody in particular; `purges` is given
    where the answer is kept in the cache.
    """
    if not replica.usable(purges):
        if has_replica():
            replica_reads.labels("primary").inc()
        return answer()
    reading = _Reading()
    try:
        response = answer()
    except Exception as error:
        # One of the primary's own is raised again by the second try.
        return _again(reading, answer, doubted=not isinstance(error, Http404))
    if reading.failed or response.status_code >= 400:
        return _again(reading, answer, doubted=reading.failed or response.status_code >= 500)
    replica_reads.labels("replica").inc()
    if isinstance(response, StreamingHttpResponse):
        response.streaming_content = _Stream(response.streaming_content, reading.end)
    else:
        reading.end()
    return response


def _again(reading: _Reading, answer: Callable[[], R], *, doubted: bool) -> R:
    reading.end()
    if doubted:
        replica.doubted()
    replica_reads.labels("again").inc()
    return answer()


# A stream that nobody closed must not leave its thread at the replica.
request_started.connect(lambda **_: replica_leave(), weak=False, dispatch_uid="replica_leave")
