"""What only database, queue and storage know: one process of an archive asks them when it is asked itself.

A part that is away leaves its numbers out, and `diskatlas_part_up` says so: an alert must not rest on zeros
that nobody measured.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from django.core.files.storage import storages
from django.db import close_old_connections, connection
from django.db.models import Count, Min
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from server.core import clock
from server.core.cache import cache
from server.core.lifecycle import ACTIVE_STATES, State
from server.core.task_queue import queue_depths
from server.measurements.models import AggregateDue
from server.operations.backup_record import backup_last
from server.operations.readiness import PART_TIMEOUT_S, PARTS, Readiness
from server.submissions.models import Submission
from server.submissions.sweeper import SWEPT_AT
from server.subscriptions.models import Delivery
from server.transparency.publication_log import log_size

Family = GaugeMetricFamily


class ArchiveCollector(Collector):
    """Answers Prometheus with the archive's state as it is now."""

    def __init__(self) -> None:
        self._readiness = Readiness(PARTS, timeout_s=PART_TIMEOUT_S, keep_s=1.0)

    def describe(self) -> Iterator[Family]:
        """Return nothing: being registered must not ask the database."""
        return iter(())

    def collect(self) -> Iterator[Family]:
        """Yield the numbers of all parts that answer."""
        troubles = self._readiness.troubles()
        up = Family("diskatlas_part_up", "Whether a part answers.", labels=["part"])
        for name, words in troubles.items():
            up.add_metric([name], 0.0 if words else 1.0)
        yield up
        for part, collect in _PARTS:
            if troubles[part]:
                continue
            try:
                yield from collect()
            except Exception:
                up.add_metric([f"{part}-numbers"], 0.0)
        close_old_connections()


def _gauge(name: str, about: str, value: float) -> Family:
    return Family(f"diskatlas_{name}", about, value=value)


def _age_s(at: float | None) -> float:
    return max(clock.now().timestamp() - at, 0.0) if at else float("inf")


def _submissions() -> Iterator[Family]:
    states = Family("diskatlas_submissions", "Submissions by state.", labels=["state"])
    counts = dict(Submission.objects.order_by().values_list("state").annotate(Count("pk")))
    for state in State.values:
        states.add_metric([state], counts.get(state, 0))
    yield states
    active = Submission.objects.filter(state__in=ACTIVE_STATES)
    oldest = active.aggregate(at=Min("received_at"))["at"]
    age_s = (clock.now() - oldest).total_seconds() if oldest else 0.0
    yield _gauge("submission_oldest_seconds", "Age of the oldest that is not through.", max(age_s, 0.0))


def _work() -> Iterator[Family]:
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING, next_try_at__lte=clock.now())
    yield _gauge("deliveries_due", "Messages to followers that are due.", waiting.count())
    due = AggregateDue.objects.filter(not_before=None).aggregate(at=Min("since"), count=Count("pk"))
    age_s = (clock.now() - due["at"]).total_seconds() if due["at"] else 0.0
    yield _gauge("models_due", "Models to be computed anew.", due["count"])
    yield _gauge("models_due_oldest_seconds", "How long the first of them waits.", max(age_s, 0.0))
    yield _gauge("log_leaves", "Leaves of the publication log.", log_size())
    yield _gauge("backup_age_seconds", "Time since the last backup ended.", _age_s(backup_last()))


_DATABASE = """
SELECT pg_database_size(current_database()),
    (SELECT setting::int FROM pg_settings WHERE name = 'max_connections'),
    (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()),
    (SELECT coalesce(extract(epoch FROM max(clock_timestamp() - xact_start)), 0)
        FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()),
    (SELECT deadlocks FROM pg_stat_database WHERE datname = current_database())
"""
_DATABASE_NAMES = (
    ("database_bytes", "Size of the database."),
    ("database_connections_allowed", "Connections that the database takes."),
    ("database_connections", "Connections that are open."),
    ("database_transaction_oldest_seconds", "How long the oldest transaction has been open."),
    ("database_deadlocks", "Deadlocks since the database's statistics began."),
)


def _database() -> Iterator[Family]:
    with connection.cursor() as cursor:
        cursor.execute(_DATABASE)
        row = cursor.fetchone()
    for (name, about), value in zip(_DATABASE_NAMES, row, strict=True):
        yield _gauge(name, about, float(value))


def _queue() -> Iterator[Family]:
    depths = Family("diskatlas_queue_messages", "Messages that wait, by queue.", labels=["queue"])
    for name, depth in queue_depths().items():
        depths.add_metric([name], depth)
    yield depths


def _scheduler() -> Iterator[Family]:
    yield _gauge("sweep_age_seconds", "Time since the sweeper ran last.", _age_s(cache.get(SWEPT_AT)))


def _storage() -> Iterator[Family]:
    location = getattr(storages["envelopes"], "location", "")
    if location and Path(location).is_dir():
        usage = shutil.disk_usage(location)
        yield _gauge("storage_free_bytes", "Room left for envelopes.", usage.free)
        yield _gauge("storage_bytes", "Size of the disk with the envelopes.", usage.total)


_PARTS: tuple[tuple[str, Callable[[], Iterator[Family]]], ...] = (
    ("database", _submissions),
    ("database", _work),
    ("database", _database),
    ("queue", _queue),
    ("cache", _scheduler),
    ("storage", _storage),
)
