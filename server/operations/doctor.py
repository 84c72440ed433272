"""What is wrong with this installation, and what to do about it: one finding per line.

Each examination looks at one thing and gives its findings. One that can't be made because the database or the
queue is away says so once, by the part that is away.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice
from pathlib import Path

from celery import current_app
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core import checks
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import storages
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from server.catalog.models import DriveModel
from server.core import clock
from server.core.cache import cache, cache_policy
from server.core.lifecycle import ACTIVE_STATES, State
from server.core.task_queue import queue_policy
from server.measurements.models import AggregateDue
from server.operations.app_role import changes_tables
from server.operations.readiness import PART_TIMEOUT_S, PARTS, Readiness
from server.submissions.models import Submission
from server.submissions.sweeper import SWEPT_AT
from server.subscriptions.models import Delivery
from server.transparency.log_key import signing_key
from server.transparency.publication_log import log_check

WORKER_REPLY_S = 3.0
LATE_S = 3600
"""What waits for longer than an hour waits for a person."""
FREE_SHARE = 0.1
ENVELOPES_LOOKED_AT = 200


class Level(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, and what to do."""

    level: Level
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.level}: {self.what} {self.remedy}".strip()


def error(what: str, remedy: str) -> Finding:
    return Finding(Level.ERROR, what, remedy)


def warning(what: str, remedy: str) -> Finding:
    return Finding(Level.WARNING, what, remedy)


REMEDIES = {
    "database": "Start PostgreSQL, or correct DATABASE_URL.",
    "cache": "Start the cache's Redis, or correct CACHE_URL; pages are slower meanwhile.",
    "queue": "Start the queue's Redis, or correct REDIS_URL; uploads wait as rows meanwhile.",
    "storage": "Free or mount the disk, mend its rights, or correct ENVELOPES_DIR or the S3_ settings.",
}


def installation_examine(*, full: bool = False) -> list[Finding]:
    """Return all that is wrong, errors first. `full` reads the whole publication log too."""
    parts = Readiness(PARTS, timeout_s=PART_TIMEOUT_S, keep_s=0.0)
    away = {name: words for name, words in parts.troubles().items() if words}
    found = [error(f"The {name} does not answer ({words}).", REMEDIES[name]) for name, words in away.items()]
    found += _system_checks()
    found += _files()
    for needed, examination in EXAMINATIONS:
        if not needed & away.keys():
            found += _examined(examination)
    if full and "database" not in away:
        found += [
            error(f"The publication log: {wrong}", "Restore it from a backup.") for wrong in log_check()
        ]
    return sorted(found, key=lambda one: one.level != Level.ERROR)


def _examined(examination: Callable[[], Iterable[Finding]]) -> list[Finding]:
    try:
        return list(examination())
    except Exception as trouble:
        name = examination.__name__.strip("_").replace("_", " ")
        return [error(f"Could not look at {name} ({type(trouble).__name__}: {trouble}).", "Mend that first.")]


def _system_checks() -> Iterator[Finding]:
    for message in checks.run_checks(include_deployment_checks=True):
        # Django's own of level INFO, and those that the operator silenced, are nothing to do.
        if message.level < checks.WARNING or message.is_silenced():
            continue
        make = error if message.level >= checks.ERROR else warning
        yield make(f"{message.msg} ({message.id})", message.hint or "")


def _files() -> Iterator[Finding]:
    if not (Path(settings.STATIC_ROOT) / "staticfiles.json").exists() and hasattr(
        staticfiles_storage, "manifest_name"
    ):
        yield error("Static files are not collected.", "Run `manage.py collectstatic --no-input`.")
    if not (Path(settings.DOWNLOADS_DIR) / "manifest.json").exists():
        yield warning("No probe is offered for download.", "Run `make probe`, or set DOWNLOADS_DIR.")
    key = Path(settings.LOG_KEY_FILE)
    if not settings.LOG_KEY and key.exists() and key.stat().st_mode & 0o077:
        yield error(f"Others may read the log's key {key}.", f"Run `chmod 600 {key}`.")
    for name in ("envelopes", "datasets"):
        location = getattr(storages[name], "location", "")
        folder = Path(location) if location else None
        if folder is not None and folder.is_dir() and not settings.S3_BUCKET:
            usage = shutil.disk_usage(folder)
            if usage.free < FREE_SHARE * usage.total:
                what = f"{folder} has {usage.free // 1024**2} MiB left, {usage.free / usage.total:.0%}."
                yield warning(what, "Make room before uploads are refused.")


def _migrations() -> Iterator[Finding]:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        what = f"{len(plan)} migrations are not applied, the first is {plan[0][0]}."
        yield error(what, "Run `manage.py migrate`.")


def _clocks() -> Iterator[Finding]:
    before = clock.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        there: datetime = cursor.fetchone()[0]
    apart_s = abs((there - before).total_seconds())
    if apart_s > 5:
        what = f"The database's clock is {apart_s:.0f} s away from this machine's."
        yield error(what, "Run a time daemon on both.")


def _account() -> Iterator[Finding]:
    if changes_tables():
        what = "The database account that the archive works with may change its tables."
        yield warning(what, "Make one that may not by `manage.py app_role`.")


def _sessions() -> Iterator[Finding]:
    """Find a pool that gives sessions away between statements: locks are then taken and given back by
    whoever comes next."""
    other = connection.copy()
    try:
        backends = set()
        for one in (connection, other):
            with one.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid()")
                backends.add(cursor.fetchone()[0])
    finally:
        other.close()
    if len(backends) == 1:
        what = "Two connections share one session of the database: a pool lends it for a transaction each."
        yield error(what, "Set its pool_mode to session: locks and prepared statements are the session's.")


def _log_key() -> Iterator[Finding]:
    try:
        signing_key()
    except ImproperlyConfigured as trouble:
        yield error(str(trouble), "")


def _catalogue() -> Iterator[Finding]:
    if not DriveModel.objects.exists():
        yield warning("No drive model is known.", "Run `manage.py load_catalog` and `load_identities`.")


def _submissions() -> Iterator[Finding]:
    late = clock.now() - timedelta(seconds=LATE_S)
    waiting = Submission.objects.filter(state__in=ACTIVE_STATES, received_at__lt=late).count()
    if waiting:
        what = f"{waiting} submissions came more than an hour ago and are not through."
        yield error(what, "Look at the worker's log, and start more workers where it is busy.")
    stopped = Submission.objects.filter(state=State.QUARANTINED, events__reason__contains="never ended")
    stopped_count = stopped.distinct().count()
    if stopped_count:
        what = f"{stopped_count} submissions were started often and never ended."
        yield warning(what, "Find the cause in the worker's log, then release them in the administration.")
    overdue = AggregateDue.objects.filter(since__lt=late, not_before=None).count()
    if overdue:
        yield error(f"{overdue} models wait for an hour to be computed anew.", "Look at the worker's log.")


def _envelopes() -> Iterator[Finding]:
    storage = storages["envelopes"]
    rows = Submission.objects.exclude(storage_name="").order_by("-received_at")
    names = rows.values_list("storage_name", flat=True)[:ENVELOPES_LOOKED_AT]
    lost = [name for name in names if not storage.exists(name)]
    if lost:
        what = f"{len(lost)} of the last {len(names)} envelopes are not in the storage, such as {lost[0]}."
        yield error(what, "Correct ENVELOPES_DIR or S3_BUCKET, or restore them from a backup.")


def _outbox() -> Iterator[Finding]:
    late = clock.now() - timedelta(seconds=LATE_S)
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING, next_try_at__lt=late).count()
    if waiting:
        yield error(f"{waiting} messages to followers are an hour late.", "Start beat and a worker.")


def _workers() -> Iterator[Finding]:
    replies = current_app.control.ping(timeout=WORKER_REPLY_S)
    if not replies:
        yield error("No worker answers.", "Start one: uploads wait as rows meanwhile.")
        return
    taken = current_app.control.inspect(timeout=WORKER_REPLY_S).active_queues() or {}
    names = {queue["name"] for queues in taken.values() for queue in queues}
    for name in sorted(set(current_app.amqp.queues) - names):
        yield error(f"No worker takes the queue {name}.", "Add it to the WORKER_QUEUES of one.")


def _scheduler() -> Iterator[Finding]:
    swept_at = cache.get(SWEPT_AT)
    allowed_s = max(5 * settings.PIPELINE_SWEEP_EVERY_S, 180)
    if swept_at is None or clock.now().timestamp() - swept_at > allowed_s:
        what = f"The sweeper did not run within {allowed_s} s."
        yield error(what, "Start beat, exactly one, and a worker.")


def _redis_policies() -> Iterator[Finding]:
    policy = queue_policy()
    if policy not in (None, "noeviction"):
        what = f"The queue's Redis forgets what it holds when it is full ({policy})."
        yield error(what, "Set its maxmemory-policy to noeviction.")
    if settings.CACHE_URL != settings.REDIS_URL and cache_policy() == "noeviction":
        what = "The cache's Redis refuses what is new when it is full."
        yield warning(what, "Set its maxmemory-policy to allkeys-lru.")
    if settings.CACHE_URL == settings.REDIS_URL:
        what = "Queue and cache share one Redis: pages can fill it until it refuses submissions' messages."
        yield warning(what, "Give the cache one of its own by CACHE_URL.")


EXAMINATIONS: tuple[tuple[set[str], Callable[[], Iterable[Finding]]], ...] = (
    ({"database"}, _migrations),
    ({"database"}, _clocks),
    ({"database"}, _account),
    ({"database"}, _sessions),
    ({"database"}, _log_key),
    ({"database"}, _catalogue),
    ({"database"}, _submissions),
    ({"database", "storage"}, _envelopes),
    ({"database"}, _outbox),
    ({"queue"}, _workers),
    ({"cache"}, _scheduler),
    ({"cache", "queue"}, _redis_policies),
)
"""Each with the parts that it needs."""


def summary_of(findings: Iterable[Finding]) -> str:
    """Return the closing line."""
    levels = [one.level for one in islice(findings, 10_000)]
    if not levels:
        return "Nothing is wrong."
    return f"{levels.count(Level.ERROR)} errors, {levels.count(Level.WARNING)} warnings."
