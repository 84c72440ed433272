"""The built probe that this machine runs, where several were built."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tools.release import manifest
from tools.release.build import EXECUTABLE, ROOT

DOWNLOADS = ROOT / ".build" / "downloads"
"""Where `make probe` leaves what it built."""

VARIABLE = "DISKATLAS_PROBE"
"""Names another one; the Makefile sets it."""


def natives(folder: Path, machine: str) -> list[Path]:
    """Return the binaries for that machine (`x86_64`, `aarch64`), the static ones first."""
    prefix = f"{EXECUTABLE}-{machine}-"
    fitting = [path for path in manifest.binaries(folder) if path.name.startswith(prefix)]
    return sorted(fitting, key=lambda path: ("musl" not in path.name, path.name))


def built_probe(
    folder: Path = DOWNLOADS, *, machine: str = os.uname().machine, environ: Mapping[str, str] = os.environ
) -> Path | None:
    """Return the probe that the environment names, else the one that was built for this machine, or None."""
    if named := environ.get(VARIABLE):
        return Path(named) if Path(named).is_file() else None
    return next(iter(natives(folder, machine)), None)
