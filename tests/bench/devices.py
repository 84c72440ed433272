"""What is measured: a loop device over memory, and one over a simulated drive that turns in real time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support import block, loop_device

PLAIN_BYTES = 1 << 30


@contextmanager
def plain(scratch: Path) -> Iterator[Path]:
    """A loop device over a file in memory, where there is room: what remains is the cost of the request."""
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
def simulated(simtool: Path, drive: str, scratch: Path) -> Iterator[Path]:
    """A loop device over a drive that answers as slowly as the drive does."""
    scratch.mkdir()
    with loop_device.loop_device(simtool, drive, scratch) as device:
        yield device.path
