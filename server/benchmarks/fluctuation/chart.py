"""Bandwidth over the device with its deviation (Eridano, Figures 7 and 8), and over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from server.benchmarks.contract import Axis, Chart, Extraction, Facts, Mark, Series
from server.benchmarks.fluctuation.course import Course, course_of
from server.benchmarks.fluctuation.definitions import (
    DEVIATION,
    DRIFT,
    JUMPS,
    MEAN,
    VARIATION,
    WORST,
)

WORDS = {"read": "Read", "write": "Write"}


def charts(entry: Mapping[str, Any], facts: Facts, extraction: Extraction) -> tuple[Chart, ...]:
    found = []
    pause = extraction.details.get("pause", "")
    for name, word in WORDS.items():
        course = course_of(entry, name)
        if course is not None:
            jumps = extraction.details.get("jumps", {}).get(name, [])
            found.append(_by_position(name, word, pause, course, facts, int(entry["params"]["positions"])))
            found.append(_over_time(name, word, pause, course, jumps))
    return tuple(found)


def _by_position(name: str, word: str, pause: str, course: Course, facts: Facts, positions: int) -> Chart:
    places = np.unique(course.position)
    x = [float(place) * facts.capacity_bytes / 1e9 / positions for place in places]
    rows = [course.at(int(place)) for place in places]
    mean = [float(row.mean()) for row in rows]
    deviation = [float(np.std(row, ddof=1)) if len(row) > 1 else 0.0 for row in rows]
    upper = [m + d for m, d in zip(mean, deviation, strict=True)]
    lower = [m - d for m, d in zip(mean, deviation, strict=True)]
    worst = max((d / m for m, d in zip(mean, deviation, strict=True)), default=0.0)
    return Chart(
        id=f"by-position-{name}",
        shape="profile",
        title=f"{word} bandwidth by position, mean and deviation over time",
        summary=(
            f"Mean {word.lower()} bandwidth at {len(places)} positions with one standard deviation to each "
            f"side, at most {100 * worst:.2g} %; pause {pause}."
        ),
        x=Axis("Position", "GB"),
        y=Axis("Bandwidth", "MB/s"),
        series=(
            Series("mean", "Mean", "points", tuple(x), tuple(mean)),
            Series(
                "deviation",
                "One standard deviation",
                "band",
                (*x, *reversed(x)),
                (*upper, *reversed(lower)),
            ),
        ),
        metrics=(MEAN.key, DEVIATION.key, VARIATION.key, WORST.key),
    )


def _over_time(name: str, word: str, pause: str, course: Course, jumps: list[Mapping[str, Any]]) -> Chart:
    minutes = float(np.ptp(course.hours)) < 2
    factor, unit = (60.0, "min") if minutes else (1.0, "h")
    relative = 100 * np.exp(course.relative)
    words = "no jump" if not jumps else f"{len(jumps)} jump{'s' if len(jumps) > 1 else ''}"
    return Chart(
        id=f"over-time-{name}",
        shape="profile",
        title=f"{word} bandwidth over time",
        summary=f"{word} bandwidth of each transfer, relative to its position: {words}; pause {pause}.",
        x=Axis("Time", unit),
        y=Axis("Bandwidth relative to the position's median", "%"),
        series=(
            Series(
                "relative",
                "Transfers",
                "points",
                tuple(float(hour) * factor for hour in course.hours),
                tuple(float(value) for value in relative),
            ),
        ),
        marks=tuple(
            Mark(f"Jump to {100 * jump['factor']:.1f} %", x=jump["hours"] * factor) for jump in jumps
        ),
        metrics=(DRIFT.key, JUMPS.key, VARIATION.key),
    )
