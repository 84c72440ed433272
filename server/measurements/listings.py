"""Published runs and their numbers as lists, for readers who page through all of them.

None of these orders or counts: a page takes the few rows that it shows, whatever there is.
"""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Prefetch, QuerySet

from server.core.lifecycle import State
from server.measurements.models import Aggregate, Batch, Benchmark, Measurement, Run, Unit

_MODEL = "drive_model__vendor"


def runs_all() -> QuerySet[Run]:
    """Return the published runs with model, unit, batch, key and the states of their benchmarks."""
    return (
        Run.objects.filter(submission__state=State.PUBLISHED)
        .select_related(_MODEL, "submission__probe_key", "unit", "batch")
        .defer("summary")
        .prefetch_related(Prefetch("benchmarks", queryset=Benchmark.objects.defer("details")))
    )


def units_all() -> QuerySet[Unit]:
    """Return the units of which a run is published."""
    published = Run.objects.filter(unit=OuterRef("pk"), submission__state=State.PUBLISHED)
    return Unit.objects.filter(Exists(published)).select_related(_MODEL)


def batches_all() -> QuerySet[Batch]:
    """Return the batches of which a run is published."""
    published = Run.objects.filter(batch=OuterRef("pk"), submission__state=State.PUBLISHED)
    return Batch.objects.filter(Exists(published)).select_related(_MODEL)


def benchmarks_all() -> QuerySet[Benchmark]:
    """Return the benchmarks of published runs."""
    return (
        Benchmark.objects.filter(run__submission__state=State.PUBLISHED)
        .select_related("run__drive_model__vendor", "run__unit")
        .defer("details", "run__summary")
    )


def measurements_all() -> QuerySet[Measurement]:
    """Return the numbers of published runs, those of the extraction that counts."""
    return (
        Measurement.objects.filter(
            benchmark__run__submission__state=State.PUBLISHED,
            extractor_version=F("benchmark__extractor_version"),
        )
        .select_related("benchmark__run__drive_model__vendor", "benchmark__run__unit")
        .defer("benchmark__details", "benchmark__run__summary")
    )


def aggregates_all() -> QuerySet[Aggregate]:
    """Return the statistics of models over their published runs, one provenance in each row."""
    return Aggregate.objects.select_related(_MODEL)


def benchmarks_of(run_ids: Collection[UUID]) -> QuerySet[Benchmark]:
    """Return the benchmarks of some runs, as their documents have them in order."""
    return Benchmark.objects.filter(run_id__any_of=run_ids).order_by("position")


def measurements_of(run_ids: Collection[UUID]) -> QuerySet[Measurement]:
    """Return the current numbers of some runs, in the order of their benchmarks."""
    current = Measurement.objects.filter(extractor_version=F("benchmark__extractor_version"))
    return current.filter(benchmark__run_id__any_of=run_ids).order_by("benchmark__position", "id")


def measurements_of_runs(queryset: QuerySet[Run]) -> QuerySet[Run]:
    """Return the runs with their benchmarks' current numbers read in advance."""
    current = Measurement.objects.filter(extractor_version=F("benchmark__extractor_version")).order_by("id")
    return queryset.prefetch_related(Prefetch("benchmarks__measurements", queryset=current))
