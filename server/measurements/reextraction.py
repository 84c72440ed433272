"""Extraction done anew from the stored envelopes, and what that changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import Q, QuerySet

from server.benchmarks.contract import Kind
from server.benchmarks.registry import kinds_by_slug
from server.core.lifecycle import State
from server.core.locks import session_lock
from server.measurements.charts import charts_drawn
from server.measurements.documents import document_load, facts_of
from server.measurements.extraction import MeasurementRow, extraction_of, extraction_store, measurement_rows
from server.measurements.models import AggregateDue, Benchmark, Measurement
from server.measurements.signals import run_reextracted

log = structlog.get_logger("diskatlas.reextraction")

DONE = (Benchmark.State.EXTRACTED, Benchmark.State.FAILED)
WITH_NUMBERS = (State.PUBLISHED, State.QUARANTINED)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which benchmarks are done anew; everything that is left out chooses all."""

    kinds: tuple[str, ...] = ()
    drive_model_id: int | None = None
    run_id: UUID | None = None
    older_than: str = ""
    """Only numbers of versions before this one."""
    present: bool = False
    """Also those that the present version made already."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is different now."""

    run_id: str
    kind: str
    what: str
    """`value`, `quality`, `appeared`, `vanished` or `failed`."""
    metric: str = ""
    scope: str = ""
    before: float | None = None
    after: float | None = None
    quality_before: str = ""
    quality_after: str = ""
    version_before: str = ""
    version_after: str = ""
    reason: str = ""

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def version_key(version: str) -> tuple[int, ...]:
    """Versions in the order of their numbers; what is no version is older than all."""
    return tuple(int(part) for part in version.split(".")) if version.replace(".", "").isdigit() else ()


def benchmarks_due(choice: Choice) -> list[int]:
    """The rows to do anew, in order of their ids."""
    rows: QuerySet[Benchmark] = Benchmark.objects.filter(
        state__in=DONE, run__submission__state__in=WITH_NUMBERS
    )
    if choice.kinds:
        rows = rows.filter(kind__in=choice.kinds)
    if choice.drive_model_id is not None:
        rows = rows.filter(run__drive_model_id=choice.drive_model_id)
    if choice.run_id is not None:
        rows = rows.filter(run_id=choice.run_id)
    if not choice.present:
        made = Q()
        for kind in kinds_by_slug().values():
            made |= Q(
                kind=kind.slug, extractor_version=kind.extractor_version, state=Benchmark.State.EXTRACTED
            )
        rows = rows.exclude(made, state=Benchmark.State.EXTRACTED)
    found = rows.order_by("pk").values_list("pk", "extractor_version")
    limit = version_key(choice.older_than)
    return [pk for pk, version in found if not limit or version_key(version) < limit]


def benchmark_reextract(*, benchmark_id: int, dry_run: bool = False) -> list[Change]:
    """Do one benchmark anew and return what changed. Where extraction fails, everything stays as it was.

    Nothing is changed either while a worker holds the benchmark; it is then due still.
    """
    with session_lock("benchmark", str(benchmark_id)) as free:
        benchmark = Benchmark.objects.select_related("run__submission").get(pk=benchmark_id)
        kind = kinds_by_slug().get(benchmark.kind)
        if not free or benchmark.state not in DONE or kind is None:
            return []
        try:
            document = document_load(benchmark.run.submission)
            part = document["benchmarks"][benchmark.position]
            facts = facts_of(document, part)
            extraction = extraction_of(kind, part, facts)
        except OSError:
            raise
        except Exception as error:
            log.exception("extraction failed", benchmark=benchmark.pk, kind=kind.slug)
            return [_failure(benchmark, kind, error)]
        before = list(benchmark.measurements.filter(extractor_version=benchmark.extractor_version))
        version = benchmark.extractor_version
        after: Sequence[MeasurementRow] = measurement_rows(benchmark, kind, extraction)
        changes = list(_changes(benchmark, version, before, after))
        if not dry_run:
            charts = charts_drawn(benchmark, kind, part, facts, extraction)
            with transaction.atomic():
                locked = Benchmark.objects.select_for_update().get(pk=benchmark.pk)
                # Runs from before this was kept have it in their documents only.
                locked.caches = part.get("caches")
                locked.save(update_fields=["caches"])
                extraction_store(locked, kind, extraction, charts)
                if benchmark.run.submission.state == State.PUBLISHED:
                    AggregateDue.objects.get_or_create(drive_model_id=benchmark.run.drive_model_id)
                    if changes:
                        run_reextracted.send(
                            sender=Benchmark,
                            run_id=benchmark.run_id,
                            kind=kind.slug,
                            extractor_version=kind.extractor_version,
                            changes=len(changes),
                        )
        return changes


def _failure(benchmark: Benchmark, kind: Kind, error: Exception) -> Change:
    return Change(
        run_id=str(benchmark.run_id),
        kind=kind.slug,
        what="failed",
        version_before=benchmark.extractor_version,
        version_after=kind.extractor_version,
        reason=f"{type(error).__name__}: {str(error)[:200]}",
    )


def _changes(
    benchmark: Benchmark, version: str, before: Iterable[Measurement], after: Iterable[MeasurementRow]
) -> Iterator[Change]:
    old = {(row.metric, row.scope): row for row in before}
    new = {(row.metric, row.scope): row for row in after}
    for key in sorted(old.keys() | new.keys()):
        was, now = old.get(key), new.get(key)
        what = _what(was, now)
        if what:
            yield Change(
                run_id=str(benchmark.run_id),
                kind=benchmark.kind,
                what=what,
                metric=key[0],
                scope=key[1],
                before=was.value if was else None,
                after=now.value if now else None,
                quality_before=was.quality if was else "",
                quality_after=now.quality if now else "",
                version_before=version,
                version_after=now.extractor_version
                if now
                else kinds_by_slug()[benchmark.kind].extractor_version,
                reason=now.reason if now else "",
            )


def _what(was: Measurement | None, now: MeasurementRow | None) -> str:
    """The word for the difference, empty where there is none."""
    had, has = was is not None and was.value is not None, now is not None and now.value is not None
    if had != has:
        return "appeared" if has else "vanished"
    if was is None or now is None:
        return ""
    if was.value != now.value:
        return "value"
    return "quality" if was.quality != now.quality else ""
