"""SEEKER's samples to measurements (Skippy 4.3 and 5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from server.benchmarks.contract import Extraction, Facts, Measurement, Metric, Quality
from server.benchmarks.seeker import definitions as metric
from server.benchmarks.seeker.curve import (
    FEWEST_FOR_FIT,
    Average,
    Curve,
    average_of,
    distinct,
    fit_curve,
    line_at,
)
from server.benchmarks.seeker.groups import (
    NS_PER_MS,
    FloatArray,
    Group,
    Samples,
    contradicts_one_arm,
    groups_of,
    samples_of,
    turn_of,
)

AT_END = 0.995
LAST_STRETCH, FEWEST_FAR = 0.15, 3
"""The longest seeks, that tell how the curve goes on: of the last so much of the distances."""
FEWEST_RANDOM = 30
MANY_RANDOM = 200
CACHED = "The write cache was on: a write is answered before its seek, and the next one pays for it."
MOST_TRACKS_OF_CYLINDER = 30
"""No drive known to this project has more surfaces than this."""
FEW_TRACKS = 4
NEIGHBOURS = 32
"""Over so many times the shortest distance a root follows the arm, whatever bends its curve further on."""
SEVERAL_ARMS = (
    "Far seeks take clearly less than nearer ones, as no single arm does: several arms share the blocks, "
    "most likely, and this kind does not measure each."
)
NO_SHORTER = (
    "No seek of a single cylinder was quicker than longer ones, so that this may not be the least: the "
    "interval reaches to where the curve of the short seeks begins."
)
WITH, WITHOUT = "with_mtm", "without_mtm"


@dataclass(frozen=True, slots=True)
class Number:
    """A time with its interval, before it becomes a measurement."""

    value: float
    low: float
    high: float
    count: int
    quality: Quality
    reason: str = ""


def extract(entry: Mapping[str, Any], facts: Facts) -> Extraction:
    """Never raises on data that fits the schema: what the samples do not carry gets a reason instead."""
    samples = samples_of(entry["samples"])
    turn_ms = turn_of(samples, float(entry["params"].get("rotation_estimate_ns", 0)) / NS_PER_MS)
    track = float(entry["params"].get("track_blocks_estimate", 1))
    blocks = facts.capacity_bytes / max(facts.block_bytes, 1)
    groups = {
        pattern: groups_of(samples.only(pattern), turn_ms, track)
        for pattern in ("baseline", "outward", "inward")
    }
    one_way = groups["outward"] or groups["inward"]
    both_ways = sorted((*groups["outward"], *groups["inward"]), key=lambda group: group.distance)
    arms = contradicts_one_arm(one_way)
    curve = None if arms else fit_curve(one_way)
    baseline = _baseline(groups["baseline"])
    random = samples.only("random")
    pairs = _random_mean(random, turn_ms, blocks)
    many = pairs is not None and pairs.count >= MANY_RANDOM
    found = average_of(one_way, random if many else None, turn_ms, blocks)
    numbers: dict[Metric, Number | str] = {
        metric.MINIMUM: _minimum(both_ways, track),
        metric.AVERAGE: _average(one_way, found, pairs),
        metric.FULL_STROKE: _full_stroke(one_way, blocks),
    }
    if arms:
        numbers |= {metric.AVERAGE: SEVERAL_ARMS, metric.FULL_STROKE: SEVERAL_ARMS}
    cached = facts.write_cache and "write" in samples.variant
    doubt = CACHED if cached else _doubt(one_way, found, pairs)
    if doubt:
        numbers = {what: _doubted(number, doubt) for what, number in numbers.items()}
        baseline = _doubted(baseline, doubt)
    measurements = [m for what, number in numbers.items() for m in _both(what, number, baseline)]
    measurements.append(_measurement(metric.BASELINE, "", baseline))
    return Extraction(tuple(measurements), _details(groups, curve, random, turn_ms))


def _minimum(groups: list[Group], track_blocks: float) -> Number | str:
    """The least of the seeks. The shortest distances may stay within a cylinder, unseen by SEEKER alone:
    where they begin within a few tracks, distances beyond any cylinder stand for the least seek."""
    seen = [group for group in groups if group.covered and group.distance > 0]
    if not seen:
        return _why_none(groups)
    sure = [group for group in seen if group.distance >= MOST_TRACKS_OF_CYLINDER * track_blocks]
    best = min(seen, key=lambda group: group.best_ms)
    if not sure:
        return Number(
            best.best_ms, best.low_ms, best.high_ms, best.count, Quality.POOR,
            "All distances are so short that a head switch may stand for a seek.",
        )  # fmt: skip
    if best.distance >= MOST_TRACKS_OF_CYLINDER * track_blocks:
        found = _shortest(sure, Quality.GOOD, "")
        least = _at_one_track(sure, track_blocks)
        if least >= found.low:
            return found
        return replace(found, low=least, quality=Quality.FAIR, reason=NO_SHORTER)
    within = min(group.distance for group in seen) < FEW_TRACKS * track_blocks
    beyond = _shortest(sure, Quality.FAIR, "")
    value = beyond if within else _shortest(seen, Quality.FAIR, "")
    return replace(
        value,
        low=min(best.low_ms, value.low),
        high=max(beyond.high, value.high),
        reason="Seeks over a few tracks may be head switches within a cylinder: the interval reaches from "
        "them to the shortest seek that certainly leaves the cylinder.",
    )


def _at_one_track(groups: list[Group], track_blocks: float) -> float:
    """Where the root through the shortest distances would be one track away: no seek takes less."""
    first = min(group.distance for group in groups)
    short = [group for group in groups if group.distance <= NEIGHBOURS * first]
    if len(short) < FEWEST_FOR_FIT:
        return min(group.low_ms for group in groups)
    root = np.sqrt([group.distance for group in short])
    low, high = (np.array([getattr(group, end) for group in short]) for end in ("missed_ms", "high_ms"))
    value, error = line_at(root, low, high, float(np.sqrt(track_blocks)))
    return max(value - error, 0.0)


def _shortest(groups: list[Group], quality: Quality, reason: str) -> Number:
    """The seek over the shortest distance: where the root through all short seeks meets it.

    The least of many times lies below all of them by what one offset leaves open; the curve through them
    does not. Where one distance was met sooner by more than an offset, it stands for
    the shortest.
    """
    first = min(group.distance for group in groups)
    least = min(groups, key=lambda group: group.best_ms)
    short = [group for group in groups if group.distance <= NEIGHBOURS * first]
    if len(short) < FEWEST_FOR_FIT:
        return Number(least.best_ms, least.low_ms, least.high_ms, least.count, quality, reason)
    root = np.sqrt([group.distance for group in short])
    low, high = (np.array([getattr(group, end) for group in short]) for end in ("missed_ms", "high_ms"))
    value, error = line_at(root, low, high, float(np.sqrt(first)))
    ends = [group for group in short if group.distance == first]
    earliest, latest = min(group.missed_ms for group in ends), max(group.high_ms for group in ends)
    count = sum(group.count for group in short)
    if value - least.high_ms > least.high_ms - least.low_ms:
        return Number(least.best_ms, least.low_ms, least.high_ms, least.count, quality, reason)
    if earliest <= value <= latest:
        return Number(value, max(value - error, 0.0), value + error, count, quality, reason)
    # To the next cylinder some arms take a way of their own, far off the curve of all others.
    own = float(np.median([group.best_ms for group in ends]))
    return Number(own, earliest, latest, sum(group.count for group in ends), quality, reason)


def _why_none(groups: list[Group]) -> str:
    if not groups:
        return "No seeks of a known distance were measured."
    return "The offsets of no distance cover a full turn: the device does not turn, or a cache answers."


def _full_stroke(groups: list[Group], capacity_blocks: float) -> Number | str:
    seen = [group for group in groups if group.covered and group.distance > 0]
    if not seen:
        return _why_none(groups)
    last = max(seen, key=lambda group: group.distance)
    reach = last.distance / max(capacity_blocks, 1.0)
    distance, time = distinct(seen)
    far = distance >= (1 - LAST_STRETCH) * distance[-1]
    if int(far.sum()) < FEWEST_FAR:
        far = distance >= 0.5 * distance[-1]
    if reach < AT_END and (reach < 0.6 or int(far.sum()) < FEWEST_FAR):
        return (
            f"The longest seek covers {reach:.0%} of the device: too little to say how long the rest takes."
        )
    rise = _rise(distance[far], time[far]) * max(capacity_blocks - last.distance, 0.0)
    if reach >= AT_END:
        return Number(last.best_ms, last.low_ms, last.high_ms + rise, last.count, Quality.GOOD)
    # Tracks are shortest at the inner edge: the arm moves further there for the same number of blocks.
    value = last.best_ms + rise
    return Number(
        value,
        min(last.low_ms, value),
        max(last.high_ms, last.best_ms) + 2 * rise,
        int(far.sum()),
        Quality.FAIR,
        f"The longest seek covers {reach:.0%} of the device: the interval reaches from it to twice what the "
        "rest adds at the rate of the longest seeks.",
    )


def _rise(distance: FloatArray, time: FloatArray) -> float:
    """How much a block adds to the longest seeks, in ms; never less than nothing."""
    if len(distance) < 2:
        return 0.0
    return max(float(np.polyfit(distance, time, 1)[0]), 0.0)


APART = 0.05
SHAPE = 0.015
"""So much of an average, either way, may come of tracks that shrink otherwise and of arms off their curve."""
TWO_WAYS = "Random pairs and the curve over all distances give different averages: the interval holds both."
NO_PAIRS = (
    "Without random pairs: tracks are taken to be of one length. The interval reaches to those that shrink "
    "as on common drives."
)


def _average(groups: list[Group], found: Average | None, pairs: Number | None) -> Number | str:
    """Mean over random pairs: the curve, carried to all places by how the pairs wait."""
    seen = [group for group in groups if group.covered and group.distance > 0]
    count = sum(group.count for group in seen)
    if found is not None and found.beyond < 0.05:
        value, error = found.value, max(found.error, SHAPE * found.value)
        if pairs is None or pairs.count < MANY_RANDOM:
            width = float(np.mean([group.high_ms - group.low_ms for group in seen])) / 2
            high = max(found.usual, value) + max(width, error)
            return Number(value, value - max(width, error), high, count, Quality.FAIR, NO_PAIRS)
        if abs(value - pairs.value) > max(pairs.value - pairs.low, APART * pairs.value):
            low, high = min(value, pairs.low), max(value, pairs.high)
            return Number(pairs.value, low, high, count + pairs.count, Quality.FAIR, TWO_WAYS)
        return Number(value, value - error, value + error, count + pairs.count, Quality.GOOD)
    if groups and not seen:
        return _why_none(groups)
    if pairs is not None:
        return pairs
    if not seen:
        return _why_none(groups)
    return "The distances measured are too few or too short to weigh them like random pairs."


def _doubt(groups: list[Group], found: Average | None, pairs: Number | None) -> str:
    """Why the whole curve is not to be believed; empty where nothing speaks against it."""
    seen = sum(group.covered for group in groups)
    if groups and seen and seen < 0.6 * len(groups):
        return "Many distances show no full turn: a cache answers some of the accesses, most likely."
    if found is not None and pairs is not None and abs(found.level - pairs.value) > 0.3 * pairs.value:
        return "Random pairs contradict the curve: a cache answers part of the accesses, most likely."
    return ""


def _doubted(number: Number | str, reason: str) -> Number | str:
    return number if isinstance(number, str) else replace(number, quality=Quality.POOR, reason=reason)


def _random_mean(random: Samples, turn_ms: float, capacity_blocks: float) -> Number | None:
    """Mean seek of random pairs: latency less the mean wait of half a turn.

    The pairs' own distances scatter about those of all pairs, so latency is fitted over distance first
    and then averaged over all pairs. Latencies far above the others are left out.
    """
    latency = random.latency_ms
    if len(latency) < FEWEST_RANDOM or turn_ms <= 0 or capacity_blocks <= 0:
        return None
    lower, upper = np.quantile(latency, (0.25, 0.75))
    kept = latency <= upper + 3 * (upper - lower)
    share = np.minimum(np.abs(random.target - random.origin)[kept] / capacity_blocks, 1.0)
    matrix = np.column_stack([np.ones(len(share)), np.sqrt(share), share])
    fit = np.linalg.lstsq(matrix, latency[kept], rcond=None)[0]
    # Mean of 1, sqrt(u) and u under the density 2 (1 - u).
    value = float(fit @ np.array([1.0, 8 / 15, 1 / 3])) - turn_ms / 2
    spread = float((latency[kept] - matrix @ fit).std())
    error = 1.96 * spread / float(np.sqrt(len(share))) + 0.01 * turn_ms
    if value <= 0:
        return None
    return Number(
        value,
        value - error,
        value + error,
        len(latency),
        Quality.FAIR,
        "From random pairs: the wait for the sector is taken as half a turn on average.",
    )


def _baseline(groups: list[Group]) -> Number | str:
    if not groups:
        return "No baseline without seek was measured."
    covered = [group for group in groups if group.covered]
    if not covered:
        return "The baseline's latencies do not rise with the distance over a full turn: a cache may answer."
    clean = [group for group in covered if group.clean]
    seen = clean or covered
    best = min(seen, key=lambda group: group.best_ms)
    count = sum(group.count for group in seen)
    if not clean:
        return Number(
            best.best_ms,
            0.0,
            best.high_ms,
            count,
            Quality.POOR,
            "Every baseline is cut short by a track's end, so that a switch may be in it.",
        )
    # All need the same: the latest angle that any of them missed lies nearest.
    missed = max(
        (group.missed_ms for group in seen if group.missed_ms < best.high_ms), default=best.missed_ms
    )
    value = (missed + best.high_ms) / 2
    if len(clean) < min(2, len(groups)):
        alone = "One baseline alone is not cut short by a track's end."
        return Number(value, best.low_ms, best.high_ms, count, Quality.FAIR, alone)
    return Number(value, best.low_ms, best.high_ms, count, Quality.GOOD)


def _both(what: Metric, number: Number | str, baseline: Number | str) -> list[Measurement]:
    found = [_measurement(what, WITH, number)]
    if isinstance(number, str):
        return [*found, _measurement(what, WITHOUT, number)]
    if isinstance(baseline, str):
        return [*found, _measurement(what, WITHOUT, baseline)]
    value = number.value - baseline.value
    # What a seek may be less or more, with what the baseline may be more or less.
    less = float(np.hypot(number.value - number.low, baseline.high - baseline.value))
    more = float(np.hypot(number.high - number.value, baseline.value - baseline.low))
    if value <= 0:
        return [*found, _measurement(what, WITHOUT, "The seek is not told from the baseline.")]
    quality, reason = _worse(number, baseline)
    if max(less, more) > 0.25 * value and quality is Quality.GOOD:
        quality, reason = Quality.FAIR, "The difference is small against the distance between two offsets."
    count = number.count + baseline.count
    alone = Number(value, max(value - less, 0.0), value + more, count, quality, reason)
    return [*found, _measurement(what, WITHOUT, alone)]


def _worse(number: Number, baseline: Number) -> tuple[Quality, str]:
    order = (Quality.GOOD, Quality.FAIR, Quality.POOR)
    worst = max((number, baseline), key=lambda one: order.index(one.quality))
    return worst.quality, worst.reason


def _measurement(what: Metric, scope: str, number: Number | str) -> Measurement:
    if isinstance(number, str):
        return Measurement(what.key, scope, None, None, None, 0, Quality.NONE, number)
    low, high = float(min(number.low, number.value)), float(max(number.high, number.value))
    return Measurement(what.key, scope, number.value, low, high, number.count, number.quality, number.reason)


def _details(
    groups: dict[str, list[Group]], curve: Curve | None, random: Samples, turn_ms: float
) -> dict[str, Any]:
    points = [
        {
            "pattern": pattern,
            "variant": group.variant,
            "distance_blocks": group.distance,
            "latency_ms": group.best_ms,
            "missed_ms": group.missed_ms,
            "shortest_ms": group.high_ms,
            "covered": group.covered,
        }
        for pattern, found in groups.items()
        for group in found
    ]
    return {
        "points": points,
        "curve": None if curve is None else _curve_detail(curve),
        "asymmetry_ms": _asymmetry(groups["outward"], groups["inward"]),
        "random_accesses": len(random.latency_ms),
        "turn_ms": turn_ms,
    }


def _curve_detail(curve: Curve) -> dict[str, float]:
    return {
        "short_ms": curve.a,
        "short_ms_per_root_block": curve.b,
        "long_ms": curve.c,
        "long_ms_per_block": curve.e,
        "crossover_blocks": curve.crossover,
        "rms_ms": curve.error_ms,
        "longest_blocks": curve.longest,
    }


def _asymmetry(outward: list[Group], inward: list[Group]) -> float | None:
    """Median of inward less outward time over the distances that both have."""
    out = {group.distance: group.best_ms for group in outward if group.covered}
    both = [
        group.best_ms - out[group.distance] for group in inward if group.covered and group.distance in out
    ]
    return float(np.median(both)) if both else None
