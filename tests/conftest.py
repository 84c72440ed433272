"""Fixtures of all tests below `tests/`. Services and browser fixtures stand in the folders that need them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.probe import Probe, probe_path, simtool_path


@pytest.fixture
def probe(tmp_path: Path) -> Probe:
    """The built probe with a fresh key."""
    path = probe_path()
    if path is None:
        pytest.skip("the probe is not built: call `make probe`")
    home = tmp_path / "home"
    home.mkdir()
    probe = Probe(path, home)
    made = probe.call("key", "new")
    assert made.returncode == 0, made.stderr
    return probe


@pytest.fixture
def simtool() -> Path:
    """The simulator's tool."""
    path = simtool_path()
    if path is None:
        pytest.skip("diskatlas-simtool is not built: call `make simtool`")
    return path
