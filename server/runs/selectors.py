"""Reading submissions and runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef, Prefetch, Q, QuerySet

from server.benchmarks.contract import Metric
from server.catalog.models import DriveModel
from server.core.querying import Prepared
from server.runs.kinds import kinds_by_slug, metrics_by_key
from server.runs.models import Benchmark, Measurement, Provenance, Run, State, Submission
from server.runs.models.submission import ACTIVE_STATES


@dataclass(frozen=True, slots=True)
class MeasurementRow:
    """A measurement with its metric's entry in the registry; None for a metric that is no longer
    registered."""

    measurement: Measurement
    metric: Metric | None


@dataclass(frozen=True, slots=True)
class BenchmarkPart:
    """One kind's part of a run page."""

    benchmark: Benchmark
    title: str
    measurements: tuple[MeasurementRow, ...]


@dataclass(frozen=True, slots=True)
class RunPage:
    """All that a run page shows but the charts, which `charts.run_charts` computes."""

    run: Run
    submission: Submission
    parts: tuple[BenchmarkPart, ...]
    queue_position: int | None
    """How many submissions are ahead, counting this one; None once its life has ended."""

    @property
    def active(self) -> bool:
        """Whether jobs still run."""
        return self.queue_position is not None

    @property
    def extracted(self) -> int:
        """How many kinds need no more work: extracted, skipped or failed."""
        return sum(part.benchmark.state != Benchmark.State.PENDING for part in self.parts)


_KINDS = Benchmark.objects.filter(run=OuterRef("pk")).order_by("position").values("kind")


def runs_published() -> QuerySet[Run]:
    """Return the published runs, latest first, with what a list shows; `kinds` of each are its benchmarks',
    in their order."""
    return (
        Run.objects.filter(submission__state=State.PUBLISHED)
        .select_related("drive_model__vendor", "submission__probe_key", "unit", "batch")
        .annotate(kinds=ArraySubquery(_KINDS))
        .order_by("-submission__published_at", "-run_id")
    )


def runs_latest(*, limit: int = 10) -> list[Run]:
    """Return the runs published last."""
    return list(runs_published()[:limit])


def runs_of_model(*, drive_model: DriveModel) -> QuerySet[Run]:
    """Return the published runs of a model, latest first."""
    return runs_published().filter(drive_model=drive_model)


_OF_A_LINE = (
    *("provenance", "created_at", "firmware", "unit__digest"),
    *("batch__year", "batch__week", "batch__label"),
)
"""What a list of one model's runs shows: documents' summaries and models need not be read for it."""


def runs_before(
    *, drive_model: DriveModel, provenance: Provenance, before: UUID | None = None, limit: int = 25
) -> tuple[list[Run], UUID | None]:
    """Return published runs of a model, the latest measured first, from behind the run `before` on; and the
    run to go on behind, None where these are the last. Each run's `kinds` are its benchmarks', in its order.

    An unknown `before` begins at the latest, so that an old address still shows something.
    """
    start = Run.objects.filter(pk=before, drive_model=drive_model).first() if before else None
    if start is None:
        found = _lines(limit).rows(drive_model_id=drive_model.pk, provenance=provenance)
    else:
        earlier = Q(created_at__lt=start.created_at) | Q(created_at=start.created_at, pk__lt=start.pk)
        runs = _runs_of_lines(drive_model.pk, provenance)
        found = list(runs.filter(earlier, created_at__lte=start.created_at)[: limit + 1])
    return found[:limit], found[limit - 1].pk if len(found) > limit else None


def _runs_of_lines(drive_model_id: Any, provenance: Any) -> QuerySet[Run]:
    return (
        Run.objects.filter(
            drive_model_id__given=drive_model_id,
            provenance__given=provenance,
            submission__state=State.PUBLISHED,
        )
        .select_related("unit", "batch")
        .only(*_OF_A_LINE)
        .annotate(kinds=ArraySubquery(_KINDS))
        .order_by("-created_at", "-run_id")
    )


@cache
def _lines(limit: int) -> Prepared[Run]:
    return Prepared(
        lambda drive_model_id, provenance: _runs_of_lines(drive_model_id, provenance)[: limit + 1]
    )


def run_numbers(*, run_id: UUID) -> dict[tuple[str, str], Measurement]:
    """Return a run's current numbers by metric and scope."""
    rows = Measurement.objects.filter(
        benchmark__run=run_id, extractor_version=F("benchmark__extractor_version"), value__isnull=False
    )
    return {(row.metric, row.scope): row for row in rows}


def submission_get(*, submission_id: UUID) -> Submission:
    """Return a submission with its run, benchmarks and events; raises Submission.DoesNotExist."""
    return (
        Submission.objects.select_related("run", "probe_key")
        .prefetch_related("events", "run__benchmarks")
        .get(pk=submission_id)
    )


def submission_of_run(*, run_id: UUID) -> Submission:
    """Return the submission that brought a run; raises Submission.DoesNotExist."""
    return Submission.objects.get(run__run_id=run_id)


def submission_run(submission: Submission) -> Run | None:
    """Return the submission's run; a document that was rejected has none."""
    try:
        return submission.run
    except Run.DoesNotExist:
        return None


def submission_queue_position(submission: Submission) -> int | None:
    """Return how many submissions are in work or waiting up to this one, itself included; None when it has
    ended."""
    if submission.state not in ACTIVE_STATES:
        return None
    ahead = Q(received_at__lt=submission.received_at) | Q(
        received_at=submission.received_at, id__lt=submission.id
    )
    return Submission.objects.filter(ahead, state__in=ACTIVE_STATES).count() + 1


def run_page(*, run_id: UUID) -> RunPage:
    """Return a run page's data; raises Run.DoesNotExist."""
    current = Measurement.objects.filter(extractor_version=F("benchmark__extractor_version"))
    run = (
        Run.objects.select_related("drive_model__vendor", "submission__probe_key", "unit", "batch")
        .prefetch_related(
            "submission__events",
            Prefetch("benchmarks__measurements", queryset=current.order_by("id")),
        )
        .get(pk=run_id)
    )
    parts = tuple(_benchmark_part(benchmark) for benchmark in run.benchmarks.all())
    return RunPage(run, run.submission, parts, submission_queue_position(run.submission))


def _benchmark_part(benchmark: Benchmark) -> BenchmarkPart:
    kind = kinds_by_slug().get(benchmark.kind)
    metrics = metrics_by_key()
    rows = tuple(MeasurementRow(entry, metrics.get(entry.metric)) for entry in benchmark.measurements.all())
    return BenchmarkPart(benchmark, kind.title if kind else benchmark.kind, rows)
