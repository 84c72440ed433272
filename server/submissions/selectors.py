"""Reading submissions and runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, Exists, F, OuterRef, Prefetch, Q, QuerySet, TextField, Value, When

from server.benchmarks.contract import Metric
from server.benchmarks.registry import kinds_by_slug, metrics_by_key
from server.core.lifecycle import ACTIVE_STATES, State
from server.measurements.models import Benchmark, Measurement, Run
from server.submissions.models import Decision, Submission
from server.transparency.models import Withdrawal


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
    """All that a run page shows but the charts, which `charts.charts_of_run` reads."""

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


def submission_get(*, submission_id: UUID) -> Submission:
    """Return a submission with its run, benchmarks and events; raises Submission.DoesNotExist."""
    return (
        Submission.objects.select_related("run", "probe_key")
        .prefetch_related("events", "run__benchmarks")
        .get(pk=submission_id)
    )


def submission_of_run(*, run_id: UUID) -> Submission:
    """Return the submission that brought a run; raises Submission.DoesNotExist."""
    return Submission.objects.select_related("probe_key").get(run__run_id=run_id)


def submission_run(submission: Submission) -> Run | None:
    """Return the submission's run; a document that was rejected has none."""
    try:
        return submission.run
    except Run.DoesNotExist:
        return None


def submission_visible(submission: Submission, user: Any) -> bool:
    """Return whether somebody may see what was measured: anybody where it is published, else moderators and
    the account that has claimed the key. All others see the state and its reasons."""
    if submission.state == State.PUBLISHED:
        return True
    if user is None or not user.is_authenticated or not user.is_active:
        return False
    return bool(user.has_perm("submissions.decide")) or submission.probe_key.owner_id == user.pk


def came_after_revocation(submission: Submission) -> bool:
    """Return whether it came in when its key may have been in other hands, as the holder has said since."""
    revoked_from = submission.probe_key.revoked_from
    return revoked_from is not None and submission.received_at >= revoked_from


def submission_queue_position(submission: Submission) -> int | None:
    """Return how many submissions are in work or waiting up to this one, itself included; None when it has
    ended."""
    if submission.state not in ACTIVE_STATES:
        return None
    ahead = Q(received_at__lt=submission.received_at) | Q(
        received_at=submission.received_at, id__lt=submission.id
    )
    return Submission.objects.filter(ahead, state__in=ACTIVE_STATES).count() + 1


def decisions_public() -> QuerySet[Decision]:
    """Return the log of decisions, the latest first. Of an erased run only the erasure tells its reason:
    `shown_reason` is what may be shown of each."""
    erased = Decision.objects.filter(submission=OuterRef("submission"), verdict=Decision.Verdict.ERASED)
    hidden = Q(Exists(erased)) & ~Q(verdict=Decision.Verdict.ERASED)
    shown = Case(
        When(hidden, then=Value("Erased with the run.")), default=F("reason"), output_field=TextField()
    )
    found = Decision.objects.select_related("submission__run", "by").annotate(shown_reason=shown)
    return found.order_by("-at", "-id")


def tombstones_list(*, since: datetime | None = None) -> QuerySet[Withdrawal]:
    """Return the tombstones in the order of their leaves; `since` leaves out those that are older."""
    found = Withdrawal.objects.select_related("submission__run__drive_model", "leaf").order_by("leaf_id")
    return found.filter(leaf__at__gte=since) if since is not None else found


def tombstone_of(submission: Submission) -> Withdrawal | None:
    """Return the tombstone of a submission, with its leaf; None where it was not withdrawn."""
    return Withdrawal.objects.select_related("leaf").filter(submission=submission).first()


def run_page(*, run_id: UUID) -> RunPage:
    """Return a run page's data; raises Run.DoesNotExist."""
    current = Measurement.objects.filter(extractor_version=F("benchmark__extractor_version"))
    run = (
        Run.objects.select_related(
            "drive_model__vendor", "submission__probe_key__owner__profile", "unit", "batch"
        )
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
