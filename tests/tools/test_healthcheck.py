"""What a container's health check says of its role."""

from __future__ import annotations

import os
import sys
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from tools.repository_rules import ROOT


@pytest.fixture
def healthcheck(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    spec = spec_from_file_location("healthcheck", ROOT / "docker" / "healthcheck.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "SCHEDULE", tmp_path / "celerybeat-schedule")
    monkeypatch.setattr(sys, "path", list(sys.path))
    return module


@pytest.mark.parametrize("suffix", ["", ".db", ".dat"])
def test_beat_is_known_by_whatever_file_it_writes(
    healthcheck: ModuleType, tmp_path: Path, suffix: str
) -> None:
    assert "wrote its schedule" in healthcheck.beat()
    schedule = tmp_path / f"celerybeat-schedule{suffix}"
    schedule.touch()
    assert healthcheck.beat() == ""
    old = time.time() - healthcheck.SCHEDULE_MAX_AGE_S - 1
    os.utime(schedule, (old, old))
    assert "wrote its schedule" in healthcheck.beat()
