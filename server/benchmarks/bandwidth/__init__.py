"""Bandwidth: single transfers by size and position (Eridano 3.1)."""

from pathlib import Path

from server.benchmarks.bandwidth.chart import charts
from server.benchmarks.bandwidth.definitions import METRICS
from server.benchmarks.bandwidth.extract import extract
from server.benchmarks.contract import Kind, Topic
from server.benchmarks.disturbed_mask import chart_undisturbed, extract_undisturbed

KIND = Kind(
    slug="bandwidth",
    title="Bandwidth by size and position",
    extractor_version="1.1.1",
    metrics=METRICS,
    extract=extract_undisturbed(extract),
    charts=chart_undisturbed(charts),
    folder=Path(__file__).parent,
    topic=Topic.OVER_THE_DISK,
)
