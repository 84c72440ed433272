"""Processes that are known by more than their number: a number may belong to somebody else by now."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path


def is_ours(pid: int, mark: str) -> bool:
    """Return whether process `pid` lives and has `mark` (our data folder) in its command line."""
    if pid <= 0:
        return False
    proc = Path("/proc") / str(pid)
    if proc.exists():
        try:
            state = (proc / "stat").read_text().rpartition(")")[2].split()[0]
            return state != "Z" and mark in (proc / "cmdline").read_bytes().replace(b"\0", b" ").decode(
                errors="replace"
            )
        except OSError:
            return False
    if Path("/proc/self").exists():
        return False
    said = subprocess.run(
        ["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return mark in said.stdout


def stop(pid: int, mark: str, *, first: signal.Signals, timeout_s: float = 20.0) -> bool:
    """Ask our process to end with `first`, kill it after `timeout_s`; return whether there was one."""
    if not is_ours(pid, mark):
        return False
    os.kill(pid, first)
    deadline = time.monotonic() + timeout_s
    while is_ours(pid, mark):
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            deadline += timeout_s
        time.sleep(0.02)
    _reap(pid)
    return True


def _reap(pid: int) -> None:
    """Collect the process where it is a child of this one; another's child is its parent's matter."""
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return
