"""What is true of a drawn drive where a run really measured it: by the place of each region's series."""

from __future__ import annotations

from typing import Any

from tools.accuracy.cases import CLEAN, Expected

REGIONS = ("outer", "middle", "inner")
SERPENTINE = "surface_serpentine"
COUNTED = 0.0
"""A count that is off by one is wrong, with noise too: it may only say so."""


def starts_of(entry: dict[str, Any]) -> dict[str, int]:
    """The lowest block of each region's series."""
    starts: dict[str, int] = {}
    for series in entry["samples"]["series"]:
        if series["region"] not in REGIONS:
            continue
        low = min(series["start_block"], *series["offset_blocks"])
        starts[series["region"]] = min(low, starts.get(series["region"], low))
    return starts


def expected_of(truth: dict[str, Any], strictness: str, entry: dict[str, Any]) -> tuple[Expected, ...]:
    """Nothing is required of a drawn drive but that a wrong number says that it may be wrong.

    `truth` has to be told from the starts of this very entry.
    """
    turn = float(truth["rotation_period_ms"])
    share = 1e-3 if strictness == CLEAN else 4e-3
    heads = None if truth["layout"] == SERPENTINE else float(truth["surfaces"])
    rows = [
        Expected("skippy.rotation_time", "", turn, share * turn, False),
        Expected("skippy.surfaces", "", heads, COUNTED, False),
    ]
    for region in REGIONS:
        zones = _zones_of(truth, entry, region)
        if len(zones) == 1:
            rows += _region(truth, strictness, region, zones[0])
    return (*rows, *between(truth, entry))


def between(truth: dict[str, Any], entry: dict[str, Any]) -> list[Expected]:
    """Blocks of a track and surfaces at the places between the regions, where their series touch one zone."""
    rows = []
    heads = None if truth["layout"] == SERPENTINE else float(truth["surfaces"])
    positions = {one.get("position_permille") for one in entry["samples"]["series"]} - {None}
    for position in sorted(positions):
        zones = _zones_of(truth, entry, "between", position)
        if len(zones) == 1:
            track, scope = float(zones[0]["blocks_per_track"]), f"{position / 10:g}"
            rows.append(Expected("skippy.sectors_per_track", scope, track, COUNTED, False))
            rows.append(Expected("skippy.surfaces", scope, heads, COUNTED, False))
    return rows


def _zones_of(
    truth: dict[str, Any], entry: dict[str, Any], region: str, position: int | None = None
) -> list[dict[str, Any]]:
    """The zones that a region's series touched; a number of two zones is the truth of neither."""
    blocks = [
        block
        for series in entry["samples"]["series"]
        if (series["region"], series.get("position_permille")) == (region, position)
        for block in (series["start_block"], series["offset_blocks"][-1])
    ]
    low, high = min(blocks, default=0), max(blocks, default=-1)
    return [zone for zone in truth["zones"] if zone["first_block"] <= high and zone["last_block"] >= low]


def _region(truth: dict[str, Any], strictness: str, region: str, zone: dict[str, Any]) -> list[Expected]:
    local, clean = truth["local"][region], strictness == CLEAN
    track = float(zone["blocks_per_track"])
    block_ms = float(truth["rotation_period_ms"]) / float(zone["sectors_per_track"])
    rows = [
        Expected("skippy.sectors_per_track", region, track, COUNTED, False),
        Expected("skippy.transfer_time", "", block_ms, 0.01 * block_ms, False),
    ]
    rows = rows if region == "outer" else rows[:1]
    for name, key in (("head_switch_gap", "track_skew_ms"), ("cylinder_switch_gap", "cylinder_skew_ms")):
        gap, blur = (None, 0.0) if truth["layout"] == SERPENTINE else _gap(local, key)
        bar = None if gap is None else (block_ms if clean else max(0.03 * gap, block_ms)) + blur
        rows.append(Expected(f"skippy.{name}", region, gap, bar, False, blur=blur))
    return rows + _media(truth, clean, region, block_ms)


def _gap(local: dict[str, Any], key: str) -> tuple[float | None, float]:
    """The gap of the boundaries after the start, and how far they differ either way, in ms: slipped sectors
    use up the spares of some, and each of their gaps is true."""
    sort = "H gap" if key == "track_skew_ms" else "C gap"
    gaps = [float(name.split()[2]) for name in local["boundaries"] if name.startswith(sort)]
    if local[key] is None or len(gaps) < 2:
        return local[key], 0.0
    return (min(gaps) + max(gaps)) / 2, (max(gaps) - min(gaps)) / 2


def _media(truth: dict[str, Any], clean: bool, region: str, block_ms: float) -> list[Expected]:
    local, share = truth["local"][region], 0.03 if clean else 0.06
    rows = []
    for variant, sweep in (("write", "phase_sweep_write"), ("read", "phase_sweep_read_nocache")):
        mtm = float(local[sweep]["min_latency_same_track_ms"])
        rows.append(Expected("skippy.mtm", f"{region}/{variant}", mtm, max(share * mtm, block_ms / 2), False))
    rows.append(Expected("skippy.mtm", f"{region}/backward", rows[1].truth, rows[1].bar, False))
    return rows
