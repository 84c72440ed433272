"""Bandwidth over the device with its deviation (Eridano, Figures 7 and 8), and over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from server.benchmarks.contract import Annotation, Axis, Chart, Extraction, Facts, Series
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
    pause = extraction.details.get("pause", "")
    courses = {name: course for name in WORDS if (course := course_of(entry, name)) is not None}
    if not courses:
        return ()
    gigabytes = facts.capacity_bytes / 1e9 / int(entry["params"]["positions"])
    jumps = {name: extraction.details.get("jumps", {}).get(name, []) for name in courses}
    return (_by_position(courses, pause, gigabytes), _over_time(courses, pause, jumps))


def _by_position(courses: Mapping[str, Course], pause: str, gigabytes: float) -> Chart:
    means = [_means(name, course, gigabytes) for name, course in courses.items()]
    worst = max((high / y - 1 for one in means for y, high in zip(one.y, one.high, strict=True)), default=0.0)
    return Chart(
        id="by-position",
        shape="fluctuation",
        title="Bandwidth by position, mean and deviation over time",
        summary=(
            f"Mean bandwidth at {len(means[0].x)} positions; error bars reach one standard deviation to each "
            f"side, at most {100 * worst:.2g} %; pause {pause}."
        ),
        x=Axis("Position", "GB"),
        y=Axis("Bandwidth", "MB/s"),
        series=tuple(means),
        metrics=(MEAN.key, DEVIATION.key, VARIATION.key, WORST.key),
    )


def _means(name: str, course: Course, gigabytes: float) -> Series:
    positions = np.unique(course.position)
    rows = [course.at(int(position)) for position in positions]
    mean = [float(row.mean()) for row in rows]
    deviation = [float(np.std(row, ddof=1)) if len(row) > 1 else 0.0 for row in rows]
    return Series(
        name,
        WORDS[name],
        "points",
        tuple(float(position) * gigabytes for position in positions),
        tuple(mean),
        low=tuple(m - d for m, d in zip(mean, deviation, strict=True)),
        high=tuple(m + d for m, d in zip(mean, deviation, strict=True)),
    )


def _over_time(
    courses: Mapping[str, Course], pause: str, jumps: Mapping[str, list[Mapping[str, Any]]]
) -> Chart:
    minutes = max(float(np.ptp(course.hours)) for course in courses.values()) < 2
    factor, unit = (60.0, "min") if minutes else (1.0, "h")
    count = sum(len(found) for found in jumps.values())
    words = "no jump" if not count else f"{count} jump{'s' if count > 1 else ''}"
    return Chart(
        id="over-time",
        shape="fluctuation",
        title="Bandwidth over time",
        summary=f"Bandwidth of each transfer, relative to its position's median: {words}; pause {pause}.",
        x=Axis("Time", unit),
        y=Axis("Relative to the position's median", "%"),
        series=tuple(
            Series(
                name,
                WORDS[name],
                "points",
                tuple(float(hour) * factor for hour in course.hours),
                tuple(float(value) for value in 100 * np.exp(course.relative)),
            )
            for name, course in courses.items()
        ),
        marks=tuple(
            Annotation(f"{WORDS[name]}: jump to {100 * jump['factor']:.1f} %", x=jump["hours"] * factor)
            for name, found in jumps.items()
            for jump in found
        ),
        metrics=(DRIFT.key, JUMPS.key, VARIATION.key),
    )
