"""Celery's scheduler, for clocks that are put back."""

from __future__ import annotations

from typing import Any

import structlog
from celery.beat import PersistentScheduler

log = structlog.get_logger("diskatlas.scheduler")


class SteadyScheduler(PersistentScheduler):
    """Goes on at once where the clock is put back. Celery's waits until it shows again what it showed when a
    task ran last: for an hour after it was an hour ahead, in which nothing is swept."""

    def tick(self, *arguments: Any, **options: Any) -> float:
        """Send what is due; return the seconds until the next look."""
        ahead = [
            entry
            for entry in self.schedule.values()
            if entry.last_run_at is not None and entry.last_run_at > entry.default_now()
        ]
        for entry in ahead:
            entry.last_run_at = entry.default_now()
        if ahead:
            log.warning("the clock was put back", tasks=[entry.name for entry in ahead])
            self._heap = None  # It is in the order of the times before.
        return float(super().tick(*arguments, **options))
