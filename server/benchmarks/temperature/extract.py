"""Transfers at changing temperatures to measurements (Eridano 3.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from server.benchmarks.contract import Extraction, Facts, Measurement, Metric, Quality
from server.benchmarks.media_cache import of_media_cache
from server.benchmarks.temperature import definitions as metric
from server.benchmarks.temperature.changepoint import Step, Week, slope_of, step_of, week_of

DIRECTIONS = ("read", "write")
FEWEST = 12
NARROWEST_CELSIUS = 5.0
"""A narrower span of temperatures carries nothing: sensors tell whole degrees, some only every second."""
CACHED = "The write cache was on: a part of each write was still in the buffer when it was answered."


def extract(entry: Mapping[str, Any], facts: Facts) -> Extraction:
    """Never raises on data that fits the schema: what the samples do not carry gets a reason instead."""
    found: list[Measurement] = []
    details: dict[str, Any] = {}
    weeks = {name: week for name in DIRECTIONS if (week := week_of(entry, name)) is not None}
    for name, week in weeks.items():
        caution = CACHED if name == "write" and _cached(entry, facts) else ""
        measured, details[name] = _direction(name, week, caution)
        found += [of_media_cache(one, facts) for one in measured] if name == "write" else measured
    if not weeks:
        reason = "No transfer took a measurable time."
        return Extraction(tuple(_none(one, "", reason, 0) for one in metric.METRICS), {})
    return Extraction((*found, _span(list(weeks.values()))), details)


def _cached(entry: Mapping[str, Any], facts: Facts) -> bool:
    switched = entry["params"]["write_cache"]
    return bool(facts.write_cache if switched is None else switched)


def _none(what: Metric, scope: str, reason: str, count: int) -> Measurement:
    return Measurement(what.key, scope, None, None, None, count, Quality.NONE, reason)


def _span(weeks: list[Week]) -> Measurement:
    celsius = np.concatenate([week.celsius for week in weeks])
    value = float(np.ptp(celsius))
    return Measurement(metric.SPAN.key, "", value, max(value - 1, 0.0), value + 1, len(celsius), Quality.GOOD)


def _direction(name: str, week: Week, caution: str) -> tuple[list[Measurement], dict[str, Any]]:
    count, span = len(week), float(np.ptp(week.celsius))
    why = ""
    if count < FEWEST:
        why = f"Only {count} samples were taken; a week has 168."
    elif span < NARROWEST_CELSIUS:
        why = (
            f"The temperature changed by {span:.0f} °C only; to see what depends on it takes at least "
            f"{NARROWEST_CELSIUS:.0f} °C: the room has to get warmer and colder."
        )
    if why:
        declined = [_none(one, name, why, count) for one in (metric.THRESHOLD, metric.SHARE, metric.SLOPE)]
        everywhere = np.ones(count, dtype=np.bool_)
        return [*declined, _bandwidth(name, week, everywhere, caution)], {"verdict": "unknown"}
    step, why = step_of(week)
    faster = np.ones(count, dtype=np.bool_)
    if step is not None:
        faster = step.below if step.colder > step.warmer else ~step.below
    measured = [
        *_step(name, week, step, why, caution),
        _slope(name, week, faster, step),
        _bandwidth(name, week, faster, caution),
    ]
    return measured, _detail(step, why)


def _detail(step: Step | None, why: str) -> dict[str, Any]:
    if step is None:
        return {"verdict": "independent" if why.startswith("No step") else "unknown", "why": why}
    return {
        "verdict": "step",
        "threshold_celsius": step.middle,
        "colder_mb_per_s": step.colder,
        "warmer_mb_per_s": step.warmer,
    }


def _step(name: str, week: Week, step: Step | None, why: str, caution: str) -> list[Measurement]:
    count = len(week)
    if step is None:
        return [_none(one, name, why, count) for one in (metric.THRESHOLD, metric.SHARE)]
    quality, reason = (Quality.FAIR, caution) if caution else (Quality.GOOD, "")
    if step.crossings < 2:
        quality = Quality.POOR
        reason = "The temperature crossed the step only once: a change over time would look the same."
    elif step.strays > count // 10:
        quality = Quality.POOR
        reason = (
            f"{step.strays} of {count} samples are like those of the other side: temperature explains a part."
        )
    elif step.high - step.low > 3 and quality is Quality.GOOD:
        quality, reason = Quality.FAIR, "Few readings lie near the step: it is known to several degrees only."
    slower, fastest = sorted((step.colder, step.warmer))
    share = slower / fastest
    error = share * float(np.expm1(min(1.96 * step.error, 20.0)))
    return [
        Measurement(metric.THRESHOLD.key, name, step.middle, step.low, step.high, count, quality, reason),
        Measurement(
            metric.SHARE.key, name, share, max(share - error, 0.0), share + error, count, quality, reason
        ),
    ]


def _slope(
    name: str, week: Week, faster: np.ndarray[Any, np.dtype[np.bool_]], step: Step | None
) -> Measurement:
    count = int(faster.sum())
    found = slope_of(week, faster)
    if found is None:
        why = "On the faster side of the step the temperature hardly changed."
        return _none(metric.SLOPE, name, why, count)
    value, low, high = (100 * float(np.expm1(np.clip(one, -5.0, 5.0))) for one in found)
    quality, reason = (Quality.GOOD, "") if count >= 30 else (Quality.FAIR, f"Only {count} samples.")
    return Measurement(
        metric.SLOPE.key, name, value, min(low, value), max(high, value), count, quality, reason
    )


def _bandwidth(
    name: str, week: Week, inside: np.ndarray[Any, np.dtype[np.bool_]], caution: str
) -> Measurement:
    rates = np.sort(week.mb_per_s[inside])
    count = len(rates)
    value = float(np.median(rates))
    # The interval of a median by order statistics.
    reach = 0.98 * float(np.sqrt(count))
    low = float(rates[max(int(np.floor(count / 2 - reach)), 0)])
    high = float(rates[min(int(np.ceil(count / 2 + reach)), count - 1)])
    quality, reason = (Quality.FAIR, caution) if caution else (Quality.GOOD, "")
    if count < FEWEST:
        quality, reason = Quality.POOR, f"Only {count} samples were taken."
    return Measurement(
        metric.BANDWIDTH.key, name, value, min(low, value), max(high, value), count, quality, reason
    )
