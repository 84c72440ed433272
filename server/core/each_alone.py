"""Doing the same to many rows, of which one may fail for good: it must not keep the others waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import structlog
from celery.exceptions import SoftTimeLimitExceeded

log = structlog.get_logger("diskatlas.each_alone")

MOST_FAILURES = 5
"""What fails so often is not one row's fault: a part of the archive is away."""
T = TypeVar("T")


def each_alone(act: Callable[[T], int], items: Iterable[T], *, most_failures: int = MOST_FAILURES) -> int:
    """Call `act` with each item and return the sum of what it returns. Raises what the first item that failed
    raised, once the others had their turn."""
    total, troubles = 0, list[Exception]()
    for item in items:
        try:
            total += act(item)
        except SoftTimeLimitExceeded:
            raise
        except Exception as error:
            troubles.append(error)
            log.warning("one failed; the others go on", item=str(item), error=repr(error))
            if len(troubles) >= most_failures:
                break
    if troubles:
        raise troubles[0]
    return total
