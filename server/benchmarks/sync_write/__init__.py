"""SYNC_WRITE: direct writes one after the other, by size and state of the write cache (OLP, write tests)."""

from pathlib import Path

from server.benchmarks.contract import Kind, Topic
from server.benchmarks.disturbed_mask import chart_undisturbed, extract_undisturbed
from server.benchmarks.sync_write.chart import charts
from server.benchmarks.sync_write.definitions import METRICS
from server.benchmarks.sync_write.extract import extract

KIND = Kind(
    slug="sync_write",
    title="SYNC_WRITE: direct writes by size",
    extractor_version="1.1.3",
    metrics=METRICS,
    extract=extract_undisturbed(extract),
    charts=chart_undisturbed(charts),
    folder=Path(__file__).parent,
    reads_stretches=True,
    topic=Topic.CACHE,
)
