"""SEEKER: seek time as a function of distance (Skippy 4.3)."""

from pathlib import Path

from server.benchmarks.contract import ExportDetail, Kind, Topic
from server.benchmarks.seeker.challenge import follows
from server.benchmarks.seeker.chart import charts
from server.benchmarks.seeker.definitions import METRICS
from server.benchmarks.seeker.detail_tables import SEEK_TABLES
from server.benchmarks.seeker.extract import extract

KIND = Kind(
    slug="seeker",
    title="SEEKER: seek time by distance",
    extractor_version="1.3.2",
    metrics=METRICS,
    extract=extract,
    charts=charts,
    folder=Path(__file__).parent,
    follows=follows,
    topic=Topic.MECHANICS,
    export_details=(ExportDetail.SEEK_CURVE,),
    detail_tables=SEEK_TABLES,
)
