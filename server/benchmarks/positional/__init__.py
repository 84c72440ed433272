"""POSITIONAL: timed sequential reads at three positions (OLP, read tests)."""

from pathlib import Path

from server.benchmarks.contract import Kind, Topic
from server.benchmarks.disturbed_mask import chart_undisturbed, extract_undisturbed
from server.benchmarks.positional.chart import charts
from server.benchmarks.positional.definitions import METRICS
from server.benchmarks.positional.extract import extract

KIND = Kind(
    slug="positional",
    title="POSITIONAL: reads of three seconds at three positions",
    extractor_version="1.2.1",
    metrics=METRICS,
    extract=extract_undisturbed(extract),
    charts=chart_undisturbed(charts),
    folder=Path(__file__).parent,
    reads_stretches=True,
    topic=Topic.OVER_THE_DISK,
)
