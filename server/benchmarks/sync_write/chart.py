"""SYNC_WRITE's pictures: rate by size, as the graph of the OLP notes, and latency by size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.benchmarks.contract import Annotation, Axis, Chart, Extraction, Facts, Series
from server.benchmarks.sync_write.definitions import (
    MEDIAN,
    P99,
    RATE,
    REQUEST_TIME,
    STEADY,
    TRACK,
    TURNS,
    WRITE_CACHE,
)

KIB = 1024.0
WORDS = {"off": "Write cache off", "on": "Write cache on", "unknown": "As the write cache stood"}
X_AXIS = Axis("Write size", "KiB", "log", switchable=True)


def charts(entry: Mapping[str, Any], facts: Facts, extraction: Extraction) -> tuple[Chart, ...]:
    states: Mapping[str, Mapping[str, Any]] = extraction.details["states"]
    if not states:
        return ()
    turn_ms = extraction.details["turn_ms"]
    return _rates(states, turn_ms), _latencies(states, turn_ms)


def _rates(states: Mapping[str, Mapping[str, Any]], turn_ms: float | None) -> Chart:
    series: list[Series] = []
    for state, found in states.items():
        series.append(_points(state, found, "mb_per_s"))
        if found["law"] is not None and found["law"]["t0_ms"] > 0:
            law = found["law"]
            y = (size / (law["t0_ms"] + size / law["mb_per_s"] / 1e3) / 1e3 for size in found["size_bytes"])
            series.append(_series(f"{state}-law", f"{WORDS[state]}: the law", "line", found, tuple(y)))
    return Chart(
        id="rate-by-size",
        shape="sizes",
        title="Rate of direct writes by size",
        summary=_summary(states),
        x=X_AXIS,
        y=Axis("Rate", "MB/s", "log", switchable=True),
        series=(*series, *_one_turn(states, turn_ms)),
        marks=_corner(states),
        metrics=(REQUEST_TIME.key, RATE.key, STEADY.key, TRACK.key),
    )


def _one_turn(states: Mapping[str, Mapping[str, Any]], turn_ms: float | None) -> tuple[Series, ...]:
    """What a write of each size comes to where it takes one turn: small writes to the medium lie near it."""
    if turn_ms is None:
        return ()
    sizes = sorted({size for found in states.values() for size in found["size_bytes"]})
    fastest = max(rate for found in states.values() for rate in found["mb_per_s"])
    points = [(size / KIB, rate) for size in sizes if (rate := size / turn_ms / 1e3) <= fastest]
    if len(points) < 2:
        return ()
    label = f"One write a turn ({turn_ms:.2f} ms)"
    return (Series("turn", label, "line", tuple(x for x, _ in points), tuple(y for _, y in points)),)


def _latencies(states: Mapping[str, Mapping[str, Any]], turn_ms: float | None) -> Chart:
    return Chart(
        id="latency-by-size",
        shape="sizes",
        title="Median latency of direct writes by size",
        summary="Small writes take as long as the smallest; from the size of a track on the data take over.",
        x=X_AXIS,
        y=Axis("Median latency", "ms", "log", switchable=True),
        series=tuple(_points(state, found, "median_ms") for state, found in states.items()),
        marks=() if turn_ms is None else (Annotation("One turn", None, turn_ms),),
        metrics=(TURNS.key, WRITE_CACHE.key, MEDIAN.key, P99.key),
    )


def _points(state: str, found: Mapping[str, Any], column: str) -> Series:
    return _series(state, WORDS[state], "points", found, tuple(found[column]))


def _series(key: str, label: str, role: str, found: Mapping[str, Any], y: tuple[float, ...]) -> Series:
    return Series(key, label, role, tuple(size / KIB for size in found["size_bytes"]), y)


def _corner(states: Mapping[str, Mapping[str, Any]]) -> tuple[Annotation, ...]:
    """Where the data of a write take as long as the write costs by itself."""
    law = states.get("off", {}).get("law")
    if law is None or law["t0_ms"] <= 0:
        return ()
    return (Annotation("Data and cost take equally long", law["t0_ms"] * law["mb_per_s"] * 1e3 / KIB, None),)


def _summary(states: Mapping[str, Mapping[str, Any]]) -> str:
    parts = [
        f"{WORDS[state].lower()}: {found['law']['t0_ms']:.2f} ms and {found['law']['mb_per_s']:.0f} MB/s"
        for state, found in states.items()
        if found["law"] is not None
    ]
    return f"Cost of a write and rate of its data; {'; '.join(parts)}." if parts else "Rate by size."
