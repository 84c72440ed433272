"""Whether this process reaches what it works with: database, cache, queue and storage.

Each part is asked in a thread of its own, and given up after `PART_TIMEOUT_S`. A part that hangs is not asked
again while its thread still waits, so that hung parts cost one thread each and not one per question.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

import structlog
from django.db import connection

from server.core.cache import cache_check
from server.core.envelope_store import storage_check
from server.core.task_queue import queue_check

log = structlog.get_logger("diskatlas.readiness")

PART_TIMEOUT_S = 3.0
KEEP_S = 2.0
"""So long an answer is given again: asking often must not become load."""


def database_check() -> None:
    """Raise where the database does not answer a query. Closes the thread's connection."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    finally:
        connection.close()


PARTS: Mapping[str, Callable[[], None]] = {
    "database": database_check,
    "cache": cache_check,
    "queue": queue_check,
    "storage": storage_check,
}


class Readiness:
    """Asks the parts for all threads of a process."""

    def __init__(self, parts: Mapping[str, Callable[[], None]], *, timeout_s: float, keep_s: float) -> None:
        self._parts = parts
        self._timeout_s = timeout_s
        self._keep_s = keep_s
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[threading.Thread, dict[str, str]]] = {}
        self._known: dict[str, str] = {}
        self._known_until = 0.0

    def troubles(self) -> dict[str, str]:
        """Return what is wrong with each part, in words for the log; empty where it answers."""
        with self._lock:
            if time.monotonic() >= self._known_until:
                self._known = self._ask()
                self._known_until = time.monotonic() + self._keep_s
            return dict(self._known)

    def _ask(self) -> dict[str, str]:
        for name in self._parts:
            if name not in self._waiting:
                self._start(name)
        ends = time.monotonic() + self._timeout_s
        found = {}
        for name in self._parts:
            thread, answer = self._waiting[name]
            thread.join(max(ends - time.monotonic(), 0.0))
            if thread.is_alive():
                found[name] = f"no answer within {self._timeout_s:g} s"
            else:
                found[name] = answer["trouble"]
                del self._waiting[name]
        return found

    def _start(self, name: str) -> None:
        answer: dict[str, str] = {"trouble": "the question failed"}

        def ask() -> None:
            try:
                self._parts[name]()
                answer["trouble"] = ""
            except Exception as error:
                answer["trouble"] = f"{type(error).__name__}: {error}"

        # A daemon: a part that hangs must not keep the process from ending.
        thread = threading.Thread(target=ask, name=f"readiness-{name}", daemon=True)
        self._waiting[name] = (thread, answer)
        thread.start()


readiness = Readiness(PARTS, timeout_s=PART_TIMEOUT_S, keep_s=KEEP_S)
