"""Counts the samples of runs that came in before samples were counted, from their stored documents."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from django.db import transaction

from server.runs.counting import timings_count
from server.runs.documents import document_load
from server.runs.envelopes import EnvelopeLost
from server.runs.models import AggregateDue, Benchmark, Run, State

_CHUNK = 500


def uncounted_runs() -> Iterator[UUID]:
    """Give the runs that have a benchmark without a count, in the order of their ids; one without samples is
    none of them."""
    after = UUID(int=0)
    while True:
        found = list(
            Benchmark.objects.filter(samples=None, run_id__gt=after)
            .exclude(state=Benchmark.State.SKIPPED)
            .exclude(run__submission__state=State.WITHDRAWN)
            .order_by("run_id")
            .values_list("run_id", flat=True)
            .distinct()[:_CHUNK]
        )
        yield from found
        if len(found) < _CHUNK:
            return
        after = found[-1]


@transaction.atomic
def samples_count(*, run_id: UUID) -> bool:
    """Write how many samples each benchmark of a run has; its model's sums are due then. Return False where
    the stored document is lost. One document is in memory at a time."""
    run = Run.objects.select_related("submission").get(pk=run_id)
    try:
        parts = document_load(run.submission)["benchmarks"]
    except EnvelopeLost:
        return False
    for position, part in enumerate(parts):
        if "skipped" not in part:
            found = Benchmark.objects.filter(run=run, kind=part["kind"], position=position, samples=None)
            found.update(samples=timings_count(part["samples"]))
    AggregateDue.objects.get_or_create(drive_model_id=run.drive_model_id)
    return True
