"""Division of a profile into zones of equal bandwidth."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import ruptures

from server.benchmarks.zoned.profile import Profile, heads_differ, noise_of
from server.benchmarks.zoned.regions import FloatArray
from server.benchmarks.zoned.straddlers import reach_of, without_straddlers

FEWEST_IN_ZONE = 3
SMALLEST_STEP = 0.007
"""Relative change of bandwidth below which two stretches are one zone."""
PENALTY = 3.0
"""Times sigma squared times ln n: the cost of one more zone (two parameters and a margin)."""


@dataclass(frozen=True, slots=True)
class Zone:
    """A stretch of equal bandwidth."""

    start_mb: float
    end_mb: float
    start_low_mb: float
    """The boundary to the zone before lies between `start_low_mb` and `start_high_mb`."""
    start_high_mb: float
    mb_per_s: float
    low: float
    high: float
    count: int


def zones_of(profile: Profile) -> list[Zone]:
    """Change points of the mean by penalised least squares, then neighbours that do not differ joined."""
    speed = profile.mb_per_s
    if len(profile) < 4:
        return [_zone(profile, 0, len(profile))]
    noise = max(noise_of(speed), 1e-4 * float(np.median(np.abs(speed))), 1e-12)
    cleaned = _without_outliers(speed, noise)
    search = ruptures.KernelCPD(kernel="linear", min_size=2).fit(cleaned.reshape(-1, 1) / noise)
    ends = [int(end) for end in search.predict(pen=PENALTY * np.log(len(speed)))]
    bounds = _joined(cleaned, noise, [0, *ends])
    if not profile.in_cells and not heads_differ(profile):
        return [_zone(profile, low, high) for low, high in itertools.pairwise(bounds)]
    if profile.in_cells:
        bounds = without_straddlers(profile, bounds)
    reach = [reach_of(cleaned, noise, bounds, place) for place in range(len(bounds))]
    return [_zone(profile, low, high, reach[k]) for k, (low, high) in enumerate(itertools.pairwise(bounds))]


def _without_outliers(speed: FloatArray, noise: float) -> FloatArray:
    """Single regions far from both neighbours take the value of the neighbourhood."""
    around = np.array([np.median(speed[max(0, i - 2) : i + 3]) for i in range(len(speed))])
    return np.where(np.abs(speed - around) > 6 * noise, around, speed)


def _joined(speed: FloatArray, noise: float, bounds: list[int]) -> list[int]:
    """Join neighbours whose difference is below their errors or below what a zone step can be."""
    bounds = sorted(set(bounds))
    while len(bounds) > 2:
        worst, worst_ratio = -1, 1.0
        for k in range(1, len(bounds) - 1):
            before, after = speed[bounds[k - 1] : bounds[k]], speed[bounds[k] : bounds[k + 1]]
            step = abs(float(before.mean()) - float(after.mean()))
            needed = max(
                4 * noise * np.sqrt(1 / len(before) + 1 / len(after)),
                SMALLEST_STEP * float(np.abs(before.mean())),
            )
            ratio = step / needed if needed > 0 else 1.0
            if min(len(before), len(after)) < FEWEST_IN_ZONE <= len(speed) // 10:
                # Two regions beside a boundary are one that straddles it, not a zone.
                ratio = min(ratio, step / max(float(np.ptp(speed)), 1e-12) / 10)
            if ratio < worst_ratio:
                worst, worst_ratio = k, ratio
        if worst < 0:
            break
        del bounds[worst]
    return bounds


def _zone(profile: Profile, low: int, high: int, reach: tuple[int, int] | None = None) -> Zone:
    """The zone of the places from `low` to before `high`. Its first place is `low`, or any from `reach`."""
    earliest, latest = reach or (low, low)
    speed = profile.mb_per_s[low:high]
    middle = float(np.median(speed))
    spread = 1.4826 * float(np.median(np.abs(speed - middle)))
    error = float(1.96 * 1.2533 * max(spread, float(np.std(speed)) / 3) / np.sqrt(len(speed)))
    start_low = float(profile.start_mb[earliest - 1]) if low else 0.0
    start_high = float(profile.end_mb[latest]) if low else 0.0
    last = high >= len(profile)
    return Zone(
        start_mb=(float(profile.end_mb[low - 1]) + float(profile.start_mb[low])) / 2 if low else 0.0,
        end_mb=profile.capacity_mb
        if last
        else (float(profile.end_mb[high - 1]) + float(profile.start_mb[high])) / 2,
        start_low_mb=start_low,
        start_high_mb=start_high,
        mb_per_s=middle,
        low=middle - error,
        high=middle + error,
        count=high - low,
    )
