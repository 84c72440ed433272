"""Zones, tracks and gaps of a drive from what SKIPPY counted and ZONED timed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from server.benchmarks.contract import Measurand
from server.benchmarks.measurands import MeasurandKey
from server.exports.drive import ExportError, Identity, Zone

REGIONS = ("outer", "middle", "inner")
WAYS = dict(zip(REGIONS, (0.0, 0.5, 1.0), strict=True))
TRACK = Measurand.SECTORS_PER_TRACK
NEAR = 0.02
"""A zone's track is taken as SKIPPY counted it where the bandwidth says the same within this share."""
APART = 0.1
"""Beyond this share the bandwidth is not the medium's: something between it and the host is slower."""
SPARE = 0.004
"""Below this share of a track what a block's time leaves over may be its error."""
ONE, ALL = 0.2, 0.03
"""So far from one turn, and from a turn for each track, may be what a cylinder loses, as a share of it."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """How blocks lie on a drive."""

    zones: tuple[Zone, ...]
    spares: int
    """Places of each track that carry no block."""
    slow_bus: bool
    """Whether something between medium and host limits the bandwidth everywhere."""
    misses_heads: bool
    """Whether reading on over a head switch comes too late for the next track and waits a turn."""
    misses_cylinders: bool
    """The same at a cylinder switch."""
    words: tuple[str, ...]
    """What was assumed, as sentences."""


def geometry_of(
    identity: Identity,
    numbers: Mapping[MeasurandKey, float],
    found: Sequence[Mapping[str, Any]],
    *,
    missing: bool = True,
) -> Geometry:
    """Return the geometry. `found` are ZONED's zones; without `missing` no track is taken to come by too
    early for reading on. Raises ExportError."""
    turn, surfaces = numbers[Measurand.ROTATION_TIME, ""], round(numbers[Measurand.SURFACES, ""])
    spares = _spares(numbers, turn)
    stretches = _stretches(identity, numbers, found, turn, surfaces, spares)
    missed = _missed_turns(numbers, stretches, turn, surfaces) if missing else 0
    if missed:
        stretches = tuple(one.losing(missed * turn) for one in stretches)
    slow_track = _behind_a_slow_bus(numbers, stretches)
    ratio = 1.0 if slow_track else _ratio(numbers, stretches)
    zones = []
    for one in stretches:
        track = slow_track or _counted(numbers, one, ratio)
        held = surfaces * track * identity.block_bytes
        count = max(round((one.end - one.start) * identity.capacity_bytes / held), 1)
        zones.append(Zone(count, track, one.head_ms, one.cylinder_ms, one.mb_per_s))
    words = []
    if abs(ratio - 1) > NEAR:
        words.append(
            f"Tracks hold what SKIPPY counted, {abs(ratio - 1):.1%} {'more' if ratio > 1 else 'less'} than "
            "the bandwidth carries; sequential rates differ by as much."
        )
    if missed:
        late = {1: "cylinder", surfaces: "head and each cylinder"}.get(missed, "head")
        words.append(f"Reading on comes too late for the next track at each {late} switch: so much is lost.")
    return Geometry(
        zones=_whole(identity, zones, surfaces),
        spares=spares,
        slow_bus=slow_track is not None,
        misses_heads=missed > 1,
        misses_cylinders=missed in (1, surfaces),
        words=tuple(words),
    )


def _gap_within(numbers: Mapping[MeasurandKey, float], gap: Measurand, start: float, end: float) -> float:
    """Return the lost time at a switch in a zone, from its way into the drive (0 to 1) to its end: its own
    where SKIPPY measured within it, else between its neighbours'."""
    values = {region: numbers[gap, region] for region in REGIONS if (gap, region) in numbers}
    inside = [value for region, value in values.items() if _holds(start, end, region)]
    if inside:
        return float(np.mean(inside))
    ways = [WAYS[region] for region in values]
    return float(np.interp((start + end) / 2, ways, list(values.values())))


def _holds(start: float, end: float, region: str) -> bool:
    return start <= WAYS[region] <= end or (region == "inner" and end > 1 - 1e-3)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A zone as its bandwidth tells it; places are shares of the capacity."""

    start: float
    end: float
    head_ms: float
    cylinder_ms: float
    mb_per_s: float
    blocks: float
    """Of a track, if the medium is what limits the bandwidth."""
    cylinder_turn_ms: float
    """In which a cylinder is read."""

    def holds(self, region: str) -> bool:
        return _holds(self.start, self.end, region)

    def losing(self, more_ms: float) -> _Stretch:
        """Return the same where a cylinder takes longer by so much."""
        longer = self.cylinder_turn_ms + more_ms
        return replace(self, cylinder_turn_ms=longer, blocks=self.blocks * longer / self.cylinder_turn_ms)


def _stretches(
    identity: Identity,
    numbers: Mapping[MeasurandKey, float],
    found: Sequence[Mapping[str, Any]],
    turn: float,
    surfaces: int,
    spares: int,
) -> tuple[_Stretch, ...]:
    """Return the zones: a track's blocks from the bandwidth, since what is lost between tracks is known."""
    # Spares are within the turn and within the gap: they pass once.
    counted = numbers.get((TRACK, "outer"), 0.0)
    passed = turn * counted / (counted + spares) if spares else turn
    stretches = []
    for entry in found:
        ends = entry["start_mb"] * 1e6, min(entry["end_mb"] * 1e6, float(identity.capacity_bytes))
        start, end = (place / identity.capacity_bytes for place in ends)
        head_ms = _gap_within(numbers, Measurand.HEAD_SWITCH_GAP, start, end)
        cylinder_ms = _gap_within(numbers, Measurand.CYLINDER_SWITCH_GAP, start, end)
        rate = float(entry["mb_per_s"])
        cylinder_turn = surfaces * passed + (surfaces - 1) * head_ms + cylinder_ms
        blocks = rate * 1e3 * cylinder_turn / (surfaces * identity.block_bytes)
        stretches.append(_Stretch(start, end, head_ms, cylinder_ms, rate, blocks, cylinder_turn))
    return tuple(stretches)


def _spares(numbers: Mapping[MeasurandKey, float], turn: float) -> int:
    """Return how many places of a track carry no block: a turn takes a block's time for each place."""
    counted, block_ms = numbers.get((TRACK, "outer")), numbers.get((Measurand.BLOCK_TRANSFER_TIME, ""))
    if not counted or not block_ms:
        return 0
    spare = turn / block_ms - counted
    return round(spare) if spare > max(0.6, SPARE * counted) else 0


def _ratios(
    numbers: Mapping[MeasurandKey, float], stretches: Sequence[_Stretch]
) -> dict[str, tuple[float, _Stretch]]:
    """Return by region how many blocks SKIPPY counted for one that the bandwidth carries, and the zone."""
    return {
        region: (count / one.blocks, one)
        for region in REGIONS
        if (count := numbers.get((TRACK, region)))
        for one in stretches
        if one.holds(region)
    }


def _missed_turns(
    numbers: Mapping[MeasurandKey, float], stretches: Sequence[_Stretch], turn: float, surfaces: int
) -> int:
    """Return how many whole turns a cylinder loses: one where the arm comes too late for the next cylinder,
    one for each other track where the head does; nought where what is lost is neither.
    """
    lost = [(ratio - 1) * one.cylinder_turn_ms / turn for ratio, one in _ratios(numbers, stretches).values()]
    usual = float(np.median(lost)) if lost else 0.0
    nearest = min((1, surfaces - 1, surfaces), key=lambda whole: abs(usual - whole))
    return nearest if abs(usual - nearest) < (ONE if nearest == 1 else ALL) * nearest else 0


def _ratio(numbers: Mapping[MeasurandKey, float], stretches: Sequence[_Stretch]) -> float:
    """Return what all counts have in common against the bandwidth."""
    ratios = [ratio for ratio, _ in _ratios(numbers, stretches).values()]
    return float(np.median(ratios)) if ratios else 1.0


def _whole(identity: Identity, zones: list[Zone], surfaces: int) -> tuple[Zone, ...]:
    """Return the zones with cylinders enough for the capacity."""
    lacking = identity.capacity_bytes - sum(
        zone.cylinders * zone.track_blocks * surfaces * identity.block_bytes for zone in zones
    )
    if lacking > 0:
        last = zones[-1]
        more = -(-lacking // (surfaces * last.track_blocks * identity.block_bytes))
        zones[-1] = replace(last, cylinders=last.cylinders + int(more))
    return tuple(zones)


def _behind_a_slow_bus(numbers: Mapping[MeasurandKey, float], stretches: Sequence[_Stretch]) -> int | None:
    """Return the blocks of every track of a drive whose bandwidth something else than the medium limits; None
    where bandwidth and count agree. Raises ExportError where the tracks between the counted ones are unknown.
    """
    ratios = _ratios(numbers, stretches)
    counts = {region: numbers[TRACK, region] for region in ratios}
    apart = {region: ratio for region, (ratio, _) in ratios.items() if abs(ratio - 1) > APART}
    if not apart:
        return None
    level = len(counts) == len(REGIONS) and max(counts.values()) < min(counts.values()) * (1 + NEAR)
    if level and all(ratio > 1 + APART for ratio, _ in ratios.values()):
        return round(float(np.median(list(counts.values()))))
    differences = ", ".join(
        f"{counts[region]:.0f} ({region}) for {counts[region] / ratio:.0f}" for region, ratio in apart.items()
    )
    raise ExportError(
        [
            f"SKIPPY counts other tracks than the bandwidth carries: {differences} blocks. Something between "
            "medium and host limits it, or the drive does not read ahead, so that the zones between the "
            "counted tracks are not known.",
            "A run over a faster bus or adapter, with the look-ahead on, brings them.",
        ]
    )


def _counted(numbers: Mapping[MeasurandKey, float], one: _Stretch, ratio: float) -> int:
    """Return a track's blocks: as counted where a region of SKIPPY lies in the zone, else from the rate."""
    blocks = one.blocks * ratio
    for region in REGIONS:
        counted = numbers.get((TRACK, region))
        if counted is not None and one.holds(region) and abs(counted / blocks - 1) < NEAR:
            return round(counted)
    return max(round(blocks), 4)
