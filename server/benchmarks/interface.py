"""Rates that do not fall inwards, as those of a disk with zones do: an interface that is slower than the
medium held them down, or all tracks are of one length. Rates alone do not tell the two apart (decision 0202).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from server.benchmarks.contract import Measurement, Quality

FLAT = 0.02
"""Of drives with zones the rate falls by a fifth over the outer half, and by 2.4 % where it falls least."""
OUTER, HALF, AROUND = 0.1, 0.5, 0.1
"""Shares of the device: its beginning, and what is around its half."""
HELD = (
    "Over the outer half of the device rates do not fall inwards: one zone, or a slow interface hides the "
    "zones. The number may be that of the interface and not of the drive."
)


def held_rate(share: NDArray[np.float64], mb_per_s: NDArray[np.float64]) -> float | None:
    """Return the rate that the outer half of a device has all over, from rates at shares of the device; None
    where it falls inwards, or where its beginning or its half was not measured."""
    stretches = (share <= OUTER, (share > OUTER) & (share < HALF - AROUND), np.abs(share - HALF) <= AROUND)
    outer, between, half = (mb_per_s[one] for one in stretches)
    if not len(outer) or not len(half):
        return None
    # An interface lets no stretch between the two be slower either.
    first, *further = (float(np.median(rates)) for rates in (outer, between, half) if len(rates))
    return min(first, *further) if min(further) >= (1 - FLAT) * first else None


def is_held(held: float | None, share: float, mb_per_s: float) -> bool:
    """Whether a rate may be the interface's: all of the outer half are, and those further in that are no
    slower."""
    return held is not None and (share <= HALF or mb_per_s >= (1 - FLAT) * held)


def of_interface(found: Measurement) -> Measurement:
    """Return a number that may be the interface's as poor, with the reason."""
    if found.value is None or found.quality is Quality.POOR:
        return found
    return replace(found, quality=Quality.POOR, reason=HELD)
