"""Running a kind's extraction on a document, and writing what it gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db.models import F, QuerySet

from server.benchmarks.clock_step import extraction_by_steps
from server.benchmarks.contract import Extraction, Facts, Kind
from server.benchmarks.contract import Measurement as ExtractedNumber
from server.benchmarks.imported import capped_at_fair
from server.benchmarks.registry import kinds_by_slug
from server.core import clock
from server.core.bulk import rows_copy, rows_update
from server.core.cpu_limit import CpuLimitExceeded, cpu_limit
from server.core.metrics import extraction_failures
from server.core.numbers import finite, finite_json
from server.measurements.charts import Drawn, charts_drawn, charts_store, charts_version
from server.measurements.documents import facts_of
from server.measurements.models import Benchmark, Measurement

log = structlog.get_logger("diskatlas.extraction")

LEAST_S = 20.0
SAMPLE_S = 1e-4
"""The slowest kind takes 17 s for a million samples (docs/reference/extraction-speed.md)."""

_WRITTEN = ("state", "reason", "attempts", "extractor_version", "extracted_at", "details", "charts_version")


class MeasurementRow(NamedTuple):
    """A row of `Measurement` that is yet to be written: its columns by their names."""

    benchmark_id: int
    extractor_version: str
    metric: str
    scope: str
    value: float | None
    low: float | None
    high: float | None
    level: float
    count: int  # type: ignore[assignment]  # the column's name; nobody counts in a row
    quality: str
    reason: str


@dataclass(frozen=True, slots=True)
class Extracted:
    """A benchmark whose extraction has ended, with what it gave; nothing of it is written yet."""

    benchmark: Benchmark
    rows: tuple[MeasurementRow, ...] = ()
    charts: Drawn = ()


def benchmark_extracted(benchmark: Benchmark, document: dict[str, Any]) -> Extracted:
    """Extract one benchmark and draw its charts. An exception of the extraction is the benchmark's failure,
    stated in its row: the other kinds go on, and the submission is held for a person."""
    kind = kinds_by_slug().get(benchmark.kind)
    if kind is None:
        # Its name comes from a document.
        extraction_failures.labels("unknown", "kind unknown").inc()
        return benchmark_failed(benchmark, f"The kind {benchmark.kind!r} is no longer known to the archive.")
    part = document["benchmarks"][benchmark.position]
    limit_s = cpu_limit_s(benchmark)
    try:
        facts = facts_of(document, part)
        with cpu_limit(limit_s):
            extraction = extraction_of(kind, part, facts)
    except Exception as error:
        return benchmark_failed(benchmark, _why_not(benchmark, kind, error, limit_s))
    charts: Drawn = ()
    with suppress(CpuLimitExceeded), cpu_limit(limit_s):
        charts = charts_drawn(benchmark, kind, part, facts, extraction)
    return _extracted(benchmark, kind, extraction, charts)


def _why_not(benchmark: Benchmark, kind: Kind, error: Exception, limit_s: float) -> str:
    """Return what stands in the row of an extraction that raised this, and count it."""
    if isinstance(error, SoftTimeLimitExceeded | CpuLimitExceeded):
        extraction_failures.labels(kind.slug, "time limit").inc()
        limit = f"{limit_s:.0f} s of processor time"
        if isinstance(error, SoftTimeLimitExceeded):
            limit = f"{settings.PIPELINE_TASK_TIME_LIMIT_S} s"
        return f"Extraction took longer than {limit} and was stopped. The samples are kept."
    extraction_failures.labels(kind.slug, type(error).__name__).inc()
    log.exception("extraction failed", benchmark=benchmark.pk, kind=kind.slug)
    return (
        f"Extraction {kind.extractor_version} failed on these samples ({type(error).__name__}: "
        f"{str(error)[:200]}). This is the archive's fault or the samples' form; an operator finds the cause "
        "in the worker's log."
    )


def cpu_limit_s(benchmark: Benchmark) -> float:
    """Return what the extraction of a benchmark may take, and then its charts: so much that no genuine run
    comes near, and so little that a document made to take long holds up nobody for long."""
    return LEAST_S + SAMPLE_S * (benchmark.samples or 0)


def benchmark_failed(benchmark: Benchmark, reason: str) -> Extracted:
    """Note a failure that no repetition mends; it is yet to be written."""
    benchmark.state = Benchmark.State.FAILED
    benchmark.reason = reason
    benchmark.extracted_at = clock.now()
    return Extracted(benchmark)


def extraction_of(kind: Kind, part: Mapping[str, Any], facts: Facts) -> Extraction:
    """Run the kind on a benchmark's part of its document; raises whatever the kind raises. Its details are
    such as JSON holds."""
    found = extraction_by_steps(kind.extract, part, facts)
    extraction = capped_at_fair(found) if facts.imported else found
    details: Mapping[str, Any] = finite_json(extraction.details)
    return replace(extraction, details=details)


def extracted_store(found: Sequence[Extracted]) -> None:
    """Write what was extracted of benchmarks that had nothing before, within the present transaction."""
    rows_copy(Measurement, MeasurementRow._fields, (row for one in found for row in one.rows))
    charts_store([(one.benchmark, one.charts) for one in found])
    rows_update([one.benchmark for one in found], _WRITTEN)


def extraction_store(
    locked: Benchmark, kind: Kind, extraction: Extraction, charts: Drawn
) -> tuple[MeasurementRow, ...]:
    """Write what extraction gave anew, within the present transaction; rows of other versions stay."""
    locked.measurements.filter(extractor_version=kind.extractor_version).delete()
    locked.charts.all().delete()
    found = _extracted(locked, kind, extraction, charts)
    extracted_store([found])
    return found.rows


def _extracted(benchmark: Benchmark, kind: Kind, extraction: Extraction, charts: Drawn) -> Extracted:
    benchmark.state = Benchmark.State.EXTRACTED
    benchmark.reason = ""
    benchmark.extractor_version = kind.extractor_version
    benchmark.extracted_at = clock.now()
    benchmark.details = dict(extraction.details)
    benchmark.charts_version = charts_version(benchmark, kind)
    return Extracted(benchmark, tuple(measurement_rows(benchmark, kind, extraction)), charts)


def rows_of(benchmarks: QuerySet[Benchmark] | Sequence[Benchmark]) -> list[MeasurementRow]:
    """Return the present numbers of some benchmarks as they were written."""
    found = Measurement.objects.filter(
        benchmark__in=benchmarks, extractor_version=F("benchmark__extractor_version")
    )
    return [MeasurementRow(*row) for row in found.order_by("id").values_list(*MeasurementRow._fields)]


def measurement_rows(benchmark: Benchmark, kind: Kind, extraction: Extraction) -> list[MeasurementRow]:
    """What extraction gave as rows that are not yet written."""
    return [_row(benchmark.pk, kind.extractor_version, entry) for entry in extraction.measurements]


def _row(benchmark_id: int, version: str, entry: ExtractedNumber) -> MeasurementRow:
    value, low, high = finite(entry.value), finite(entry.low), finite(entry.high)
    reason = entry.reason
    if value is None and not reason:
        reason = "Extraction gave no finite number and no reason."
    return MeasurementRow(
        benchmark_id=benchmark_id,
        extractor_version=version,
        metric=entry.metric,
        scope=entry.scope,
        value=value,
        low=low,
        high=high,
        level=float(entry.level),
        count=int(entry.count),
        quality=entry.quality.value if value is not None else "none",
        reason=reason,
    )
