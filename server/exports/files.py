"""A measured drive as files that simulators and tools read: the templates beside, filled with its numbers.

`drive.toml` is for this project's simulator, `diskatlas run sim:FILE.toml`. `drive.parv` has the parameters
of DiskSim 4.0, with the names of its Reference Manual (CMU-PDL-08-101) and of the diskmodel library that
comes with it (modules disk, layout_g1, layout_g1_zone, mech_g1); times are in ms, skews in turns. `drive.fio`
is a job file of fio: on a device that is faster it makes the load that the drive would let through; on the
drive itself it reads what was measured again.
"""

from __future__ import annotations

import json
import re
from itertools import accumulate
from pathlib import Path
from typing import Any

import jinja2

from server.exports.derivation import BEFORE, MARGIN
from server.exports.drive import MeasuredDrive

SEGMENTS = 4
REQUEST_BYTES = 1 << 20

_FILES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_FILES.filters["fixed"] = lambda number, digits: f"{number:.{digits}f}"
# A basic string of TOML is one of JSON too.
_FILES.filters["text"] = lambda value: json.dumps(value, ensure_ascii=False)


def _filled(template: str, drive: MeasuredDrive, **numbers: Any) -> str:
    return _FILES.get_template(template).render(drive=drive, segments=SEGMENTS, **numbers)


def sim_file(drive: MeasuredDrive) -> str:
    """Return the drive file of the simulator (TOML)."""
    return _filled("drive.toml.jinja", drive, margin=MARGIN, before=BEFORE)


def disksim(drive: MeasuredDrive) -> str:
    """Return the block of a disk and its model, for DiskSim."""
    seek, slope = drive.seek, drive.seek.ms_per_cylinder
    hpl = (
        f"{seek.knee_cylinders}",
        f"{seek.base_ms:.6f}",
        f"{seek.root_ms:.9f}",
        f"{seek.knee_ms - slope * seek.knee_cylinders:.6f}",
        f"{slope:.12f}",
        f"{seek.one_cylinder_ms:.6f}",
    )
    return _filled(
        "drive.parv.jinja",
        drive,
        name=re.sub(r"[^A-Z0-9_]", "_", f"{drive.identity.vendor}_{drive.identity.number}".upper()),
        hpl=hpl,
        segment_blocks=max(drive.buffer.segment_kib * 1024 // drive.identity.block_bytes, 1),
    )


def fio(drive: MeasuredDrive) -> str:
    """Return the job file of fio: zones at their measured rates, random accesses at their pace."""
    ends = list(accumulate(blocks * drive.identity.block_bytes for blocks in drive.zone_blocks))
    ends[-1] = drive.identity.capacity_bytes
    starts = [0, *ends[:-1]]
    mean_ms = _access_ms(drive)
    return _filled(
        "drive.fio.jinja",
        drive,
        zones=[
            (zone, start, end - start) for zone, start, end in zip(drive.zones, starts, ends, strict=True)
        ],
        request_bytes=REQUEST_BYTES,
        access_ms=mean_ms,
        rate_iops=max(round(1e3 / mean_ms), 1),
    )


def _access_ms(drive: MeasuredDrive) -> float:
    """Return the mean time of a random access in ms: as measured, else from overhead, a third of the stroke
    and half a turn."""
    if drive.access_ms is not None:
        return drive.access_ms
    seek, third = drive.seek, drive.cylinders / 3
    beyond = seek.knee_ms + (third - seek.knee_cylinders) * seek.ms_per_cylinder
    travel = beyond if third >= seek.knee_cylinders else seek.base_ms + seek.root_ms * third**0.5
    return drive.read_overhead_ms + travel + drive.rotation_ms / 2
