"""Cells across a boundary, and how far a boundary between cells may lie from where it seems.

A cell reads a mixture of two zones where it straddles their boundary, and cells overlap where the boundary
was searched. Their noise is no longer small against the steps, so that a boundary's interval follows from
likelihood.
"""

from __future__ import annotations

import numpy as np

from server.benchmarks.zoned.profile import Profile
from server.benchmarks.zoned.regions import FloatArray

NO_ZONE_CELLS = 2.5
"""A stretch of fewer cell lengths than this, with a bandwidth between its neighbours', may be a mixture."""
LIKELIHOOD = 6.0
"""Twice the loss of log likelihood up to which a place of the boundary is not ruled out: 3.84 is 95 % for one
parameter, and the zones' bandwidths are estimated too."""


def without_straddlers(profile: Profile, bounds: list[int]) -> list[int]:
    """The bounds, with one in the place of two where only mixtures stand between them."""
    speed = profile.mb_per_s
    longest = NO_ZONE_CELLS * float(np.median(profile.end_mb - profile.start_mb))
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


def reach_of(speed: FloatArray, noise: float, bounds: list[int], place: int) -> tuple[int, int]:
    """The first and the last index that `bounds[place]` may have as well; it has itself at either end."""
    bound = bounds[place]
    if place in (0, len(bounds) - 1):
        return bound, bound
    first, last = bounds[place - 1], bounds[place + 1]
    before, after = float(np.median(speed[first:bound])), float(np.median(speed[bound:last]))
    moved = ((speed[first:last] - after) ** 2 - (speed[first:last] - before) ** 2) / noise**2
    earlier = np.cumsum(moved[: bound - first][::-1])
    later = np.cumsum(-moved[bound - first :])
    back = np.flatnonzero(earlier < LIKELIHOOD)
    forth = np.flatnonzero(later < LIKELIHOOD)
    earliest = bound - (int(back[-1]) + 1 if len(back) else 0)
    latest = bound + (int(forth[-1]) + 1 if len(forth) else 0)
    return max(earliest, first + 1), min(latest, last - 1)
