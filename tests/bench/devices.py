"""What is measured: memory behind a loop device, memory that answers at once, and a drive that turns."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support import block, loop_device

PLAIN_BYTES = 1 << 30
COMPRESSED_BYTES = 256 << 20
ZRAM = Path("/sys/class/zram-control")
LATENCY_REQUEST = Path("/dev/cpu_dma_latency")


@contextmanager
def awake() -> Iterator[bool]:
    """Keep the processors from going to sleep, as tools that measure latencies do: while the kernel's file of
    latency requests (Documentation/power/pm_qos_interface) is held open with zero microseconds in it, an idle
    processor polls. Without that, waking the thread behind a loop device takes as long as the request itself,
    and on a virtual machine it is the hypervisor's mood that is measured. False where the kernel has no such
    file, or doesn't let us."""
    try:
        file = LATENCY_REQUEST.open("wb", buffering=0)
    except OSError:
        yield False
        return
    with file:
        file.write(struct.pack("i", 0))
        yield True


@contextmanager
def plain(scratch: Path) -> Iterator[Path]:
    """A loop device over a file in memory, where there is room. A thread of the kernel answers."""
    memory = Path("/dev/shm")
    folder = memory if memory.is_dir() and os.access(memory, os.W_OK) else scratch
    backing = folder / f"diskatlas-bench-{os.getpid()}"
    try:
        with backing.open("wb") as file:
            for _ in range(PLAIN_BYTES >> 24):
                file.write(os.urandom(1 << 16) * (1 << 8))
        with block.loop_device(backing) as device:
            yield device
    finally:
        backing.unlink(missing_ok=True)


@contextmanager
def immediate() -> Iterator[Path | None]:
    """A disk in memory that answers within the call (zram): nobody has to be woken, what is left is the cost
    of the request itself. None where the kernel has no such disk to give."""
    try:
        number = int((ZRAM / "hot_add").read_text())
    except (OSError, ValueError):
        yield None
        return
    device = Path(f"/dev/zram{number}")
    try:
        Path(f"/sys/block/{device.name}/disksize").write_text(str(COMPRESSED_BYTES))
        with device.open("r+b", buffering=0) as file:
            for _ in range(COMPRESSED_BYTES >> 20):
                # Bytes of chance can't be made smaller: they are kept as they are, and reading is copying.
                file.write(os.urandom(1 << 20))
            os.fsync(file.fileno())
        yield device
    finally:
        Path(f"/sys/block/{device.name}/reset").write_text("1")
        (ZRAM / "hot_remove").write_text(str(number))


@contextmanager
def simulated(simtool: Path, drive: str, scratch: Path) -> Iterator[Path]:
    """A loop device over a drive that answers as slowly as the drive does."""
    scratch.mkdir()
    with loop_device.loop_device(simtool, drive, scratch) as device:
        yield device.path
