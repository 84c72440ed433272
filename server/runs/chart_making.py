"""Charts drawn from samples and what was extracted from them, thinned out, and written."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import structlog

from server.benchmarks.chart_json import chart_text
from server.benchmarks.contract import Chart, Extraction, Kind
from server.runs.documents import facts_of
from server.runs.finite import finite_json
from server.runs.models import Benchmark, StoredChart

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
    details: Mapping[str, Any] = finite_json(found.details)
    return kind.charts(part, facts_of(document, part), replace(found, details=details))


def charts_drawn(benchmark: Benchmark, kind: Kind, document: dict[str, Any], found: Extraction) -> Drawn:
    """Return the benchmark's charts, ready to be stored. A picture that can't be drawn takes no numbers with
    it: there is then none, and the log says why."""
    try:
        charts = charts_full(kind, document, benchmark.position, found)
        return tuple(DrawnChart(chart.id, packed(chart_text(chart))) for chart in charts)
    except Exception:
        log.exception("charts failed", benchmark=benchmark.pk, kind=kind.slug)
        return ()


def charts_store(locked: Benchmark, kind: Kind, drawn: Drawn) -> None:
    """Put the charts in place of those that the benchmark has, within the present transaction."""
    locked.charts.all().delete()
    StoredChart.objects.bulk_create(
        StoredChart(benchmark=locked, chart_id=one.chart_id, position=position, data=one.data)
        for position, one in enumerate(drawn)
    )
    locked.charts_version = charts_version(locked, kind)
    locked.save(update_fields=["charts_version"])


def packed(text: str) -> bytes:
    """Return JSON as it is stored."""
    return zlib.compress(text.encode(), 6)


def unpacked(data: bytes | memoryview) -> str:
    """Return stored JSON."""
    return zlib.decompress(data).decode()
