"""The turn: delays that pass for turning, spindles that wander, and regions that contradict each other."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest

from server.benchmarks.contract import Extraction, Quality
from server.benchmarks.skippy import KIND
from server.benchmarks.skippy.definitions import ROTATION_TIME
from server.benchmarks.skippy.phase import _level_shifts
from server.benchmarks.skippy.series import Estimate, scattered
from server.benchmarks.skippy.test_skippy import FACTS, columns, one
from tests.support.traces import skippy_entry

TURN_MS, TRACK, HEADS, HEAD_MS, CYLINDER_MS, MTM_MS, THINK_MS = 8.0, 180, 4, 0.8, 1.4, 1.5, 0.02
REGIONS = ("outer", "middle", "inner")
Longer = Callable[[float], float]
"""By which share a turn is longer at a time, in milliseconds."""


def even(_at_ms: float) -> float:
    return 0.0


def turning(
    longer: Longer, delay: Callable[[float], float], start_ms: float, steps: list[int], **place: Any
) -> tuple[dict[str, Any], float]:
    """One series on a platter that turns on one clock, and when it ends; `delay` of the time waited comes on
    top of each completion."""
    now, at, done_at = start_ms, 37, start_ms
    starts, latencies, offsets = [], [], []

    def angle(block: int) -> float:
        tracks, cylinders = block // TRACK, block // (TRACK * HEADS)
        return block / TRACK + ((tracks - cylinders) * HEAD_MS + cylinders * CYLINDER_MS) / TURN_MS

    for step in steps:
        to = at + step + 1
        begin = now + THINK_MS
        part = (angle(to) - angle(at)) % 1.0
        turn_ms = TURN_MS * (1 + longer(done_at))
        ready = done_at + part * turn_ms
        # What is left to turn at the request must not be below the shortest time to the medium.
        while ready - begin < MTM_MS:
            ready += turn_ms
        done_at = ready
        now = ready + delay(ready - begin)
        starts.append(begin)
        latencies.append(now - begin)
        offsets.append(to)
        at = to
    ends = [
        round((start + latency - start_ms) * 1e6) for start, latency in zip(starts, latencies, strict=True)
    ]
    began = [round((start - start_ms) * 1e6) for start in starts]
    spans = [end - start for start, end in zip(began, ends, strict=True)]
    made = columns(spans, start_block=37, step_blocks=steps, offset_blocks=offsets, start_ns=began)
    return made | place, now


def run_of(
    longer: Longer = even,
    delay: Callable[[float], float] = lambda _: 0.0,
    pause_ms: float = 0.0,
    tested: float = 1.0,
) -> Extraction:
    series, now = [], 0.0
    for region in REGIONS:
        for steps, pattern in ((list(range(300)), "increasing"), ([60] * 400, "constant")):
            walk, now = turning(longer, delay, now + pause_ms, steps, region=region, pattern=pattern)
            series.append(walk)
    # The probe's own test sees the turn of its time.
    tested_ns = round(TURN_MS * tested * (1 + longer(0.0)) * 1e6)
    return KIND.extract(skippy_entry(*series, rotation_estimate_ns=tested_ns), FACTS)


def holds(found: Extraction) -> bool:
    turn = one(found, "rotation_time")
    assert turn.low is not None and turn.high is not None
    return turn.low <= TURN_MS <= turn.high


@pytest.mark.parametrize("share", [0.0005, 0.001, 0.004])
def test_completions_that_are_later_the_longer_they_waited_do_not_make_the_turn_longer(share: float) -> None:
    random = Random(5)
    found = run_of(delay=lambda waited: share * waited + random.expovariate(1 / 0.004))
    turn = one(found, "rotation_time")
    assert turn.value == pytest.approx(TURN_MS, rel=1e-4)
    assert turn.quality is Quality.GOOD
    assert holds(found)


def test_a_turn_known_from_hundreds_of_turns_has_a_narrow_interval() -> None:
    random = Random(3)
    turn = one(run_of(delay=lambda _: random.expovariate(1 / 0.03)), "rotation_time")
    assert turn.low is not None and turn.high is not None
    assert turn.high - turn.low < 2e-4 * TURN_MS
    assert turn.low <= TURN_MS <= turn.high


def test_the_interval_reaches_over_what_a_wandering_spindle_does_between_regions() -> None:
    """24 drives whose turn wanders by 0.01 to 0.04 %, in half a minute to some minutes."""
    held = 0
    for number in range(24):
        random = Random(number)
        share, period_ms, phase = random.uniform(1e-4, 4e-4), random.uniform(3e4, 3e5), random.uniform(0, 7)

        def longer(
            at_ms: float, share: float = share, period_ms: float = period_ms, phase: float = phase
        ) -> float:
            return share * math.sin(2 * math.pi * at_ms / period_ms + phase)

        noise = partial(_microseconds, np.random.default_rng(number))
        held += holds(run_of(longer, noise, pause_ms=period_ms / 5))
    assert held >= 22


def test_what_passes_as_the_platter_turns_is_as_uncertain_as_the_turn_wanders() -> None:
    def longer(at_ms: float) -> float:
        return 5e-4 * math.sin(at_ms / 4e3)

    found = run_of(longer, lambda _: 0.0, pause_ms=2e3)
    transfer = one(found, "transfer_time")
    assert transfer.low is not None and transfer.high is not None
    assert transfer.low <= TURN_MS / TRACK <= transfer.high
    for region in REGIONS:
        gap = one(found, "head_switch_gap", region)
        assert gap.low is not None and gap.high is not None
        assert gap.low <= HEAD_MS <= gap.high


def test_regions_that_agree_outvote_the_probes_own_test_where_it_is_a_little_off() -> None:
    """Under heavy noise its reads are up to half a per cent off, and what regions agree on is not."""
    noise = np.random.default_rng(2)
    found = run_of(delay=lambda _: float(noise.exponential(0.1)), tested=1.003)
    turn = one(found, "rotation_time")
    assert turn.quality is Quality.GOOD
    assert turn.value == pytest.approx(TURN_MS, rel=1e-4)
    assert holds(found)
    contradicted = one(run_of(tested=1.01), "rotation_time")
    assert contradicted.quality is not Quality.GOOD


def _microseconds(noise: np.random.Generator, _waited_ms: float) -> float:
    return float(noise.exponential(0.002))


def estimates(*values: float, error: float = 1e-6) -> list[Estimate]:
    return [Estimate(value, error, 10) for value in values]


def test_values_that_differ_by_their_errors_alone_are_averaged() -> None:
    found = scattered(ROTATION_TIME, estimates(8.0, 8.0, 8.0), 8e-3)
    assert found.low is not None and found.high is not None
    assert found.high - found.low == pytest.approx(2 * 1.96e-6 / 3**0.5)


def test_values_that_differ_by_more_get_the_interval_of_a_few_draws() -> None:
    found = scattered(ROTATION_TIME, estimates(7.999, 8.0, 8.001), 8e-3)
    assert found.low is not None and found.high is not None
    # Student's quantile for two degrees of freedom over the root of three.
    assert found.high - found.low == pytest.approx(2 * 4.303 * 1e-3 / 3**0.5, rel=1e-3)
    assert found.quality is Quality.GOOD
    apart = scattered(ROTATION_TIME, estimates(7.98, 8.0, 8.02), 8e-3)
    assert apart.quality is Quality.POOR


def test_a_boundary_that_noise_nearly_hides_splits_what_goes_on_without_a_break() -> None:
    """As the head switch of a serpentine by surface, of a gap that differs by a few residuals."""
    apart = np.random.default_rng(4).exponential(0.03, 300)
    segment = np.zeros(300, dtype=np.int64)
    assert _level_shifts(apart, segment) == []
    apart[180:] -= 0.15
    (place,) = _level_shifts(apart, segment)
    assert abs(place - 180) <= 3
    segment[180:] = 1
    assert _level_shifts(apart, segment) == []
