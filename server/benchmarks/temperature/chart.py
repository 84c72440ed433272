"""Bandwidth over temperature, and both over time (Eridano, Figures 9 and 10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from server.benchmarks.contract import Annotation, Axis, Chart, Extraction, Facts, Series, View
from server.benchmarks.temperature.changepoint import Week, week_of
from server.benchmarks.temperature.definitions import BANDWIDTH, SHARE, SLOPE, SPAN, THRESHOLD

WORDS = {"read": "Read", "write": "Write"}


def charts(entry: Mapping[str, Any], facts: Facts, extraction: Extraction) -> tuple[Chart, ...]:
    weeks = {name: week for name in WORDS if (week := week_of(entry, name)) is not None}
    if not weeks:
        return ()
    by_celsius = tuple(_series(name, week.celsius, week.mb_per_s) for name, week in weeks.items())
    over_time = tuple(_series(f"{name}-time", week.hours, week.mb_per_s) for name, week in weeks.items())
    first = next(iter(weeks.values()))
    warmth = replace(_series("temperature", first.hours, first.celsius), axis="y2")
    celsius, rate = Axis("Temperature", "°C"), Axis("Bandwidth", "MB/s")
    return (
        Chart(
            id="temperature",
            shape="temperature",
            title="Bandwidth and temperature",
            summary=_summary(weeks, extraction.details),
            x=celsius,
            y=rate,
            series=(*by_celsius, *over_time, warmth),
            marks=_marks(weeks, extraction),
            metrics=(THRESHOLD.key, SHARE.key, SLOPE.key, BANDWIDTH.key, SPAN.key),
            views=(
                View("by-temperature", "By temperature", tuple(one.key for one in by_celsius)),
                View(
                    "over-time",
                    "Over time",
                    tuple(one.key for one in (*over_time, warmth)),
                    x=Axis("Time", "h"),
                    y2=celsius,
                    marks=(),
                ),
            ),
        ),
    )


def _series(key: str, x: Iterable[float], y: Iterable[float]) -> Series:
    label = WORDS.get(key.removesuffix("-time"), "Temperature")
    return Series(key, label, "points", tuple(map(float, x)), tuple(map(float, y)))


def _marks(weeks: Mapping[str, Week], extraction: Extraction) -> tuple[Annotation, ...]:
    """The thresholds, each with the readings between which it lies."""
    found = {m.scope: m for m in extraction.measurements if m.metric == THRESHOLD.key and m.value is not None}
    return tuple(
        Annotation(f"{WORDS[name]}: step", x=found[name].value, low=found[name].low, high=found[name].high)
        for name in weeks
        if name in found and extraction.details.get(name, {}).get("verdict") == "step"
    )


def _summary(weeks: Mapping[str, Week], details: Mapping[str, Any]) -> str:
    words = []
    for name in weeks:
        detail = details.get(name, {})
        if detail.get("verdict") == "step":
            words.append(f"{WORDS[name]} bandwidth steps at {detail['threshold_celsius']:.1f} °C")
        elif detail.get("verdict") == "independent":
            words.append(f"{WORDS[name]} bandwidth has no step")
    first = next(iter(weeks.values()))
    low, high = float(np.min(first.celsius)), float(np.max(first.celsius))
    span = f"{low:.0f} to {high:.0f} °C over {first.hours[-1]:.0f} hours"
    return "; ".join((*words, span)) + "."
