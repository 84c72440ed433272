"""A simulated drive as a genuine block device: its file in real time, and a loop device on top."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.support.probe import Probe

SETTLE_S = 10


@dataclass(frozen=True, slots=True)
class LoopDevice:
    """The device, and the file that holds its bytes: reading that does not wait for the platter."""

    path: Path
    store: Path


def why_not() -> str | None:
    """What this machine lacks for it, or None."""
    if os.geteuid() != 0:
        return "a loop device needs root"
    for node in ("/dev/fuse", "/dev/loop-control"):
        if not Path(node).exists():
            return f"{node} is not there: the kernel offers no such device here"
    missing = [tool for tool in ("losetup", "umount") if shutil.which(tool) is None]
    return f"{missing[0]} is not installed" if missing else None


@contextmanager
def loop_device(simtool: Path, drive: str, folder: Path) -> Iterator[LoopDevice]:
    """Serves `drive` in real time and lays a loop device on it; releases both, whatever happens."""
    mountpoint, store = folder / "mount", folder / "store"
    mountpoint.mkdir()
    with ExitStack() as stack:
        server = subprocess.Popen(
            [str(simtool), "mount", drive, str(mountpoint), "--store", str(store)],
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.callback(_stop, server, mountpoint)
        assert server.stdout is not None
        assert "serving" in server.stdout.readline(), "the simulator did not start serving"
        done = _run("losetup", "--find", "--show", "--direct-io=on", str(mountpoint / "disk"))
        device = Path(done.stdout.strip())
        stack.callback(_run, "losetup", "--detach", str(device))
        yield LoopDevice(device, store)


def soon(probe: Probe) -> Probe:
    """The probe with real-time priority, where `chrt` can give it: others' work then shows less."""
    chrt = shutil.which("chrt")
    return replace(probe, before=(chrt, "--fifo", "5")) if chrt else probe


def fill(store: Path, length: int, seed: bytes, start: int) -> None:
    """Puts bytes that are not zero, and nowhere the same, at `start`."""
    with store.open("r+b") as file:
        file.seek(start)
        for offset in range(0, length, 1 << 16):
            file.write(hashlib.shake_256(seed + (start + offset).to_bytes(8)).digest(1 << 16))


def digest(store: Path) -> str:
    """SHA-256 over all bytes that differ from zero, and their places; holes take no time."""
    whole, end = hashlib.sha256(), store.stat().st_size
    with store.open("rb") as file:
        at = 0
        while at < end:
            try:
                start = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError:
                break
            at = min(os.lseek(file.fileno(), start, os.SEEK_HOLE), end)
            _add_blocks(whole, file.fileno(), start, at)
    return whole.hexdigest()


def _add_blocks(whole: hashlib._Hash, descriptor: int, start: int, end: int) -> None:
    # Block by block: a hole that was written with zeros is then no difference.
    for offset in range(start - start % 4096, end, 4096):
        block = os.pread(descriptor, 4096, offset)
        if block.strip(b"\0"):
            whole.update(offset.to_bytes(8) + block)


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)


def _stop(server: subprocess.Popen[str], mountpoint: Path) -> None:
    deadline = time.monotonic() + SETTLE_S
    # The kernel lets go of a detached loop device a moment later.
    while subprocess.run(["umount", str(mountpoint)], capture_output=True, check=False).returncode:
        if server.poll() is not None or time.monotonic() > deadline:
            subprocess.run(["umount", "--lazy", str(mountpoint)], capture_output=True, check=False)
            break
        time.sleep(0.1)
    try:
        server.wait(timeout=SETTLE_S)
    except subprocess.TimeoutExpired:
        server.send_signal(signal.SIGKILL)
        server.wait()
    if server.stdout is not None:
        server.stdout.close()
