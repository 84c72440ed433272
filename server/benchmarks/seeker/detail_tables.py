"""SEEKER's points and curve as rows."""

from __future__ import annotations

from server.benchmarks.detail_tables import DetailColumn, DetailTable

POINT_TABLE = DetailTable(
    name="seek_points",
    title="Points of seek curves",
    row="distance that a run measured",
    about="Time over each distance, as one run shows it: what seek curves are drawn through.",
    path=("points",),
    columns=(
        DetailColumn("pattern", "string", "baseline (no seek), outward or inward."),
        DetailColumn("variant", "string", "read or write."),
        DetailColumn("distance_blocks", "number", "How far apart the two accesses were."),
        DetailColumn(
            "latency_ms", "number", "Arm, overhead and transfer, without waiting: the middle of the next two."
        ),
        DetailColumn(
            "missed_ms", "number", "The longest that was too short: a block at that angle came by unread."
        ),
        DetailColumn("shortest_ms", "number", "The shortest latency that was timed."),
        DetailColumn(
            "covered", "boolean", "Whether the accesses cover the turn, so that the quickest counts."
        ),
    ),
)
CURVE_TABLE = DetailTable(
    name="seek_curves",
    title="Seek curves",
    row="run with a fitted curve",
    about="The curve through a run's points: short_ms + short_ms_per_root_block * sqrt(d) below the "
    "crossover, long_ms + long_ms_per_block * d above it, with d in blocks.",
    path=("curve",),
    columns=(
        DetailColumn("short_ms", "number", "Of short seeks: what any takes."),
        DetailColumn("short_ms_per_root_block", "number", "Of short seeks: by the root of the distance."),
        DetailColumn("long_ms", "number", "Of long seeks: where their line begins."),
        DetailColumn("long_ms_per_block", "number", "Of long seeks: what each block adds."),
        DetailColumn("crossover_blocks", "number", "Distance from which the line holds."),
        DetailColumn("rms_ms", "number", "Root mean square of what the curve misses the points by."),
        DetailColumn("longest_blocks", "number", "Greatest distance behind the fit."),
    ),
)
SEEK_TABLES = (POINT_TABLE, CURVE_TABLE)
