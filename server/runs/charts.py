"""Charts of runs, computed from the stored samples and what was extracted from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.core.cache import cache

from server.benchmarks.contract import Chart, Extraction, Measurement, Quality
from server.runs.documents import document_load, facts_of
from server.runs.kinds import kinds_by_slug
from server.runs.models import Benchmark
from server.runs.models import Measurement as StoredMeasurement

_CACHE_S = 3600


def run_charts(*, run_id: UUID, kind: str) -> tuple[Chart, ...]:
    """Return the charts of one kind of a run; none while it is not extracted. Raises
    Benchmark.DoesNotExist."""
    benchmark = Benchmark.objects.select_related("run__submission").get(run_id=run_id, kind=kind)
    entry = kinds_by_slug().get(kind)
    if entry is None or benchmark.state != Benchmark.State.EXTRACTED:
        return ()
    key = f"charts:{run_id}:{kind}:{benchmark.extractor_version}"
    found: tuple[Chart, ...] | None = cache.get(key)
    if found is None:
        document = document_load(benchmark.run.submission)
        part = document["benchmarks"][benchmark.position]
        found = entry.charts(part, facts_of(document, part), stored_extraction(benchmark))
        cache.set(key, found, _CACHE_S)
    return found


def run_chart(*, run_id: UUID, kind: str, chart_id: str) -> Chart | None:
    """Return one chart, or None where the run has none of that name."""
    return next((chart for chart in run_charts(run_id=run_id, kind=kind) if chart.id == chart_id), None)


def stored_extraction(benchmark: Benchmark) -> Extraction:
    """Return what extraction gave for the benchmark, as its stored rows say."""
    rows = benchmark.measurements.filter(extractor_version=benchmark.extractor_version).order_by("id")
    details: Mapping[str, Any] = benchmark.details
    return Extraction(tuple(_measurement(row) for row in rows), details)


def _measurement(row: StoredMeasurement) -> Measurement:
    return Measurement(
        metric=row.metric,
        scope=row.scope,
        value=row.value,
        low=row.low,
        high=row.high,
        count=row.count,
        quality=Quality(row.quality),
        reason=row.reason,
        level=row.level,
    )
