"""SEEKER's samples to measurements (Skippy 4.3 and 5.3)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from server.benchmarks.contract import Extraction, Facts, Measurement, Metric, Quality
from server.benchmarks.media_cache import MEDIA_CACHE
from server.benchmarks.seeker import definitions as metric
from server.benchmarks.seeker.curve import (
    Average,
    Curve,
    average_of,
    distinct,
    fit_curve,
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
from server.benchmarks.seeker.minimum import Number, minimum_of, why_none

AT_END = 0.995
LAST_STRETCH, FEWEST_FAR = 0.15, 3
"""The longest seeks, that tell how the curve goes on: of the last so much of the distances."""
FEWEST_RANDOM = 30
MANY_RANDOM = 200
CACHED = "The write cache was on: a write is answered before its seek, and the next one pays for it."
SEVERAL_ARMS = (
    "Far seeks take clearly less than nearer ones, as no single arm does: several arms share the blocks, "
    "most likely, and this kind does not measure each."
)
ARMS_TOLD = (
    "The device tells of {arms} actuators with a part of the blocks each: no arm goes from one end to the "
    "other, and this kind does not measure each."
)
FEW_FAR = "Tracks' ends took some angles of the longest seek: it lies anywhere between two of the others."
ALONE = "One baseline alone is not cut short by a track's end."
READ_AHEAD = (
    "A drive that reads ahead may have left the track, so that a read that came too late proves nothing: "
    "only the upper end is sure."
)
CUT_SHORT = "Every baseline is cut short by a track's end, so that a switch may be in it."
WIDE = 0.08
"""What the angles leave open by more of it, either way, is no good number."""
FEW_ANGLES = "Few angles of one track were met: the time to media lies anywhere between two of them."
WITH, WITHOUT = "with_mtm", "without_mtm"


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
    several_arms = _several_arms(one_way, facts)
    curve = None if several_arms else fit_curve(one_way)
    baseline = _baseline(groups["baseline"])
    random = samples.only("random")
    pairs = _random_mean(random, turn_ms, blocks)
    many = pairs is not None and pairs.count >= MANY_RANDOM
    found = average_of(one_way, random if many else None, turn_ms, blocks)
    numbers: dict[Metric, Number | str] = {
        metric.MINIMUM: minimum_of(both_ways, track),
        metric.AVERAGE: _average(one_way, found, pairs),
        metric.FULL_STROKE: _full_stroke(one_way, blocks),
    }
    if several_arms:
        numbers |= {metric.AVERAGE: several_arms, metric.FULL_STROKE: several_arms}
    doubt = _cached(samples, facts) or _doubt(one_way, found, pairs)
    if doubt:
        numbers = {what: _doubted(number, doubt) for what, number in numbers.items()}
        baseline = _doubted(baseline, doubt)
    measurements = [m for what, number in numbers.items() for m in _both(what, number, baseline)]
    measurements.append(_measurement(metric.BASELINE, "", baseline))
    return Extraction(tuple(measurements), _details(groups, curve, random, turn_ms))


def _several_arms(one_way: list[Group], facts: Facts) -> str:
    """Why distances between blocks are not those of one arm; nothing where they are."""
    if facts.arms > 1:
        return ARMS_TOLD.format(arms=facts.arms)
    return SEVERAL_ARMS if contradicts_one_arm(one_way) else ""


def _cached(samples: Samples, facts: Facts) -> str:
    """Why writes were not answered from where they went; nothing where they were."""
    if "write" not in samples.variant:
        return ""
    return CACHED if facts.write_cache else MEDIA_CACHE if facts.shingled else ""


def _full_stroke(groups: list[Group], capacity_blocks: float) -> Number | str:
    seen = [group for group in groups if group.covered and group.distance > 0]
    if not seen:
        return why_none(groups)
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
        found = Number(last.best_ms, last.low_ms, last.high_ms + rise, last.count, Quality.GOOD)
        open_ms = max(found.value - found.low, found.high - found.value)
        return replace(found, quality=Quality.FAIR, reason=FEW_FAR) if open_ms > WIDE * found.low else found
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
            low, high = min(value - error, pairs.low), max(value + error, pairs.high)
            both = (value + pairs.value) / 2
            return Number(both, low, high, count + pairs.count, Quality.FAIR, TWO_WAYS)
        return Number(value, value - error, value + error, count + pairs.count, Quality.GOOD)
    if groups and not seen:
        return why_none(groups)
    if pairs is not None:
        return pairs
    if not seen:
        return why_none(groups)
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
    """What accesses of one track need. All need the same: the latest angle that any of them missed and the
    shortest latency of all lie nearest."""
    if not groups:
        return "No baseline without seek was measured."
    covered = [group for group in groups if group.covered]
    if not covered:
        return "The baseline's latencies do not rise with the distance over a full turn: a cache may answer."
    clean = [group for group in covered if group.track_high_ms < math.inf]
    count = sum(group.count for group in clean or covered)
    high = min((group.track_high_ms for group in clean), default=math.inf)
    missed = sorted((one for group in clean for one in group.track_missed_ms if one < high), reverse=True)
    low = missed[0] if missed else 0.0
    if low <= 0:
        best = min(covered, key=lambda group: group.best_ms)
        return Number(best.best_ms, 0.0, best.high_ms, count, Quality.POOR, CUT_SHORT)
    value = (low + high) / 2
    if len(clean) < min(2, len(groups)):
        return Number(
            value, low, high, count, Quality.FAIR, "One baseline alone is not cut short by a track's end."
        )
    if covered[0].variant == "read":
        return Number(value, 0.0, high, count, Quality.FAIR, READ_AHEAD)
    if high - low > 2 * WIDE * low:
        return Number(value, low, high, count, Quality.FAIR, FEW_ANGLES)
    return Number(value, low, high, count, Quality.GOOD)


def _both(what: Metric, number: Number | str, baseline: Number | str) -> list[Measurement]:
    found = [_measurement(what, WITH, number)]
    if isinstance(number, str):
        return [*found, _measurement(what, WITHOUT, number)]
    if isinstance(baseline, str):
        return [*found, _measurement(what, WITHOUT, baseline)]
    value = number.value - baseline.value
    # What a seek may be less or more, with what the baseline may be more or less: bounds add up.
    less = number.value - number.low + baseline.high - baseline.value
    more = number.high - number.value + baseline.value - baseline.low
    if value <= 0:
        return [*found, _measurement(what, WITHOUT, "The seek is not told from the baseline.")]
    quality, reason = _worse(number, baseline)
    if max(less, more) > WIDE * value and quality is Quality.GOOD:
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
