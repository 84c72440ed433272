"""What figures were measured on, in words."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path


def day_words() -> str:
    """Return the day, the machine and its load."""
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"Measured {datetime.now(UTC):%Y-%m-%d} on {_machine()}; load averages at the end {load}. Figures "
        "of a day: a machine with other work on it gives others."
    )


def _machine() -> str:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    name = names[0] if names else platform.machine()
    return f"{os.cpu_count()} processors ({name}), {pages:.0f} GiB"
