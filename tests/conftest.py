"""Fixtures of all tests below `tests/`. Services and browser fixtures stand in the folders that need them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


@pytest.fixture
def tool_count(record_property: Callable[[str, object], None]) -> Callable[[str, int, str], None]:
    """Count what a tool that nobody here wrote has looked at, for the end of the suite."""

    def count(tool: str, number: int, what: str) -> None:
        assert number > 0, f"{tool} saw no {what}"
        record_property(_TOOL, (tool, number, what))

    return count


_TOOL = "tool"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what such tools have looked at, and found in order."""
    counts: Counter[tuple[str, str]] = Counter()
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == _TOOL:
                tool, number, what = value
                counts[tool, what] += number
    if counts:
        terminalreporter.section("tools of others")
    for (tool, what), number in sorted(counts.items()):
        terminalreporter.line(f"{tool}: {number} {what}")
