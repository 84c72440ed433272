"""Room for requests with a large body: how many threads of a process they may hold, and whose turn it is to
use the machine's memory.

A body is large by what it holds, not by what comes over the wire: four kilobytes may hold 64 MiB.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from server.core.problems import Problem, problem

LARGE_BYTES = 4 * 1024**2
"""What a body holds whose reading takes much memory and time."""
RETRY_S = 30
WAIT_S = 10.0
"""How long one waits for its turn: longer than what the largest takes on an idle machine."""
_POLL_S = 0.05
LOCK_FILE = Path(tempfile.gettempdir()) / f"diskatlas-{os.getuid()}-large-body"
"""Locked by whoever has the turn, in whatever process of this machine, or container."""


class ThreadPlaces:
    """Half of this process's threads: the other half is left to requests with a small body."""

    def __init__(self) -> None:
        self._taken = 0
        self._lock = threading.Lock()

    @contextmanager
    def taken(self) -> Iterator[bool]:
        """Take a place for the block where one is free, and give whether one was. Nobody waits for one."""
        with self._lock:
            free = self._taken < max(1, settings.WEB_THREADS // 2)
            self._taken += free
        try:
            yield free
        finally:
            with self._lock:
                self._taken -= free


places = ThreadPlaces()


@contextmanager
def turn_taken(*, wait_s: float) -> Iterator[bool]:
    """Try for so long to have the block alone among all that takes much of this machine's memory; give
    whether it is."""
    until = time.monotonic() + wait_s
    # Each opens the file anew, so that threads exclude each other too; the system unlocks what a killed one
    # had.
    descriptor = os.open(LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        while not (taken := _locked(descriptor)) and time.monotonic() < until:
            time.sleep(_POLL_S)
        yield taken
    finally:
        os.close(descriptor)


@contextmanager
def large_turn(*, wait_s: float | None = None) -> Iterator[None]:
    """Have the block alone among the large bodies of this machine; raises Problem where those before it take
    too long. The largest takes two thirds of a gigabyte while it is read."""
    with turn_taken(wait_s=WAIT_S if wait_s is None else wait_s) as taken:
        if not taken:
            raise overloaded()
        yield


def overloaded() -> Problem:
    """Return the answer to a large body for which there is no room now."""
    return problem(
        "overloaded",
        f"Other large uploads are under way, so that nothing was accepted. Keep the file and submit it again "
        f"in {RETRY_S} s.",
    ).with_header("Retry-After", str(RETRY_S))


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
