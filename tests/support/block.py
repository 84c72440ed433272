"""Loop devices and small file systems for tests that need a real block device. Root only."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

WAIT_S = 60.0


def require_loop_devices() -> None:
    """Skips the test where this machine or account can't make loop devices."""
    if os.geteuid() != 0:
        pytest.skip("loop devices and mounts need root")
    if shutil.which("losetup") is None:
        pytest.skip("losetup is not installed (on Debian: util-linux)")
    done = subprocess.run(["losetup", "--find"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no loop device is to be had: {done.stderr.strip()}")


def require_fuse() -> None:
    """Skips the test where the simulated drive can't be mounted as a file."""
    if not Path("/dev/fuse").exists():
        pytest.skip("/dev/fuse is not there: the kernel has no FUSE, or a container hides it")


def wait_until(condition: Callable[[], bool], what: str, timeout_s: float = WAIT_S) -> None:
    """Waits for a process of another's to come so far; fails the test where it does not."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, f"waited {timeout_s:.0f} s for {what}"
        time.sleep(0.02)


@contextmanager
def loop_device(backing: Path) -> Iterator[Path]:
    """A loop device over a file, with direct I/O below it where the file system can."""
    made = subprocess.run(
        ["losetup", "--find", "--show", "--direct-io=on", str(backing)],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode != 0:
        made = subprocess.run(
            ["losetup", "--find", "--show", str(backing)], capture_output=True, text=True, check=True
        )
    device = Path(made.stdout.strip())
    try:
        yield device
    finally:
        subprocess.run(["losetup", "--detach", str(device)], capture_output=True, check=False)


@contextmanager
def small_file_system(folder: Path, size_kib: int) -> Iterator[Path]:
    """A file system in memory that holds `size_kib` and no more."""
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={size_kib}k", "tmpfs", str(folder)]
    subprocess.run(words, check=True, capture_output=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True, capture_output=True)


@dataclass(frozen=True, slots=True)
class CutDisk:
    """A file system on a disk whose power can be cut."""

    folder: Path
    """Where it is mounted."""
    image: Path
    """The disk's bytes: what the kernel still holds in memory is not in them."""

    @contextmanager
    def after_power_cut(self) -> Iterator[Path]:
        """The file system as it comes up from what is on the disk now."""
        left = self.image.with_suffix(".left")
        shutil.copyfile(self.image, left)
        with _mounted(left, self.folder.with_name("left")) as folder:
            yield folder


@contextmanager
def cut_disk(folder: Path) -> Iterator[CutDisk]:
    """A disk of 16 MiB with ext4, which commits by itself only after minutes."""
    require_loop_devices()
    if shutil.which("mkfs.ext4") is None:
        pytest.skip("mkfs.ext4 is not installed (on Debian: e2fsprogs)")
    image = folder / "disk.image"
    with image.open("wb") as file:
        file.truncate(16 << 20)
    subprocess.run(["mkfs.ext4", "-q", str(image)], check=True, capture_output=True)
    with _mounted(image, folder / "disk", "-o", "commit=300") as mounted:
        yield CutDisk(mounted, image)


@contextmanager
def _mounted(image: Path, folder: Path, *options: str) -> Iterator[Path]:
    folder.mkdir(exist_ok=True)
    with loop_device(image) as device:
        subprocess.run(["mount", *options, str(device), str(folder)], check=True, capture_output=True)
        try:
            yield folder
        finally:
            subprocess.run(["umount", str(folder)], check=True, capture_output=True)


@contextmanager
def simulated_disk(simtool: Path, drive: str, folder: Path, *options: str) -> Iterator[tuple[Path, int]]:
    """A simulated drive as a file as slow as the drive; gives the file and the pid of what serves it."""
    require_fuse()
    folder.mkdir()
    server = subprocess.Popen(
        [str(simtool), "mount", drive, str(folder), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        disk = folder / "disk"
        wait_until(lambda: disk.exists() or server.poll() is not None, "the simulated drive to be mounted")
        if server.poll() is not None:
            assert server.stderr is not None
            pytest.fail(f"diskatlas-simtool ended: {server.stderr.read().decode()}")
        yield disk, server.pid
    finally:
        server.terminate()
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        subprocess.run(["umount", "--lazy", str(folder)], capture_output=True, check=False)
