"""A measured drive as a job file of fio: zones at their measured rates, random accesses at their pace.

On a device that is faster, such a job makes the load that the drive would let through; on the drive itself it
reads what was measured again.
"""

from __future__ import annotations

from collections.abc import Iterator

from server.exports.drive import MeasuredDrive
from server.exports.sim_file import comments

REQUEST_BYTES = 1 << 20


def fio(drive: MeasuredDrive) -> str:
    """Return the job file's text."""
    return "\n".join([*comments(drive, ";"), "", *_common(), *_zones(drive), *_random(drive)]) + "\n"


def access_ms(drive: MeasuredDrive) -> float:
    """Return the mean time of a random access in ms: as measured, else from overhead, a third of the stroke
    and half a turn."""
    if drive.access_ms is not None:
        return drive.access_ms
    seek, third = drive.seek, drive.cylinders / 3
    beyond = seek.knee_ms + (third - seek.knee_cylinders) * seek.ms_per_cylinder
    travel = beyond if third >= seek.knee_cylinders else seek.base_ms + seek.root_ms * third**0.5
    return drive.read_overhead_ms + travel + drive.rotation_ms / 2


def _common() -> Iterator[str]:
    yield "; Give the device with --filename=DEVICE. Everything here reads."
    yield from ("[global]", "ioengine=psync", "direct=1", "readonly=1", "group_reporting=0", "stonewall")


def _zones(drive: MeasuredDrive) -> Iterator[str]:
    block, start = drive.identity.block_bytes, 0
    last = len(drive.zones) - 1
    for number, (zone, blocks) in enumerate(zip(drive.zones, drive.zone_blocks, strict=True)):
        size = blocks * block if number < last else drive.identity.capacity_bytes - start
        yield from ("", f"[zone{number}]", "rw=read", f"bs={REQUEST_BYTES}")
        yield from (f"offset={start}", f"size={size}", f"rate={round(zone.mb_per_s * 1e6)}", "runtime=10s")
        start += size


def _random(drive: MeasuredDrive) -> Iterator[str]:
    mean = access_ms(drive)
    yield from ("", f"; A random access takes {mean:.3f} ms on average.", "[random]", "rw=randread")
    yield from (
        "bs=4096",
        "offset=0",
        f"size={drive.identity.capacity_bytes}",
        f"rate_iops={max(round(1e3 / mean), 1)}",
    )
    yield from ("runtime=30s", "time_based")
