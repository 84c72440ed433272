"""Rows of what runs show of a disk: zones, seek curves, tracks."""

from __future__ import annotations

from typing import TypedDict


class _Detail(TypedDict):
    run_id: str
    drive_model: str
    vendor_slug: str
    unit_digest: str | None
    provenance: str
    license: str
    extractor_version: str
    position: int


class Zones(_Detail):
    """A zone."""

    start_mb: float
    end_mb: float
    start_low_mb: float
    start_high_mb: float
    mb_per_s: float
    low_mb_per_s: float
    high_mb_per_s: float
    regions: int
    track_blocks: float | None


class SeekPoints(_Detail):
    """A point of a seek curve."""

    pattern: str
    variant: str
    distance_blocks: float
    latency_ms: float
    missed_ms: float
    shortest_ms: float
    covered: bool


class SeekCurves(_Detail):
    """A fitted seek curve."""

    short_ms: float
    short_ms_per_root_block: float
    long_ms: float
    long_ms_per_block: float
    crossover_blocks: float
    rms_ms: float
    longest_blocks: float


class Tracks(_Detail):
    """The tracks of a region."""

    region: str
    variant: str
    accesses: int
    trusted: bool
    track_blocks: float | None
    physical_track_blocks: float | None
    turn_ms: float | None
    block_ms: float | None
    head_gap_ms: float | None
    cylinder_gap_ms: float | None
    surfaces: int | None
    agreement: float | None
    noise_ms: float | None


class Release(TypedDict):
    number: int
    url: str
    published_at: str
    schema_version: str
    log_size: int
    rows: dict[str, int]
    changes: dict[str, int]
    file_count: int
    total_bytes: int
