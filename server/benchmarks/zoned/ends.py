"""Whether the zone at an end of the device is one zone: what a missed narrow one would have done to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from server.benchmarks.zoned.profile import Profile, noise_of
from server.benchmarks.zoned.regions import FloatArray
from server.benchmarks.zoned.zones import SMALLEST_STEP, Zone

FEWEST, SHARE = 2, 4
"""Regions next to the end that are compared with the rest of their zone: two, and a quarter of them."""
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
    return float(np.median(values))
