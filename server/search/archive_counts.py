"""The archive's counts: the sum over the models' summaries, with the models' index laid down beside.

Every change of a summary makes them due; they are added up at most every `ARCHIVE_COUNTS_EVERY_S`, so that a
hundred publications do not make anyone read ten thousand rows a hundred times.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q, Sum

from server.benchmarks.contract import Measurand
from server.benchmarks.measurands import source
from server.catalog.models import DriveModel
from server.core import clock
from server.core.locks import transaction_lock
from server.measurements.typical import typical_of_spread
from server.search.model_index import model_index_build, model_index_keep
from server.search.models import ArchiveCounts, ArchiveCountsDue, DriveSummary

_deferred: ContextVar[bool] = ContextVar("archive_counts_deferred", default=False)
OUTER, INNER = (
    "|".join(source(measurand)) for measurand in (Measurand.OUTER_BANDWIDTH, Measurand.INNER_BANDWIDTH)
)
RANGES_SHOWN = 16
RECOMMENDED_SHOWN = 6
PROVENANCES = ("probe", "literature", "simulated")
"""The best first: a drive is shown by one of them alone."""


def archive_counts_follow() -> None:
    """Make the counts due with the transaction that changes a summary, and count once it has committed."""
    # A row of its own for each change: nobody waits for another's transaction.
    ArchiveCountsDue.objects.create(since=clock.now())
    if not _deferred.get():
        transaction.on_commit(archive_counts_settle)


@contextmanager
def archive_counts_deferred() -> Iterator[None]:
    """Let many summaries change without counting in between; who is through counts once."""
    before = _deferred.set(True)
    try:
        yield
    finally:
        _deferred.reset(before)


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
        "bandwidth_ranges": bandwidth_ranges_choose(),
        "updated_at": version,
    }
    ArchiveCounts.objects.update_or_create(id=1, defaults=values)
    model_index_keep(index)


def archive_version() -> datetime | None:
    """Return when the archive's counts changed last; None before there are any."""
    return ArchiveCounts.objects.values_list("updated_at", flat=True).first()


# ---- What the home page shows of the whole archive, out of rows that the worker wrote.


@dataclass(frozen=True, slots=True)
class BandwidthRange:
    """How fast one drive is at its edges, by numbers of one provenance."""

    slug: str
    title: str
    provenance: str
    outer: float
    """Median, MB/s."""
    inner: float
    runs: int
    """Runs behind the numbers; of published ones the values."""
    units: int | None = None
    """Units behind them; None of published ones."""
    outer_interval: tuple[float, float] | None = None
    """What the digits follow; None where there is none."""
    inner_interval: tuple[float, float] | None = None


def archive_counts() -> ArchiveCounts | None:
    """Return how much the archive holds; None before anything was counted."""
    return ArchiveCounts.objects.first()


def bandwidth_ranges(counts: ArchiveCounts | None) -> tuple[BandwidthRange, ...]:
    """Return the drives of the home page's picture, the fastest first."""
    return tuple(BandwidthRange(**entry) for entry in counts.bandwidth_ranges) if counts else ()


def bandwidth_ranges_choose() -> list[dict[str, Any]]:
    """Choose the picture's drives: measured ones with most units first, then published ones, then
    simulated."""
    chosen: dict[int, dict[str, Any]] = {}
    for provenance in PROVENANCES:
        rows = DriveSummary.objects.filter(listed=True, facets__contains=[f"numbers:{provenance}"])
        rows = rows.select_related("drive_model__vendor").order_by("-units", "-measured_runs", "sort_name")
        for row in rows.only("headline", "units", "drive_model")[: 4 * RANGES_SHOWN]:
            numbers = row.headline.get(provenance, {})
            if len(chosen) < RANGES_SHOWN and row.pk not in chosen and {OUTER, INNER} <= numbers.keys():
                chosen[row.pk] = _entry(row.drive_model, provenance, numbers)
    return sorted(chosen.values(), key=lambda entry: (-entry["outer"], entry["title"]))


def recommended_runs(*, limit: int = RECOMMENDED_SHOWN) -> list[DriveSummary]:
    """Return the models of which further runs would settle most."""
    rows = DriveSummary.objects.filter(
        listed=True, recommended_rank__isnull=False, drive_model__simulated=False
    )
    rows = rows.select_related("drive_model__vendor").defer("names", "facets", "headline")
    return list(rows.order_by("recommended_rank", "-measured_runs", "sort_name")[:limit])


def _interval(numbers: list[Any]) -> list[float] | None:
    found = typical_of_spread(numbers)
    return [found.low, found.high] if found.low is not None and found.high is not None else None


def _entry(model: DriveModel, provenance: str, numbers: dict[str, list[Any]]) -> dict[str, Any]:
    units = [numbers[key][4] for key in (OUTER, INNER)]
    return {
        "slug": model.slug,
        "title": model.title,
        "provenance": provenance,
        "outer": numbers[OUTER][0],
        "inner": numbers[INNER][0],
        "runs": min(numbers[OUTER][3], numbers[INNER][3]),
        "units": None if None in units else min(units),
        "outer_interval": _interval(numbers[OUTER]),
        "inner_interval": _interval(numbers[INNER]),
    }
