"""SKIPPY's tracks as rows."""

from __future__ import annotations

from server.benchmarks.detail_tables import DetailColumn, DetailTable

TRACK_TABLE = DetailTable(
    name="tracks",
    title="Tracks",
    row="region of a run and variant of its accesses",
    about="Tracks and what is lost between them, as one run shows them in each region. Empty where the "
    "region's samples do not carry it.",
    path=("series",),
    columns=(
        DetailColumn("region", "string", "outer, middle or inner."),
        DetailColumn("variant", "string", "read or write."),
        DetailColumn("accesses", "integer", "Accesses that were timed."),
        DetailColumn("trusted", "boolean", "Whether the pattern of its samples explains enough of them."),
        DetailColumn("track_blocks", "number", "Blocks of a track, as counted.", ("gaps", "track_blocks")),
        DetailColumn(
            "physical_track_blocks",
            "number",
            "Places for blocks in a turn, spare ones too.",
            ("lines", "physical_blocks_per_track"),
        ),
        DetailColumn("turn_ms", "number", "Time of a turn.", ("lines", "turn_ms")),
        DetailColumn("block_ms", "number", "Time in which a block passes the head.", ("lines", "block_ms")),
        DetailColumn("head_gap_ms", "number", "Lost at a head switch.", ("gaps", "head_ms")),
        DetailColumn("cylinder_gap_ms", "number", "Lost at a cylinder switch.", ("gaps", "cylinder_ms")),
        DetailColumn("surfaces", "integer", "Tracks of a cylinder.", ("gaps", "surfaces")),
        DetailColumn(
            "agreement", "number", "Share of the accesses that the count agrees with.", ("gaps", "agreement")
        ),
        DetailColumn("noise_ms", "number", "Scatter about the lines.", ("lines", "noise_ms")),
    ),
)
