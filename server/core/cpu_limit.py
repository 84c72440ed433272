"""How much of a processor's time a piece of work may take, however busy the machine is."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

AGAIN_S = 1.0
"""What caught the exception by mistake, or raised it where Python raises none, gets it again."""


class CpuLimitExceeded(Exception):
    """The work took more than it may."""


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise CpuLimitExceeded in the block once this process has computed for so long in it.

    Signals reach a process's main thread alone, in which tasks and commands run; elsewhere nothing is bound.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def over(*_: Any) -> None:
        raise CpuLimitExceeded(f"more than {seconds:g} s of processor time")

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
