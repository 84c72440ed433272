"""SEEKER's picture: seek time by distance with its fit (Skippy 5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from server.benchmarks.contract import Annotation, Axis, Chart, Extraction, Facts, Series
from server.benchmarks.seeker.definitions import AVERAGE, BASELINE, FULL_STROKE, MINIMUM

BYTES_PER_GB = 1e9
PATTERNS = {"outward": "From the start", "inward": "Back to the start", "baseline": "No seek"}


def charts(entry: Mapping[str, Any], facts: Facts, extraction: Extraction) -> tuple[Chart, ...]:
    details = extraction.details
    gigabytes = facts.block_bytes / BYTES_PER_GB
    series = [_points(details["points"], pattern, gigabytes) for pattern in PATTERNS]
    series = [one for one in series if one.x]
    if not series:
        return ()
    curve = details["curve"]
    marks: tuple[Annotation, ...] = ()
    if curve is not None:
        series.append(_fit(curve, gigabytes))
        marks = (Annotation("Long seeks from here", curve["crossover_blocks"] * gigabytes, None),)
    return (
        Chart(
            id="seek-curve",
            shape="curve",
            title="Seek time by distance",
            summary=_summary(curve, gigabytes),
            x=Axis("Distance", "GB"),
            y=Axis("Seek and time to media", "ms"),
            series=tuple(series),
            marks=marks,
            metrics=(MINIMUM.key, AVERAGE.key, FULL_STROKE.key, BASELINE.key),
        ),
    )


def _points(points: list[Mapping[str, Any]], pattern: str, gigabytes: float) -> Series:
    mine = sorted(
        (p["distance_blocks"], p["latency_ms"]) for p in points if p["pattern"] == pattern and p["covered"]
    )
    return Series(
        pattern, PATTERNS[pattern], "points", tuple(x * gigabytes for x, _ in mine), tuple(y for _, y in mine)
    )


def _fit(curve: Mapping[str, float], gigabytes: float) -> Series:
    longest = curve["longest_blocks"]
    distance = np.unique(np.concatenate([longest * np.linspace(0, 1, 101) ** 2, [curve["crossover_blocks"]]]))
    short = curve["short_ms"] + curve["short_ms_per_root_block"] * np.sqrt(distance)
    long = curve["long_ms"] + curve["long_ms_per_block"] * distance
    time = np.where(distance < curve["crossover_blocks"], short, long)
    return Series(
        "fit", "Fit", "line", tuple(float(x) * gigabytes for x in distance), tuple(float(y) for y in time)
    )


def _summary(curve: Mapping[str, float] | None, gigabytes: float) -> str:
    if curve is None:
        return "The seek of each distance; too few distances for a fit."
    return (
        "The seek time grows with the root of the distance up to "
        f"{curve['crossover_blocks'] * gigabytes:.2f} GB and in a line beyond; "
        f"the fit leaves {curve['rms_ms']:.2f} ms."
    )
