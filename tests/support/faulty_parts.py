"""A storage and a clock that do what a file says: `storage-fault` and `clock-offset-s` in `FAULTS_DIR`."""

from __future__ import annotations

import errno
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.apps import AppConfig

from server.core import clock
from server.core.envelope_store import WholeFileStorage

FOLDER = Path(os.environ.get("FAULTS_DIR", "."))
SLOW_S = 1.0


def said(name: str) -> str:
    """Return what a file of the test says; empty where there is none."""
    try:
        return (FOLDER / name).read_text().strip()
    except OSError:
        return ""


class FaultyStorage(WholeFileStorage):
    """A folder that refuses, is full, is slow, or writes and says that it did not."""

    def _save(self, name: str, content: Any) -> str:
        fault = said("storage-fault")
        if fault == "refuses":
            raise ConnectionRefusedError(errno.ECONNREFUSED, "refused by the test")
        if fault == "full":
            raise OSError(errno.ENOSPC, "No space left on device")
        if fault == "slow":
            time.sleep(SLOW_S)
        saved = super()._save(name, content)
        if fault == "fails-after-writing":
            raise TimeoutError(errno.ETIMEDOUT, "no answer after writing")
        return saved

    def _open(self, name: str, mode: str = "rb") -> Any:
        fault = said("storage-fault")
        if fault == "refuses":
            raise ConnectionRefusedError(errno.ECONNREFUSED, "refused by the test")
        if fault == "slow":
            time.sleep(SLOW_S)
        return super()._open(name, mode)


def shifted_now() -> datetime:
    """Return the time that the test wants it to be."""
    return datetime.now(tz=UTC) + timedelta(seconds=float(said("clock-offset-s") or 0))


class FaultyPartsConfig(AppConfig):
    """Puts the clock in."""

    name = "tests.support"
    label = "faulty_parts"

    def ready(self) -> None:
        clock.now = shifted_now
