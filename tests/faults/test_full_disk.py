"""A full disk under the output: a measurement of hours is not lost to it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.block import small_file_system
from tests.support.probe import Probe


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A folder on a file system that has room for a few kilobytes."""
    if os.geteuid() != 0:
        pytest.skip("a small file system needs root to be mounted")
    with small_file_system(tmp_path / "full", size_kib=16) as folder:
        yield folder


def test_a_run_that_does_not_fit_is_saved_elsewhere_and_said_so(
    probe: Probe, full: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    output = full / "big.run.json"
    done = probe.call("run", "sim:hp-97560,seed=1", "-o", output, env={"TMPDIR": str(elsewhere)})
    assert "full" in done.stderr
    saved = Path(done.stdout.strip())
    assert saved.parent == elsewhere, done.stderr
    assert str(saved) in done.stderr
    assert probe.call("verify", saved).returncode == 0
    assert list(full.iterdir()) == [], "half a document is worse than none"


def test_a_folder_that_takes_no_file_is_told_before_anything_is_measured(
    probe: Probe, tmp_path: Path
) -> None:
    done = probe.call("run", "sim:modern-20tb", "-o", tmp_path / "missing" / "a.run.json", timeout_s=20)
    assert done.returncode in (1, 2)
    assert "does not exist" in done.stderr
    assert "-o" in done.stderr
