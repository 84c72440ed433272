"""Transfers by size and position to measurements (Eridano 3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from server.benchmarks.bandwidth import definitions as metric
from server.benchmarks.bandwidth.surface import Law, Samples, law_of, samples_of
from server.benchmarks.contract import Extraction, Facts, Measurement, Metric, Quality
from server.benchmarks.interface import held_rate, is_held, of_interface
from server.benchmarks.media_cache import of_media_cache
from server.core.robust import chi2_quantile

DIRECTIONS = ("read", "write")
Z95 = 1.96
LAWFUL = 0.15
"""Median misfit, as a part of a transfer's time, up to which the law describes the samples."""
CACHED = "The write cache was on: what a write shows is how fast the buffer takes it, not the medium."
UNKNOWN_CACHE = (
    "Whether the write cache was on is not told, and the times do not show that the medium was waited for."
)
UNKNOWN_SCATTER_NS = 4e6
"""Of a transfer's time where no law tells it: about what the wait for the first block varies by."""
REFERENCE_BYTES = 1 << 30
"""The longest transfer of the document, whose bandwidth it calls the peak."""
LONG_ENOUGH = 20.0
"""A transfer so many times as long as its wait tells a rate within a few per cent by itself."""
ROUGH = 0.015
"""Relative deviation between places above which one transfer at each end does not stand for the device."""
NEAR_THE_RATE = 0.97
"""A longest transfer that is slower than this part of the medium's rate has not come to the peak."""


@dataclass(frozen=True, slots=True)
class Side:
    """One direction with what is known of it."""

    name: str
    samples: Samples
    law: Law | None
    buffered: str
    """Why its times are a buffer's; empty where they are the medium's."""
    of_interface: frozenset[int]
    """Positions whose rate may be the interface's and not the medium's."""


def extract(entry: Mapping[str, Any], facts: Facts) -> Extraction:
    """Never raises on data that fits the schema: what the samples do not carry gets a reason instead."""
    positions = int(entry["params"]["positions"])
    sides = [side for name in DIRECTIONS if (side := _side(entry, name, facts)) is not None]
    found: list[Measurement] = []
    for side in sides:
        whole = [*_peak_and_sizes(side), _ratio(side)]
        if side.of_interface:
            # What a transfer takes beside its bytes does not depend on their rate.
            whole = [one if one.metric == metric.OVERHEAD.key else of_interface(one) for one in whole]
        of_side = [*whole, *_cells(side, positions)]
        found += [of_media_cache(one, facts) for one in of_side] if side.name == "write" else of_side
    if not sides:
        reason = "No transfer took a measurable time."
        found = [_none(one, "", reason, 0) for one in metric.METRICS]
    return Extraction(tuple(found), {side.name: _detail(side) for side in sides} | {"positions": positions})


def _side(entry: Mapping[str, Any], name: str, facts: Facts) -> Side | None:
    samples = samples_of(entry, name)
    if samples is None:
        return None
    law = law_of(samples)
    of_interfaces = _of_interface(law, int(entry["params"]["positions"]))
    return Side(name, samples, law, _buffered(entry, name, law, facts), of_interfaces)


def _of_interface(law: Law | None, positions: int) -> frozenset[int]:
    if law is None:
        return frozenset()
    places = sorted(law.rate)
    held = held_rate(np.array(places) / positions, np.array([law.rate[place] for place in places]))
    return frozenset(place for place in places if is_held(held, place / positions, law.rate[place]))


def _buffered(entry: Mapping[str, Any], name: str, law: Law | None, facts: Facts) -> str:
    if name != "write":
        return ""
    cache = entry["params"]["write_cache"]
    cache = facts.write_cache if cache is None else cache
    if cache:
        return CACHED
    waited = law is not None and law.misfit <= LAWFUL and law.fixed_ns > 3 * law.fixed_error_ns > 0
    return UNKNOWN_CACHE if cache is None and not waited else ""


def _none(what: Metric, scope: str, reason: str, count: int) -> Measurement:
    return Measurement(what.key, scope, None, None, None, count, Quality.NONE, reason)


def _peak_and_sizes(side: Side) -> list[Measurement]:
    peak = _peak(side)
    count = len(side.samples)
    if side.law is None:
        reason = "Too few sizes were measured to tell the fixed time of a transfer from its rate."
        return [peak, *(_none(one, side.name, reason, count) for one in _OF_THE_LAW)]
    law = side.law
    if side.buffered or law.misfit > LAWFUL or law.fixed_ns <= 2 * law.fixed_error_ns:
        reason = side.buffered or (
            "The times are not a fixed time and the bytes at one rate: buffers, retries or other load "
            "shaped them."
        )
        return [peak, *(_none(one, side.name, reason, count) for one in _OF_THE_LAW)]
    quality, reason = _law_quality(law, count)
    fixed = law.fixed_ns / 1e6
    fixed_error = Z95 * law.fixed_error_ns / 1e6
    outer = min(law.rate)
    half = law.fixed_ns * law.rate[outer] / 1e9
    half_error = half * float(
        np.hypot(Z95 * law.fixed_error_ns / law.fixed_ns, Z95 * law.rate_error[outer] / law.rate[outer])
    )
    found = [
        peak,
        Measurement(
            metric.HALF_SIZE.key,
            side.name,
            half,
            half - half_error,
            half + half_error,
            count,
            quality,
            reason,
        ),
        Measurement(
            metric.OVERHEAD.key,
            side.name,
            fixed,
            fixed - fixed_error,
            fixed + fixed_error,
            count,
            quality,
            reason,
        ),
    ]
    return [*found, _size_95(side, law, quality, reason)]


_OF_THE_LAW = (metric.SIZE_95, metric.HALF_SIZE, metric.OVERHEAD)


def _law_quality(law: Law, count: int) -> tuple[Quality, str]:
    if law.hits > count // 20:
        return (
            Quality.POOR,
            f"{law.hits} of {count} transfers were far faster than the medium: a buffer answered.",
        )
    if Z95 * law.fixed_error_ns > 0.1 * law.fixed_ns:
        return Quality.FAIR, "Few transfers: the wait for the first block differs from one to the next."
    return Quality.GOOD, ""


def _peak(side: Side) -> Measurement:
    """The fastest pair among the greatest size's."""
    samples = side.samples
    greatest = samples.size_bytes == samples.size_bytes.max()
    positions = np.unique(samples.position[greatest])
    value, error, count = max(_cell(side, greatest & (samples.position == at)) for at in positions)
    quality, reason = Quality.GOOD, ""
    longest = float(samples.size_bytes.max()) / 1e6
    if side.buffered:
        quality, reason = Quality.POOR, side.buffered
    elif side.law is None:
        quality, reason = Quality.POOR, "One size does not tell how near it comes to the medium's rate."
    elif value < NEAR_THE_RATE * max(side.law.rate.values()):
        quality = Quality.POOR
        reason = (
            f"The longest transfer had {longest:.1f} MB, and much of its time went into getting there: "
            "longer ones are faster."
        )
    return Measurement(
        metric.PEAK.key, side.name, value, value - error, value + error, count, quality, reason
    )


def _size_95(side: Side, law: Law, quality: Quality, reason: str) -> Measurement:
    """Against the law's bandwidth of the document's longest transfer, so that every suite means the same."""
    rate, count = law.rate[min(law.rate)], len(side.samples)
    size = _size_for(law.fixed_ns, rate)
    slower = _size_for(law.fixed_ns + Z95 * law.fixed_error_ns, rate) - size
    faster = _size_for(law.fixed_ns, rate + Z95 * law.rate_error[min(law.rate)]) - size
    error = float(np.hypot(slower, faster))
    if size * 1e6 > 2 * side.samples.size_bytes.max():
        quality, reason = Quality.POOR, "The longest transfers were shorter than half of this size."
    return Measurement(
        metric.SIZE_95.key, side.name, size, max(size - error, 0.0), size + error, count, quality, reason
    )


def _size_for(fixed_ns: float, rate: float) -> float:
    """MB of the transfer that has 95 % of the bandwidth of 1 GiB, by the law."""
    per_byte = 1e3 / rate
    target = (fixed_ns / REFERENCE_BYTES + per_byte) / 0.95
    return fixed_ns / (target - per_byte) / 1e6


def _ratio(side: Side) -> Measurement:
    """Of the greatest size's transfers: shorter ones stand elsewhere, perhaps in another zone."""
    samples, law, count = side.samples, side.law, len(side.samples)
    greatest = samples.size_bytes == samples.size_bytes.max()
    positions = np.unique(samples.position[greatest])
    if len(positions) < 2 or side.buffered or law is None:
        why = side.buffered or "Fewer than two positions have a rate."
        return _none(metric.RATIO, side.name, why, count)
    ends = [greatest & (samples.position == position) for position in (positions[0], positions[-1])]
    # The fixed time is the same at both ends: without it, the ratio is that of the medium at any size.
    waits = law.fixed_ns * float(samples.stretches[ends[0]][0])
    (outer, inner), errors, counts = zip(*(_cell_time(side, end) for end in ends), strict=True)
    # One transfer at each end: what its wait differs by from the next one's must not matter.
    if min(outer, inner) <= LONG_ENOUGH * waits:
        return _none(metric.RATIO, side.name, "The longest transfers are too short to tell the rates.", count)
    ratio = (inner - waits) / (outer - waits)
    # And surfaces differ: one transfer may stand on a single one.
    spread = max(law.spread, _roughness(law))
    parts = (errors[0] / (outer - waits), errors[1] / (inner - waits), Z95 * spread, Z95 * spread)
    error = ratio * float(np.sqrt(sum(part**2 for part in parts)))
    quality, reason = (Quality.GOOD, "") if law.misfit <= LAWFUL else (Quality.POOR, "The law fits badly.")
    if quality is Quality.GOOD and spread > ROUGH:
        quality = Quality.FAIR
        reason = f"Places side by side differ by {100 * spread:.0f} % (surfaces, zones); one of them was met."
    return Measurement(
        metric.RATIO.key, side.name, ratio, ratio - error, ratio + error, sum(counts), quality, reason
    )


def _roughness(law: Law) -> float:
    """Relative deviation of the rates from a parabola over the positions; 0 where they are too few."""
    positions = np.asarray(sorted(law.rate), dtype=np.float64)
    if len(positions) < 8:
        return 0.0
    rates = np.asarray([law.rate[int(position)] for position in positions])
    rest = rates / np.polyval(np.polyfit(positions, rates, 2), positions) - 1
    return float(np.sqrt((rest**2).sum() / (len(positions) - 3)))


def _cells(side: Side, positions: int) -> list[Measurement]:
    samples = side.samples
    found, deviations = [], []
    for position in np.unique(samples.position):
        here = samples.position == position
        for size in np.unique(samples.size_bytes[here]):
            cell = here & (samples.size_bytes == size)
            scope = f"{side.name}/{int(size)}/{round(100 * int(position) / positions):02d}"
            value, error, count = _cell(side, cell)
            rate = _rate(side, scope, value, error, count)
            found.append(of_interface(rate) if int(position) in side.of_interface else rate)
            if count > 1:
                deviations.append(_deviation(scope, samples.mb_per_s[cell]))
    if not deviations:
        why = "Each transfer was made once; with --repeats there is a deviation."
        deviations.append(_none(metric.DEVIATION, side.name, why, len(samples)))
    return found + deviations


def _rate(side: Side, scope: str, value: float, error: float, count: int) -> Measurement:
    quality, reason = Quality.GOOD, ""
    if side.buffered:
        quality, reason = Quality.POOR, side.buffered
    elif error > 0.25 * value:
        quality = Quality.POOR
        reason = "A short transfer made too seldom: most of its time is the wait for its first block."
    elif error > 0.05 * value:
        quality, reason = Quality.FAIR, "The wait for the first block is a large part of the time."
    low = max(value - error, 0.0)
    return Measurement(metric.RATE.key, scope, value, low, value + error, count, quality, reason)


Cell = np.ndarray[Any, np.dtype[np.bool_]]


def _cell(side: Side, cell: Cell) -> tuple[float, float, int]:
    """Bytes over the mean time, half the width of its interval, and the count."""
    mean, error, count = _cell_time(side, cell)
    value = float(side.samples.size_bytes[cell][0]) / mean * 1e3
    return value, value * error / mean, count


def _cell_time(side: Side, cell: Cell) -> tuple[float, float, int]:
    """Mean time in ns, half the width of its interval, and the count."""
    samples = side.samples
    count = int(cell.sum())
    times = samples.elapsed_ns[cell]
    mean = float(times.mean())
    around = float(side.law.scatter_ns if side.law is not None else UNKNOWN_SCATTER_NS)
    around *= float(np.sqrt(samples.stretches[cell][0]))
    if count > 2:
        around = max(float(np.std(times, ddof=1)), around / 2)
    # A transfer as a whole is seldom better known than to a part in a thousand.
    return mean, float(np.hypot(Z95 * around / np.sqrt(count), 1e-3 * mean)), count


def _deviation(scope: str, rates: np.ndarray[Any, np.dtype[np.float64]]) -> Measurement:
    count = len(rates)
    value = float(np.std(rates, ddof=1))
    low, high = (value * float(np.sqrt((count - 1) / chi2_quantile(q, count - 1))) for q in (0.975, 0.025))
    quality, reason = (Quality.GOOD, "") if count >= 10 else (Quality.FAIR, f"Only {count} repeats.")
    return Measurement(metric.DEVIATION.key, scope, value, low, high, count, quality, reason)


def _detail(side: Side) -> dict[str, Any]:
    law = side.law
    if law is None:
        return {"law": None, "buffered": side.buffered}
    return {
        "law": {
            "fixed_ms": law.fixed_ns / 1e6,
            "rate_mb_per_s": {str(position): rate for position, rate in law.rate.items()},
            "misfit": law.misfit,
            "hits": law.hits,
        },
        "buffered": side.buffered,
    }
