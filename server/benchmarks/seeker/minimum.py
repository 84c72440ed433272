"""The shortest seek: the least of the seeks that certainly leave a cylinder."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from server.benchmarks.contract import Quality
from server.benchmarks.seeker.curve import FEWEST_FOR_FIT, line_at
from server.benchmarks.seeker.groups import FEWEST_FASTER, Group

MOST_TRACKS_OF_CYLINDER = 30
"""No drive known to this project has more surfaces than this."""
FEW_TRACKS = 4
NEIGHBOURS = 32
"""Over so many times the shortest distance a root follows the arm, whatever bends its curve further on."""
NO_SHORTER = (
    "No seek of a single cylinder was quicker than longer ones, so that this may not be the least: the "
    "interval reaches to where the curve of the short seeks begins."
)
THERE_AND_BACK = (
    "A far seek takes less than several nearer ones: the blocks go there and back over the cylinders, and a "
    "switch between heads may stand for it. The interval reaches from it to the shortest seek of the others."
)


@dataclass(frozen=True, slots=True)
class Number:
    """A time with its interval, before it becomes a measurement."""

    value: float
    low: float
    high: float
    count: int
    quality: Quality
    reason: str = ""


def minimum_of(groups: list[Group], track_blocks: float) -> Number | str:
    """The least of the seeks. The shortest distances may stay within a cylinder, unseen by SEEKER alone:
    where they begin within a few tracks, distances beyond any cylinder stand for the least seek."""
    seen = [group for group in groups if group.covered and group.distance > 0]
    if not seen:
        return why_none(groups)
    sure = [group for group in seen if group.distance >= MOST_TRACKS_OF_CYLINDER * track_blocks]
    best = min(seen, key=lambda group: group.best_ms)
    if not sure:
        return Number(
            best.best_ms, best.low_ms, best.high_ms, best.count, Quality.POOR,
            "All distances are so short that a head switch may stand for a seek.",
        )  # fmt: skip
    if best.distance >= MOST_TRACKS_OF_CYLINDER * track_blocks:
        if others := _without_returns(sure):
            beyond = _shortest(others, Quality.FAIR, THERE_AND_BACK)
            return replace(beyond, low=min(best.low_ms, beyond.low))
        found = _shortest(sure, Quality.GOOD, "")
        least = min(_at_one_track(sure, track_blocks), best.low_ms)
        if least >= found.low:
            return found
        return replace(found, low=least, quality=Quality.FAIR, reason=NO_SHORTER)
    within = min(group.distance for group in seen) < FEW_TRACKS * track_blocks
    beyond = _shortest(sure, Quality.FAIR, "")
    value = beyond if within else _shortest(seen, Quality.FAIR, "")
    return replace(
        value,
        low=min(best.low_ms, value.low),
        high=max(beyond.high, value.high),
        reason="Seeks over a few tracks may be head switches within a cylinder: the interval reaches from "
        "them to the shortest seek that certainly leaves the cylinder.",
    )


def _without_returns(groups: list[Group]) -> list[Group]:
    """The seeks without those that surely take less than several nearer ones; none where no seek does."""
    kept = [
        group
        for group in groups
        if len(
            {one.distance for one in groups if one.distance < group.distance and one.low_ms > group.high_ms}
        )
        < FEWEST_FASTER
    ]
    return kept if len(kept) < len(groups) else []


def _at_one_track(groups: list[Group], track_blocks: float) -> float:
    """Where the root through the shortest distances would be one track away: no seek takes less."""
    first = min(group.distance for group in groups)
    short = [group for group in groups if group.distance <= NEIGHBOURS * first]
    if len(short) < FEWEST_FOR_FIT:
        return min(group.low_ms for group in groups)
    root = np.sqrt([group.distance for group in short])
    low, high = (np.array([getattr(group, end) for group in short]) for end in ("missed_ms", "high_ms"))
    value, error = line_at(root, low, high, float(np.sqrt(track_blocks)))
    return max(value - error, 0.0)


def _shortest(groups: list[Group], quality: Quality, reason: str) -> Number:
    """The seek over the shortest distance: where the root through all short seeks meets it.

    The least of many times lies below all of them by what one offset leaves open; the curve through them
    does not. Where one distance was met sooner by more than an offset, it stands for
    the shortest.
    """
    first = min(group.distance for group in groups)
    least = min(groups, key=lambda group: group.best_ms)
    short = [group for group in groups if group.distance <= NEIGHBOURS * first]
    if len(short) < FEWEST_FOR_FIT:
        return Number(least.best_ms, least.low_ms, least.high_ms, least.count, quality, reason)
    root = np.sqrt([group.distance for group in short])
    low, high = (np.array([getattr(group, end) for group in short]) for end in ("missed_ms", "high_ms"))
    value, error = line_at(root, low, high, float(np.sqrt(first)))
    ends = [group for group in short if group.distance == first]
    earliest, latest = min(group.missed_ms for group in ends), max(group.high_ms for group in ends)
    count = sum(group.count for group in short)
    if value - least.high_ms > least.high_ms - least.low_ms:
        return Number(least.best_ms, least.low_ms, least.high_ms, least.count, quality, reason)
    if earliest <= value <= latest:
        return Number(value, max(value - error, 0.0), value + error, count, quality, reason)
    # To the next cylinder some arms take a way of their own, far off the curve of all others.
    own = float(np.median([group.best_ms for group in ends]))
    return Number(own, earliest, latest, sum(group.count for group in ends), quality, reason)


def why_none(groups: list[Group]) -> str:
    if not groups:
        return "No seeks of a known distance were measured."
    return "The offsets of no distance cover a full turn: the device does not turn, or a cache answers."
