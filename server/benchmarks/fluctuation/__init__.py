"""Fluctuation: how bandwidth changes over a quarter of an hour or a day (Eridano 3.2)."""

from pathlib import Path

from server.benchmarks.contract import Kind, Topic
from server.benchmarks.disturbed_mask import chart_undisturbed, extract_undisturbed
from server.benchmarks.fluctuation.chart import charts
from server.benchmarks.fluctuation.definitions import METRICS
from server.benchmarks.fluctuation.extract import extract

KIND = Kind(
    slug="fluctuation",
    title="Fluctuation of bandwidth over time",
    extractor_version="1.1.1",
    metrics=METRICS,
    extract=extract_undisturbed(extract),
    charts=chart_undisturbed(charts),
    folder=Path(__file__).parent,
    topic=Topic.OVER_TIME,
)
