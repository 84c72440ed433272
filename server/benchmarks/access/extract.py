"""ACCESS's samples to measurements: HD Tune's and HD Tach's numbers by their own definitions (Maxtor 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from server.benchmarks.access import definitions as metric
from server.benchmarks.access.rates import Columns, FloatArray, columns_of, delays_of, scatter_of
from server.benchmarks.contract import Extraction, Facts, Measurement, Metric, Quality
from server.benchmarks.heads import of_one_head
from server.benchmarks.interface import held_rate, is_held, of_interface
from server.core.robust import median, t_quantile

# ---- Numbers that another tool printed without its samples: carried as they stand, and always called poor.

BINARY_MB = 1.048576
"""MB of 2^20 bytes, in MB of 10^6."""
FIELDS: Mapping[str, Metric] = {
    "access_time_ms": metric.ACCESS,
    "transfer_average_mb_per_s": metric.AVERAGE,
    "transfer_minimum_mb_per_s": metric.MINIMUM,
    "transfer_maximum_mb_per_s": metric.MAXIMUM,
    "burst_rate_mb_per_s": metric.BURST,
    "cpu_usage_percent": metric.CPU,
}
PRINTED = "As another tool printed it, without its samples: nothing says how far it may be trusted."
WHICH_MB = (
    "It does not say whether its MB is 10^6 or 2^20 bytes: the interval reaches from the one to the other."
)
ABSENT = "The output that was imported does not have it."


def printed_of(entry: Mapping[str, Any]) -> tuple[Measurement, ...] | None:
    """Return the numbers of an entry that only states them; None for one that holds samples.

    The interval is what the printed digits, and the unit, leave open.
    """
    stated = [one["stated"] for one in entry["samples"]["series"] if "stated" in one]
    if not stated:
        return None
    found = {
        what.key: _measurement(what, name, stated[0][name])
        for name, what in FIELDS.items()
        if name in stated[0]
    }
    return tuple(
        found.get(what.key) or Measurement(what.key, "", None, None, None, 0, Quality.NONE, ABSENT)
        for what in metric.METRICS
        if what is not metric.RATE_AT
    )


def _measurement(what: Metric, name: str, printed: str) -> Measurement:
    value, half = float(printed), 0.5 * 10.0 ** -len(printed.partition(".")[2])
    is_rate = name.endswith("_mb_per_s")
    high = (value + half) * (BINARY_MB if is_rate else 1.0)
    reason = f"{PRINTED} {WHICH_MB}" if is_rate else PRINTED
    return Measurement(what.key, "", value, max(value - half, 0.0), high, 1, Quality.POOR, reason)


LEVEL = 0.95
Z95 = 1.96
SINGLE = 2.5
"""Deviations that a single rate may be off: delays come in longer tails than chance of the normal law."""
STRETCH = 0.003
"""A stretch may hold one boundary of tracks more or less than others do."""
SHORTEST_HALF_TURN_NS = 2e6
"""Of a disk of 15,000 turns a minute: what takes longer may have come from the medium."""
FEWEST_RANDOM = 10
MANY_RANDOM = 300
STALLED = 10.0
"""No seek and turn take so many times the median: a drive that was busy with its own writes does."""
STALLS = 0.02
"""Of more of them the drive was busy all along."""
OPEN, WIDE_OPEN = 0.06, 0.2
"""Shares of a mean that its interval leaves open either way: beyond the first it is fair, beyond the second
poor. A quiet disk's reads leave a twentieth or less."""
FEWEST_RATES = 9
MANY_RATES = 17
RESTLESS = 0.05
NEAR = 0.5
"""A rate belongs to a position if it begins within half a per cent of it."""
STANDS_ALONE = 0.08
"""A place that is slower than both neighbours by more is not slower for its zone."""
BUFFERED = 3.0
"""As the probe: what takes less than so many times the answer of one block came from the buffer."""


def extract(entry: Mapping[str, Any], facts: Facts) -> Extraction:
    """Never raises on data that fits the schema: what the samples do not carry gets a reason instead."""
    if (printed := printed_of(entry)) is not None:
        return Extraction(printed)
    spread, positions = columns_of(entry, "spread"), columns_of(entry, "positions")
    scatter, delays = scatter_of(spread.mb_per_s(facts)), delays_of(spread.mb_per_s(facts))
    burst = columns_of(entry, "burst")
    held = held_rate(spread.share(facts) / 100, spread.mb_per_s(facts))
    rates = (
        *_transfer(spread.mb_per_s(facts), scatter),
        *_positions(positions, spread, scatter, delays, facts),
    )
    measurements = (
        _access_time(columns_of(entry, "random")),
        *(of_one_head(_of_interface(one, held), facts) for one in rates),
        _burst(burst, facts),
        _cpu(entry, facts),
        _buffer(columns_of(entry, "buffer"), burst, entry["params"], facts),
    )
    details = {"scatter_mb_per_s": scatter, "spread": len(spread), "positions": len(positions)}
    return Extraction(measurements, details)


def _of_interface(found: Measurement, held: float | None) -> Measurement:
    """A rate as poor where it may be the interface's: of the slowest place alone that depends on its rate."""
    place = {metric.RATE_AT.key: found.scope, metric.MINIMUM.key: "100"}.get(found.metric, "0")
    rate = found.value or 0.0
    return of_interface(found) if is_held(held, float(place) / 100, rate) else found


def _access_time(random: Columns) -> Measurement:
    """The mean of the reads that the drive served at once: in the others it wrote out what it still held."""
    count = len(random)
    if count < FEWEST_RANDOM:
        return _none(metric.ACCESS, f"{count} random reads do not carry a mean; it needs {FEWEST_RANDOM}.")
    times = random.elapsed_ns / 1e6
    times = times[times <= STALLED * np.median(times)]
    stalled, count = count - len(times), len(times)
    mean = float(times.mean())
    reach = t_quantile((1 + LEVEL) / 2, count - 1) * _error_of_mean(times)
    quality, reason = Quality.GOOD, ""
    if count < MANY_RANDOM:
        quality, reason = Quality.FAIR, f"From {count} reads."
    if stalled > STALLS * count:
        quality, reason = Quality.FAIR, f"In {stalled} reads more the drive did something else first."
    if reach > OPEN * mean:
        quality = Quality.FAIR if reach <= WIDE_OPEN * mean else Quality.POOR
        reason = f"{count} reads leave the mean open by {reach / mean:.0%} either way."
    return Measurement(metric.ACCESS.key, "", mean, mean - reach, mean + reach, count, quality, reason)


def _error_of_mean(times: FloatArray) -> float:
    """Standard error of the mean of reads of which each begins where the one before ended: two seeks that
    share a place are alike, and others are not. What neighbours have in common is never negative."""
    off, count = times - times.mean(), len(times)
    common = max(float(off[1:] @ off[:-1]), 0.0)
    return float(((off @ off + 2 * common) / (count - 1) / count) ** 0.5)


def _transfer(rates: FloatArray, scatter: float) -> list[Measurement]:
    count = len(rates)
    if count < FEWEST_RATES:
        why = f"{count} rates are too few to stand for the disk; it needs {FEWEST_RATES}."
        return [_none(what, why) for what in (metric.AVERAGE, metric.MINIMUM, metric.MAXIMUM)]
    quality, reason = _judge(float(rates.mean()), scatter)
    if quality is Quality.GOOD and count < MANY_RATES:
        quality, reason = Quality.FAIR, f"From {count} places."
    found = []
    for what, value, error in (
        (metric.AVERAGE, float(rates.mean()), Z95 * scatter / count**0.5),
        (metric.MINIMUM, float(rates.min()), Z95 * scatter),
        (metric.MAXIMUM, float(rates.max()), Z95 * scatter),
    ):
        low, judged = max(value - error, 0.0), (quality, reason)
        if what is metric.MINIMUM and (alone := _stands_alone(rates)) and quality is Quality.GOOD:
            judged = (
                Quality.FAIR,
                f"One place is {alone:.0%} slower than its neighbours: a disturbance or a bad spot.",
            )
        found.append(Measurement(what.key, "", value, low, value + error, count, *judged))
    return found


def _stands_alone(rates: FloatArray) -> float:
    """How far the slowest place lies below the slower of its neighbours; 0 for less than zones differ by."""
    slowest = int(rates.argmin())
    beside = [float(rates[k]) for k in (slowest - 1, slowest + 1) if 0 <= k < len(rates)]
    share = 1 - float(rates[slowest]) / min(beside)
    return share if share > STANDS_ALONE else 0.0


def _judge(rate: float, scatter: float) -> tuple[Quality, str]:
    if scatter > 4 * RESTLESS * rate:
        return (
            Quality.POOR,
            f"Neighbouring rates differ by {scatter / rate:.0%}: something else used the disk.",
        )
    if scatter > RESTLESS * rate:
        return (
            Quality.FAIR,
            f"Neighbouring rates differ by {scatter / rate:.1%}, more than those of a quiet disk.",
        )
    return Quality.GOOD, ""


def _positions(
    positions: Columns, spread: Columns, scatter: float, delays: float, facts: Facts
) -> list[Measurement]:
    earlier, spread_ends = spread.mb_per_s(facts), spread.offset_blocks + spread.length_blocks
    rates, ends = positions.mb_per_s(facts), positions.offset_blocks + positions.length_blocks
    shares = positions.share(facts)
    # The last position is the end of the disk, and the stretch that stands for it ends there.
    last = 100 * ends * facts.block_bytes / max(facts.capacity_bytes, 1)
    found = []
    for name in metric.POSITIONS:
        distance = np.abs((last if name == "100" else shares) - float(name))
        near = int(np.argmin(distance)) if len(distance) else -1
        if near < 0 or distance[near] > NEAR:
            why = "This position was not measured: the run ended before it, or the medium failed there."
            found.append(_none(metric.RATE_AT, why, name))
            continue
        value = float(rates[near])
        error = float(np.hypot(SINGLE * scatter, STRETCH * value))
        quality, reason = _judge(value, scatter)
        if quality is Quality.GOOD:
            quality, reason = Quality.FAIR, "A single sample."
        # A delay only ever slows a stretch down.
        low, high = max(value - error, 0.0), value + error + SINGLE * delays
        # What was read of the same stretch before may still have been in the buffer.
        again = earlier[(spread.offset_blocks < ends[near]) & (spread_ends > positions.offset_blocks[near])]
        low = min([low, *(max(float(rate) - error, 0.0) for rate in again)])
        found.append(Measurement(metric.RATE_AT.key, name, value, low, high, 1, quality, reason))
    return found


def _burst(burst: Columns, facts: Facts) -> Measurement:
    single = _single_block_ns(burst)
    if single is None:
        return _none(metric.BURST, "No block was read again.")
    if single >= SHORTEST_HALF_TURN_NS:
        return _none(
            metric.BURST,
            f"A block that was just read takes {single / 1e6:.1f} ms again: it comes from the medium, not "
            "from a buffer.",
        )
    best: tuple[float, float, float, int] | None = None
    for length in np.unique(burst.length_blocks[burst.length_blocks > 1]):
        times = np.sort(burst.elapsed_ns[burst.length_blocks == length])
        count = len(times)
        reach = Z95 * (count * 0.25) ** 0.5
        low, high = (int(np.clip(round((count - 1) / 2 + side * reach), 0, count - 1)) for side in (-1, 1))
        # MB/s: bytes in a nanosecond are thousands of them.
        size = float(length) * facts.block_bytes * 1e3
        rate = size / median(times)
        if best is None or rate > best[0]:
            best = (rate, size / float(times[high]), size / float(times[low]), count)
    if best is None:
        return _none(metric.BURST, "Only single blocks were read again; a rate needs longer requests.")
    value, low_rate, high_rate, count = best
    quality, reason = (Quality.GOOD, "") if count >= 50 else (Quality.FAIR, f"From {count} reads.")
    low_rate, high_rate = min(low_rate, value), max(high_rate, value)
    return Measurement(metric.BURST.key, "", value, low_rate, high_rate, count, quality, reason)


def _single_block_ns(burst: Columns) -> float | None:
    singles = burst.elapsed_ns[burst.length_blocks == 1]
    return median(singles) if len(singles) else None


def _cpu(entry: Mapping[str, Any], facts: Facts) -> Measurement:
    spent = [
        one["processors"]
        for one in entry["samples"]["series"]
        if one["pattern"] == "spread" and one["processors"] is not None
    ]
    if not spent:
        why = (
            "A simulated drive's time is not the processors'."
            if facts.simulated
            else "The machine did not tell what its processors did."
        )
        return _none(metric.CPU, why)
    busy = float(sum(one["user_ns"] + one["system_ns"] for one in spent))
    total = busy + sum(one["idle_ns"] + one["iowait_ns"] for one in spent)
    ticks = int(total / 1e7)
    if ticks < 20:
        return _none(
            metric.CPU, "Shorter than 20 ticks of the machine's processor clock: the share says nothing."
        )
    share, error = 100 * busy / total, 100 / ticks
    reason = "All programs of the machine and all of its processors count; HD Tune knew one."
    low, high = max(share - error, 0.0), min(share + error, 100.0)
    return Measurement(metric.CPU.key, "", share, low, high, ticks, Quality.FAIR, reason)


def _buffer(buffer: Columns, burst: Columns, params: Mapping[str, Any], facts: Facts) -> Measurement:
    single = _single_block_ns(burst)
    if single is None or single >= SHORTEST_HALF_TURN_NS:
        return _none(metric.BUFFER, "Nothing that was just read comes back from a buffer.")
    # Requests that are answered from memory and requests that wait for the medium must be told apart.
    limit = min(single * BUFFERED, SHORTEST_HALF_TURN_NS)
    lengths = np.unique(buffer.length_blocks)
    held = {float(length): _held(buffer, length, limit) for length in lengths}
    kept = [length for length, there in held.items() if there]
    if not kept:
        return _none(metric.BUFFER, "No stretch that was read was still in the buffer at its end.")
    longest = max(kept)
    beyond = [length for length, there in held.items() if not there and length > longest]
    kib = facts.block_bytes / 1024
    count = len(buffer)
    if not beyond:
        why = f"At least {longest * kib:.0f} KiB: the longest stretch that was tried was still there."
        return _none(metric.BUFFER, why)
    low, high = longest * kib, min(beyond) * kib
    gone = [length for length, there in held.items() if not there and length < longest]
    if gone:
        surely = max((length for length in kept if length < min(gone)), default=0.0) * kib
        reason = "Shorter stretches were gone while longer ones were there: not simply the last is held."
        return Measurement(metric.BUFFER.key, "", surely, surely, high, count, Quality.POOR, reason)
    reason = f"Between {low:.0f} and {high:.0f} KiB for one stream; the drive's memory may hold several."
    return Measurement(metric.BUFFER.key, "", low, low, high, count, Quality.FAIR, reason)


def _held(buffer: Columns, length: float, limit_ns: float) -> bool:
    again = buffer.elapsed_ns[buffer.length_blocks == length]
    return bool((again < limit_ns).sum() * 2 > len(again))


def _none(what: Metric, reason: str, scope: str = "") -> Measurement:
    return Measurement(what.key, scope, None, None, None, 0, Quality.NONE, reason)
