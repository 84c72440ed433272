"""The slope of the sawtooth's lines, and how far it may be off where the fit's turn is."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from server.benchmarks.contract import Measurement
from server.benchmarks.skippy.combine import transfer
from server.benchmarks.skippy.findings import Finding, analyse
from server.benchmarks.skippy.rotation import turns_of
from server.benchmarks.skippy.series import Estimate, traces_of
from server.benchmarks.skippy.test_rotation import TRACK, TURN_MS, even, turning
from tests.support.traces import skippy_entry

BLOCK_MS = TURN_MS / TRACK


@pytest.fixture(scope="module")
def findings() -> tuple[Finding, ...]:
    """The outer region of a noisy drive, read in two variants."""
    random = Random(11)
    series, now = [], 0.0
    for variant in ("write", "read"):
        for steps, pattern in ((list(range(300)), "increasing"), ([60] * 400, "constant")):
            walk, now = turning(
                even, lambda _: random.expovariate(1 / 0.02), now, steps, variant=variant, pattern=pattern
            )
            series.append(walk | {"region": "outer"})
    entry = skippy_entry(*series, rotation_estimate_ns=round(TURN_MS * 1e6))
    return analyse(traces_of(entry["samples"]), (TURN_MS,))


def width(found: Measurement) -> float:
    assert found.low is not None and found.high is not None
    return found.high - found.low


def off_by(finding: Finding, errors: float) -> Finding:
    """The finding with turn and slope that many of their errors too short."""
    assert finding.model is not None
    lines = finding.model.lines
    turn_ms = lines.turn_ms - errors * finding.model.errors_ms[0]
    block_ms = lines.block_ms - errors * finding.model.errors_ms[1]
    return replace(
        finding, model=replace(finding.model, lines=replace(lines, turn_ms=turn_ms, block_ms=block_ms))
    )


def test_a_fit_whose_turn_is_off_that_of_the_others_says_that_its_slope_may_be(
    findings: tuple[Finding, ...],
) -> None:
    turns = turns_of(findings)
    shifted = (off_by(findings[0], 12.0), off_by(findings[1], 12.0))
    found = transfer(shifted, turns)
    assert found.low is not None and found.high is not None
    assert found.low <= BLOCK_MS <= found.high


def test_a_fit_whose_turn_is_that_of_the_others_keeps_its_interval(findings: tuple[Finding, ...]) -> None:
    model = findings[0].model
    assert model is not None
    own = [Estimate(model.lines.turn_ms, 1e-3, 1)]
    one = (findings[0],)
    assert width(transfer(one, own)) == width(transfer(one, []))
