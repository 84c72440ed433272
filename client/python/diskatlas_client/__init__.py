"""Reads a DiskAtlas archive. Needs nothing but Python 3.11; pandas, polars or pyarrow for their tables only.

from diskatlas_client import Archive

archive = Archive("https://archive.example")
for run in archive.runs(drive="seagate-st2000nm0001"):
    print(run["id"], run["firmware"])
"""

from diskatlas_client.archive import Archive, ArchiveError
from diskatlas_client.asynchronous import AsyncArchive, AsyncRows
from diskatlas_client.releases import NotVerified, ReleaseFiles
from diskatlas_client.rows import (
    Aggregate,
    Batch,
    Benchmark,
    ChartInList,
    Claim,
    ComparedGroup,
    ComparedNumber,
    Comparison,
    Counts,
    Division,
    Drive,
    DriveChartInList,
    DriveName,
    DriveOverview,
    Firmware,
    Follow,
    LiteratureValue,
    Measurement,
    Metric,
    Pair,
    Release,
    Run,
    SeekCurves,
    SeekPoints,
    Standing,
    Tracks,
    Unit,
    Vendor,
    Wanted,
    Zones,
)
from diskatlas_client.tables import Rows

__all__ = [
    "Aggregate",
    "Archive",
    "ArchiveError",
    "AsyncArchive",
    "AsyncRows",
    "Batch",
    "Benchmark",
    "ChartInList",
    "Claim",
    "ComparedGroup",
    "ComparedNumber",
    "Comparison",
    "Counts",
    "Division",
    "Drive",
    "DriveChartInList",
    "DriveName",
    "DriveOverview",
    "Firmware",
    "Follow",
    "LiteratureValue",
    "Measurement",
    "Metric",
    "NotVerified",
    "Pair",
    "Release",
    "ReleaseFiles",
    "Rows",
    "Run",
    "SeekCurves",
    "SeekPoints",
    "Standing",
    "Tracks",
    "Unit",
    "Vendor",
    "Wanted",
    "Zones",
]
