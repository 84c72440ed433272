"""Bandwidth over temperature, and both over time (Eridano, Figures 9 and 10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from server.benchmarks.contract import Axis, Chart, Extraction, Facts, Mark, Series
from server.benchmarks.temperature.changepoint import week_of
from server.benchmarks.temperature.definitions import BANDWIDTH, SHARE, SLOPE, SPAN, THRESHOLD

WORDS = {"read": "Read", "write": "Write"}


def charts(entry: Mapping[str, Any], facts: Facts, extraction: Extraction) -> tuple[Chart, ...]:
    weeks = {name: week for name in WORDS if (week := week_of(entry, name)) is not None}
    if not weeks:
        return ()
    points, marks, words = [], [], []
    for name, week in weeks.items():
        detail = extraction.details.get(name, {})
        points.append(
            Series(
                name, WORDS[name], "points", tuple(map(float, week.celsius)), tuple(map(float, week.mb_per_s))
            )
        )
        if detail.get("verdict") == "step":
            marks.append(Mark(f"{WORDS[name]}: step", x=detail["threshold_celsius"]))
            words.append(f"{WORDS[name]} bandwidth steps at {detail['threshold_celsius']:.1f} °C")
        elif detail.get("verdict") == "independent":
            words.append(f"{WORDS[name]} bandwidth has no step")
    first = next(iter(weeks.values()))
    low, high = float(np.min(first.celsius)), float(np.max(first.celsius))
    return (
        Chart(
            id="by-temperature",
            shape="profile",
            title="Bandwidth by temperature",
            summary="; ".join(words) + "." if words else "Bandwidth at the outer rim by temperature.",
            x=Axis("Temperature", "°C"),
            y=Axis("Bandwidth", "MB/s"),
            series=tuple(points),
            marks=tuple(marks),
            metrics=(THRESHOLD.key, SHARE.key, SLOPE.key, BANDWIDTH.key),
        ),
        Chart(
            id="temperature",
            shape="profile",
            title="Temperature over time",
            summary=f"From {low:.0f} to {high:.0f} °C over {first.hours[-1]:.0f} hours.",
            x=Axis("Time", "h"),
            y=Axis("Temperature", "°C"),
            series=(
                Series(
                    "temperature",
                    "Temperature",
                    "points",
                    tuple(map(float, first.hours)),
                    tuple(map(float, first.celsius)),
                ),
            ),
            metrics=(SPAN.key,),
        ),
    )
