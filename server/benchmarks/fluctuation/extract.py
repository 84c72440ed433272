"""Transfers over time to measurements (Eridano 3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from server.benchmarks.contract import Extraction, Facts, Measurement, Metric, Quality
from server.benchmarks.fluctuation import definitions as metric
from server.benchmarks.fluctuation.course import FEWEST, Course, Jump, course_of, jumps_of, trend_of
from server.benchmarks.interface import held_rate, is_held, of_interface
from server.benchmarks.media_cache import of_media_cache
from server.core.robust import chi2_quantile, t_quantile

DIRECTIONS = ("read", "write")
ENOUGH = 20
CACHED = "The write cache was on: a part of each write was still in the buffer when it was answered."


def extract(entry: Mapping[str, Any], facts: Facts) -> Extraction:
    """Never raises on data that fits the schema: what the samples do not carry gets a reason instead."""
    found: list[Measurement] = []
    details: dict[str, Any] = {"pause": pause_word(entry), "jumps": {}}
    for direction in DIRECTIONS:
        course = course_of(entry, direction)
        if course is None:
            continue
        scope = f"{details['pause']}/{direction}"
        caution = CACHED if direction == "write" and _cached(entry, facts) else ""
        jumps = jumps_of(course)
        details["jumps"][direction] = [{"hours": jump.hours, "factor": jump.factor} for jump in jumps]
        positions = int(entry["params"]["positions"])
        held = _of_interface(course, positions)
        numbers = _whole(course, scope, jumps, caution)
        numbers = list(map(of_interface, numbers)) if held else numbers
        numbers += _by_position(course, scope, positions, caution, held)
        found += [of_media_cache(one, facts) for one in numbers] if direction == "write" else numbers
    if not found:
        found = [_none(one, "", "No transfer took a measurable time.", 0) for one in metric.METRICS]
    return Extraction(tuple(found), details)


def pause_word(entry: Mapping[str, Any]) -> str:
    """`1s` or `1h`: runs with different pauses are never put together."""
    seconds = int(entry["params"]["pause_ns"]) // 10**9
    return f"{seconds // 3600}h" if seconds and seconds % 3600 == 0 else f"{seconds}s"


def _cached(entry: Mapping[str, Any], facts: Facts) -> bool:
    switched = entry["params"]["write_cache"]
    return bool(facts.write_cache if switched is None else switched)


def _of_interface(course: Course, positions: int) -> frozenset[int]:
    """Positions whose rate may be the interface's and not the medium's."""
    places = np.unique(course.position)
    rates = np.array([float(np.median(course.at(int(place)))) for place in places])
    held = held_rate(places / positions, rates)
    pairs = zip(places, rates, strict=True)
    return frozenset(int(place) for place, rate in pairs if is_held(held, place / positions, rate))


def _none(what: Metric, scope: str, reason: str, count: int) -> Measurement:
    return Measurement(what.key, scope, None, None, None, count, Quality.NONE, reason)


def _whole(course: Course, scope: str, jumps: list[Jump], caution: str) -> list[Measurement]:
    rows = [course.at(int(position)) for position in np.unique(course.position)]
    rows = [row for row in rows if len(row) > 1]
    if not rows:
        reason = "Each position was measured once only: nothing can be said about changes over time."
        return [_none(one, scope, reason, len(course)) for one in (metric.VARIATION, metric.WORST)] + [
            _drift(course, scope, jumps),
            _jumps(course, scope, jumps),
        ]
    variations = [float(np.std(row, ddof=1) / np.mean(row)) for row in rows]
    free = sum(len(row) - 1 for row in rows)
    pooled = float(
        np.sqrt(sum((len(row) - 1) * one**2 for row, one in zip(rows, variations, strict=True)) / free)
    )
    worst = int(np.argmax(variations))
    quality, reason = _quality(min(len(row) for row in rows), caution)
    return [
        _spread(metric.VARIATION, scope, pooled, free, len(course), quality, reason),
        _spread(
            metric.WORST, scope, variations[worst], len(rows[worst]) - 1, len(rows[worst]), quality, reason
        ),
        _drift(course, scope, jumps),
        _jumps(course, scope, jumps),
    ]


def _quality(rounds: int, caution: str) -> tuple[Quality, str]:
    if rounds < 5:
        return Quality.POOR, f"Only {rounds} rounds were measured."
    if caution:
        return Quality.FAIR, caution
    if rounds < ENOUGH:
        return Quality.FAIR, f"Only {rounds} rounds were measured."
    return Quality.GOOD, ""


def _spread(
    what: Metric, scope: str, value: float, free: int, count: int, quality: Quality, reason: str
) -> Measurement:
    """A standard deviation with its chi-squared interval."""
    low, high = (value * float(np.sqrt(free / chi2_quantile(q, free))) for q in (0.975, 0.025))
    return Measurement(what.key, scope, value, low, high, count, quality, reason)


def _drift(course: Course, scope: str, jumps: list[Jump]) -> Measurement:
    trend = trend_of(course, jumps)
    if trend is None:
        why = f"Fewer than {FEWEST} transfers, or all at one moment: a trend is not told from chance."
        return _none(metric.DRIFT, scope, why, len(course))
    low, value, high = (
        100 * float(np.expm1(np.clip(trend.change + side * trend.error, -20.0, 20.0))) for side in (-1, 0, 1)
    )
    quality, reason = Quality.GOOD, ""
    if trend.correlation > 0.5:
        quality = Quality.FAIR
        reason = "The bandwidth wanders slowly: a trend is hardly told from a wave."
    return Measurement(metric.DRIFT.key, scope, value, low, high, len(course), quality, reason)


def _jumps(course: Course, scope: str, jumps: list[Jump]) -> Measurement:
    count = len(course)
    if count < FEWEST:
        why = f"Fewer than {FEWEST} transfers: a jump is not told from chance."
        return _none(metric.JUMPS, scope, why, count)
    value = float(len(jumps))
    if len(jumps) > 3:
        why = "Many jumps: other load may have come and gone."
        return Measurement(metric.JUMPS.key, scope, value, 1.0, 2 * value, count, Quality.POOR, why)
    return Measurement(metric.JUMPS.key, scope, value, value, value, count, Quality.GOOD)


def _by_position(
    course: Course, scope: str, positions: int, caution: str, held: frozenset[int]
) -> list[Measurement]:
    found = []
    for position in np.unique(course.position):
        row = course.at(int(position))
        here = f"{scope}/{round(100 * int(position) / positions):02d}"
        count, mean = len(row), float(np.mean(row))
        if count < 2:
            why = "Measured once only."
            found += [_none(one, here, why, count) for one in (metric.MEAN, metric.DEVIATION)]
            continue
        quality, reason = _quality(count, caution)
        deviation = float(np.std(row, ddof=1))
        error = t_quantile(0.975, count - 1) * deviation / float(np.sqrt(count))
        low, high = max(mean - error, 0.0), mean + error
        both = [
            Measurement(metric.MEAN.key, here, mean, low, high, count, quality, reason),
            _spread(metric.DEVIATION, here, deviation, count - 1, count, quality, reason),
        ]
        found += map(of_interface, both) if int(position) in held else both
    return found
