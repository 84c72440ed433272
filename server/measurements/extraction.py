"""Running a kind's extraction on a stored document, and writing what it gave."""

from __future__ import annotations

from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F

from server.benchmarks.contract import Extraction, Kind
from server.benchmarks.contract import Measurement as Extracted
from server.benchmarks.imported import held_back
from server.benchmarks.registry import kinds_by_slug
from server.core import clock
from server.core.lifecycle import ACTIVE_STATES
from server.core.locks import session_lock
from server.core.numbers import finite, finite_json
from server.measurements.charts import Drawn, charts_drawn, charts_store
from server.measurements.documents import document_load, facts_of
from server.measurements.models import Benchmark, Measurement

log = structlog.get_logger("diskatlas.extraction")


def benchmark_extract(*, benchmark_id: int) -> bool:
    """Extract one benchmark where that is due; return whether it has ended.

    An exception of the extraction is the benchmark's failure, stated in its row: the other kinds go on,
    and the
    submission is held for a person. Failures of the database or the storage are raised, to be tried again.
    """
    with session_lock("benchmark", str(benchmark_id)) as free:
        if not free:
            return False
        benchmark = Benchmark.objects.select_related("run__submission").filter(pk=benchmark_id).first()
        if benchmark is None or benchmark.run.submission.state not in ACTIVE_STATES:
            return True
        if benchmark.state != Benchmark.State.PENDING or not _attempt(benchmark):
            return True
        document = document_load(benchmark.run.submission)
        kind = kinds_by_slug().get(benchmark.kind)
        if kind is None:
            _fail(benchmark, f"The kind {benchmark.kind!r} is no longer known to the archive.")
            return True
        _extract(benchmark, kind, document)
        return True


def benchmark_give_up(*, benchmark_id: int, reason: str) -> None:
    """Record a failure that no repetition mends."""
    benchmark = Benchmark.objects.get(pk=benchmark_id)
    if benchmark.state == Benchmark.State.PENDING:
        _fail(benchmark, reason)


def _extract(benchmark: Benchmark, kind: Kind, document: dict[str, Any]) -> None:
    try:
        extraction = extraction_of(benchmark, kind, document)
    except Exception as error:
        log.exception("extraction failed", benchmark=benchmark.pk, kind=kind.slug)
        _fail(
            benchmark,
            f"Extraction {kind.extractor_version} failed on these samples ({type(error).__name__}: "
            f"{str(error)[:200]}). "
            "This is the archive's fault or the samples' form; an operator finds the cause in the "
            "worker's log.",
        )
        return
    _write(benchmark, kind, extraction, charts_drawn(benchmark, kind, document, extraction))


def extraction_of(benchmark: Benchmark, kind: Kind, document: dict[str, Any]) -> Extraction:
    """Run the kind on the benchmark's part of its document; raises whatever the kind raises."""
    part = document["benchmarks"][benchmark.position]
    facts = facts_of(document, part)
    extraction = kind.extract(part, facts)
    return held_back(extraction) if facts.imported else extraction


@transaction.atomic
def _write(benchmark: Benchmark, kind: Kind, extraction: Extraction, charts: Drawn) -> None:
    locked = Benchmark.objects.select_for_update().get(pk=benchmark.pk)
    if locked.state == Benchmark.State.PENDING:
        extraction_store(locked, kind, extraction, charts)


def extraction_store(
    locked: Benchmark, kind: Kind, extraction: Extraction, charts: Drawn
) -> list[Measurement]:
    """Write what extraction gave, within the present transaction; rows of other versions stay."""
    version = kind.extractor_version
    locked.measurements.filter(extractor_version=version).delete()
    rows = measurement_rows(locked, kind, extraction)
    Measurement.objects.bulk_create(rows)
    locked.state = Benchmark.State.EXTRACTED
    locked.reason = ""
    locked.extractor_version = version
    locked.extracted_at = clock.now()
    locked.details = finite_json(extraction.details)
    locked.save(update_fields=["state", "reason", "extractor_version", "extracted_at", "details"])
    charts_store(locked, kind, charts)
    return rows


def measurement_rows(benchmark: Benchmark, kind: Kind, extraction: Extraction) -> list[Measurement]:
    """What extraction gave as rows that are not yet written."""
    return [_row(benchmark, kind.extractor_version, entry) for entry in extraction.measurements]


def _row(benchmark: Benchmark, version: str, entry: Extracted) -> Measurement:
    value, low, high = finite(entry.value), finite(entry.low), finite(entry.high)
    reason = entry.reason
    if value is None and not reason:
        reason = "Extraction gave no finite number and no reason."
    return Measurement(
        benchmark=benchmark,
        extractor_version=version,
        metric=entry.metric,
        scope=entry.scope,
        value=value,
        low=low,
        high=high,
        level=entry.level,
        count=entry.count,
        quality=entry.quality.value if value is not None else "none",
        reason=reason,
    )


def _attempt(benchmark: Benchmark) -> bool:
    Benchmark.objects.filter(pk=benchmark.pk).update(attempts=F("attempts") + 1)
    benchmark.refresh_from_db(fields=["attempts"])
    if benchmark.attempts <= settings.PIPELINE_MAX_ATTEMPTS:
        return True
    _fail(
        benchmark,
        f"Extraction was started {settings.PIPELINE_MAX_ATTEMPTS} times and never ended: the worker "
        f"was killed or ran "
        "out of memory each time. The samples are kept; an operator finds the cause in the worker's log.",
    )
    return False


def _fail(benchmark: Benchmark, reason: str) -> None:
    Benchmark.objects.filter(pk=benchmark.pk, state=Benchmark.State.PENDING).update(
        state=Benchmark.State.FAILED, reason=reason, extracted_at=clock.now()
    )
