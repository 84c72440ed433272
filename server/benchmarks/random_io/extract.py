"""RANDOM_IO's samples to measurements (Platinum; queue depths: OLP)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from server.benchmarks.contract import Extraction, Facts, Measurement, Metric, Quality
from server.benchmarks.media_cache import of_media_cache
from server.benchmarks.random_io import definitions as metric
from server.benchmarks.random_io.combinations import (
    Z95,
    Combination,
    Latencies,
    LatencySummary,
    combinations_of,
)

USUAL = 4096
ITERATIONS = 10_000
FEWEST_FOR_P99 = 500
FEWEST_FOR_SPREAD = 30
ORDER = (Quality.GOOD, Quality.FAIR, Quality.POOR)


def extract(entry: Mapping[str, Any], facts: Facts) -> Extraction:
    """Never raises on data that fits the schema: what the samples do not carry gets a reason instead."""
    found: dict[str, Combination] = {}
    for one in combinations_of(entry, facts):
        found.setdefault(one.scope, one)
    measurements = [_alone(found.values()), _most(found.values())]
    for average in _averages(found.values()):
        measurements.append(average if average.scope == "read" else of_media_cache(average, facts))
    for one in found.values():
        numbers = _numbers(one, found)
        measurements += numbers if one.variant == "read" else [of_media_cache(row, facts) for row in numbers]
    measurements += _processors(entry, facts)
    return Extraction(tuple(measurements), {"combinations": [_detail(one) for one in found.values()]})


def _numbers(one: Combination, found: Mapping[str, Combination]) -> list[Measurement]:
    measurements = _rates(one)
    for operation, latencies in one.latencies.items():
        scope = f"{one.scope}/{operation}" if one.variant == "mixed" else one.scope
        measurements += _latencies(scope, one, latencies)
    measurements.append(_rate_variation(one))
    if one.concurrency > 1:
        measurements.append(_scaling(one, found))
    return measurements


def _averages(found: Iterable[Combination]) -> list[Measurement]:
    """The mean over the combinations of processes of each sort of request (Platinum, Figures 5, 8 and 11)."""
    by_variant: dict[str, list[Combination]] = {}
    for one in found:
        if one.pattern == "processes":
            by_variant.setdefault(one.variant, []).append(one)
    averages = []
    for variant, combinations in by_variant.items():
        count = len(combinations)
        value = sum(one.rate for one in combinations) / count
        reach = sum((one.rate * one.error) ** 2 for one in combinations) ** 0.5 / count
        quality, reason = max(
            (one.judge() for one in combinations), key=lambda judged: ORDER.index(judged[0])
        )
        bounds = max(value - reach, 0.0), value + reach
        averages.append(Measurement(metric.AVERAGE.key, variant, value, *bounds, count, quality, reason))
    return averages


def _rates(one: Combination) -> list[Measurement]:
    quality, reason = one.judge()
    whole = one.judge_all()
    megabytes = one.size / 1e6

    def rate(what: Metric, factor: float) -> Measurement:
        value = one.rate * factor
        spread = value * one.error
        return Measurement(
            what.key,
            one.scope,
            value,
            max(value - spread, 0.0),
            value + spread,
            one.requests,
            quality,
            reason,
        )

    return [rate(metric.IOPS, 1.0), _elapsed(one, *whole), rate(metric.RATE, megabytes)]


def _elapsed(one: Combination, quality: Quality, reason: str) -> Measurement:
    every = one.requests + one.failed
    value = one.elapsed_s * ITERATIONS / every
    if every < ITERATIONS:
        reason = f"{reason} Scaled from {every} requests.".strip()
        quality = max(quality, Quality.FAIR, key=ORDER.index)
    spread = value * one.error
    low, high = max(value - spread, 0.0), value + spread
    return Measurement(metric.ELAPSED.key, one.scope, value, low, high, one.requests, quality, reason)


def _latencies(scope: str, one: Combination, latencies: Latencies | LatencySummary) -> list[Measurement]:
    count = latencies.count
    quality, reason = one.judge_all()
    median, p99 = latencies.quantile(0.5), latencies.quantile(0.99)
    if median is None:
        return [_none(metric.MEDIAN, scope, "The output that was imported does not state it.")]
    value, low, high = median
    found = [Measurement(metric.MEDIAN.key, scope, value, low, high, count, quality, reason)]
    if count >= FEWEST_FOR_P99 and p99 is not None:
        found.append(Measurement(metric.P99.key, scope, *p99, count, quality, reason))
    else:
        why = f"{count} requests; the 99th percentile needs {FEWEST_FOR_P99}, so that five lie beyond it."
        found.append(
            _none(metric.P99, scope, why if p99 else "The output that was imported does not state it.")
        )
    if count < FEWEST_FOR_SPREAD or latencies.mean <= 0 or value <= 0:
        why = f"{count} requests do not carry a spread; it needs {FEWEST_FOR_SPREAD}."
        return [*found, _none(metric.VARIATION, scope, why), _none(metric.WORST, scope, why)]
    variation = latencies.deviation / latencies.mean
    reach = Z95 * variation * ((0.5 + variation**2) / count) ** 0.5
    bounds = max(variation - reach, 0.0), variation + reach
    worst = latencies.maximum / value
    around = latencies.maximum / high, latencies.maximum / low if low > 0 else worst
    grows = f"The worst of {count} requests; more of them find worse ones."
    fair = max(quality, Quality.FAIR, key=ORDER.index)
    return [
        *found,
        Measurement(metric.VARIATION.key, scope, variation, *bounds, count, quality, reason),
        Measurement(metric.WORST.key, scope, worst, *around, count, fair, f"{reason} {grows}".strip()),
    ]


def _rate_variation(one: Combination) -> Measurement:
    count = len(one.slices)
    if count < 5:
        return _none(metric.RATE_VARIATION, one.scope, f"{count} slices of time do not carry a spread.")
    variation = float(one.slices.std(ddof=1) / one.slices.mean())
    reach = Z95 * variation / (2 * (count - 1)) ** 0.5
    bounds = max(variation - reach, 0.0), variation + reach
    reason = f"From {count} slices of time."
    return Measurement(metric.RATE_VARIATION.key, one.scope, variation, *bounds, count, Quality.FAIR, reason)


def _scaling(one: Combination, found: Mapping[str, Combination]) -> Measurement:
    alone = found.get(f"{one.variant}/{one.size}/{one.letter}1")
    if alone is None:
        return _none(metric.SCALING, one.scope, "The same was not measured with one request under way.")
    ratio = one.rate / alone.rate
    spread = ratio * float(np.hypot(one.error, alone.error))
    quality, reason = max((one.judge(), alone.judge()), key=lambda judged: ORDER.index(judged[0]))
    low, high = max(ratio - spread, 0.0), ratio + spread
    count = one.requests + alone.requests
    return Measurement(metric.SCALING.key, one.scope, ratio, low, high, count, quality, reason)


def _usual(combinations: Iterable[Combination]) -> list[Combination]:
    """Reads of 4 KiB, or of the block where that is larger."""
    reads = [one for one in combinations if one.variant == "read" and one.size >= USUAL]
    smallest = min((one.size for one in reads), default=0)
    return [one for one in reads if one.size == smallest]


def _alone(combinations: Iterable[Combination]) -> Measurement:
    alone = [one for one in _usual(combinations) if one.concurrency == 1]
    return _headline(metric.ALONE, alone[:1], "Reads of 4 KiB with one request under way were not measured.")


def _most(combinations: Iterable[Combination]) -> Measurement:
    many = [one for one in _usual(combinations) if one.concurrency > 1]
    most = sorted(many, key=lambda one: one.concurrency)[-1:]
    return _headline(metric.MOST, most, "Reads of 4 KiB with several requests under way were not measured.")


def _headline(what: Metric, chosen: list[Combination], otherwise: str) -> Measurement:
    if not chosen:
        return _none(what, "", otherwise)
    (one,) = chosen
    spread = one.rate * one.error
    quality, reason = one.judge()
    under_way = "" if what is metric.ALONE else f"{one.concurrency} requests under way. "
    low, high = max(one.rate - spread, 0.0), one.rate + spread
    return Measurement(
        what.key, "", one.rate, low, high, one.requests, quality, f"{under_way}{reason}".strip()
    )


def _processors(entry: Mapping[str, Any], facts: Facts) -> list[Measurement]:
    """Shares over all sizes of a mode and a number of processes or requests in the queue."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for series in entry["samples"]["series"]:
        letter = "p" if series["pattern"] == "processes" else "q"
        if series["processors"] is not None:
            scope = f"{series['variant']}/{letter}{series['concurrency']}"
            groups.setdefault(scope, []).append(series["processors"])
    if not groups:
        why = (
            "A simulated drive's time is not the processors'."
            if facts.simulated
            else "The machine did not tell what its processors did."
        )
        return [_none(what, "", why) for what in metric.CPU.values()]
    return [one for scope, spent in groups.items() for one in _shares(scope, spent)]


def _shares(scope: str, spent: list[Mapping[str, Any]]) -> list[Measurement]:
    sums = {name: float(sum(one[name] for one in spent)) for name in metric.CPU}
    total = sum(sums.values())
    ticks = int(total / 1e7)
    if ticks < 20:
        why = "Shorter than 20 ticks of the machine's processor clock: the shares say nothing."
        return [_none(what, scope, why) for what in metric.CPU.values()]
    reason = "All programs of the machine count, and a processor that waits for a disk may count as idle."
    found = []
    for name, what in metric.CPU.items():
        share = 100 * sums[name] / total
        # A counter moves by whole ticks: one at either end of each combination.
        error = 100 * len(spent) / ticks
        low, high = max(share - error, 0.0), min(share + error, 100.0)
        found.append(Measurement(what.key, scope, share, low, high, ticks, Quality.FAIR, reason))
    return found


def _detail(one: Combination) -> dict[str, Any]:
    return {
        "scope": one.scope,
        "variant": one.variant,
        "pattern": one.pattern,
        "concurrency": one.concurrency,
        "size": one.size,
        "rate": one.rate,
    }


def _none(what: Metric, scope: str, reason: str) -> Measurement:
    return Measurement(what.key, scope, None, None, None, 0, Quality.NONE, reason)
