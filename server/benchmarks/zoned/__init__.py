"""ZONED: sequential bandwidth as a function of position (Skippy 4.2)."""

from pathlib import Path

from server.benchmarks.contract import ExportDetail, Kind, Topic
from server.benchmarks.disturbed_mask import chart_undisturbed, extract_undisturbed
from server.benchmarks.zoned.chart import charts
from server.benchmarks.zoned.definitions import METRICS
from server.benchmarks.zoned.detail_tables import ZONE_TABLE
from server.benchmarks.zoned.extract import extract
from server.benchmarks.zoned.profile import head_spread

KIND = Kind(
    slug="zoned",
    title="ZONED: bandwidth by position",
    extractor_version="1.7.1",
    metrics=METRICS,
    extract=extract_undisturbed(extract),
    charts=chart_undisturbed(charts),
    folder=Path(__file__).parent,
    topic=Topic.OVER_THE_DISK,
    export_details=(ExportDetail.ZONES,),
    detail_tables=(ZONE_TABLE,),
    head_spread=head_spread,
)
