"""Cases from the simulated drives: the built probe runs, the simulator's tool says what is true."""

from __future__ import annotations

from tools.accuracy.cases import Case


def simulated_cases() -> tuple[list[Case], list[str]]:
    return [], []
