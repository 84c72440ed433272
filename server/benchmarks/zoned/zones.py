"""Division of a profile into zones of equal bandwidth."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import ruptures

from server.benchmarks.zoned.profile import FloatArray, Profile, heads_differ, noise_of
from server.core.robust import median, quantiles, t_quantile

# ---- Cells across a boundary, and how far a boundary between cells may lie from where it seems.
#
# A cell reads a mixture of two zones where it straddles their boundary, and cells overlap where the
# boundary was searched. Their noise is no longer small against the steps, so that a boundary's interval
# follows from likelihood.

NO_ZONE_CELLS = 2.5
"""A stretch of fewer cell lengths than this, with a bandwidth between its neighbours', may be a mixture."""
LIKELIHOOD = 6.0
"""Twice the loss of log likelihood up to which a place of the boundary is not ruled out: 3.84 is 95 % for one
parameter, and the zones' bandwidths are estimated too."""


def without_straddlers(profile: Profile, bounds: list[int]) -> list[int]:
    """The bounds, with one in the place of two where only mixtures stand between them."""
    speed = profile.mb_per_s
    longest = NO_ZONE_CELLS * median(profile.end_mb - profile.start_mb)
    kept, k = list(bounds), 1
    while k < len(kept) - 2:
        low, high = kept[k], kept[k + 1]
        before, here, after = (
            float(speed[first:last].mean())
            for first, last in ((kept[k - 1], low), (low, high), (high, kept[k + 2]))
        )
        extent = float(profile.end_mb[high - 1] - profile.start_mb[low])
        if min(before, after) < here < max(before, after) and extent < longest:
            nearer = np.abs(speed[low:high] - before) < np.abs(speed[low:high] - after)
            kept[k : k + 2] = [low + int(nearer.sum())]
        else:
            k += 1
    return kept


def reach_of(speed: FloatArray, noise: float, bounds: list[int], index: int) -> tuple[int, int]:
    """The first and the last index that `bounds[place]` may have as well; it has itself at either end."""
    bound = bounds[index]
    if index in (0, len(bounds) - 1):
        return bound, bound
    first, last = bounds[index - 1], bounds[index + 1]
    before, after = median(speed[first:bound]), median(speed[bound:last])
    moved = ((speed[first:last] - after) ** 2 - (speed[first:last] - before) ** 2) / noise**2
    earlier = np.cumsum(moved[: bound - first][::-1])
    later = np.cumsum(-moved[bound - first :])
    back = np.flatnonzero(earlier < LIKELIHOOD)
    forth = np.flatnonzero(later < LIKELIHOOD)
    earliest = bound - (int(back[-1]) + 1 if len(back) else 0)
    latest = bound + (int(forth[-1]) + 1 if len(forth) else 0)
    return max(earliest, first + 1), min(latest, last - 1)


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
    noise = max(noise_of(speed), 1e-4 * median(np.abs(speed)), 1e-12)
    cleaned = _without_outliers(speed, noise)
    search = ruptures.KernelCPD(kernel="linear", min_size=2).fit(cleaned.reshape(-1, 1) / noise)
    ends = [int(end) for end in search.predict(pen=PENALTY * np.log(len(speed)))]
    bounds = _joined(cleaned, noise, [0, *ends])
    if not profile.in_cells and not heads_differ(profile):
        return [_zone(profile, low, high) for low, high in itertools.pairwise(bounds)]
    if profile.in_cells:
        bounds = without_straddlers(profile, bounds)
    reach = [reach_of(cleaned, noise, bounds, index) for index in range(len(bounds))]
    return [_zone(profile, low, high, reach[k]) for k, (low, high) in enumerate(itertools.pairwise(bounds))]


def _without_outliers(speed: FloatArray, noise: float) -> FloatArray:
    """Single regions far from both neighbours take the value of the neighbourhood."""
    around = np.array([median(speed[max(0, i - 2) : i + 3]) for i in (0, 1, *range(2, len(speed))[-2:])])
    whole = np.sort(np.lib.stride_tricks.sliding_window_view(speed, min(5, len(speed))), axis=1)
    around = np.concatenate((around[:2], whole[:, 2], around[2:])) if len(speed) > 4 else around
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
    rate, rate_low, rate_high = rate_of(profile, low, high)
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
        mb_per_s=rate,
        low=rate_low,
        high=rate_high,
        count=high - low,
    )


# ---- The bandwidth of a zone: its blocks over the time to read them.
#
# A region is some dozens of tracks, and holds one boundary of tracks more or less by where it starts, and the
# wider gap at a cylinder's end or none. Its time therefore has a few values and no bell: their mean is the
# zone's, while the median is the time of the commonest sort of region.

REGION_TURNS = 36
"""Turns that the probe gives a region at least: no boundary costs it a larger share than one of them."""
EDGE = 0.125 / REGION_TURNS
"""A region is timed from the end of one request to the end of another. How far the drive had read ahead at
either is not the same: an eighth of a turn, by a comparison with endless reading on drawn drives."""
RARE = 3.0
"""What none of n regions shows is at 95 % in no more than 3 of n."""
FEWEST_INSIDE = 5


def rate_of(profile: Profile, low: int, high: int) -> tuple[float, float, float]:
    """Bandwidth of the places from `low` to before `high`, with its interval."""
    # The first and the last place of a zone may reach over its boundary.
    first, last = low + (low > 0), high - (high < len(profile))
    if last - first < FEWEST_INSIDE:
        first, last = low, high
    slowness = 1 / profile.mb_per_s[first:last]
    usual = without_strays(slowness, 1.0)
    count, mean = len(usual), float(usual.mean())
    spread = float(usual.std(ddof=1)) if count > 1 else mean / REGION_TURNS
    chance = t_quantile(0.975, max(count - 1, 1)) * spread / np.sqrt(count)
    unseen = 0.0 if profile.in_cells else min(RARE / count, 1.0) * mean / REGION_TURNS
    reach = float(np.hypot(max(chance, unseen), EDGE * mean))
    # What was put nearer may have been the drive's own.
    apart = float(without_strays(slowness, 3.0).mean()) - mean
    # A time that may be nought sets no upper end.
    quickest = max(mean - reach + min(apart, 0.0), mean / 10)
    return 1 / mean, 1 / (mean + reach + max(apart, 0.0)), 1 / quickest


def without_strays(slowness: FloatArray, widths: float) -> FloatArray:
    """What lies further from the middle half than 1.5 of it, or a boundary's share, is put there."""
    lower, upper = quantiles(slowness, 0.25, 0.75)
    reach = widths * max(1.5 * (upper - lower), upper / REGION_TURNS)
    return np.asarray(np.clip(slowness, lower - reach, upper + reach))


FEWEST, SHARE = 2, 4
"""Regions next to the end that are compared with the rest of their zone: two, and a quarter of them."""
# ---- Whether the zone at an end of the device is one zone: what a missed narrow one would have done to it.

FEWEST_LEFT = 3
CLEAR = 3.0
"""Standard errors by which they differ from the rest where chance alone would hardly have it."""
Z95 = 1.96
OF_MEDIAN = 1.2533
"""Standard error of a median over that of a mean, of normal values."""


@dataclass(frozen=True, slots=True)
class End:
    """What the regions next to the end say of the bandwidth there, beside their zone."""

    low: float
    high: float
    """The zone's interval; where they differ from their zone, it reaches over theirs."""
    differs: bool
    hides: bool
    """Whether they scatter by so much that the step of a zone could hide among them."""


def end_of(profile: Profile, zone: Zone, *, first: bool) -> End:
    """Compare the regions next to the device's end with the others of the zone that they were put into.

    A zone of few regions, or a step that noise hides, is joined with its neighbour: the median is then the
    neighbour's, too high at the inner end and too low at the outer one. What the comparison could not have
    seen is not excluded, so the interval reaches as far; delays only ever slow a region down, and their
    share in a median is of that size too.
    """
    speed = profile.mb_per_s[: zone.count] if first else profile.mb_per_s[::-1][: zone.count]
    low, high, differs = zone.low, zone.high, False
    noise = max(noise_of(speed), 1e-4 * zone.mb_per_s)
    unseen = CLEAR * OF_MEDIAN * noise / float(np.sqrt(max(zone.count, 1)))
    for count in sorted({FEWEST, zone.count // SHARE}):
        if count < FEWEST or zone.count - count < FEWEST_LEFT:
            continue
        here, rest = _median(speed[:count]), _median(speed[count:])
        error = OF_MEDIAN * noise * float(np.sqrt(1 / count + 1 / (zone.count - count)))
        unseen = CLEAR * error
        if abs(here - rest) > max(unseen, SMALLEST_STEP * rest):
            reach = Z95 * OF_MEDIAN * noise / float(np.sqrt(count))
            low, high, differs = min(low, here - reach), max(high, here + reach), True
    # Each cell meets some of its heads more often than others.
    unseen = max(unseen, Z95 * profile.cell_error * zone.mb_per_s)
    hides = unseen > SMALLEST_STEP * zone.mb_per_s
    if hides:
        low, high = min(low, zone.mb_per_s - unseen), max(high, zone.mb_per_s + unseen)
    return End(low, high, differs, hides)


def _median(values: FloatArray) -> float:
    return median(values)
