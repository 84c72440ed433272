"""From what runs measured to a drive that can be simulated, or the reasons why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from server.benchmarks.contract import ExportDetail, Measurand, MetricKey
from server.benchmarks.measurands import MeasurandKey, by_measurand, kind_of_detail, source
from server.benchmarks.registry import KINDS
from server.exports.drive import Buffer, ExportError, Identity, MeasuredDrive, SeekCurve
from server.exports.geometry import REGIONS, Geometry, geometry_of
from server.exports.seek_curve import cylinders_of, mean_seek, seek_fit

MARGIN = 0.97
"""The mechanism is ready a little before the gap that the tracks are laid out for ends."""
LONGEST_SETTLE = 0.6
"""Share of the shortest write seek that settling is taken to be at most."""
BUS = 4
"""So many times as fast as the outermost tracks a bus is taken to be that nothing was measured of."""
SHORT_BYTES = 16 * 1024
"""The shortest requests of a burst of more than a block: every buffer holds these."""
BEFORE = 0.85
"""Share of the overhead that comes before the medium. It shows in no latency."""


ASSUMED = (
    f"{BEFORE:.0%} of the overhead come before the medium, the rest after it: no latency shows this.",
    "The write cache is off.",
)
"""Of every drive."""

Parts = Mapping[ExportDetail, Mapping[str, Any]]
"""What extraction kept that exports read, out of one run's kinds."""


def drive_of(
    identity: Identity, numbers: Mapping[MetricKey, float], details: Mapping[str, Mapping[str, Any]]
) -> MeasuredDrive:
    """Derive a drive from its numbers (metric and scope to the value in the metric's unit) and from what
    extraction kept of one run's kinds. Raises ExportError that names everything that is missing."""
    known = by_measurand(numbers)
    parts = {part: details.get(kind_of_detail(part), {}) for part in ExportDetail}
    if zones := parts[ExportDetail.ZONES].get("zones"):
        # A flat profile has no bandwidth to rely on: its rate may be the bus's, as the geometry allows for.
        known = {(Measurand.OUTER_BANDWIDTH, ""): zones[0]["mb_per_s"], **known}
    _check(known, parts)
    found = parts[ExportDetail.ZONES]["zones"]
    geometry = geometry_of(identity, known, found)
    drive = _drive(identity, known, parts, geometry)
    if _explains(drive.seek, geometry):
        return drive
    return _drive(identity, known, parts, geometry_of(identity, known, found, missing=False))


def _explains(seek: SeekCurve, geometry: Geometry) -> bool:
    """Return whether the arm is slow enough for what it is said to miss."""
    heads = geometry.misses_heads and seek.next_ms < min(zone.head_gap_ms for zone in geometry.zones)
    cylinders = geometry.misses_cylinders and seek.next_ms < min(
        zone.cylinder_gap_ms for zone in geometry.zones
    )
    return not (heads or cylinders)


def _drive(
    identity: Identity,
    numbers: Mapping[MeasurandKey, float],
    parts: Parts,
    geometry: Geometry,
) -> MeasuredDrive:
    """Return the drive on its geometry; raises ExportError without enough seeks."""
    turn = numbers[Measurand.ROTATION_TIME, ""]
    buffer, words = _buffer(numbers, parts[ExportDetail.BUFFER_CURVE], slow_bus=geometry.slow_bus)
    bus_ms = identity.block_bytes / buffer.bytes_per_s * 1e3
    # What is written crosses the bus before the medium, within the overhead; what is read after it.
    read = _overhead(numbers, "read", turn, geometry, bus_ms)
    write = _overhead(numbers, "write", turn, geometry, 0.0)
    points = parts[ExportDetail.SEEK_CURVE]["points"]
    writing = points[0]["variant"] == "write"
    outer_ms = turn / (geometry.zones[0].track_blocks + geometry.spares)
    if write is None and writing and (Measurand.SEEK_BASELINE, "") in numbers:
        write = max(numbers[Measurand.SEEK_BASELINE, ""] - outer_ms, 0.0)
    either = max(numbers[Measurand.MTM, ""] - outer_ms - bus_ms, 0.0)
    assumed = [*ASSUMED]
    for name, overhead in (("reads", read), ("writes", write)):
        if overhead is None:
            assumed.append(f"The overhead of {name} is that of the other direction: theirs was not measured.")
    access_ms = numbers.get((Measurand.ACCESS_TIME, ""))
    if writing and access_ms is None:
        assumed.append("A read's seek takes as long as a write's, which was measured.")
    drive = MeasuredDrive(
        identity=identity,
        rotation_ms=turn,
        surfaces=round(numbers[Measurand.SURFACES, ""]),
        zones=geometry.zones,
        spares=geometry.spares,
        misses_heads=geometry.misses_heads,
        seek=SeekCurve(0.0, 0.0, 0.0, 2, 0.0, sum(zone.cylinders for zone in geometry.zones)),
        write_settle_ms=0.0,
        write_overhead_ms=either if write is None else write,
        read_overhead_ms=either if read is None else read,
        access_ms=access_ms,
        buffer=buffer,
        assumed=(*assumed, *geometry.words, *words),
    )
    drive = replace(drive, seek=_seek(drive, bus_ms, points, misses=geometry.misses_cylinders))
    return _settled(drive, bus_ms) if writing else drive


_NEEDED = {
    (Measurand.ROTATION_TIME, ""): "the rotation time",
    (Measurand.SURFACES, ""): "the number of surfaces",
    (Measurand.MTM, ""): "the minimum time to media",
    (Measurand.OUTER_BANDWIDTH, ""): "the outer bandwidth",
    # Of seeks that are too poor for a number no curve is drawn either.
    (Measurand.FULL_STROKE, ""): "the full stroke",
}


def numbers_lacking(numbers: Mapping[MetricKey, float]) -> list[str]:
    """Return what no drive can be derived without and these numbers do not have; where they have all, what
    extraction kept of the run may still not do."""
    return _lacking(by_measurand(numbers))


def _lacking(numbers: Mapping[MeasurandKey, float]) -> list[str]:
    lacks = [words for key, words in _NEEDED.items() if key not in numbers]
    for gap, words in ((Measurand.HEAD_SWITCH_GAP, "head"), (Measurand.CYLINDER_SWITCH_GAP, "cylinder")):
        if not any((gap, region) in numbers for region in REGIONS):
            lacks.append(f"the gap at a {words} switch")
    return lacks


def _check(numbers: Mapping[MeasurandKey, float], parts: Parts) -> None:
    lacks = _lacking(numbers)
    if not parts[ExportDetail.ZONES].get("zones"):
        lacks.append("the zones")
    if not parts[ExportDetail.SEEK_CURVE].get("points"):
        lacks.append("the seek curve")
    reasons = [f"The runs do not carry {', '.join(lacks)}."] if lacks else []
    layout = parts[ExportDetail.LAYOUT].get("layout", "unknown")
    if layout == "surface_serpentine":
        reasons.append(
            "Addresses run surface by surface; only drives that fill a cylinder first are exported."
        )
    if reasons:
        kinds = {source(measurand)[0].partition(".")[0] for measurand, _scope in _NEEDED}
        *others, last = (kind.slug for kind in KINDS if kind.slug in kinds)
        bring = f"Runs of {', '.join(others)} and {last} with --writes preserve bring what is needed."
        raise ExportError([*reasons, bring])


def _overhead(
    numbers: Mapping[MeasurandKey, float], variant: str, turn: float, geometry: Geometry, bus_ms: float
) -> float | None:
    """Return MTM of a direction without the block's transfer from the medium and over the bus, both of which
    it holds; None where it is unknown."""
    zones = geometry.zones
    tracks = dict(zip(REGIONS, (zones[0], zones[len(zones) // 2], zones[-1]), strict=True))
    known = [
        numbers[key] - turn / (zone.track_blocks + geometry.spares) - bus_ms
        for region, zone in tracks.items()
        if (key := (Measurand.MTM, f"{region}/{variant}")) in numbers
    ]
    return max(float(np.median(known)), 0.0) if known else None


def _buffer(
    numbers: Mapping[MeasurandKey, float], details: Mapping[str, Any], *, slow_bus: bool
) -> tuple[Buffer, tuple[str, ...]]:
    """Return the buffer, and what was assumed of it; where `slow_bus`, the bus limits the bandwidth."""
    words: list[str] = []
    outer = numbers[Measurand.OUTER_BANDWIDTH, ""]
    request_ms, speed = _hits(details)
    burst = numbers.get((Measurand.BURST_RATE, "")) or numbers.get((Measurand.BUFFER_BANDWIDTH, ""))
    if burst is None:
        burst = BUS * outer
        words.append("The bus is four times as fast as the outermost tracks.")
    if speed < burst * 1e6:
        request_ms, speed = 0.0, burst * 1e6
        words.append("A request that the buffer answers takes the time of its transfer and no more.")
    kib = numbers.get((Measurand.BUFFER_SIZE, "")) or numbers.get((Measurand.STREAM_BUFFER_SIZE, ""))
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


def _seek(
    drive: MeasuredDrive, bus_ms: float, points: Sequence[Mapping[str, Any]], *, misses: bool
) -> SeekCurve:
    """Return the curve of the seeks out and back, less what an access without a seek takes.

    That is the overhead with a block's transfer. SKIPPY knows it to a block; SEEKER's baseline is coarser.
    """
    taken = [point for point in points if point["pattern"] in ("outward", "inward") and point["covered"]]
    blocks = np.asarray([point["distance_blocks"] for point in taken], dtype=np.float64)
    overheads = {"read": drive.read_overhead_ms, "write": drive.write_overhead_ms}
    # Out of the outermost zone and back into it: the block that is waited for lies where the arm goes.
    ends = np.cumsum(drive.zone_blocks)
    zones = [
        min(int(np.searchsorted(ends, distance, side="right")), len(drive.zones) - 1) if out else 0
        for distance, out in zip(blocks, (point["pattern"] == "outward" for point in taken), strict=True)
    ]
    transfers = drive.rotation_ms / np.asarray(
        [drive.zones[zone].track_blocks + drive.spares for zone in zones]
    )
    buses = {"read": bus_ms, "write": 0.0}
    times = (
        np.asarray(
            [point["latency_ms"] - overheads[point["variant"]] - buses[point["variant"]] for point in taken],
            dtype=np.float64,
        )
        - transfers
    )
    reaches = np.asarray(
        [(point.get("shortest_ms", 0.0) - point.get("missed_ms", 0.0)) / 2 for point in taken],
        dtype=np.float64,
    )
    curve = seek_fit(
        cylinders_of(blocks, drive.zone_blocks, [zone.cylinders for zone in drive.zones]),
        times,
        cylinders=drive.cylinders,
        reaches_ms=reaches,
    )
    if curve is None:
        bring = f"A run of {kind_of_detail(ExportDetail.SEEK_CURVE)} in full brings them."
        raise ExportError(["The runs carry too few seeks for a curve.", bring])
    if misses:
        return curve
    within = min(zone.cylinder_gap_ms for zone in drive.zones) * MARGIN
    return replace(curve, next_ms=min(curve.next_ms, within))


def _settled(drive: MeasuredDrive, bus_ms: float) -> MeasuredDrive:
    """Return the drive with seeks of reads: random reads take less than seeks of writes would make them, by
    what a write settles longer."""
    if drive.access_ms is None:
        return drive
    places = drive.zones[len(drive.zones) // 2].track_blocks + drive.spares
    wait = drive.rotation_ms / 2 + drive.read_overhead_ms + drive.rotation_ms / places + bus_ms
    seek = drive.seek
    longer = (
        mean_seek(seek, drive.zone_blocks, [zone.cylinders for zone in drive.zones]) + wait - drive.access_ms
    )
    settle = min(max(longer, 0.0), seek.base_ms, seek.one_cylinder_ms * LONGEST_SETTLE)
    read = replace(
        seek,
        next_ms=seek.next_ms - settle,
        base_ms=seek.base_ms - settle,
        full_stroke_ms=seek.full_stroke_ms - settle,
    )
    return replace(drive, seek=read, write_settle_ms=settle)
