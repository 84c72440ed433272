"""Charts drawn from samples and what was extracted from them, thinned out, and written."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson
import structlog
from django.db import transaction

from server.benchmarks.chart_json import chart_of, chart_text
from server.benchmarks.contract import Chart, Extraction, Facts, Kind, Measurement, Quality
from server.benchmarks.registry import kinds_by_slug
from server.core.bulk import rows_copy
from server.core.cpu_limit import CpuLimitExceeded
from server.measurements.documents import document_load, facts_of
from server.measurements.models import Benchmark, StoredChart
from server.measurements.models import Measurement as StoredMeasurement

log = structlog.get_logger("diskatlas.charts")

FORM = "1"
"""Raised whenever charts are thinned out or written in another way."""


@dataclass(frozen=True, slots=True)
class DrawnChart:
    """A chart that is ready to be stored."""

    chart_id: str
    data: bytes


Drawn = tuple[DrawnChart, ...]


def charts_version(benchmark: Benchmark, kind: Kind) -> str:
    """Return what the benchmark's stored charts have to be made by, and from whose numbers."""
    return f"{benchmark.extractor_version}/{kind.chart_version}/{FORM}"


def charts_full(kind: Kind, document: dict[str, Any], position: int, found: Extraction) -> tuple[Chart, ...]:
    """Return the charts with all their points; raises whatever the kind raises."""
    part = document["benchmarks"][position]
    return kind.charts(part, facts_of(document, part), found)


def charts_drawn(
    benchmark: Benchmark, kind: Kind, part: Mapping[str, Any], facts: Facts, found: Extraction
) -> Drawn:
    """Return the charts of a benchmark's part of its document, ready to be stored. A picture that can't be
    drawn takes no numbers with it: there is then none, and the log says why."""
    try:
        charts = kind.charts(part, facts, found)
        return tuple(DrawnChart(chart.id, packed(chart_text(chart))) for chart in charts)
    except CpuLimitExceeded:
        log.warning("charts took too long", benchmark=benchmark.pk, kind=kind.slug)
        return ()
    except Exception:
        log.exception("charts failed", benchmark=benchmark.pk, kind=kind.slug)
        return ()


def charts_store(drawn: Iterable[tuple[Benchmark, Drawn]]) -> None:
    """Write charts of benchmarks that have none, within the present transaction."""
    rows_copy(
        StoredChart,
        ("benchmark_id", "chart_id", "position", "data"),
        (
            (benchmark.pk, one.chart_id, position, one.data)
            for benchmark, charts in drawn
            for position, one in enumerate(charts)
        ),
    )


def packed(text: str) -> bytes:
    """Return JSON as it is stored."""
    return zlib.compress(text.encode(), 6)


def unpacked(data: bytes | memoryview) -> str:
    """Return stored JSON."""
    return zlib.decompress(data).decode()


# ---- Charts of runs as they are stored, and with all their points from the stored samples.


def charts_of_benchmark(benchmark: Benchmark) -> tuple[Chart, ...]:
    """Return a benchmark's charts, thinned out; none while it is not extracted. Raises EnvelopeLost where
    they are yet to be made. Whoever asks for many fetches them with their charts, runs and submissions."""
    return tuple(_chart(row) for row in _rows(benchmark, tuple(benchmark.charts.all())))


def charts_of_run(*, run_id: UUID) -> Mapping[str, tuple[Chart, ...]]:
    """Return the charts of a run's extracted kinds, by kind, in the run's order. Raises EnvelopeLost where
    some are yet to be made."""
    benchmarks = (
        Benchmark.objects.filter(run_id=run_id, state=Benchmark.State.EXTRACTED)
        .select_related("run__submission")
        .defer("run__summary")
    )
    stored: dict[int, list[StoredChart]] = defaultdict(list)
    for row in StoredChart.objects.filter(benchmark__in=[benchmark.pk for benchmark in benchmarks]):
        stored[row.benchmark_id].append(row)
    return {
        benchmark.kind: tuple(_chart(row) for row in _rows(benchmark, tuple(stored[benchmark.pk])))
        for benchmark in benchmarks
    }


def run_chart(*, run_id: UUID, kind: str, chart_id: str) -> Chart | None:
    """Return one chart, thinned out, or None where the run has none of that name."""
    text = run_chart_text(run_id=run_id, kind=kind, chart_id=chart_id)
    return None if text is None else chart_of(orjson.loads(text))


def run_chart_text(*, run_id: UUID, kind: str, chart_id: str) -> str | None:
    """Return one chart's JSON as it is stored, or None where the run has none of that name. Raises
    Benchmark.DoesNotExist, and EnvelopeLost where it is yet to be made."""
    benchmark = Benchmark.objects.select_related("run__submission").get(run_id=run_id, kind=kind)
    rows = _rows(benchmark, tuple(benchmark.charts.filter(chart_id=chart_id)))
    return next((unpacked(row.data) for row in rows if row.chart_id == chart_id), None)


def run_chart_full(*, run_id: UUID, kind: str, chart_id: str) -> Chart | None:
    """Return one chart with all its points, drawn anew from the envelope. Raises Benchmark.DoesNotExist
    and EnvelopeLost."""
    benchmark = Benchmark.objects.select_related("run__submission").get(run_id=run_id, kind=kind)
    entry = kinds_by_slug().get(kind)
    if entry is None or benchmark.state != Benchmark.State.EXTRACTED:
        return None
    document = document_load(benchmark.run.submission)
    charts = charts_full(entry, document, benchmark.position, stored_extraction(benchmark))
    return next((chart for chart in charts if chart.id == chart_id), None)


def _rows(benchmark: Benchmark, stored: tuple[StoredChart, ...]) -> tuple[StoredChart, ...]:
    """The benchmark's stored charts; those of an older making are made anew."""
    kind = kinds_by_slug().get(benchmark.kind)
    if kind is None or benchmark.state != Benchmark.State.EXTRACTED:
        return ()
    return stored if benchmark.charts_version == charts_version(benchmark, kind) else _made(benchmark, kind)


def _made(benchmark: Benchmark, kind: Kind) -> tuple[StoredChart, ...]:
    document = document_load(benchmark.run.submission)
    part = document["benchmarks"][benchmark.position]
    drawn = charts_drawn(benchmark, kind, part, facts_of(document, part), stored_extraction(benchmark))
    with transaction.atomic():
        locked = Benchmark.objects.select_for_update().get(pk=benchmark.pk)
        # Another request may have written them meanwhile, and a worker may have extracted anew.
        same = locked.extractor_version == benchmark.extractor_version
        if same and locked.charts_version != charts_version(locked, kind):
            locked.charts.all().delete()
            charts_store([(locked, drawn)])
            locked.charts_version = charts_version(locked, kind)
            locked.save(update_fields=["charts_version"])
        return tuple(locked.charts.all())


def _chart(row: StoredChart) -> Chart:
    return chart_of(orjson.loads(unpacked(row.data)))


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
