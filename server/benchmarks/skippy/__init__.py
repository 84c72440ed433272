"""SKIPPY: linearly growing steps turn the rotation into a ruler (Skippy 4.1)."""

from pathlib import Path

from server.benchmarks.contract import ExportDetail, Kind, Topic
from server.benchmarks.skippy.challenge import follows
from server.benchmarks.skippy.chart import charts
from server.benchmarks.skippy.definitions import METRICS
from server.benchmarks.skippy.detail_tables import TRACK_TABLE
from server.benchmarks.skippy.extract import extract

KIND = Kind(
    slug="skippy",
    title="SKIPPY: rotation, tracks and heads",
    extractor_version="3.9.7",
    metrics=METRICS,
    extract=extract,
    charts=charts,
    folder=Path(__file__).parent,
    follows=follows,
    topic=Topic.MECHANICS,
    export_details=(ExportDetail.LAYOUT,),
    detail_tables=(TRACK_TABLE,),
)
