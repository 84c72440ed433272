"""A measured drive as a drive file of this project's simulator: `diskatlas run sim:FILE.toml`."""

from __future__ import annotations

import json
from collections.abc import Iterator

from server.exports.derivation import BEFORE, MARGIN
from server.exports.drive import MeasuredDrive

SEGMENTS = 4


def sim_file(drive: MeasuredDrive) -> str:
    """Return the file's text (TOML)."""
    return "\n".join([*comments(drive), "", *_zones(drive), *_tables(drive)]) + "\n"


def comments(drive: MeasuredDrive, mark: str = "#") -> Iterator[str]:
    """Yield what stands at the head of every export: the drive, what it rests on, and what was assumed."""
    yield f"{mark} {drive.identity.title}, as measured."
    yield from (f"{mark} {sentence}" for sentence in drive.identity.origin)
    yield from (f"{mark} Assumed: {sentence}" for sentence in drive.assumed)


def _zones(drive: MeasuredDrive) -> Iterator[str]:
    yield "zones = ["
    for zone in drive.zones:
        slots = zone.track_blocks + drive.spares
        head_ms, cylinder_ms = drive.skews_ms(zone)
        skews = f"track_skew_ms = {head_ms:.6f}, cylinder_skew_ms = {cylinder_ms:.6f}"
        spares = f", spares_per_track = {drive.spares}" if drive.spares else ""
        yield f"  {{ cylinders = {zone.cylinders}, sectors_per_track = {slots}, {skews}{spares} }},"
    yield "]"


def _tables(drive: MeasuredDrive) -> Iterator[str]:
    yield from (
        "",
        "[identity]",
        f"vendor = {_text(drive.identity.vendor)}",
        f"model = {_text(drive.identity.number)}",
    )
    yield f"interface = {_text(drive.identity.interface)}"
    if drive.identity.form_factor:
        yield f"form_factor = {_text(drive.identity.form_factor)}"
    yield from ("", "[media]", f"rpm = {drive.rpm:.6f}", f"heads = {drive.surfaces}")
    yield f"logical_block_bytes = {drive.identity.block_bytes}"
    yield f"physical_block_bytes = {drive.identity.block_bytes}"
    yield f"capacity_bytes = {drive.identity.capacity_bytes}"
    yield 'layout = "cylinder"'
    yield from ("", "[seek]", *_seek(drive))
    yield from ("", "[command]", *_command(drive))
    segment = drive.buffer.segment_kib
    yield from ("", "[read_cache]", f"segments = {SEGMENTS}", f"segment_kib = {segment}")
    yield f"look_ahead_kib = {segment}"
    yield from ("", "[write_cache]", "enabled = false", "changeable = false")


def _seek(drive: MeasuredDrive) -> Iterator[str]:
    seek = drive.seek
    # A switch is over when the next track's first block comes by: the gap is the longest that it can take.
    yield f"head_switch_ms = {drive.head_switch_ms * MARGIN:.6f}"
    yield f"one_cylinder_ms = {seek.one_cylinder_ms:.6f}"
    yield f"short_base_ms = {seek.base_ms:.6f}"
    yield f"short_sqrt_ms = {seek.root_ms:.6f}"
    yield f"knee_cylinders = {seek.knee_cylinders}"
    yield f"full_stroke_ms = {seek.full_stroke_ms:.6f}"
    yield f"write_settle_ms = {drive.write_settle_ms:.6f}"


def _command(drive: MeasuredDrive) -> Iterator[str]:
    for name, overhead in (("read", drive.read_overhead_ms), ("write", drive.write_overhead_ms)):
        yield f"{name}_before_ms = {overhead * BEFORE:.6f}"
        yield f"{name}_after_ms = {overhead * (1 - BEFORE):.6f}"
    yield f"hit_before_ms = {drive.buffer.request_ms * BEFORE:.6f}"
    yield f"hit_after_ms = {drive.buffer.request_ms * (1 - BEFORE):.6f}"
    yield f"bus_bytes_per_s = {drive.buffer.bytes_per_s:.0f}"


def _text(value: str) -> str:
    """Return a basic string of TOML, which JSON's is too."""
    return json.dumps(value, ensure_ascii=False)
