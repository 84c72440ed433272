"""Percentiles of single sizes, and the bandwidth of the longest writes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from server.benchmarks.contract import Measurement, Metric, Quality
from server.benchmarks.sync_write.definitions import MEDIAN, P99, STEADY
from server.benchmarks.sync_write.sizes import Size, near_median

LEVEL = 0.95
SHOWN = {"4KiB": 4096, "64KiB": 65536, "1MiB": 1 << 20}
FEWEST = {MEDIAN.key: 10, P99.key: 100}
LONG_TURNS = 20.0
"""From so many turns on, what a request costs by itself is small against its data."""
SHORT_TURNS = 5.0
LONG_WITHOUT_TURN_MS = 150.0


def percentiles(state: str, sizes: Sequence[Size]) -> list[Measurement]:
    """Median and 99th percentile of three sizes that were measured in this state."""
    by_size = {one.bytes: one for one in sizes}
    found = []
    for words, size in SHOWN.items():
        for what, share in ((MEDIAN, 0.5), (P99, 0.99)):
            found.append(_percentile(what, share, f"{state}/{words}", by_size.get(size)))
    return found


def _percentile(what: Metric, share: float, scope: str, size: Size | None) -> Measurement:
    if size is None:
        return _none(what, scope, "Writes of this size were not measured.")
    fewest = FEWEST[what.key]
    if size.count < fewest:
        return _none(what, scope, f"{size.count} writes are too few; at least {fewest} are needed.")
    ordered = np.sort(size.latency_ms)
    last = size.count - 1
    value = float(np.quantile(ordered, share))
    low, high = (
        float(ordered[int(np.clip(stats.binom.ppf(tail, size.count, share), 0, last))])
        for tail in ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    )
    return Measurement(what.key, scope, value, min(low, value), max(high, value), size.count, Quality.GOOD)


def steady(state: str, sizes: Sequence[Size], turn_ms: float | None) -> Measurement:
    """Bandwidth of the largest size, without the first half of its writes, which may fill a cache."""
    largest = sizes[-1]
    if largest.count < 2:
        return _none(STEADY, state, "A single write of the largest size: nothing says that a cache is full.")
    latency = near_median(largest.latency_ms[largest.count // 2 :], turn_ms)
    mean = float(latency.mean())
    rate = largest.bytes / mean / 1e3
    error = 0.0
    if len(latency) > 1:
        quantile = float(stats.t.ppf((1 + LEVEL) / 2, len(latency) - 1))
        error = rate * quantile * float(latency.std(ddof=1)) / len(latency) ** 0.5 / mean
    turns = mean / turn_ms if turn_ms is not None else mean / LONG_WITHOUT_TURN_MS * LONG_TURNS
    quality, reason = Quality.GOOD, ""
    if turns < SHORT_TURNS:
        quality, reason = (
            Quality.POOR,
            "The longest writes are so short that what a request costs is in the number.",
        )
    elif turns < LONG_TURNS:
        quality, reason = (
            Quality.FAIR,
            "The longest writes take few turns: what a request costs lowers the number.",
        )
    elif len(latency) < 4:
        quality, reason = Quality.FAIR, f"Only {len(latency)} long writes count."
    return Measurement(
        STEADY.key, state, rate, max(rate - error, 0.0), rate + error, len(latency), quality, reason
    )


def _none(what: Metric, scope: str, reason: str) -> Measurement:
    return Measurement(what.key, scope, None, None, None, 0, Quality.NONE, reason)
