"""From what runs measured to a drive that can be simulated, or the reasons why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from server.benchmarks.contract import Place
from server.compare.exports.drive import Buffer, MeasuredDrive, SeekCurve, Zone
from server.compare.exports.seeking import cylinders_of, seek_fit

REGIONS = ("outer", "middle", "inner")
_TRACK = "skippy.sectors_per_track"
NEAR = 0.02
"""A zone's track is taken as SKIPPY counted it where the bandwidth says the same within this share."""
APART = 0.1
"""Beyond this share the bandwidth is not the medium's: something between it and the host is slower."""
MARGIN = 0.97
"""The mechanism is ready a little before the gap that the tracks are laid out for ends."""
BUS = 4
"""So many times as fast as the outermost tracks a bus is taken to be that nothing was measured of."""
SHORT_BYTES = 16 * 1024
"""The shortest requests of `access`'s burst of more than a block: every buffer holds these."""
BEFORE = 0.85
"""Share of the overhead that comes before the medium. It shows in no latency."""


ASSUMED = (
    f"{BEFORE:.0%} of the overhead come before the medium, the rest after it: no latency shows this.",
    "The write cache is off.",
)
"""Of every drive."""


class ExportError(ValueError):
    """A drive that can't be exported; `reasons` are sentences for a person."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = tuple(reasons)


@dataclass(frozen=True, slots=True)
class Identity:
    """What is known of the model beside its numbers."""

    title: str
    vendor: str
    number: str
    interface: str
    form_factor: str
    provenance: str
    origin: tuple[str, ...]
    block_bytes: int
    capacity_bytes: int


@dataclass(frozen=True, slots=True)
class _Gaps:
    """Lost time at a switch over the way into the drive (0 to 1)."""

    ways: tuple[float, ...]
    values: tuple[float, ...]

    def at(self, way: float) -> float:
        return float(np.interp(way, self.ways, self.values))


def drive_of(
    identity: Identity, numbers: Mapping[Place, float], details: Mapping[str, Mapping[str, Any]]
) -> MeasuredDrive:
    """Derive a drive from its numbers (metric and scope to the value in the metric's unit) and from what
    extraction kept of one run's kinds. Raises ExportError that names everything that is missing."""
    _check(numbers, details)
    turn, surfaces = numbers["skippy.rotation_time", ""], round(numbers["skippy.surfaces", ""])
    stretches = _stretches(identity, numbers, details["zoned"]["zones"], turn, surfaces)
    zones = _zones(identity, numbers, stretches, surfaces)
    slow = zones[0].track_blocks > stretches[0].blocks * (1 + APART)
    buffer, words = _buffer(numbers, details.get("buffer", {}), slow_bus=slow)
    bus_ms = identity.block_bytes / buffer.bytes_per_s * 1e3
    read, write = (_overhead(numbers, variant, turn, zones, bus_ms) for variant in ("read", "write"))
    either = max(numbers["skippy.mtm", ""] - turn / zones[0].track_blocks - bus_ms, 0.0)
    assumed = [*ASSUMED]
    for name, overhead in (("reads", read), ("writes", write)):
        if overhead is None:
            assumed.append(f"The overhead of {name} is that of the other direction: theirs was not measured.")
    drive = MeasuredDrive(
        title=identity.title,
        vendor=identity.vendor,
        number=identity.number,
        interface=identity.interface,
        form_factor=identity.form_factor,
        provenance=identity.provenance,
        origin=identity.origin,
        block_bytes=identity.block_bytes,
        capacity_bytes=identity.capacity_bytes,
        rotation_ms=turn,
        surfaces=surfaces,
        zones=zones,
        seek=SeekCurve(0.0, 0.0, 0.0, 2, 0.0, sum(zone.cylinders for zone in zones)),
        write_overhead_ms=either if write is None else write,
        read_overhead_ms=either if read is None else read,
        access_ms=numbers.get(("access.access_time", "")),
        buffer=buffer,
        assumed=(*assumed, *words),
    )
    return replace(drive, seek=_seek(drive, bus_ms, details["seeker"]["points"]))


def _check(numbers: Mapping[Place, float], details: Mapping[str, Mapping[str, Any]]) -> None:
    needed = {
        ("skippy.rotation_time", ""): "the rotation time",
        ("skippy.surfaces", ""): "the number of surfaces",
        ("skippy.mtm", ""): "the minimum time to media",
        ("zoned.outer_bandwidth", ""): "the outer bandwidth",
        # Of seeks that are too poor for a number no curve is drawn either.
        ("seeker.full_stroke", "with_mtm"): "the full stroke",
    }
    lacks = [words for place, words in needed.items() if place not in numbers]
    for metric, words in (("head_switch_gap", "head"), ("cylinder_switch_gap", "cylinder")):
        if not any((f"skippy.{metric}", region) in numbers for region in REGIONS):
            lacks.append(f"the gap at a {words} switch")
    if not details.get("zoned", {}).get("zones"):
        lacks.append("the zones")
    if not details.get("seeker", {}).get("points"):
        lacks.append("the seek curve")
    reasons = [f"The runs do not carry {', '.join(lacks)}."] if lacks else []
    layout = details.get("skippy", {}).get("layout", "unknown")
    if layout == "surface_serpentine":
        reasons.append(
            "Addresses run surface by surface; only drives that fill a cylinder first are exported."
        )
    if reasons:
        raise ExportError(
            [*reasons, "Runs of skippy, zoned and seeker with --writes preserve bring what is needed."]
        )


def _gaps(numbers: Mapping[Place, float], metric: str) -> _Gaps:
    ways = dict(zip(REGIONS, (0.0, 0.5, 1.0), strict=True))
    known = [(ways[region], numbers[metric, region]) for region in REGIONS if (metric, region) in numbers]
    return _Gaps(tuple(way for way, _ in known), tuple(value for _, value in known))


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

    def holds(self, region: str, way: float) -> bool:
        """Return whether a region of SKIPPY lies in it."""
        return self.start <= way <= self.end or (region == "inner" and self.end > 1 - 1e-3)


def _stretches(
    identity: Identity,
    numbers: Mapping[Place, float],
    found: Sequence[Mapping[str, Any]],
    turn: float,
    surfaces: int,
) -> tuple[_Stretch, ...]:
    """Return the zones: a track's blocks from the bandwidth, since what is lost between tracks is known."""
    heads = _gaps(numbers, "skippy.head_switch_gap")
    cylinders = _gaps(numbers, "skippy.cylinder_switch_gap")
    stretches = []
    for entry in found:
        start, end = entry["start_mb"] * 1e6, min(entry["end_mb"] * 1e6, float(identity.capacity_bytes))
        way = (start + end) / 2 / identity.capacity_bytes
        head_ms, cylinder_ms, rate = heads.at(way), cylinders.at(way), float(entry["mb_per_s"])
        cylinder_turn = surfaces * turn + (surfaces - 1) * head_ms + cylinder_ms
        blocks = rate * 1e3 * cylinder_turn / (surfaces * identity.block_bytes)
        places = (start / identity.capacity_bytes, end / identity.capacity_bytes)
        stretches.append(_Stretch(*places, head_ms, cylinder_ms, rate, blocks))
    return tuple(stretches)


def _zones(
    identity: Identity, numbers: Mapping[Place, float], stretches: Sequence[_Stretch], surfaces: int
) -> tuple[Zone, ...]:
    """Return the zones with whole tracks, and cylinders enough for the capacity; raises ExportError."""
    zones, told = [], _behind_a_slow_bus(numbers, stretches)
    for one in stretches:
        track = told or _counted(numbers, one)
        held = surfaces * track * identity.block_bytes
        count = max(round((one.end - one.start) * identity.capacity_bytes / held), 1)
        zones.append(Zone(count, track, one.head_ms, one.cylinder_ms, one.mb_per_s))
    lacking = identity.capacity_bytes - sum(
        zone.cylinders * zone.track_blocks * surfaces * identity.block_bytes for zone in zones
    )
    if lacking > 0:
        last = zones[-1]
        more = -(-lacking // (surfaces * last.track_blocks * identity.block_bytes))
        zones[-1] = replace(last, cylinders=last.cylinders + int(more))
    return tuple(zones)


def _behind_a_slow_bus(numbers: Mapping[Place, float], stretches: Sequence[_Stretch]) -> int | None:
    """Return the blocks of every track of a drive whose bandwidth something else than the medium limits; None
    where bandwidth and count agree. Raises ExportError where the tracks between the counted ones are unknown.
    """
    counts = {region: numbers[place] for region in REGIONS if (place := (_TRACK, region)) in numbers}
    ways = dict(zip(REGIONS, (0.0, 0.5, 1.0), strict=True))
    ratios = {
        region: (count, count / one.blocks)
        for region, count in counts.items()
        for one in stretches
        if one.holds(region, ways[region])
    }
    apart = {region: pair for region, pair in ratios.items() if abs(pair[1] - 1) > APART}
    if not apart:
        return None
    level = len(counts) == len(REGIONS) and max(counts.values()) < min(counts.values()) * (1 + NEAR)
    if level and all(ratio > 1 + APART for _, ratio in ratios.values()):
        return round(float(np.median(list(counts.values()))))
    told = ", ".join(
        f"{count:.0f} ({region}) for {count / ratio:.0f}" for region, (count, ratio) in apart.items()
    )
    raise ExportError(
        [
            f"SKIPPY counts other tracks than the bandwidth carries: {told} blocks. Something between "
            "medium and host limits it, so that the zones between the counted tracks are not known.",
            "A run over a faster bus or adapter brings them.",
        ]
    )


def _counted(numbers: Mapping[Place, float], one: _Stretch) -> int:
    """Return a track's blocks: as counted where a region of SKIPPY lies in the zone, else from the rate."""
    for region, way in zip(REGIONS, (0.0, 0.5, 1.0), strict=True):
        counted = numbers.get((_TRACK, region))
        if counted is not None and one.holds(region, way) and abs(counted / one.blocks - 1) < NEAR:
            return round(counted)
    return max(round(one.blocks), 4)


def _overhead(
    numbers: Mapping[Place, float], variant: str, turn: float, zones: Sequence[Zone], bus_ms: float
) -> float | None:
    """Return MTM of a direction without the block's transfer from the medium and over the bus, both of which
    it holds; None where it is unknown."""
    tracks = dict(zip(REGIONS, (zones[0], zones[len(zones) // 2], zones[-1]), strict=True))
    known = [
        numbers[place] - turn / zone.track_blocks - bus_ms
        for region, zone in tracks.items()
        if (place := ("skippy.mtm", f"{region}/{variant}")) in numbers
    ]
    return max(float(np.median(known)), 0.0) if known else None


def _buffer(
    numbers: Mapping[Place, float], details: Mapping[str, Any], *, slow_bus: bool
) -> tuple[Buffer, tuple[str, ...]]:
    """Return the buffer, and what was assumed of it; where `slow_bus`, the bus limits the bandwidth."""
    words: list[str] = []
    outer = numbers["zoned.outer_bandwidth", ""]
    request_ms, speed = _hits(details)
    burst = numbers.get(("access.burst_rate", "")) or numbers.get(("buffer.peak_bandwidth", ""))
    if burst is None:
        burst = BUS * outer
        words.append("The bus is four times as fast as the outermost tracks.")
    if speed < burst * 1e6:
        request_ms, speed = 0.0, burst * 1e6
        words.append("A request that the buffer answers takes the time of its transfer and no more.")
    kib = numbers.get(("buffer.effective_size", "")) or numbers.get(("access.buffer_size", ""))
    if kib is None:
        kib = 64.0
        words.append("A segment of the buffer holds 64 KiB.")
    segment_kib = max(round(kib), 4)
    if slow_bus:
        speed = outer * 1e6
        words.append("The bus is what limits the bandwidth: all tracks hold what SKIPPY counted on three.")
    elif speed < outer * 1e6:
        # Requests of the burst were not long enough to hide what each takes beside its transfer.
        request_ms += SHORT_BYTES * (1 / speed - 1 / (BUS * outer * 1e6)) * 1e3
        speed = BUS * outer * 1e6
        words.append(
            "The bus is four times as fast as the outermost tracks, since the measured burst is slower than "
            "they are; what it lacks comes before the transfer."
        )
    words.append("The buffer has four segments, and reads ahead to the end of one.")
    return Buffer(request_ms, speed, segment_kib), tuple(words)


def _hits(details: Mapping[str, Any]) -> tuple[float, float]:
    """Return time of a request that the buffer answers in ms and the rate of its transfer in bytes per
    second, from the sizes up to the end of the plateau; zeros where they lie on no line."""
    sizes = np.asarray(details.get("size_bytes", ()), dtype=np.float64)
    rates = np.asarray(details.get("mb_per_s", ()), dtype=np.float64)
    plateau: Sequence[int] = details.get("plateau") or ()
    last = int(plateau[1]) + 1 if len(plateau) == 2 else 0
    if last < 3 or sizes.size < last:
        return 0.0, 0.0
    slope, start = (float(term) for term in np.polyfit(sizes[:last], sizes[:last] / (rates[:last] * 1e3), 1))
    return (start, 1e3 / slope) if slope > 0 and start > 0 else (0.0, 0.0)


def _seek(drive: MeasuredDrive, bus_ms: float, points: Sequence[Mapping[str, Any]]) -> SeekCurve:
    """Return the curve of the seeks out and back, less what an access without a seek takes.

    That is the overhead with a block's transfer. SKIPPY knows it to a block; SEEKER's baseline is coarser.
    """
    taken = [point for point in points if point["pattern"] in ("outward", "inward") and point["covered"]]
    blocks = np.asarray([point["distance_blocks"] for point in taken], dtype=np.float64)
    overheads = {"read": drive.read_overhead_ms, "write": drive.write_overhead_ms}
    transfer = drive.rotation_ms / drive.zones[len(drive.zones) // 2].track_blocks + bus_ms
    times = np.asarray(
        [point["latency_ms"] - overheads[point["variant"]] - transfer for point in taken], dtype=np.float64
    )
    held = [zone.track_blocks * drive.surfaces for zone in drive.zones]
    curve = seek_fit(cylinders_of(blocks, drive.zone_blocks, held), times, cylinders=drive.cylinders)
    if curve is None:
        raise ExportError(
            ["The runs carry too few seeks for a curve.", "A run of seeker in full brings them."]
        )
    shortest = min(zone.cylinder_gap_ms for zone in drive.zones) * MARGIN
    return replace(curve, one_cylinder_ms=min(curve.base_ms + curve.root_ms, shortest))
