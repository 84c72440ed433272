"""Access patterns: small reads at random places one after the other, and series whose distances between
requests grow or shrink by equal steps. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from server.core.robust import concentration, half_sample_mode, median_deviation, quantiles, rank_correlation
from server.plausibility.columns import Integers, Timed
from server.plausibility.evidence import Evidence

# ---- Reads of small pieces at places in no order all over the device, one after the other. Pure.

ENOUGH = 30
SPAN = 0.25
LARGEST_BYTES = 65536
ORDERED = 0.5
FRESH = 0.9


@dataclass(frozen=True, slots=True)
class Scattered:
    """Such reads, of one series."""

    name: str
    times_ns: Integers
    distances: Integers
    """Blocks between where the head was and where it went."""


def scattered(evidence: Evidence) -> list[Scattered]:
    """Return the run's scattered reads by series; what is written, mixed or under way at once is left out."""
    found = []
    for series in evidence.series:
        before = series.origins()
        if series.writes or before is None or series.positions is None or series.blocks is None:
            continue
        if "stream_blocks" in series.columns:
            continue
        known = before >= 0
        small = series.blocks * evidence.device["block_bytes"] <= LARGEST_BYTES
        positions, times, origins = (
            series.positions[known & small],
            series.times_ns[known & small],
            before[known & small],
        )
        if in_no_order(positions, evidence.blocks):
            found.append(Scattered(series.name, times, np.abs(positions - origins)))
    return found


def in_no_order(positions: Integers, blocks: int) -> bool:
    """Return whether places lie in no order all over the device."""
    if positions.size < ENOUGH or np.unique(positions).size < FRESH * positions.size:
        return False
    low, high = quantiles(positions, 0.05, 0.95)
    return (
        bool(high - low >= SPAN * blocks) and abs(rank_correlation(positions[:-1], positions[1:])) < ORDERED
    )


# ---- Series in which the distance between one request and the next grows or shrinks by equal steps: on a
# turning disk their latencies are a sawtooth, whose slope is the time of a block and whose teeth are one
# turn high. Pure.

ENOUGH_PAIRS = 40
SLOW_SHARE = 0.6
"""Where fewer requests than this took a quarter of a turn, a cache answered."""
FLAT = 0.25
"""Differences below this part of a turn are steps along a tooth."""
TOOTH = (0.5, 1.5)
"""Where a tooth is looked for, in turns."""
NEAR_TOOTH = 0.1
"""How far from the usual one a tooth is of the same height, in turns: what differs by more met a
disturbance."""


@dataclass(frozen=True, slots=True)
class Walk:
    """What the latencies of a walk do from one request to the next."""

    series: Timed
    steps_ns: NDArray[np.float64]
    """Differences of latency between neighbours whose distances differ by the walk's usual step."""
    slow_share: float
    """Requests that took a quarter of a turn or more."""

    def order(self, turn_ns: float) -> float:
        """Return how far the steps agree as angles, 0 to 1."""
        return concentration(self.steps_ns / turn_ns)[0]

    def moved(self, turn_ns: float) -> float:
        """Return how many turns the latencies move through over the walk, by the greater of two steps: the
        median, and the mean as an angle. Disturbances pull either."""
        usual = max(
            abs(float(np.median(self.steps_ns))) / turn_ns, abs(concentration(self.steps_ns / turn_ns)[1])
        )
        return usual * self.steps_ns.size

    def teeth_ns(self, turn_ns: float) -> NDArray[np.float64]:
        """Return the heights of the sawtooth's teeth, with what disturbances look like one among them."""
        small = self.steps_ns[np.abs(self.steps_ns) < FLAT * turn_ns]
        if small.size < ENOUGH_PAIRS // 4:
            return np.empty(0)
        slope = float(np.median(small))
        heights = -np.sign(slope) * (self.steps_ns - slope)
        low, high = TOOTH
        return np.asarray(heights[(heights > low * turn_ns) & (heights < high * turn_ns)])


def walks(evidence: Evidence, turn_ns: float) -> list[Walk]:
    """Return the run's walks on the medium."""
    found = (_walk(series, turn_ns) for series in evidence.series if evidence.on_medium(series))
    return [walk for walk in found if walk is not None]


def _walk(series: Timed, turn_ns: float) -> Walk | None:
    before = series.origins()
    if before is None or series.positions is None or not series.single or series.at_once > 1:
        return None
    neighbours = (before[1:] >= 0) & (before[:-1] >= 0)
    if (groups := series.columns.get("group")) is not None:
        neighbours &= np.diff(groups) == 0
    growth = np.diff(series.positions - before)
    if int(neighbours.sum()) < ENOUGH_PAIRS:
        return None
    values, counts = np.unique(growth[neighbours], return_counts=True)
    usual = int(values[counts.argmax()])
    if usual == 0 or int(counts.max()) < ENOUGH_PAIRS:
        return None
    steps = np.diff(series.times_ns)[neighbours & (growth == usual)]
    slow = float((series.times_ns >= turn_ns / 4).mean())
    return Walk(series, steps.astype(np.float64), slow)


@dataclass(frozen=True, slots=True)
class Tooth:
    """The usual height of a sawtooth's teeth."""

    height_ns: float
    spread_ns: float
    """By how much those near it differ, as a robust standard deviation."""
    count: int


def tooth_of(found: Iterable[Walk], turn_ns: float) -> Tooth:
    """Return the usual height of the teeth of several walks."""
    teeth = [walk.teeth_ns(turn_ns) for walk in found]
    heights = np.concatenate(teeth) if teeth else np.empty(0)
    if not heights.size:
        return Tooth(0.0, 0.0, 0)
    usual = half_sample_mode(heights)
    near = heights[np.abs(heights - usual) < NEAR_TOOTH * turn_ns]
    return Tooth(usual, median_deviation(near), int(heights.size))
