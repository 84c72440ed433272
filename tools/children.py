"""Long-running child processes with a log each; they end with their parent, however it ends."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

_PR_SET_PDEATHSIG = 1


class Children:
    """The processes of one command, stopped in the reverse order of their start."""

    def __init__(self, logs: Path, environment: Mapping[str, str], folder: Path) -> None:
        self._logs = logs
        self._environment = dict(environment)
        self._folder = folder
        self._children: list[tuple[str, subprocess.Popen[bytes]]] = []
        logs.mkdir(parents=True, exist_ok=True)

    def start(self, name: str, command: Sequence[str]) -> subprocess.Popen[bytes]:
        """Start a command in a session of its own, so that Ctrl-C reaches this process alone."""
        with self.log(name).open("wb") as log:
            child = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environment,
                cwd=self._folder,
                start_new_session=True,
                preexec_fn=_end_with_parent if sys.platform == "linux" else None,
            )
        self._children.append((name, child))
        return child

    def log(self, name: str) -> Path:
        """Return the file that takes a child's words."""
        return self._logs / f"{name}.log"

    def ended(self) -> str | None:
        """Return the name of a child that ended by itself, if any did."""
        return next((name for name, child in self._children if child.poll() is not None), None)

    def log_tail(self, name: str, size: int = 2000) -> str:
        """Return the end of a child's log."""
        return self.log(name).read_text(errors="replace")[-size:]

    def stop(self, timeout_s: float = 20.0) -> None:
        """Ask all to end, last started first; whoever does not is killed with its group."""
        for _name, child in reversed(self._children):
            if child.poll() is None:
                child.terminate()
        for _name, child in reversed(self._children):
            try:
                child.wait(timeout_s)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        self._children.clear()


_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def _end_with_parent() -> None:
    """Ask Linux to send SIGTERM to this child once its parent is gone (prctl(2), PR_SET_PDEATHSIG)."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
