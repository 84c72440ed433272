"""Rotation time and rate of the whole drive."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from server.benchmarks.contract import Measurement, Quality
from server.benchmarks.skippy import definitions as metric
from server.benchmarks.skippy.findings import TEST_ERROR, Finding
from server.benchmarks.skippy.lines import turn_at_edge
from server.benchmarks.skippy.phase import turn_by_phase
from server.benchmarks.skippy.series import Z95, Estimate, none, scattered, variance_between

SAME_TURN = 0.01
"""Two ways of finding the turn agree when they lie closer than this share of it."""
SAME_DISK = 0.02
"""The probe's own test may have found something else than a turn. Within this share it found the turn."""
SAME_SPINDLE = 1e-3
"""Regions whose turns are further apart than this share of it contradict each other: no spindle wanders."""
FEWEST_TURNS = 3
"""Regions and variants whose turns have to be known for their differences to say how it wanders."""
TEST_BOUND = 0.005
"""How far off the probe's own test is at most, as a share, under the heaviest noise it is tested with."""
CLOSE = 0.001
"""Below this share a difference does not matter for the quality, only for the interval."""


def rotation(
    findings: tuple[Finding, ...], hints_ms: tuple[float, ...], turns: list[Estimate]
) -> list[Measurement]:
    """`hints_ms` are turns known otherwise: what the probe's own test found, what the drive is rated at."""
    if turns:
        turn = scattered(metric.ROTATION_TIME, turns, SAME_SPINDLE * turns[0].value)
        if turn.quality is Quality.POOR:
            # Models that contradict each other explain less than the lines that each of them starts from.
            lines = _rotation_from_lines(findings, hints_ms)
            turn = lines if lines.quality is Quality.FAIR else turn
        turn = turn if _outvoted(turn, turns, hints_ms) else _with_own_test(turn, findings, hints_ms)
    else:
        turn = _rotation_from_lines(findings, hints_ms)
    return [turn, _rate(turn)]


def turns_of(findings: tuple[Finding, ...]) -> list[Estimate]:
    """The turn of each region and variant that shows one."""
    return [found for finding in findings if (found := turn_of(finding)) is not None]


def turn_of(finding: Finding) -> Estimate | None:
    """The turn of one region and variant: by the phase over whole series, or where these break off too often
    from the accesses one by one; None where no model holds."""
    model = finding.model
    if not finding.trusted or model is None or not model.lines.height_seen:
        return None
    error = model.errors_ms[0]
    if not np.isfinite(error):
        return None
    one_by_one = Estimate(
        model.lines.turn_ms, max(error, 1e-6 * model.lines.turn_ms), int(model.inliers.sum())
    )
    by_phase = turn_by_phase(finding.trace, model)
    if by_phase is None or abs(by_phase.value / one_by_one.value - 1) > SAME_TURN:
        return one_by_one
    return min(by_phase, one_by_one, key=lambda one: one.error)


def wandering(turns: list[Estimate]) -> float:
    """Standard deviation of the turn between regions and variants beyond their errors, as a share of it."""
    if len(turns) < FEWEST_TURNS:
        return 0.0
    values, errors = np.array([one.value for one in turns]), np.array([one.error for one in turns])
    return float(np.sqrt(variance_between(values, errors)) / values.mean())


def with_wandering(found: Measurement, share: float) -> Measurement:
    """A time that passes as the platter turns, measured once, while its turn was not the mean one."""
    if found.value is None or found.low is None or found.high is None:
        return found
    more = Z95 * share * found.value
    return replace(found, low=found.low - more, high=found.high + more)


def _outvoted(turn: Measurement, turns: list[Estimate], hints_ms: tuple[float, ...]) -> bool:
    """Whether several regions and variants agree so well on a turn that the probe's own test, which is near
    it, has nothing to say: under heavy noise its few reads are further off than hundreds of turns."""
    assert turn.value is not None
    apart = abs(hints_ms[0] / turn.value - 1) if hints_ms else 0.0
    return len(turns) >= FEWEST_TURNS and turn.quality is Quality.GOOD and CLOSE <= apart < TEST_BOUND


def _with_own_test(
    turn: Measurement, findings: tuple[Finding, ...], hints_ms: tuple[float, ...]
) -> Measurement:
    """The turn of the models, unless the probe's own test of the rotation finds another.

    Where series run over tracks of different lengths, as on a drive that fills one surface after the other,
    a model of equal tracks can take a share of the turn for a gap and fit well. What the probe found by
    asking for one block again and again knows no tracks.
    """
    assert turn.value is not None and turn.low is not None and turn.high is not None
    tested_ms = hints_ms[0] if hints_ms else 0.0
    if turn.low <= tested_ms <= turn.high or abs(tested_ms / turn.value - 1) > SAME_DISK:
        return turn
    slack = TEST_ERROR * tested_ms
    disputed = not turn.low - slack <= tested_ms <= turn.high + slack
    if disputed:
        lines = _rotation_from_lines(findings, hints_ms)
        if lines.quality is Quality.FAIR:
            return lines
    if not disputed and abs(tested_ms / turn.value - 1) < CLOSE:
        return replace(turn, low=min(turn.low, tested_ms), high=max(turn.high, tested_ms))
    quality = Quality.POOR if disputed or turn.quality is Quality.POOR else Quality.FAIR
    reason = f"The probe's own test of the rotation finds {tested_ms:.3f} ms: tracks may be uneven."
    reach = CLOSE * tested_ms
    low, high = min(turn.low, tested_ms - reach), max(turn.high, tested_ms + reach)
    return replace(turn, low=low, high=high, quality=quality, reason=reason)


EDGE_ALONE = "Taken from the height of the edge alone: no model of equal tracks explains the samples."
EDGE_DISPUTED = (
    "Taken from the height of the edge alone, which the probe's own test of the rotation does not confirm: a "
    "cache may have answered."
)


def _turns_by_themselves(findings: tuple[Finding, ...]) -> list[tuple[float, float]]:
    """Rotation times with their errors that need no track length; empty where no edge is seen."""
    heights = [
        turn_at_edge(f.trace, f.lines) for f in findings if f.lines is not None and f.lines.height_seen
    ]
    near = [found for found in heights if found is not None]
    # Walking down no edge is near, but the line starts one turn up: as good where tracks are uneven.
    near += [
        (f.lines.turn_ms, 1e-3 * f.lines.turn_ms)
        for f in findings
        if f.lines is not None and not f.lines.height_seen and f.lines.concentration > 0.6 and near
    ]
    return near


def _rotation_from_lines(findings: tuple[Finding, ...], hints_ms: tuple[float, ...]) -> Measurement:
    """Where no model of the tracks holds, the two lines before the first boundaries still show the turn."""
    count = sum(len(f.trace.block) for f in findings)
    near = _turns_by_themselves(findings)
    if near:
        turns = np.array([turn_ms for turn_ms, _ in near])
        value = float(np.median(turns))
        spread = float(np.median(np.abs(turns - value))) if len(near) > 2 else 0.0
        apart = min((abs(hint - value) for hint in hints_ms), default=np.inf)
        agrees = bool(apart < SAME_TURN * value)
        reach = max(Z95 * float(np.median([error for _, error in near])), Z95 * spread, 1e-3 * value)
        # Two ways that agree within a hundredth know the turn no better than that, and the test no better
        # than it is known to.
        reach = max(reach, apart + TEST_BOUND * value) if agrees else reach
        return Measurement(
            metric.ROTATION_TIME.key,
            "",
            value,
            value - reach,
            value + reach,
            count,
            Quality.FAIR if agrees else Quality.POOR,
            EDGE_ALONE if agrees else EDGE_DISPUTED,
        )
    rough = [f.lines.turn_ms for f in findings if f.lines is not None and f.lines.concentration > 0.6]
    if rough:
        value = float(np.median(rough))
        return Measurement(
            metric.ROTATION_TIME.key,
            "",
            value,
            0.98 * value,
            1.02 * value,
            count,
            Quality.POOR,
            "No series shows the edge of the sawtooth: the latency of small steps stands for the turn.",
        )
    return none(
        metric.ROTATION_TIME,
        "",
        "The latencies do not rise in a line with the step: the device does not turn, or a cache answers.",
    )


def _rate(turn: Measurement) -> Measurement:
    if turn.value is None or turn.low is None or turn.high is None:
        return none(metric.ROTATION_RATE, "", turn.reason)
    return Measurement(
        metric.ROTATION_RATE.key,
        "",
        60e3 / turn.value,
        60e3 / turn.high,
        60e3 / turn.low,
        turn.count,
        turn.quality,
        turn.reason,
    )
