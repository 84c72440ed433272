"""What happens when the disk, or the person, ends a run early: what was measured is saved and signed."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.block import loop_device, require_loop_devices, simulated_disk, wait_until
from tests.support.probe import TIMEOUT_S, Probe, document_of, entry_of

pytestmark = pytest.mark.loop_device

DISK_BYTES = 2 * 1024**4
"""Sparse, and far more than can be read before the fault comes."""

SOME_REGIONS_BYTES = 5 * 1024**3
"""A streaming measurement of that disk has at most 4000 regions, half a gibibyte each."""


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


def bytes_read(device: Path) -> int:
    """What has been read of the device so far, also by those who had it before (the kernel's counters)."""
    sectors = Path(f"/sys/block/{device.name}/stat").read_text().split()[2]
    return int(sectors) * 512


def offsets_of(document: dict[str, Any]) -> list[int]:
    """Starts of the regions that were measured."""
    series = entry_of(document, "zoned")["samples"]["series"]
    return [offset for one in series for offset in one["offset_blocks"]]


def streaming(probe: Probe, device: Path, output: Path) -> subprocess.Popen[str]:
    """Starts a long sequential measurement and waits until it is under way."""
    enough = bytes_read(device) + SOME_REGIONS_BYTES
    options = ("--only", "zoned", "--zoned", "streaming", "--rotational", "yes")
    running = probe.start("run", device, "-o", output, *options)
    wait_until(lambda: running.poll() is not None or bytes_read(device) > enough, "some regions")
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
    document = document_of(output)
    assert document["conditions"]["interrupted"] is True
    assert offsets_of(document), "regions were measured before, and are not in the document"
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
    document = document_of(output)
    assert document["device"]["capacity_bytes"] == DISK_BYTES
    assert offsets_of(document)
    assert probe.call("verify", output).returncode == 0


def test_a_disk_whose_every_request_fails_is_taken_for_gone_and_not_read_to_its_end(
    probe: Probe, simtool: Path, tmp_path: Path
) -> None:
    require_loop_devices()
    output = tmp_path / "dead.run.json"
    with (
        simulated_disk(simtool, "samsung-hd103sj", tmp_path / "drive") as (disk, pid),
        loop_device(disk) as device,
    ):
        enough = bytes_read(device) + 1_000_000_000
        running = probe.start("run", device, "-o", output, "--only", "zoned", "--rotational", "yes")
        # The first half of it goes into finding out how far times scatter; a region has about 40 MB.
        wait_until(lambda: running.poll() is not None or bytes_read(device) > enough, "some regions")
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
    document = document_of(output)
    entry = entry_of(document, "zoned")
    assert entry["errors"]
    assert all(error["offset_bytes"] < 1048576 for error in entry["errors"])
    assert all(error["operation"] == "read" for error in entry["errors"])
    assert len(offsets_of(document)) > 10
    assert "recorded" in done.stderr
    assert probe.call("verify", output).returncode == 0


def test_a_run_that_could_measure_nothing_fails_and_asks_nobody_to_submit_it(
    probe: Probe, simtool: Path, tmp_path: Path
) -> None:
    require_loop_devices()
    output = tmp_path / "nothing.run.json"
    options = ("--time-scale", "100", "--fail-at", "0:1000000000000")
    with (
        simulated_disk(simtool, "hp-97560", tmp_path / "drive", *options) as (disk, _),
        loop_device(disk) as device,
    ):
        done = probe.call("run", device, "-o", output, "--only", "zoned", "--rotational", "yes")
    assert done.returncode == 1, done.stderr
    assert "nothing was measured" in done.stderr
    assert "diskatlas submit" not in done.stderr
