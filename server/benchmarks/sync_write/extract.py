"""SYNC_WRITE's samples to measurements (OLP, write tests)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from server.benchmarks.contract import Extraction, Facts, Measurement, Metric, Quality
from server.benchmarks.heads import of_one_head
from server.benchmarks.media_cache import of_media_cache
from server.benchmarks.sync_write import definitions as metric
from server.benchmarks.sync_write.sizes import (
    Line,
    Size,
    law_of,
    on_track,
    percentiles,
    sizes_of,
    slows_down,
    steady,
    verdict_of,
)

GOOD_MISFIT = 0.03
FAIR_MISFIT = 0.1
GOOD_TRACK = 0.03
FAIR_TRACK = 0.1
ONE_TURN = 0.1
"""t0 within this share of a turn is one turn: what is off it is the cost of a command."""

NO_LAW = "The latencies of fewer than four sizes, or of sizes that do not grow with the data, make no line."
OFF_LINE = "The sizes are {misfit:.0%} off the line, so the law holds roughly only."
NO_TURN = "Neither the drive's rating nor an estimate says how long a turn takes."
COLLECTED = "Writes do not wait for the medium in this state, so their time says nothing of a track."
NOT_ONE_TURN = "A write costs {turns:.2f} turns and not one: what its time is made of is not known."
NO_SHORT = "Too few sizes are clearly shorter than a track, and yet long enough to tell its rate."
ABOVE_MEDIUM = 1.15
"""A drive that sorts what it has to write gains less than this over writes in a row."""
CACHES = "{times:.1f} times what the medium takes with the cache off: the rate of a cache that never filled."
NEVER_SLOWER = (
    "The longest writes never slowed down, and nothing says what the medium takes without the cache: this "
    "may be the rate of the cache."
)
UNTIMED = "A cache is on that should be off, and untimed writes between the passes let it empty itself."
UNMEASURED = "This state of the write cache was not measured{why}."


def extract(entry: Mapping[str, Any], facts: Facts) -> Extraction:
    """Never raises on data that fits the schema: what the samples do not carry gets a reason instead."""
    turn = turn_ms(entry, facts)
    states = sizes_of(entry, facts.block_bytes, turn)
    measurements: list[Measurement] = []
    details: dict[str, Any] = {"turn_ms": turn, "states": {}, "write_cache": {}}
    for state, sizes in states.items():
        law = law_of(sizes)
        verdict, sentence = verdict_of(state, sizes, turn)
        count = sum(one.count for one in sizes)
        short = on_track(sizes, law, turn) if law and turn and verdict == "off" else None
        measurements += _law(state, law, short, turn, count)
        measurements.append(
            Measurement(metric.WRITE_CACHE.key, state, None, None, None, count, Quality.NONE, sentence)
        )
        measurements.append(_track(state, verdict, sizes, law, short, turn))
        without = law_of(states["off"]) if state != "off" and "off" in states else None
        measurements += [_steady(state, verdict, sizes, turn, without), *percentiles(state, sizes)]
        details["write_cache"][state] = verdict
        details["states"][state] = _state_details(sizes, law)
    if "unknown" not in states:
        measurements += _missing(entry, states)
    stretches = {metric.RATE.key, metric.TRACK.key, metric.STEADY.key}
    found = (of_one_head(one, facts) if one.metric in stretches else one for one in measurements)
    return Extraction(tuple(of_media_cache(one, facts) for one in found), details)


def turn_ms(entry: Mapping[str, Any], facts: Facts) -> float | None:
    """A turn as the device states its rate, else as the probe estimated it; None where neither is known."""
    if facts.rated_rpm:
        return 60e3 / facts.rated_rpm
    estimate = entry["params"]["rotation_estimate_ns"]
    return None if estimate is None else float(estimate) / 1e6


def _law(
    state: str, law: Line | None, short: Line | None, turn: float | None, count: int
) -> list[Measurement]:
    """The law's numbers. Long writes meet the gaps between tracks, short ones hardly do: a line through both
    begins below the one of the short ones, so the time without data reaches over where that begins, too."""
    if law is None:
        return [_none(one, state, NO_LAW) for one in (metric.REQUEST_TIME, metric.RATE, metric.TURNS)]
    quality, reason = _judge(law)
    # What the sizes are off the line by no chance explains: another line may fit them as well.
    cost, slope = law.intercept_ms, law.slope_ms_per_byte
    error = math.hypot(law.factor * law.intercept_error, law.misfit * cost)
    slope_error = math.hypot(law.factor * law.slope_error, law.misfit * slope)
    rate = law.mb_per_s
    # The interval of the rate is that of its inverse; where that reaches nought, the rate has no upper end.
    high = 1e-3 / (slope - slope_error) if slope_error < 0.9 * slope else 10 * rate
    low = 1e-3 / (slope + slope_error)
    if slope_error > FAIR_MISFIT * slope:
        rate_quality, rate_reason = Quality.POOR, "The slope is hardly told from the noise."
    else:
        rate_quality, rate_reason = quality, reason
    first, last = cost - error, cost + error
    if short is not None:
        reach = short.factor * short.intercept_error
        first, last = min(first, short.intercept_ms - reach), max(last, short.intercept_ms + reach)
    found = [
        Measurement(metric.REQUEST_TIME.key, state, cost, first, last, count, quality, reason),
        Measurement(metric.RATE.key, state, rate, low, high, count, rate_quality, rate_reason),
    ]
    if turn is None:
        return [*found, _none(metric.TURNS, state, NO_TURN)]
    turns = Measurement(
        metric.TURNS.key, state, cost / turn, first / turn, last / turn, count, quality, reason
    )
    return [*found, turns]


def _judge(law: Line) -> tuple[Quality, str]:
    if law.misfit <= GOOD_MISFIT:
        return Quality.GOOD, ""
    quality = Quality.FAIR if law.misfit <= FAIR_MISFIT else Quality.POOR
    return quality, OFF_LINE.format(misfit=law.misfit)


def _track(
    state: str,
    verdict: str,
    sizes: Sequence[Size],
    law: Line | None,
    line: Line | None,
    turn: float | None,
) -> Measurement:
    """The track's bytes, where writes wait for one turn and their own data and nothing else."""
    what = metric.TRACK
    if turn is None:
        return _none(what, state, NO_TURN)
    if law is None:
        return _none(what, state, NO_LAW)
    if verdict != "off":
        return _none(what, state, COLLECTED)
    if line is None:
        return _none(what, state, NO_SHORT)
    turns = line.intercept_ms / turn
    if abs(turns - 1) > ONE_TURN:
        return _none(what, state, NOT_ONE_TURN.format(turns=turns))
    size = turn / line.slope_ms_per_byte / 1e6
    share = line.factor * line.slope_error / line.slope_ms_per_byte
    if share > FAIR_TRACK:
        return _none(what, state, f"The slope is known to {share:.0%} only.")
    quality = Quality.GOOD if share <= GOOD_TRACK else Quality.FAIR
    reason = "" if quality is Quality.GOOD else f"The slope is known to {share:.0%} only."
    return Measurement(
        what.key, state, size, size / (1 + share), size / (1 - share), line.count, quality, reason
    )


def _steady(
    state: str, verdict: str, sizes: Sequence[Size], turn: float | None, without: Line | None
) -> Measurement:
    """`without` is the law of the same drive without its cache: what the medium takes."""
    if (state, verdict) == ("off", "on"):
        return _none(metric.STEADY, state, UNTIMED)
    found = steady(state, sizes, turn)
    if found.value is None or state == "off":
        return found
    if without is not None:
        times = found.value / without.mb_per_s
        reason = CACHES.format(times=times) if times > ABOVE_MEDIUM else ""
    else:
        reason = "" if slows_down(sizes[-1]) else NEVER_SLOWER
    return replace(found, quality=Quality.POOR, reason=reason) if reason else found


def _missing(entry: Mapping[str, Any], states: Mapping[str, Any]) -> list[Measurement]:
    why = entry["params"]["not_switched"]
    reason = UNMEASURED.format(why=f": {why}" if why else "; the run ended before it")
    missing = [state for state in ("off", "on") if state not in states]
    return [_none(one, state, reason) for state in missing for one in (*metric.LAW, metric.WRITE_CACHE)]


def _state_details(sizes: Sequence[Size], law: Line | None) -> dict[str, Any]:
    return {
        "size_bytes": [one.bytes for one in sizes],
        "mb_per_s": [one.mb_per_s for one in sizes],
        "median_ms": [one.median_ms for one in sizes],
        "writes": [one.count for one in sizes],
        "law": None
        if law is None
        else {"t0_ms": law.intercept_ms, "mb_per_s": law.mb_per_s, "misfit": law.misfit},
    }


def _none(what: Metric, scope: str, reason: str) -> Measurement:
    return Measurement(what.key, scope, None, None, None, 0, Quality.NONE, reason)
