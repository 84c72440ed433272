"""The archive's clock. Everything that asks for the time asks here, so that tests can say what time it is."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

SKEW = timedelta(minutes=1)
"""By how much the clocks of an archive's machines may differ. A time further ahead than it could be was
written by a clock that has been put back since."""


def now() -> datetime:
    """Return the present instant in UTC."""
    return datetime.now(tz=UTC)


def monotonic_ms() -> float:
    """Return milliseconds of a clock that never goes back; only differences mean anything."""
    return time.monotonic() * 1000.0
