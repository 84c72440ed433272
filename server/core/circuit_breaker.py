"""A part of the archive that is away is left alone for a while, and not waited for by every request."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

OPEN_S = 5.0
T = TypeVar("T")


class CircuitBreaker:
    """Knows whether a part answered last, for all threads of the process."""

    def __init__(
        self,
        away: tuple[type[Exception], ...],
        *,
        opened: Callable[[Exception], None],
        closed: Callable[[], None],
    ) -> None:
        """Take what a part that is away raises, and what is done once it is away and once it is back."""
        self._away, self._opened, self._closed = away, opened, closed
        self._lock = threading.Lock()
        self._open_until = 0.0

    def allows(self) -> bool:
        """Return whether to ask. Of those who ask after a pause one may, the others wait for it."""
        if not self._open_until:
            return True
        with self._lock:
            now = time.monotonic()
            if now < self._open_until:
                return False
            self._open_until = now + OPEN_S
            return True

    @property
    def open(self) -> bool:
        """Whether the part is left alone."""
        return bool(self._open_until)

    def close(self) -> None:
        """Forget what was."""
        self._open_until = 0.0

    def failed(self, error: Exception) -> None:
        """Leave the part alone for a while."""
        with self._lock:
            first, self._open_until = not self._open_until, time.monotonic() + OPEN_S
        if first:
            self._opened(error)

    def succeeded(self) -> None:
        """Ask the part again."""
        if self._open_until:
            with self._lock:
                self._open_until = 0.0
            self._closed()

    def call(self, ask: Callable[[], T], *, away: Callable[[], T]) -> T:
        """Return what the part answers, or what is answered for it."""
        if not self.allows():
            return away()
        try:
            found = ask()
        except self._away as error:
            self.failed(error)
            return away()
        self.succeeded()
        return found
