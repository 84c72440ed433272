"""A measured drive as parameters of DiskSim 4.0: the block of a disk and its model, for a `.parv` file.

Names of the parameters: The DiskSim Simulation Environment Version 4.0 Reference Manual (CMU-PDL-08-101) and
the diskmodel library that comes with it (modules disk, layout_g1, layout_g1_zone, mech_g1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from server.exports.drive import MeasuredDrive, Zone
from server.exports.sim_file import SEGMENTS, comments

QUEUE = {
    "Scheduling policy": "1",
    "Cylinder mapping strategy": "0",
    "Write initiation delay": "0.0",
    "Read initiation delay": "0.0",
    "Sequential stream scheme": "0",
    "Maximum concat size": "0",
    "Overlapping request scheme": "0",
    "Sequential stream diff maximum": "0",
    "Scheduling timeout scheme": "0",
    "Timeout time/weight": "0",
    "Timeout scheduling": "1",
    "Scheduling priority scheme": "0",
    "Priority scheduling": "1",
}
"""First come, first served, without delays and priorities."""
PLAIN = {
    **dict.fromkeys(("Max queue length", "Print stats", "Enable caching in buffer"), "1"),
    "Number of buffer segments": f"{SEGMENTS}",
    "Per-request overhead time": "0.0",
    "Time scale for overheads": "1.0",
    **dict.fromkeys(
        (
            "Hold bus entire read xfer",
            "Hold bus entire write xfer",
            "Allow almost read hits",
            "Allow sneaky full read hits",
            "Allow sneaky partial read hits",
            "Allow sneaky intermediate read hits",
            "Allow read hits on write data",
            "Allow write prebuffering",
            "Preseeking level",
        ),
        "0",
    ),
    "Never disconnect": "1",
    "Maximum number of write segments": "1",
    "Use separate write segment": "0",
    "Low (write) water mark": "0.0",
    "High (read) water mark": "1.0",
    "Set watermark by reqsize": "0",
    "Calc sector by sector": "1",
    "Buffer continuous read": "1",
    **dict.fromkeys(
        (
            "Minimum read-ahead (blks)",
            "Read-ahead over requested",
            "Read-ahead on idle hit",
            "Read any free blocks",
            "Fast write level",
            "Combine seq writes",
            "Stop prefetch in sector",
            "Disconnect write if seek",
            "Write hit stop prefetch",
        ),
        "0",
    ),
    "Read directly to buffer": "1",
    "Immed transfer partial hit": "0",
    **dict.fromkeys(
        (
            "Read completion overhead",
            "Write completion overhead",
            "Data preparation overhead",
            "First reselect overhead",
            "Other reselect overhead",
            "Read disconnect afterread",
            "Read disconnect afterwrite",
            "Write disconnect overhead",
        ),
        "0.0",
    ),
    "Extra write disconnect": "0",
    **dict.fromkeys(
        (
            "Extradisc command overhead",
            "Extradisc disconnect overhead",
            "Extradisc inter-disconnect delay",
            "Extradisc 2nd disconnect overhead",
            "Extradisc seek delta",
            "Minimum seek delay",
        ),
        "0.0",
    ),
    "Immediate buffer read": "0",
    "Immediate buffer write": "0",
}
"""What a disk has to have beside what was measured."""


def disksim(drive: MeasuredDrive) -> str:
    """Return the text. Times are in ms, skews in turns."""
    name = re.sub(r"[^A-Z0-9_]", "_", f"{drive.identity.vendor}_{drive.identity.number}".upper())
    lines = [*comments(drive), "", *_model(drive, f"{name}_MODEL"), "", *_disk(drive, name)]
    return "\n".join(lines) + "\n"


def _model(drive: MeasuredDrive, name: str) -> Iterator[str]:
    yield f"dm_disk {name} {{"
    yield f"   Block count = {drive.identity.capacity_bytes // drive.identity.block_bytes},"
    yield f"   Number of data surfaces = {drive.surfaces},"
    yield f"   Number of cylinders = {drive.cylinders},"
    yield "   Mechanical Model = dm_mech_g1 {"
    yield from (f"      {line}" for line in _mechanics(drive))
    yield "   },"
    yield "   Layout Model = dm_layout_g1 {"
    yield "      LBN-to-PBN mapping scheme = 0,"
    yield "      Sparing scheme used = 0,"
    yield "      Rangesize for sparing = 1,"
    yield "      Skew units = revolutions,"
    zones = zip(drive.first_cylinders, drive.zones, strict=True)
    entries = ",\n".join("\n".join(_zone(first, zone, drive)) for first, zone in zones)
    yield f"      Zones = [\n{entries}\n      ]"
    yield "   }"
    yield "}"


def _mechanics(drive: MeasuredDrive) -> Iterator[str]:
    seek = drive.seek
    slope = seek.ms_per_cylinder
    values = (
        f"{seek.knee_cylinders}",
        f"{seek.base_ms:.6f}",
        f"{seek.root_ms:.9f}",
        f"{seek.knee_ms - slope * seek.knee_cylinders:.6f}",
        f"{slope:.12f}",
        f"{seek.one_cylinder_ms:.6f}",
    )
    yield "Access time type = trackSwitchPlusRotation,"
    yield "Seek type = hpl,"
    yield f"HPL seek equation values = [ {', '.join(values)} ],"
    yield f"Add. write settling delay = {drive.write_settle_ms:.6f},"
    yield f"Head switch time = {drive.head_switch_ms:.6f},"
    yield f"Rotation speed (in rpms) = {round(drive.rpm)},"
    yield "Percent error in rpms = 0.0"


def _zone(first: int, zone: Zone, drive: MeasuredDrive) -> Iterator[str]:
    # A track's blocks take the whole turn here, so that the spares are not in the skews too.
    head_ms, cylinder_ms = drive.skews_ms(zone)
    yield "         dm_layout_g1_zone {"
    yield f"            First cylinder number = {first},"
    yield f"            Last cylinder number = {first + zone.cylinders - 1},"
    yield f"            Blocks per track = {zone.track_blocks},"
    yield "            Offset of first block = 0.0,"
    yield "            Skew units = revolutions,"
    yield "            Empty space at zone front = 0,"
    yield f"            Skew for track switch = {head_ms / drive.rotation_ms:.9f},"
    yield f"            Skew for cylinder switch = {cylinder_ms / drive.rotation_ms:.9f},"
    yield "            Number of spares = 0,"
    yield "            slips = [],"
    yield "            defects = []"
    yield "         }"


def _disk(drive: MeasuredDrive, name: str) -> Iterator[str]:
    """The disk around the model. All of its parameters have to be there; those that nothing measured are
    as a drive without cunning has them."""
    segment = max(drive.buffer.segment_kib * 1024 // drive.identity.block_bytes, 1)
    measured = {
        "Bulk sector transfer time": f"{drive.identity.block_bytes / drive.buffer.bytes_per_s * 1e3:.9f}",
        "Segment size (in blks)": f"{segment}",
        "Maximum read-ahead (blks)": f"{segment}",
        "Avg sectors per cylinder": f"{sum(drive.zone_blocks) // drive.cylinders}",
    }
    hits = drive.buffer.request_ms
    for direction, misses in (("Read", drive.read_overhead_ms), ("Write", drive.write_overhead_ms)):
        for after in ("read", "write"):
            measured[f"{direction} hit over. after {after}"] = f"{hits:.6f}"
            measured[f"{direction} miss over. after {after}"] = f"{misses:.6f}"
    yield f"disksim_disk {name} {{"
    yield f"   Model = {name}_MODEL,"
    yield "   Scheduler = disksim_ioqueue {"
    yield ",\n".join(f"      {key} = {value}" for key, value in QUEUE.items())
    yield "   },"
    yield ",\n".join(f"   {key} = {value}" for key, value in (PLAIN | measured).items())
    yield "}"
