"""Reads a DiskAtlas archive. Needs nothing but Python 3.11; pandas only for `frame`.

from diskatlas_client import Archive

archive = Archive("https://archive.example")
for run in archive.runs(drive="seagate-st2000nm0001"):
    print(run["id"], run["firmware"])
"""

from diskatlas_client.archive import Archive, ArchiveError
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
    Standing,
    Unit,
    Vendor,
    Wanted,
)

__all__ = [
    "Aggregate",
    "Archive",
    "ArchiveError",
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
    "Pair",
    "Release",
    "Run",
    "Standing",
    "Unit",
    "Vendor",
    "Wanted",
]
