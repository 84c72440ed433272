"""The archive's counts: the sum over the models' summaries, with the models' index laid down beside.

Every change of a summary makes them due; they are added up at most every `ARCHIVE_COUNTS_EVERY_S`, so that a
hundred publications do not make anyone read ten thousand rows a hundred times.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q, Sum

from server.core import clock
from server.core.locks import transaction_lock
from server.search.home_summary import bandwidth_ranges_choose
from server.search.model_index import model_index_build, model_index_keep
from server.search.models import ArchiveCounts, ArchiveCountsDue, DriveSummary

_held_back: ContextVar[bool] = ContextVar("archive_counts_held_back", default=False)


def archive_counts_follow() -> None:
    """Make the counts due with the transaction that changes a summary, and count once it has committed."""
    # A row of its own for each change: nobody waits for another's transaction.
    ArchiveCountsDue.objects.create(since=clock.now())
    if not _held_back.get():
        transaction.on_commit(archive_counts_settle)


@contextmanager
def archive_counts_held_back() -> Iterator[None]:
    """Let many summaries change without counting in between; who is through counts once."""
    before = _held_back.set(True)
    try:
        yield
    finally:
        _held_back.reset(before)


def archive_counts_settle() -> bool:
    """Count where something is due and the last count is old enough; return whether it was done.

    What is left due is found by the scheduler, after a crash too.
    """
    if not ArchiveCountsDue.objects.exists():
        return False
    every = timedelta(seconds=settings.ARCHIVE_COUNTS_EVERY_S)
    if ArchiveCounts.objects.filter(updated_at__gt=clock.now() - every).exists():
        return False
    archive_counts_update()
    return True


@transaction.atomic
def archive_counts_update() -> None:
    """Add the models' rows up, and lay their index down beside."""
    transaction_lock("archive counts")
    # First, so that a change which is committed from here on stays due: what follows may have missed it.
    ArchiveCountsDue.objects.all().delete()
    listed = DriveSummary.objects.filter(listed=True)
    sums = listed.aggregate(
        models_listed=Count("pk"),
        models_measured=Count("pk", filter=Q(measured_runs__gt=0)),
        **{
            name: Sum(name)
            for name in ("units", "measured_runs", "simulated_runs", "samples", "measurements", "claims")
        },
    )
    values = {name: number or 0 for name, number in sums.items()}
    version = clock.now()
    index = model_index_build(version)
    values |= {
        "facets": index.counts(index.listed),
        "edges": bandwidth_ranges_choose(),
        "updated_at": version,
    }
    ArchiveCounts.objects.update_or_create(id=1, defaults=values)
    model_index_keep(index)


def archive_version() -> datetime | None:
    """Return when the archive's counts changed last; None before there are any."""
    return ArchiveCounts.objects.values_list("updated_at", flat=True).first()
