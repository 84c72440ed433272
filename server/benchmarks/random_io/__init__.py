"""RANDOM_IO: random requests by size, mode and number under way (Platinum; queue depths: OLP)."""

from pathlib import Path

from server.benchmarks.contract import Kind, Topic
from server.benchmarks.disturbed_mask import chart_undisturbed, extract_undisturbed
from server.benchmarks.random_io.challenge import follows
from server.benchmarks.random_io.chart import charts
from server.benchmarks.random_io.definitions import METRICS
from server.benchmarks.random_io.extract import extract

KIND = Kind(
    slug="random_io",
    title="RANDOM_IO: many small requests",
    extractor_version="1.3.1",
    metrics=METRICS,
    extract=extract_undisturbed(extract),
    charts=chart_undisturbed(charts),
    folder=Path(__file__).parent,
    follows=follows,
    topic=Topic.RANDOM,
)
