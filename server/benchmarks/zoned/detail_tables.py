"""ZONED's zones as rows."""

from __future__ import annotations

from server.benchmarks.detail_tables import DetailColumn, DetailTable

ZONE_TABLE = DetailTable(
    name="zones",
    title="Zones",
    row="zone of a run",
    about="Stretches of the disk that are read at one bandwidth, the outermost first, as one run shows them.",
    path=("zones",),
    columns=(
        DetailColumn("start_mb", "number", "Where it begins, in MB (10^6 bytes) from the start of the disk."),
        DetailColumn("end_mb", "number", "Where it ends."),
        DetailColumn("start_low_mb", "number", "The least place where it may begin: between two regions."),
        DetailColumn("start_high_mb", "number", "The greatest place where it may begin."),
        DetailColumn("mb_per_s", "number", "Bandwidth, in MB/s."),
        DetailColumn("low_mb_per_s", "number", "Lower bound of its confidence interval (0.95)."),
        DetailColumn("high_mb_per_s", "number", "Upper bound of its confidence interval."),
        DetailColumn("regions", "integer", "Regions that were read in it."),
    ),
    counted_tracks=True,
)
