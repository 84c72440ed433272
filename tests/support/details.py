"""What extraction keeps of a run, small enough to check by hand. Sample data, no drive's."""

from __future__ import annotations

from typing import Any


def zone(start_mb: float, end_mb: float, mb_per_s: float) -> dict[str, Any]:
    return {
        "start_mb": start_mb,
        "end_mb": end_mb,
        "start_low_mb": max(start_mb - 1, 0),
        "start_high_mb": start_mb + 1,
        "mb_per_s": mb_per_s,
        "low_mb_per_s": mb_per_s - 0.5,
        "high_mb_per_s": mb_per_s + 0.5,
        "regions": 12,
    }


ZONES = {"zones": [zone(0, 900, 120), zone(900, 1600, 100), zone(1600, 2048, 80)], "fits": []}
"""Of a disk of 2,048 MB."""


def point(distance: float, latency_ms: float) -> dict[str, Any]:
    return {
        "pattern": "outward",
        "variant": "read",
        "distance_blocks": distance,
        "latency_ms": latency_ms,
        "missed_ms": 0.01,
        "shortest_ms": latency_ms,
        "covered": True,
    }


CURVE = {
    "short_ms": 1.0,
    "short_ms_per_root_block": 0.002,
    "long_ms": 4.0,
    "long_ms_per_block": 1e-6,
    "crossover_blocks": 400_000.0,
    "rms_ms": 0.02,
    "longest_blocks": 3_900_000.0,
}
SEEKS = {"points": [point(1000, 1.1), point(4_000_000, 9.5)], "curve": CURVE, "turn_ms": 8.3}
TRACKS: dict[str, Any] = {
    "layout": "cylinder",
    "series": [
        {
            "region": "outer",
            "variant": "write",
            "accesses": 150,
            "trusted": True,
            "lines": {
                "turn_ms": 8.33,
                "block_ms": 0.08,
                "physical_blocks_per_track": 101.0,
                "noise_ms": 0.01,
            },
            "gaps": {"head_ms": 0.9, "cylinder_ms": None, "surfaces": None, "track_blocks": 100},
            "edge": None,
        },
        {"region": "inner", "variant": "write", "accesses": 3, "trusted": False, "lines": None, "gaps": None},
    ],
}
