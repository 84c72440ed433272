"""Temperature: whether bandwidth depends on how warm the device is (Eridano 3.3)."""

from pathlib import Path

from server.benchmarks.contract import Kind, Topic
from server.benchmarks.disturbed_mask import chart_undisturbed, extract_undisturbed
from server.benchmarks.temperature.chart import charts
from server.benchmarks.temperature.definitions import METRICS
from server.benchmarks.temperature.extract import extract

KIND = Kind(
    slug="temperature",
    title="Bandwidth by temperature",
    extractor_version="1.1.1",
    metrics=METRICS,
    extract=extract_undisturbed(extract),
    charts=chart_undisturbed(charts),
    folder=Path(__file__).parent,
    topic=Topic.OVER_TIME,
)
