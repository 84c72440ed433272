"""Sample benchmark kinds: registered as the real ones are, with pictures computed from a mock disk.

Pages are tested on these, so that what a page shows is known to the test and does not move with the
extraction.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from server.benchmarks.contract import (
    Annotation,
    Answer,
    Axis,
    Chart,
    Direction,
    Extraction,
    Facts,
    Kind,
    Metric,
    Series,
    View,
)

KINDS_FOLDER = Path(__file__).resolve().parents[2] / "server" / "benchmarks"
TURN_MS, SECTORS, MTM_MS, SWITCH_MS = 8.333, 150, 2.0, 0.7


def mock_sawtooth(steps: int) -> list[float]:
    """Return latencies in ms of a mock disk by the equations of Skippy 4.1.1."""
    latencies, place = [], 0
    for step in range(steps):
        after = place + step + 1
        switches = after // SECTORS - place // SECTORS
        latency = ((step + 1) * TURN_MS / SECTORS + switches * SWITCH_MS) % TURN_MS
        latencies.append(latency + (TURN_MS if latency < MTM_MS else 0.0))
        place = after
    return latencies


def _line(key: str, label: str, role: str, *points: tuple[float, float]) -> Series:
    return Series(key, label, role, tuple(x for x, _ in points), tuple(y for _, y in points))


def _sawtooth(_entry: Mapping[str, Any], _facts: Facts, _extraction: Extraction) -> tuple[Chart, ...]:
    latencies = mock_sawtooth(460)
    slope = TURN_MS / SECTORS
    chart = Chart(
        id="sawtooth-outer",
        shape="sawtooth",
        title="Sawtooth at the outer start (sample data)",
        summary="Latency of each access over its step, with the lines that were fitted. Sample data.",
        x=Axis("Step", "blocks"),
        y=Axis("Latency", "ms"),
        series=(
            Series("write", "Measured", "points", tuple(map(float, range(460))), tuple(latencies)),
            _line("L1", "L1: next turn", "line", (0, TURN_MS), (36, TURN_MS + 36 * slope)),
            _line("L2", "L2: same turn", "line", (0, 0), (150, 150 * slope)),
            _line("L3", "L3: head switch", "line", (0, SWITCH_MS), (140, SWITCH_MS + 140 * slope)),
        ),
        marks=(
            Annotation("(1)", 0.0, latencies[0]),
            Annotation("(3)", 36.0, MTM_MS),
            Annotation("one track", 150.0),
        ),
        metrics=("skippy.rotation_time",),
    )
    return (chart,)


def _profile(_entry: Mapping[str, Any], _facts: Facts, _extraction: Extraction) -> tuple[Chart, ...]:
    places = [float(place) for place in range(0, 100, 2)]
    zones = [9.7 - 0.6 * (place // 20) for place in places]
    chart = Chart(
        id="profile",
        shape="profile",
        title="Zone profile (sample data)",
        summary="Bandwidth over position with three fits. Sample data.",
        x=Axis("Position", "GB"),
        y=Axis("Bandwidth", "MB/s"),
        series=(
            Series("measured", "Measured", "points", tuple(places), tuple(zones)),
            _line("step", "Zones", "step", (0, 9.7), (20, 9.1), (40, 8.5), (60, 7.9), (80, 7.3), (100, 7.3)),
            _line("linear", "Linear", "line", (0, 9.8), (100, 7.0)),
            _line("quadratic", "Quadratic", "line", *((x, 9.7 - 2.5e-4 * x * x) for x in range(0, 101, 10))),
        ),
        metrics=("zoned.outer_bandwidth",),
    )
    return (chart,)


def _curve(_entry: Mapping[str, Any], _facts: Facts, _extraction: Extraction) -> tuple[Chart, ...]:
    far = [float(x) for x in range(1, 100, 3)]
    chart = Chart(
        id="curve",
        shape="curve",
        title="Seek curve (sample data)",
        summary="Seek time over distance with its fit. Sample data.",
        x=Axis("Distance", "GB", switchable=True),
        y=Axis("Seek time", "ms"),
        series=(
            Series("outward", "From the start", "points", tuple(far), tuple(2 + x**0.5 * 1.4 for x in far)),
            _line("fit", "Fit", "line", *((x, 2 + x**0.5 * 1.4) for x in range(1, 101, 5))),
        ),
        marks=(Annotation("linear from here", 30.0),),
        metrics=("seeker.average",),
        views=(View("both", "Both", ("outward", "fit")), View("fit", "The fit alone", ("fit",))),
    )
    return (chart,)


def _metric(
    key: str, title: str, unit: str, direction: Direction = Direction.NEITHER, *answers: Answer
) -> Metric:
    return Metric(
        *(key, title, unit, direction),
        *(f"{title}, as a sample.", "Not extracted: sample data.", "Sample", True),
        answers=answers,
    )


def _nothing(_entry: Mapping[str, Any], _facts: Facts) -> Extraction:
    return Extraction(())


SAMPLE_KINDS = (
    Kind(
        "skippy",
        "SKIPPY",
        "1",
        (
            _metric("skippy.rotation_time", "Rotation time", "ms"),
            _metric("skippy.rotation_rate", "Rotation rate", "rpm"),
            _metric("skippy.sectors_per_track", "Sectors per track", "blocks", Direction.HIGHER),
            _metric("skippy.surfaces", "Recording surfaces", "1"),
        ),
        _nothing,
        _sawtooth,
        KINDS_FOLDER / "skippy",
    ),
    Kind(
        "zoned",
        "ZONED",
        "1",
        (
            _metric(
                *("zoned.outer_bandwidth", "Outer bandwidth", "MB/s", Direction.HIGHER),
                Answer(10, "How fast at the outer edge?", "reads {by} faster at the outer edge"),
            ),
        ),
        _nothing,
        _profile,
        KINDS_FOLDER / "zoned",
    ),
    Kind(
        "seeker",
        "SEEKER",
        "1",
        (_metric("seeker.average", "Average seek", "ms", Direction.LOWER),),
        _nothing,
        _curve,
        KINDS_FOLDER / "seeker",
    ),
)
