"""The low end of each distance: the seek without the wait for the sector.

Offsets of one distance run over two turns, so each group is a sawtooth: latency rises by one block's time per
block until the access is just in time, where it falls by a turn. Between the shortest latency and the latest
angle that was missed lies the time to seek and to reach the medium.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

NS_PER_MS = 1e6
FEWEST_IN_GROUP = 6
BESIDE = 4
"""So many accesses before the shortest are looked at: a few of them may be late."""
ONE_TRACK, ONE_TRACK_MS = 0.04, 0.2
"""Share of a turn, and time, within which an angle counts as no gap: no head or arm settles in less."""
LATE_SIGMAS = 3.0
"""By so many deviations of the other accesses a start may have been late and so have missed its angle."""
MAD_TO_SIGMA = 1.4826


@dataclass(frozen=True, slots=True)
class Group:
    """Accesses of one distance."""

    pattern: str
    variant: str
    distance: float
    """Blocks between start and base: the smallest distance of the group (the offsets come on top)."""
    missed_ms: float
    """When the latest angle came by that was missed."""
    low_ms: float
    high_ms: float
    count: int
    covered: bool
    """Whether the offsets cover a full turn, so that the low end of the sawtooth is among them."""
    clean: bool
    """Whether the low end lies on the track of the access before: no gap is in its angle."""
    track_missed_ms: tuple[float, ...]
    track_high_ms: float
    """Of accesses on the track of the one before: the two latest angles that they missed, and the shortest
    latency; none and infinity where they say nothing."""

    @property
    def best_ms(self) -> float:
        """Seek and time to media: halfway between the shortest latency and the latest angle missed."""
        return max((self.high_ms + self.missed_ms) / 2, 0.0)


@dataclass(frozen=True, slots=True)
class Samples:
    """All accesses, as columns."""

    variant: NDArray[np.str_]
    pattern: NDArray[np.str_]
    group: IntArray
    origin: IntArray
    target: IntArray
    latency_ms: FloatArray

    def only(self, pattern: str) -> Samples:
        use = self.pattern == pattern
        return Samples(
            self.variant[use],
            self.pattern[use],
            self.group[use],
            self.origin[use],
            self.target[use],
            self.latency_ms[use],
        )


def samples_of(samples: Mapping[str, Any]) -> Samples:
    parts: list[tuple[Any, ...]] = []
    for series in samples.get("series", ()):
        columns = [series[name] for name in ("group", "from_blocks", "to_blocks", "latency_ns")]
        count = len(columns[0])
        if any(len(column) != count for column in columns):
            continue
        marks = series.get("disturbed") or ()
        if len(marks) == count:
            # What something disturbed says nothing of the arm.
            columns = [
                [value for value, mark in zip(column, marks, strict=True) if not mark] for column in columns
            ]
            count = len(columns[0])
        parts.append(([series["variant"]] * count, [series["pattern"]] * count, *columns))
    joined = [[value for part in parts for value in part[k]] for k in range(6)]
    return Samples(
        variant=np.asarray(joined[0], dtype=np.str_),
        pattern=np.asarray(joined[1], dtype=np.str_),
        group=np.asarray(joined[2], dtype=np.int64),
        origin=np.asarray(joined[3], dtype=np.int64),
        target=np.asarray(joined[4], dtype=np.int64),
        latency_ms=np.asarray(joined[5], dtype=np.float64) / NS_PER_MS,
    )


def groups_of(samples: Samples, turn_ms: float, track_blocks: float) -> list[Group]:
    """The groups of a pattern, by distance."""
    found = []
    for variant in sorted(set(samples.variant.tolist())):
        mine = samples.variant == variant
        for number in np.unique(samples.group[mine]):
            use = mine & (samples.group == number)
            if int(use.sum()) >= FEWEST_IN_GROUP:
                found.append(_group(samples, use, str(variant), turn_ms, turn_ms / max(track_blocks, 1.0)))
    return sorted(found, key=lambda group: group.distance)


def _group(samples: Samples, use: NDArray[np.bool_], variant: str, turn_ms: float, block_ms: float) -> Group:
    latency = samples.latency_ms[use]
    along = samples.target[use] - samples.origin[use]
    order = np.argsort(along, kind="stable")
    steps = np.diff(latency[order])
    # The platter brings further blocks later: latency rises with it, but where a cache answers.
    rising = float((steps > 0).mean()) > 0.6 if len(steps) else False
    step_ms = _sampling_ms(latency[order])
    lowest = float(latency.min())
    span = float(np.quantile(latency, 0.95) - lowest)
    beside = _beside(latency, along.astype(np.float64), turn_ms, block_ms)
    # Beyond a track's length the gaps of several boundaries may add up to a turn.
    near = np.abs(along) * block_ms < turn_ms
    on_track = near & (np.abs(beside) < min(ONE_TRACK * turn_ms, ONE_TRACK_MS))
    clean = _begins_on_track(on_track[order], int(latency[order].argmin()))
    # Tracks beside it are reached later: an angle missed there says nothing of one that needs no arm.
    missed = _missed_ms(latency[on_track] if clean else latency, turn_ms, step_ms)
    likely = max(missed, lowest - step_ms)
    track_missed, track_high = _within_track(latency[on_track], beside[on_track], turn_ms)
    return Group(
        pattern=str(samples.pattern[use][0]),
        variant=variant,
        distance=float(np.abs(along).min()),
        missed_ms=likely,
        low_ms=max(min(missed, lowest - step_ms) - LATE_SIGMAS * _late_ms(steps), 0.0),
        high_ms=lowest,
        count=int(use.sum()),
        covered=span > 0.7 * turn_ms and rising,
        clean=clean,
        track_missed_ms=track_missed,
        track_high_ms=track_high,
    )


def _beside(latency: FloatArray, along: FloatArray, turn_ms: float, block_ms: float) -> FloatArray:
    """By how much latencies of accesses `along` blocks further differ from the platter's turn to there.

    On the track of the access before that is nothing but whole turns; behind a boundary the gap comes on top.
    """
    if turn_ms <= 0 or block_ms <= 0:
        return np.full(len(latency), np.inf)
    return np.asarray((latency - along * block_ms + turn_ms / 2) % turn_ms - turn_ms / 2, dtype=np.float64)


def _within_track(latency: FloatArray, beside: FloatArray, turn_ms: float) -> tuple[tuple[float, ...], float]:
    """The two latest angles that were missed on one track, less what a start may have been late, and the
    shortest latency there."""
    if not len(latency):
        return (), math.inf
    late_ms = LATE_SIGMAS * MAD_TO_SIGMA * float(np.median(np.abs(beside - np.median(beside))))
    lowest = float(latency.min())
    missed = np.sort(latency[latency < lowest + turn_ms] - turn_ms)[::-1]
    return tuple(min(float(one) - late_ms, lowest) for one in missed[:2] if one > late_ms), lowest


def _begins_on_track(on_track: NDArray[np.bool_], best: int) -> bool:
    """Whether the shortest latency and a miss just nearer lie on the track of the access before.

    Otherwise a boundary cuts the sawtooth short. `on_track` is in the order of the offsets.
    """
    return bool(on_track[best]) and bool(on_track[max(best - BESIDE, 0) : best].any())


def _missed_ms(latency: FloatArray, turn_ms: float, step_ms: float) -> float:
    """When the last angle came by that was missed: it waits at most a turn more than the shortest latency.

    Angles of several turns lie between each other, so that this is nearer than one offset before.
    """
    lowest = float(latency.min())
    late = latency[latency < lowest + turn_ms]
    if turn_ms <= 0:
        return lowest - step_ms
    return float(late.max()) - turn_ms


def _sampling_ms(latency: FloatArray) -> float:
    """Latency between two neighbouring offsets: the usual rise, without the falls of the sawtooth."""
    steps = np.diff(latency)
    rises = steps[steps > 0] if bool((steps > 0).any()) else np.abs(steps)
    return float(min(np.median(rises), np.ptp(latency) / 4)) if len(rises) else 0.0


def _late_ms(steps: FloatArray) -> float:
    """Deviation of single starts, from how the rises between neighbouring offsets differ."""
    rises = steps[steps > 0]
    if not len(rises):
        return 0.0
    return MAD_TO_SIGMA * float(np.median(np.abs(rises - np.median(rises)))) / math.sqrt(2)


def turn_of(samples: Samples, hint_ms: float) -> float:
    """Rotation time for judging coverage: the hint, or what the groups span."""
    if hint_ms > 0.5:
        return hint_ms
    spans = [
        float(np.ptp(samples.latency_ms[samples.group == number]))
        for number in np.unique(samples.group)[:200]
    ]
    return float(np.median(spans)) if spans else 0.0


FASTER, FASTER_MS, FEWEST_FASTER = 0.75, 1.0, 2
"""So many seeks of less than this share of a nearer one's time, by a millisecond at least, are no chance."""


def contradicts_one_arm(groups: list[Group]) -> bool:
    """Whether seeks get quicker with the distance: one arm needs longer the further it goes."""
    seen = sorted((group for group in groups if group.covered), key=lambda group: group.distance)
    longest_ms, faster = 0.0, 0
    for group in seen:
        faster += group.high_ms < min(FASTER * longest_ms, longest_ms - FASTER_MS)
        longest_ms = max(longest_ms, group.low_ms)
    return faster >= FEWEST_FASTER
