"""When the last backup ended: a line that `manage.py backup` leaves in the data folder."""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings

BACKED_UP_AT = "last-backup"


def _file() -> Path:
    return Path(settings.DATA_DIR) / BACKED_UP_AT


def backup_note(at: float) -> None:
    """Note that a backup ended, in seconds since 1970; for the doctor and the metrics."""
    part = _file().with_suffix(".part")
    part.parent.mkdir(parents=True, exist_ok=True)
    part.write_text(f"{at:.0f}\n")
    os.replace(part, _file())


def backup_last() -> float | None:
    """Return when the last backup ended, in seconds since 1970; None where none is known."""
    try:
        return float(_file().read_text())
    except (OSError, ValueError):
        return None
