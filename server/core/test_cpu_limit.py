"""Work that takes too long is stopped by the time that it computes, and by nothing else."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from server.core.cpu_limit import CpuLimitExceeded, cpu_limit


def compute(seconds: float) -> None:
    ends = time.process_time() + seconds
    while time.process_time() < ends:
        pass


def test_what_computes_for_longer_is_stopped_and_what_waits_is_not() -> None:
    with cpu_limit(0.2):
        time.sleep(0.4)
    with pytest.raises(CpuLimitExceeded), cpu_limit(0.1):
        compute(30)


def test_nothing_of_it_is_left() -> None:
    before = signal.getsignal(signal.SIGPROF)
    with pytest.raises(CpuLimitExceeded), cpu_limit(0.05):
        compute(30)
    with cpu_limit(0.1):
        pass
    compute(0.3)
    assert signal.getsignal(signal.SIGPROF) == before
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_who_catches_it_by_mistake_gets_it_again() -> None:
    caught = 0
    with pytest.raises(CpuLimitExceeded), cpu_limit(0.05):
        while True:
            try:
                compute(30)
            except Exception:
                caught += 1
                if caught == 2:
                    raise


def test_another_thread_than_the_main_one_is_not_bound_and_not_hindered() -> None:
    done = threading.Event()

    def work() -> None:
        with cpu_limit(0.01):
            compute(0.05)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    assert done.is_set()
