"""What happens when the disk, or the person, ends a run early: what was measured is saved and signed."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.block import loop_device, require_loop_devices, simulated_disk, wait_until
from tests.support.probe import TIMEOUT_S, Probe, document_of, entry_of

pytestmark = pytest.mark.loop_device

DISK_BYTES = 2 * 1024**4
"""Sparse, and far more than can be read before the fault comes."""


@pytest.fixture
def backing(tmp_path: Path) -> Path:
    """A large sparse file."""
    path = tmp_path / "backing"
    with path.open("wb") as file:
        os.truncate(file.fileno(), DISK_BYTES)
    return path


@pytest.fixture
def device(backing: Path) -> Iterator[Path]:
    """A loop device that answers from memory."""
    require_loop_devices()
    with loop_device(backing) as path:
        yield path


def requests_of(device: Path) -> int:
    """Reads that the kernel has completed on the device."""
    return int(Path(f"/sys/block/{device.name}/stat").read_text().split()[0])


def streaming(probe: Probe, device: Path, output: Path) -> subprocess.Popen[str]:
    """Starts a long sequential measurement and waits until it is under way."""
    before = requests_of(device)
    options = ("--only", "zoned", "--zoned", "streaming", "--rotational", "yes")
    running = probe.start("run", device, "-o", output, *options)
    wait_until(
        lambda: running.poll() is not None or requests_of(device) > before + 2000, "the probe to be reading"
    )
    assert running.poll() is None, running.communicate()[1]
    return running


def ended(running: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit code and words of a probe that was started."""
    try:
        _, words = running.communicate(timeout=TIMEOUT_S)
    finally:
        running.kill()
    return running.returncode, words


def test_ctrl_c_saves_what_was_measured_and_says_so_in_the_exit_code(
    probe: Probe, device: Path, tmp_path: Path
) -> None:
    output = tmp_path / "interrupted.run.json"
    running = streaming(probe, device, output)
    running.send_signal(signal.SIGINT)
    code, words = ended(running)
    assert code == 1, words
    assert "interrupted" in words
    assert document_of(output)["conditions"]["interrupted"] is True
    assert probe.call("verify", output).returncode == 0


def test_a_disk_that_vanishes_ends_the_run_and_keeps_what_was_measured(
    probe: Probe, device: Path, backing: Path, tmp_path: Path
) -> None:
    output = tmp_path / "vanished.run.json"
    running = streaming(probe, device, output)
    os.truncate(backing, 0)
    subprocess.run(["losetup", "--set-capacity", str(device)], check=True)
    code, words = ended(running)
    assert code == 1, words
    assert "vanished" in words
    assert document_of(output)["device"]["capacity_bytes"] == DISK_BYTES
    assert probe.call("verify", output).returncode == 0


def test_a_disk_whose_every_request_fails_is_taken_for_gone_and_not_read_to_its_end(
    probe: Probe, simtool: Path, tmp_path: Path
) -> None:
    require_loop_devices()
    output = tmp_path / "dead.run.json"
    with (
        simulated_disk(simtool, "samsung-hd103sj", tmp_path / "drive", "--time-scale", "100") as (disk, pid),
        loop_device(disk) as device,
    ):
        before = requests_of(device)
        running = probe.start("run", device, "-o", output, "--only", "zoned", "--rotational", "yes")
        wait_until(lambda: requests_of(device) > before + 50, "the probe to be reading")
        os.kill(pid, signal.SIGKILL)
        code, words = ended(running)
    assert code == 1, words
    assert "vanished" in words
    assert probe.call("verify", output).returncode == 0


def test_an_error_at_one_address_is_recorded_and_the_run_goes_on(
    probe: Probe, simtool: Path, tmp_path: Path
) -> None:
    require_loop_devices()
    output = tmp_path / "bad-spot.run.json"
    options = ("--time-scale", "100", "--fail-at", "0:1048576")
    with (
        simulated_disk(simtool, "hp-97560", tmp_path / "drive", *options) as (disk, _),
        loop_device(disk) as device,
    ):
        done = probe.call("run", device, "-o", output, "--only", "zoned", "--rotational", "yes")
    assert done.returncode == 0, done.stderr
    entry = entry_of(document_of(output), "zoned")
    assert entry["errors"]
    assert all(error["offset_bytes"] < 1048576 for error in entry["errors"])
    assert all(error["operation"] == "read" for error in entry["errors"])
    measured = [offset for series in entry["samples"]["series"] for offset in series["offset_blocks"]]
    assert len(measured) > 10
    assert "recorded" in done.stderr
    assert probe.call("verify", output).returncode == 0
