"""BUFFER's samples to measurements (Eridano 3.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.benchmarks.buffer import definitions as metric
from server.benchmarks.buffer.profile import Profile, answered_in_part, collapse_of, profile_of
from server.benchmarks.contract import Extraction, Facts, Measurement, Metric, Quality

PLATEAU = 0.95
FEWEST_SIZES = 3
TURN_SHARE = 0.5
"""A small request that takes more than this share of a turn did not come from a buffer."""
KIB = 1024.0

NO_SIZES = "Fewer than three request sizes were measured before the run ended."
NO_BUFFER = (
    "Reading the same block again takes {latency:.2f} ms, {share:.2f} turns: no buffer answers, the medium "
    "does. The read cache is off or the device has none."
)
NO_COLLAPSE = (
    "The bandwidth does not collapse up to {size}: the buffer is larger, or the medium is as fast as the "
    "interface."
)
UNPROVEN = (
    "The bandwidth does not collapse up to {size}, so nothing tells the buffer from the medium or from "
    "another cache."
)
IN_PART = (
    "From requests of {size} on the buffer answers only some: what was read is overwritten before it is "
    "asked for again."
)
BETWEEN = "Somewhere between {low} and {high}: nothing was measured between the two sizes."


def extract(entry: Mapping[str, Any], facts: Facts) -> Extraction:
    """Never raises on data that fits the schema: what the samples do not carry gets a reason instead."""
    profile = profile_of(entry, facts.block_bytes)
    if profile is None or len(profile) < FEWEST_SIZES:
        return _nothing(NO_SIZES, profile)
    latency, turn = float(profile.median_ms[0]), turn_ms(entry, facts)
    if turn is not None and latency > TURN_SHARE * turn:
        return _nothing(NO_BUFFER.format(latency=latency, share=latency / turn), profile)
    collapse = collapse_of(profile)
    held = len(profile) if collapse is None else collapse
    peak = int(profile.mb_per_s[:held].argmax())
    first, last = _plateau(profile, peak, held)
    doubt = _doubt(profile, collapse, held)
    measurements = (
        _peak(profile, peak, doubt),
        *_edges(profile, first, last, doubt),
        *_behind(profile, peak, collapse, doubt),
    )
    details = _details(profile) | {
        "peak": peak,
        "plateau": [first, last],
        "collapse": collapse,
        "threshold_bytes": entry["params"]["threshold_bytes"],
    }
    return Extraction(measurements, details)


def turn_ms(entry: Mapping[str, Any], facts: Facts) -> float | None:
    """A turn as the device states its rate, else as the probe estimated it; None where neither is known."""
    if facts.rated_rpm:
        return 60e3 / facts.rated_rpm
    estimate = entry["params"]["rotation_estimate_ns"]
    return None if estimate is None else float(estimate) / 1e6


def size_words(size_bytes: float) -> str:
    """`512 B`, `64 KiB`, `8 MiB`: the sizes are powers of two."""
    for unit, factor in (("MiB", KIB**2), ("KiB", KIB)):
        if size_bytes >= factor:
            return f"{size_bytes / factor:g} {unit}"
    return f"{size_bytes:g} B"


def _plateau(profile: Profile, peak: int, held: int) -> tuple[int, int]:
    """First and last size around the peak that reach 95 % of it."""
    level = PLATEAU * profile.mb_per_s[peak]
    first = last = peak
    while first > 0 and profile.mb_per_s[first - 1] >= level:
        first -= 1
    while last + 1 < held and profile.mb_per_s[last + 1] >= level:
        last += 1
    return first, last


def _doubt(profile: Profile, collapse: int | None, held: int) -> str:
    """Why the numbers may not be the buffer's; empty where nothing speaks against it."""
    part = answered_in_part(profile, held)
    if part is not None:
        return IN_PART.format(size=size_words(float(profile.size_bytes[part])))
    return UNPROVEN.format(size=size_words(float(profile.size_bytes[-1]))) if collapse is None else ""


def _peak(profile: Profile, peak: int, doubt: str) -> Measurement:
    rate, error = float(profile.mb_per_s[peak]), float(profile.error_mb_per_s[peak])
    quality, count = (Quality.POOR if doubt else Quality.GOOD), int(profile.requests[peak])
    return Measurement(metric.PEAK.key, "", rate, rate - error, rate + error, count, quality, doubt)


def _edges(profile: Profile, first: int, last: int, doubt: str) -> tuple[Measurement, Measurement]:
    kib, count = profile.size_bytes / KIB, len(profile)
    quality = Quality.POOR if doubt else Quality.GOOD
    below, start, end = float(kib[max(first - 1, 0)]), float(kib[first]), float(kib[last])
    smallest = Measurement(metric.PLATEAU_START.key, "", start, below, start, count, quality, doubt)
    if last == count - 1:
        why = NO_COLLAPSE.format(size=size_words(float(profile.size_bytes[-1])))
        return smallest, _none(metric.PLATEAU_END, why)
    above = float(kib[last + 1])
    return smallest, Measurement(metric.PLATEAU_END.key, "", end, end, above, count, quality, doubt)


def _behind(profile: Profile, peak: int, collapse: int | None, doubt: str) -> tuple[Measurement, Measurement]:
    if collapse is None or doubt:
        return _none(metric.COLLAPSE, doubt), _none(metric.EFFECTIVE, doubt)
    top, left = float(profile.mb_per_s[peak]), float(profile.mb_per_s[collapse])
    share = left / top
    error = share * float(
        ((profile.error_mb_per_s[collapse] / left) ** 2 + (profile.error_mb_per_s[peak] / top) ** 2) ** 0.5
    )
    low, high = float(profile.size_bytes[collapse - 1]), float(profile.size_bytes[collapse])
    reason = BETWEEN.format(low=size_words(low), high=size_words(high))
    return (
        Measurement(
            metric.COLLAPSE.key,
            "",
            share,
            share - error,
            share + error,
            int(profile.requests[collapse]),
            Quality.GOOD,
        ),
        Measurement(
            metric.EFFECTIVE.key,
            "",
            (low * high) ** 0.5 / KIB,
            low / KIB,
            high / KIB,
            len(profile),
            Quality.FAIR,
            reason,
        ),
    )


def _details(profile: Profile | None) -> dict[str, Any]:
    if profile is None:
        return {"size_bytes": [], "mb_per_s": []}
    return {
        "size_bytes": [float(size) for size in profile.size_bytes],
        "mb_per_s": [float(rate) for rate in profile.mb_per_s],
    }


def _nothing(reason: str, profile: Profile | None) -> Extraction:
    nothing = {"peak": None, "plateau": None, "collapse": None, "threshold_bytes": None}
    return Extraction(tuple(_none(one, reason) for one in metric.METRICS), _details(profile) | nothing)


def _none(what: Metric, reason: str) -> Measurement:
    return Measurement(what.key, "", None, None, None, 0, Quality.NONE, reason)
