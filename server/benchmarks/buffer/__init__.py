"""BUFFER: how fast the drive's buffer answers, by the size of the request (Eridano 3.4)."""

from pathlib import Path

from server.benchmarks.buffer.chart import charts
from server.benchmarks.buffer.definitions import METRICS
from server.benchmarks.buffer.extract import extract
from server.benchmarks.contract import ExportDetail, Kind, Topic
from server.benchmarks.disturbed_mask import chart_undisturbed, extract_undisturbed

KIND = Kind(
    slug="buffer",
    title="BUFFER: reads that the drive's buffer answers",
    extractor_version="1.0.1",
    metrics=METRICS,
    extract=extract_undisturbed(extract),
    charts=chart_undisturbed(charts),
    folder=Path(__file__).parent,
    topic=Topic.CACHE,
    export_details=(ExportDetail.BUFFER_CURVE,),
)
