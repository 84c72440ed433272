"""Filling an empty archive with sample data in bulk; everything that follows is computed as usual."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from django.db import connection, connections
from django.db.models import Count

from server.accounts.models import ProbeKey
from server.catalog.models import DriveModel
from server.measurements.models import Batch, Benchmark, Measurement, Run, Unit
from server.model_stats.models import ModelStatsSnapshot
from server.model_stats.refresh import refresh_model
from server.search.archive_counts import archive_counts_deferred, archive_counts_update
from server.submissions.models import Submission, SubmissionEvent
from tools.sample_archive.catalog import catalog_fill, places_free
from tools.sample_archive.chunks import RUNS_PER_CHUNK, ChunkWriter, Places, batch_rows, unit_rows
from tools.sample_archive.plan import Plan, Sizes, plan_make
from tools.sample_archive.tables import sequences_set, without_indexes

BULK = (Submission, SubmissionEvent, Run, Benchmark, Measurement)
"""Tables that grow with the runs."""
INDEXES_OFF_FROM = 20_000
"""Runs from which on it pays to build the indexes at the end."""

Say = Callable[[str], None]


class NotEmpty(Exception):
    """The archive holds submissions, which sample data must not mix with."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What was written."""

    models: int
    units: int
    runs: int
    measurements: int


def archive_fill(sizes: Sizes, *, processes: int, say: Say) -> Filled:
    """Write the catalogue and the runs; raises NotEmpty. With no processes everything is done in this one."""
    _check_empty()
    plan = plan_make(sizes)
    places = places_free()
    with _Step("catalogue", say):
        catalog_fill(plan, places)
        unit_rows(plan, places).send()
        batch_rows(plan, places).send()
    large = sizes.runs >= INDEXES_OFF_FROM
    indexes: AbstractContextManager[None] = without_indexes(BULK) if large else nullcontext()
    with _Step("runs and indexes", say), indexes, _Step("runs", say):
        measurements = _write(plan, places, processes, say)
    sequences_set((*BULK, DriveModel, Unit, Batch, ProbeKey))
    with _Step("table statistics", say):
        _analyze()
    models = int((plan.model_runs > 0).sum())
    return Filled(models, len(plan.unit_model), sizes.runs, measurements)


def archive_derive(*, processes: int, say: Say, missing: bool = False) -> int:
    """Have each model's rows computed by what computes them after a publication; return how many models.

    The largest come first, so that none of them is left for the end. Doing it again changes nothing;
    `missing` goes on where it was cut off.
    """
    by_model = Run.objects.order_by().values_list("drive_model").annotate(runs=Count("pk"))
    if missing:
        by_model = by_model.exclude(drive_model__in=ModelStatsSnapshot.objects.values("drive_model"))
    due = [model for model, _runs in by_model.order_by("-runs", "drive_model")]
    progress = _Progress(len(due), "models", say)
    with _Step("what follows from the runs", say), archive_counts_deferred():
        for done, _rows in enumerate(_spread(_aggregate, due, processes, _begin_plain, ()), start=1):
            progress.at(done)
    with _Step("the archive's counts", say):
        archive_counts_update()
    with _Step("table statistics", say):
        _analyze()
    return len(due)


def _check_empty() -> None:
    held = Submission.objects.count()
    if held:
        raise NotEmpty(
            f"The archive holds {held} submissions. Sample data goes into an empty archive only, so that it "
            "never stands among real runs: point DATABASE_URL and ENVELOPES_DIR (or DATA_DIR) at new ones."
        )


def _write(plan: Plan, places: Places, processes: int, say: Say) -> int:
    firsts = list(range(0, plan.sizes.runs, RUNS_PER_CHUNK))
    progress, numbers = _Progress(plan.sizes.runs, "runs", say), 0
    for done, written in enumerate(_spread(_chunk, firsts, processes, _begin, (plan, places)), start=1):
        numbers += written
        progress.at(min(done * RUNS_PER_CHUNK, plan.sizes.runs))
    return numbers


_state: tuple[ChunkWriter, ...] = ()
"""The writer of this process."""


def _begin(plan: Plan, places: Places) -> None:
    global _state
    _state = (ChunkWriter(plan, places),)
    _begin_plain()


def _begin_plain() -> None:
    if not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("SET synchronous_commit = off")


def _chunk(first: int) -> int:
    return _state[0].write(first)


def _aggregate(drive_model_id: int) -> int:
    return refresh_model(drive_model_id=drive_model_id)


def _spread(
    work: Callable[[int], int],
    items: Iterable[int],
    processes: int,
    begin: Callable[..., None],
    state: tuple[Any, ...],
) -> Iterator[int]:
    """Do the work for each item, in this process or spread over others; give the results as they come."""
    if processes < 1:
        begin(*state)
        yield from map(work, items)
        return
    connections.close_all()
    with multiprocessing.get_context("fork").Pool(processes, begin, state) as pool:
        yield from pool.imap_unordered(work, items)


def _analyze() -> None:
    """Let the planner know, and mark pages as visible to all; within a transaction only the former can be."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE" if connection.in_atomic_block else "VACUUM ANALYZE")


class _Progress:
    def __init__(self, total: int, what: str, say: Say) -> None:
        self._total, self._what, self._say = total, what, say
        self._began = self._said = time.monotonic()

    def at(self, done: int) -> None:
        """Say how far it is, every ten seconds."""
        now = time.monotonic()
        if now - self._said < 10:
            return
        self._said = now
        left = (now - self._began) / done * (self._total - done)
        self._say(f"  {done:,} of {self._total:,} {self._what}, about {left / 60:.1f} min left")


class _Step:
    """Says that a step begins, and how long it took."""

    def __init__(self, name: str, say: Say) -> None:
        self._name, self._say = name, say
        self._began = 0.0

    def __enter__(self) -> None:
        self._say(self._name)
        self._began = time.monotonic()

    def __exit__(self, *_error: object) -> None:
        self._say(f"  {self._name}: {time.monotonic() - self._began:.1f} s")
