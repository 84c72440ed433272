"""Keeps the processors from going to sleep between two requests.

Where a thread of the kernel answers, its processor sleeps between two requests. A virtual one has to be
woken by the hypervisor, which takes as long as the request itself and now longer, now shorter: that would be
measured, not the program. Something that runs only where nobody else wants to keeps them awake, alike for
all programs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SPIN = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""


@contextmanager
def awake() -> Iterator[None]:
    """Hold every processor awake with the least priority there is; ends what it started."""
    spinning = [
        subprocess.Popen([sys.executable, "-c", SPIN, str(processor)])
        for processor in sorted(os.sched_getaffinity(0))
    ]
    try:
        yield
    finally:
        for one in spinning:
            one.kill()
        for one in spinning:
            one.wait()
