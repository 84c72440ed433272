"""An app for worker processes under test: its kinds wait, in the middle of an extraction, for a file to
appear."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.apps import AppConfig

from server.benchmarks.contract import Extraction, Facts
from tests.support.kinds import kind, longest_latency

LIMIT_S = 120.0


class SlowWorkerConfig(AppConfig):
    """Replaces the registry when the process starts."""

    name = "tests.support.slow_worker"
    label = "slow_worker"

    def ready(self) -> None:
        """Put stand-ins where the pipeline looks kinds up."""
        from server.measurements import extraction
        from server.submissions import validation

        table = {"skippy": kind("skippy", wait_then_extract), "zoned": kind("zoned")}
        extraction.kinds_by_slug = lambda: table
        validation.kinds_by_slug = lambda: table


def wait_then_extract(part: Mapping[str, Any], facts: Facts) -> Extraction:
    """Say which process extracts, wait until the test lets it go on, then extract."""
    marks = Path(os.environ["MARKS_DIR"])
    (marks / "extracting.new").write_text(str(os.getpid()))
    (marks / "extracting.new").rename(marks / "extracting")
    deadline = time.monotonic() + LIMIT_S
    while not (marks / "go").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    return longest_latency(part, facts)
