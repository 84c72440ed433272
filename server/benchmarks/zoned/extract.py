"""ZONED's samples to measurements (Skippy 4.2 and 5.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from server.benchmarks.contract import Extraction, Facts, Measurement, Metric, Quality
from server.benchmarks.interface import HELD, held_rate, of_interface
from server.benchmarks.zoned import definitions as metric
from server.benchmarks.zoned.fits import choose, fits_of, rms, steps_at
from server.benchmarks.zoned.profile import Profile, heads_differ, noise_of, profile_of
from server.benchmarks.zoned.zones import EDGE, RARE, REGION_TURNS, SMALLEST_STEP, Zone, end_of, zones_of

FEWEST_REGIONS = 8
COARSE = 60
"""A profile of fewer regions shows the shape and the widest zones, not how many there are."""
FLAT = 0.03
HIDDEN_SHARE = 0.5
ORDER = (Quality.GOOD, Quality.FAIR, Quality.POOR)
ENDS_DIFFER = (
    "The regions next to the end of the device differ from the zone that they were put into: a narrow zone "
    "may end it, so the interval reaches over both."
)
STEP_HIDDEN = (
    "The regions of this zone scatter so much that a zone of another bandwidth could hide among them, so the "
    "interval reaches as far."
)
WIDE_GAP, HIDDEN_GAP = 0.05, 0.25
"""Shares of the device that no region lies in: regions usually stand at 65 places."""
GAP = "Nothing was read between {first:.0f} and {last:.0f} % of the device: it is taken to be as beside it."
OVERLAP = "Regions were read that overlap those just before: the drive's buffer answered a part of them."
ROSE = (
    "Further in the disk is faster again by {rise:.1%}: its rate depends on where a request falls, or other "
    "load disturbed it. The interval reaches as far either way."
)
INTERFACES = (
    "The profile is flat: one zone, or a slow interface hides the zones. The number may be that of the "
    "interface and not of the drive."
)
HIDDEN = "a slow interface hides the zones just as well"


def extract(entry: Mapping[str, Any], facts: Facts) -> Extraction:
    """Never raises on data that fits the schema: what the samples do not carry gets a reason instead."""
    profile = profile_of(entry, facts.block_bytes, facts.capacity_bytes)
    if profile is None:
        reason = "No region was read in a measurable time."
        return Extraction(
            tuple(_none(one, reason) for one in metric.METRICS), {"zones": [], "fits": [], "model": None}
        )
    zones = zones_of(profile)
    fits = fits_of(profile)
    model, criterion = choose(profile, zones, fits)
    errors = {fit.name: fit.error for fit in fits}
    errors["step"] = rms(profile, steps_at(zones, profile.position_mb))
    measurements = (
        *_bandwidths(profile, zones),
        _zone_count(profile, zones),
        *_errors(profile, zones, errors),
        *_error_ratios(profile, zones, errors),
    )
    details = {
        "zones": [_zone_detail(zone) for zone in zones],
        "fits": [
            {"name": fit.name, "a": fit.a, "b": fit.b, "power": fit.power, "rms_mb_per_s": fit.error}
            for fit in fits
        ],
        "step_rms_mb_per_s": errors["step"],
        "model": model,
        "criterion": criterion,
        "capacity_mb": profile.capacity_mb,
        "in_cells": profile.in_cells,
    }
    return Extraction(measurements, details)


def _none(what: Metric, reason: str) -> Measurement:
    return Measurement(what.key, "", None, None, None, 0, Quality.NONE, reason)


def _bandwidths(profile: Profile, zones: list[Zone]) -> list[Measurement]:
    outer, inner = zones[0], zones[-1]
    quality, reason = _coverage(profile)
    flat, held = _flat(zones), _held(profile, zones)
    if flat:
        quality, reason = Quality.POOR, INTERFACES
    rise = rise_of(zones)
    found = [
        _at_end(metric.OUTER, profile, outer, quality, reason),
        _at_end(metric.INNER, profile, inner, quality, reason),
        _middle(profile, zones, quality, reason),
        _mean(profile, zones, quality, reason),
    ]
    found = [_with_rise(one, rise) for one in found]
    # The innermost zone is slower, and so its own.
    found = [of_interface(one) if held and one.metric != metric.INNER.key else one for one in found]
    if inner.mb_per_s <= 0 or inner.low <= 0:
        return [*found, _none(metric.RATIO, "The inner bandwidth is not told from zero.")]
    return [*found, _ratio(found[0], found[1], flat=flat)]


def _at_end(what: Metric, profile: Profile, zone: Zone, quality: Quality, reason: str) -> Measurement:
    """The bandwidth of the zone at one end of the device."""
    end = end_of(profile, zone, first=what is metric.OUTER)
    quality, reason = _few(zone, quality, reason)
    if end.differs and quality is Quality.GOOD:
        quality, reason = Quality.FAIR, ENDS_DIFFER
    elif end.hides and quality is Quality.GOOD:
        quality, reason = Quality.FAIR, STEP_HIDDEN
    low = end.low / (1 + profile.left_out)
    return Measurement(what.key, "", zone.mb_per_s, low, end.high, zone.count, quality, reason)


def _middle(profile: Profile, zones: list[Zone], quality: Quality, reason: str) -> Measurement:
    """The bandwidth of the zone with the block at half the capacity, or of either that may hold it."""
    half, position = profile.capacity_mb / 2, _half(profile, zones)
    here, maybe = zones[position], [zones[position]]
    if position and half <= here.start_high_mb:
        maybe.append(zones[position - 1])
    if position + 1 < len(zones) and zones[position + 1].start_low_mb <= half:
        maybe.append(zones[position + 1])
    quality, reason = _few(here, quality, reason)
    low = min(zone.low for zone in maybe) * (1 - EDGE) / (1 + profile.left_out)
    high = max(zone.high for zone in maybe) * (1 + EDGE)
    return Measurement(metric.MIDDLE.key, "", here.mb_per_s, low, high, here.count, quality, reason)


def _half(profile: Profile, zones: list[Zone]) -> int:
    """Which of the zones holds the block at half the capacity."""
    return max((at for at, zone in enumerate(zones) if zone.start_mb <= profile.capacity_mb / 2), default=0)


def _held(profile: Profile, zones: list[Zone]) -> bool:
    """Whether the outer half may be as fast as an interface lets it, and no faster."""
    rates = [zone.mb_per_s for zone in zones[: _half(profile, zones) + 1]]
    return held_rate(np.array([0.0, 0.25, 0.5]), np.array([rates[0], min(rates), rates[-1]])) is not None


def _with_rise(found: Measurement, rise: float) -> Measurement:
    """Tracks get shorter inwards. What rises all the same is no zone, and may be in any of the rates, beside
    what their own regions leave open."""
    if rise <= SMALLEST_STEP or found.value is None:
        return found
    good = found.quality is Quality.GOOD
    return replace(
        found,
        low=(found.value if found.low is None else found.low) / (1 + rise),
        high=(found.value if found.high is None else found.high) * (1 + rise),
        quality=Quality.FAIR if good else found.quality,
        reason=ROSE.format(rise=rise) if good else found.reason,
    )


def _ratio(outer: Measurement, inner: Measurement, *, flat: bool) -> Measurement:
    """Outer over inner bandwidth, as good as the worse of the two."""
    high, low = outer.value or 0.0, inner.value or 0.0
    ratio = high / low
    shares = [
        ((one.high or 0.0) - (one.low or 0.0)) / 2 / value for one, value in ((outer, high), (inner, low))
    ]
    error = ratio * math.hypot(*shares)
    worst = max(outer, inner, key=lambda one: (ORDER.index(one.quality), -one.count))
    quality, reason = worst.quality, worst.reason
    if flat:
        quality, reason = Quality.POOR, f"The profile is flat: one zone, or {HIDDEN}."
    count = outer.count + inner.count
    return Measurement(metric.RATIO.key, "", ratio, ratio - error, ratio + error, count, quality, reason)


def _coverage(profile: Profile) -> tuple[Quality, str]:
    if len(profile) < FEWEST_REGIONS:
        return Quality.POOR, f"Only {len(profile)} regions were read."
    first, last = float(profile.start_mb[0]), float(profile.end_mb[-1])
    if first > 0.05 * profile.capacity_mb or last < 0.95 * profile.capacity_mb:
        return Quality.POOR, "The regions do not reach both ends of the device."
    if profile.overlapping:
        return Quality.POOR, OVERLAP
    return Quality.GOOD, ""


def _few(zone: Zone, quality: Quality, reason: str) -> tuple[Quality, str]:
    if quality is Quality.GOOD and zone.count < 3:
        return Quality.FAIR, "Fewer than three regions were read in this zone."
    return quality, reason


WIDE_MEAN = 0.02
"""A mean that is known less closely than this, at 95 %, is not good."""


def _mean(profile: Profile, zones: list[Zone], quality: Quality, reason: str) -> Measurement:
    """Capacity over the time to read it once. Its interval holds how the regions of a zone differ, that a
    step between two regions may lie anywhere between them, and all of a gap."""
    slowness = 1 / profile.mb_per_s
    mean = float((profile.share * slowness).sum())
    ends = np.cumsum([zone.count for zone in zones])[:-1]
    rest = np.concatenate([one - one.mean() for one in np.split(slowness, ends)])
    gaps = (profile.start_mb[1:] - profile.end_mb[:-1]) / profile.capacity_mb
    between = (profile.share[1:] + profile.share[:-1]) / 2 * np.diff(slowness)
    variance = float((profile.share**2).sum() * np.mean(rest**2) + (between**2).sum() / 12)
    unseen = RARE / len(profile) / REGION_TURNS
    chance = max(
        1.96 * np.sqrt(variance) / mean, 0.0 if profile.in_cells else unseen, profile.cell_error * 1.96
    )
    wide = gaps > WIDE_GAP
    untold = float((gaps * np.abs(np.diff(slowness)))[wide].sum()) / 2 / mean
    if wide.any():
        worst = int(np.argmax(gaps))
        first, last = (100 * position / profile.capacity_mb for position in
                       (profile.end_mb[worst], profile.start_mb[worst + 1]))  # fmt: skip
        said = GAP.format(first=first, last=last)
        worse = Quality.POOR if float(gaps[worst]) > HIDDEN_GAP else Quality.FAIR
        if ORDER.index(worse) > ORDER.index(quality):
            quality, reason = worse, said
        elif quality is not Quality.GOOD:
            reason = f"{reason} {said}"
    error = float(np.hypot(chance, EDGE)) + untold
    if quality is Quality.GOOD and error > WIDE_MEAN:
        quality, reason = (
            Quality.FAIR,
            f"The regions differ so much that the mean is known to {error:.1%} only.",
        )
    low, high = max(1 - error, 0.0) / mean / (1 + profile.left_out), (1 + error) / mean
    return Measurement(metric.MEAN.key, "", 1 / mean, low, high, len(profile), quality, reason)


def _flat(zones: list[Zone]) -> bool:
    speeds = [zone.mb_per_s for zone in zones]
    return max(speeds) <= (1 + FLAT) * max(min(speeds), 1e-12)


def _zone_count(profile: Profile, zones: list[Zone]) -> Measurement:
    quality, reason = _coverage(profile)
    if _flat(zones):
        quality, reason = Quality.POOR, f"The profile is flat within {FLAT:.0%}: one zone, or {HIDDEN}."
    elif zones[0].end_mb - zones[0].start_mb > HIDDEN_SHARE * profile.capacity_mb:
        quality = Quality.POOR
        reason = (
            f"The first zone covers more than half of the device: a wide zone, or {HIDDEN} outside of it."
        )
    elif (gap := float(np.max(profile.start_mb[1:] - profile.end_mb[:-1], initial=0.0))) > (
        HIDDEN_GAP * profile.capacity_mb
    ):
        quality = Quality.POOR
        reason = f"Nothing was read over {gap / profile.capacity_mb:.0%} of the device: zones may lie there."
    elif heads_differ(profile):
        quality = Quality.POOR
        reason = "Heads differ by more than zones do, and the regions do not tell which head read them."
    elif _alternates(zones):
        quality = Quality.POOR
        reason = (
            "The bandwidth goes up and down between neighbours: surfaces differ, or other load disturbed it."
        )
    elif len(profile) < COARSE:
        quality = Quality.POOR
        reason = f"With {len(profile)} regions zones narrower than a tenth of the device are missed."
    elif quality is Quality.GOOD and (len(zones) > len(profile) / 8 or min(zone.count for zone in zones) < 4):
        quality, reason = (
            Quality.FAIR,
            "Some zones are seen in few regions only; narrower ones may be missed.",
        )
    elif quality is Quality.GOOD and (rise := rise_of(zones)) > SMALLEST_STEP:
        quality, reason = (
            Quality.FAIR,
            f"Further in the disk is faster again by {rise:.1%}, which no zone is.",
        )
    elif quality is Quality.GOOD and _faint(profile, zones):
        quality, reason = Quality.FAIR, "Some zones differ by little more than the noise."
    count = float(len(zones))
    low = count if quality is Quality.GOOD else float(at_least(zones))
    high = count if quality is Quality.GOOD else max(count, min(2 * count + 8, len(profile)))
    return Measurement(metric.ZONES.key, "", count, low, high, len(profile), quality, reason)


def rise_of(zones: list[Zone]) -> float:
    """By what share a zone is faster than one further out, at most."""
    speeds = [zone.mb_per_s for zone in zones]
    slowest = list(accumulate(speeds, min))
    return max(
        (speed / least - 1 for speed, least in zip(speeds, slowest, strict=True) if least > 0), default=0.0
    )


FEWEST_COUNTED = 4
"""Fewer regions differ from their neighbours by chance: each holds a boundary of tracks more or less."""


def at_least(zones: list[Zone]) -> int:
    """How many of the zones differ for sure: those that fall from one to the next by more than any rises.

    Tracks get shorter inwards, so that a rise between neighbours is no zone but what heads, spares and noise
    make of one; a fall of that size may be the same. A few regions may be a mixture.
    """
    rise = rise_of(zones)
    sure = [zone for zone in zones[1:-1] if zone.count >= FEWEST_COUNTED]
    chosen = [zones[0], *sure, *zones[1:][-1:]]
    # Each rate is itself known to what a region's ends leave open.
    margin = max(rise + EDGE, SMALLEST_STEP)
    longest: list[int] = []
    for k, zone in enumerate(chosen):
        before = [longest[j] for j, outer in enumerate(chosen[:k]) if _slower(zone, outer, margin)]
        longest.append(1 + max(before, default=0))
    return max(longest, default=1)


def _slower(zone: Zone, outer: Zone, margin: float) -> bool:
    """Whether a zone is slower by more than a margin, and by more than what is known of either."""
    return zone.mb_per_s < outer.mb_per_s * (1 - margin) and zone.high < outer.low


def _alternates(zones: list[Zone]) -> bool:
    """Whether many zones are faster than the one before, which tracks that get shorter inwards are not."""
    rises = sum(after.mb_per_s > before.mb_per_s for before, after in pairwise(zones))
    return rises > max(1, len(zones) // 6)


def _faint(profile: Profile, zones: list[Zone]) -> bool:
    """Whether a step is so small, in itself or against the scatter, that others may be hidden."""
    steps = [abs(after.mb_per_s - before.mb_per_s) for before, after in pairwise(zones)]
    fastest = max(zone.mb_per_s for zone in zones)
    return bool(steps) and min(steps) < max(0.02 * fastest, 3 * noise_of(profile.mb_per_s))


def _shape(profile: Profile, zones: list[Zone]) -> tuple[Quality, str]:
    """Whether the profile has the shape of the drive."""
    if _flat(zones):
        return Quality.POOR, INTERFACES
    return (Quality.POOR, HELD) if _held(profile, zones) else _coverage(profile)


def _errors(profile: Profile, zones: list[Zone], errors: dict[str, float]) -> list[Measurement]:
    quality, reason = _shape(profile, zones)
    found = []
    for what in metric.FIT_ERRORS:
        value = errors[what.key.removeprefix("zoned.fit_error_")]
        width = 1.96 * value / np.sqrt(2 * len(profile))
        found.append(
            Measurement(
                what.key, "", value, max(value - width, 0.0), value + width, len(profile), quality, reason
            )
        )
    return found


def _error_ratios(profile: Profile, zones: list[Zone], errors: dict[str, float]) -> list[Measurement]:
    """How much better one model describes the zones than another (Skippy 5.2)."""
    found = []
    quality, reason = _shape(profile, zones)
    for (over, under), what in metric.ERROR_RATIOS.items():
        if errors[under] <= 0:
            found.append(_none(what, "The other model fits without an error: there is no ratio."))
            continue
        value = errors[over] / errors[under]
        # Either error is known to 1 / sqrt(2 n) of it.
        reach = min(1.96 / math.sqrt(len(profile)), 1.0) * value
        found.append(
            Measurement(what.key, "", value, value - reach, value + reach, len(profile), quality, reason)
        )
    return found


def _zone_detail(zone: Zone) -> dict[str, float]:
    return {
        "start_mb": zone.start_mb,
        "end_mb": zone.end_mb,
        "start_low_mb": zone.start_low_mb,
        "start_high_mb": zone.start_high_mb,
        "mb_per_s": zone.mb_per_s,
        "low_mb_per_s": zone.low,
        "high_mb_per_s": zone.high,
        "regions": zone.count,
    }
