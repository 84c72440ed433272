"""ACCESS: the numbers of HD Tune and HD Tach (Maxtor)."""

from pathlib import Path

from server.benchmarks.access.challenge import follows
from server.benchmarks.access.chart import charts
from server.benchmarks.access.definitions import METRICS
from server.benchmarks.access.extract import extract
from server.benchmarks.contract import Kind, Topic
from server.benchmarks.disturbed_mask import chart_undisturbed, extract_undisturbed

KIND = Kind(
    slug="access",
    title="ACCESS: what HD Tune and HD Tach print",
    extractor_version="1.4.1",
    metrics=METRICS,
    extract=extract_undisturbed(extract),
    charts=chart_undisturbed(charts),
    folder=Path(__file__).parent,
    follows=follows,
    reads_stretches=True,
    topic=Topic.RANDOM,
)
