"""Analysis of every region and variant of a run, sharing what the whole drive shares: its rotation time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress

import numpy as np

from server.benchmarks.skippy.lines import CLEAR_ENOUGH, Lines, Turns, first_lines, turn_candidates, wrap
from server.benchmarks.skippy.media import FEWEST_MISSES, Threshold, find_threshold, share_regions
from server.benchmarks.skippy.model import Model, fit_model
from server.benchmarks.skippy.rarer import MOST_BETWEEN
from server.benchmarks.skippy.series import Trace
from server.benchmarks.skippy.steps import slips

TRUSTED_EXPLAINED = 0.88
TRUSTED_AGREEMENT = 0.93
MOST_UNSURE = 8
"""Track lengths that the steps can't tell apart, in blocks, up to which there is a number at all."""
SAME_TURN = 0.008
"""A model whose turn is further than this from that of its first lines has lost them."""
OFF_ERRORS = 3.0
TEST_ERROR = 0.002
"""What the probe's own test of the rotation is off by at most, as a share: a mean over many turns. A model
that left its first lines for the turn that the test found has not lost them: it mended them."""
MOST_HEADS = 40
"""No disk has had more recording surfaces."""
MOST_MISCOUNTED = 0.5
"""Common boundaries that look like the rarer ones, as a share of the rarer ones."""
OFTEN = 4
"""Cylinders over which a series must have gone for it to have met their boundaries."""
CLEARLY_MORE = 10
"""Mean residuals by which the gaps must differ for a series not to miss the difference."""
SLIPPED = 2.5
"""Blocks that slipped sectors may put an access beside the lines: more are rare within a step."""
SURE = 10.0
"""Logarithm of how much more likely the rarer gap has to be than none, chance's many tries taken off: a run
has a dozen series, and hundreds of runs must not count one of noise."""
SAME_GAP = 1e-3
"""Gaps that differ by a smaller share of a turn are one."""
BEYOND_SLOPE = 3e-3
"""By how much a track may hold more addresses than the slope says it has sectors: noise of the slope."""


@dataclass(frozen=True)
class Finding:
    """What one region and variant gave; what follows from it is worked out once."""

    trace: Trace
    lines: Lines | None
    model: Model | None
    threshold: Threshold | None
    tested_ms: float = 0.0
    """The turn that the probe's own test of the rotation found; 0 where there was none."""
    off_turn: bool = False
    """Whether its model turns otherwise than the run does: boundaries that are put wrong bend the lines."""

    @cached_property
    def slipped(self) -> bool:
        """Whether sectors without a number show between those that have one."""
        return self.lines is not None and slips(self.trace, self.lines)

    @cached_property
    def trusted(self) -> bool:
        """Whether one model of equal tracks explains the samples."""
        model = self.model
        return (
            model is not None
            and model.period is not None
            and model.gaps is not None
            and not self.off_turn
            and model.explained >= TRUSTED_EXPLAINED
            and model.period.agreement >= TRUSTED_AGREEMENT
            and (model.period.high - model.period.low <= MOST_UNSURE or not model.period.even)
            and model.period.length <= model.lines.track_blocks * (1 + BEYOND_SLOPE) + 0.5
            and self.lines is not None
            and (
                abs(model.lines.turn_ms / self.lines.turn_ms - 1) < SAME_TURN
                or (model.lines.height_seen and abs(self.tested_ms / model.lines.turn_ms - 1) < TEST_ERROR)
            )
        )

    @cached_property
    def two_gaps(self) -> bool:
        model = self.model
        return (
            self.trusted
            and model is not None
            and model.gaps is not None
            and model.gaps.cylinder_ms is not None
            and model.gaps.shape.heads <= MOST_HEADS
            and gaps_differ(model)
            and not miscounted(model)
        )

    @property
    def banded(self) -> bool:
        """Whether the rarer boundary comes after more tracks than a disk has heads: serpentine by surface."""
        gaps = self.model.gaps if self.model is not None else None
        return self.trusted and gaps is not None and gaps.shape.heads > MOST_HEADS


def of_one_turn(findings: tuple[Finding, ...], run_ms: float) -> tuple[Finding, ...]:
    """The findings, of which those whose model's turn is neither the run's nor, by its error, chance are not
    to be trusted: delays bend it by a tenth of a per cent, boundaries that are put wrong by more. `run_ms` is
    the turn that the regions and variants agree on."""
    return tuple(
        replace(one, off_turn=True, threshold=None) if _turns_otherwise(one.model, run_ms) else one
        for one in findings
    )


def _turns_otherwise(model: Model | None, run_ms: float) -> bool:
    if model is None:
        return False
    off_ms, error_ms = abs(model.lines.turn_ms - run_ms), model.errors_ms[0]
    return bool(np.isfinite(error_ms) and off_ms > max(TEST_ERROR * run_ms, OFF_ERRORS * error_ms))


def contradicted(findings: tuple[Finding, ...]) -> bool:
    """Whether more series lack the rarer boundary, though they crossed enough boundaries to meet it and have
    too little noise to miss it, than show it.

    The number of surfaces is the whole drive's. Where a serpentine by surface ends, its last band may be so
    narrow that moves between surfaces look like those between cylinders, there alone.
    """
    showing = [
        f.model.gaps for f in findings if f.two_gaps and f.model is not None and f.model.gaps is not None
    ]
    if not showing:
        return False
    heads = max(gaps.shape.heads for gaps in showing)
    more_ms = min((wrapped_more(f.model) for f in findings if f.two_gaps and f.model is not None), key=abs)
    lacking = [
        finding
        for finding in findings
        if finding.trusted
        and not finding.two_gaps
        and (met := _crossed(finding) / heads) >= OFTEN
        and finding.model is not None
        and abs(more_ms) >= CLEARLY_MORE * finding.model.noise_ms
        and alike(finding.model, more_ms) < met / 2
    ]
    return len(lacking) > len(showing)


def _crossed(finding: Finding) -> int:
    """How many boundaries the accesses crossed that the model explains."""
    model = finding.model
    if model is None or model.gaps is None:
        return 0
    return int(np.abs(model.gaps.heads[model.inliers]).sum())


def gaps_differ(model: Model) -> bool:
    """Whether the fit of all accesses left the two gaps apart: one gap alone is no count of surfaces."""
    gaps = model.gaps
    if gaps is None or gaps.cylinder_ms is None:
        return False
    errors = [error for error in model.errors_ms[3:] if np.isfinite(error)]
    apart = abs(wrapped_more(model)) > max(SAME_GAP * model.lines.turn_ms, 5 * max(errors, default=0.0))
    return apart and evidence(model) > SURE


def evidence(model: Model) -> float:
    """How much more likely the rarer gap makes the accesses over it, as a logarithm, less what the search for
    it finds by chance: in each series it had its choice of as many phases as there are tracks in a cylinder,
    and of all periods.

    Residuals are Laplace distributed. Squares would let a few that are far off outweigh the many tries.
    """
    gaps = model.gaps
    if gaps is None or gaps.cylinder_ms is None:
        return 0.0
    rare = model.inliers & (gaps.cylinders != 0)
    apart = model.apart_ms[rare]
    common = wrap(apart + gaps.cylinders[rare] * wrapped_more(model), model.lines.turn_ms)
    gained = float((np.abs(common) - np.abs(apart)).sum()) / max(model.noise_ms, 1e-9)
    places = len(gaps.shifts) + gaps.walks
    return gained - places * float(np.log(gaps.shape.heads)) - float(np.log(MOST_BETWEEN))


def miscounted(model: Model) -> bool:
    """Whether the rarer gap shows at more of the common boundaries than chance puts it there.

    Noise can make a multiple of the tracks in a cylinder look like the better count. Then the boundaries in
    between, which are taken for common ones, lie beside the model by the difference of the gaps.
    """
    gaps = model.gaps
    if gaps is None or gaps.cylinder_ms is None:
        return False
    seen = int((model.inliers & (gaps.cylinders != 0)).sum())
    return alike(model, gaps.cylinder_ms - gaps.head_ms) > MOST_MISCOUNTED * seen


def alike(model: Model, more_ms: float) -> int:
    """How many accesses over common boundaries lie beside the model by what the rarer gap is more."""
    gaps, turn_ms = model.gaps, model.lines.turn_ms
    if gaps is None:
        return 0
    near_ms = min(6 * model.noise_ms + turn_ms / 2000, abs(more_ms) / 3)
    common = gaps.heads != 0
    if len(gaps.cylinders) == len(gaps.heads):
        common &= gaps.cylinders == 0
    missed = model.used & ~model.inliers & common
    beside = wrap(model.apart_ms - np.sign(gaps.heads) * more_ms, turn_ms)
    return int((missed & (np.abs(beside) < near_ms)).sum())


def wrapped_more(model: Model) -> float:
    """By how much the rarer gap is larger, on the circle of one turn, in milliseconds."""
    gaps = model.gaps
    if gaps is None or gaps.cylinder_ms is None:
        return 0.0
    return float(wrap(np.array(gaps.cylinder_ms - gaps.head_ms), model.lines.turn_ms))


def analyse(traces: tuple[Trace, ...], hints_ms: tuple[float, ...]) -> tuple[Finding, ...]:
    """Two passes: the second gives every series the rotation time that the first found.

    Forward reads have no say in it where there are others: look-ahead answers many of them, and the lines
    that are left can agree on a wrong turn (Skippy 4.1.5).
    """
    only_reads = all(trace.variant == "read" for trace in traces)
    heard = [only_reads or trace.variant != "read" for trace in traces]
    candidates = turn_candidates(tuple(compress(traces, heard)), hints_ms)
    firsts = first_of_all(traces, heard, candidates)
    turn_ms = agreed_turn(list(compress(firsts, heard)))
    findings = []
    for trace, lines in zip(traces, firsts, strict=True):
        if turn_ms is not None and (lines is None or not lines.height_seen or _apart(lines.turn_ms, turn_ms)):
            lines = first_lines(trace, Turns((turn_ms,)))
            if lines is not None and _apart(lines.turn_ms, turn_ms):
                lines = None
        findings.append(_one(trace, lines, hints_ms[0] if hints_ms else 0.0))
    return _with_shared_thresholds(findings)


def first_of_all(traces: tuple[Trace, ...], heard: list[bool], turns: Turns) -> list[Lines | None]:
    """The first lines of each series that is heard.

    A turn that one of them shows and that is likely is what the next ones try first. Series that walk down
    come last, and only while no such turn is known: they have no edge near, so that any turn looks as good.
    """
    firsts: list[Lines | None] = [None] * len(traces)
    for number in sorted(range(len(traces)), key=lambda number: not traces[number].forward):
        trace = traces[number]
        if not heard[number] or (turns.known_ms is not None and not trace.forward):
            continue
        lines = firsts[number] = first_lines(trace, turns)
        seen = lines is not None and lines.height_seen and lines.concentration > CLEAR_ENOUGH
        if lines is not None and seen and not all(_apart(turn, lines.turn_ms) for turn in turns.likely_ms):
            turns = replace(turns, known_ms=lines.turn_ms)
    return firsts


def _with_shared_thresholds(findings: list[Finding]) -> tuple[Finding, ...]:
    shared = list(findings)
    for variant in {finding.trace.variant for finding in findings}:
        places = [
            k
            for k, f in enumerate(findings)
            if f.trace.variant == variant and f.threshold is not None and f.threshold.misses >= FEWEST_MISSES
        ]
        pairs = [
            (f.threshold, f.model.lines.block_ms)
            for f in (findings[k] for k in places)
            if f.threshold is not None and f.model is not None
        ]
        for place, threshold in zip(places, share_regions(pairs), strict=True):
            shared[place] = replace(findings[place], threshold=threshold)
    return tuple(shared)


def agreed_turn(firsts: list[Lines | None]) -> float | None:
    """The rotation time that most series agree on; those that show the edge's height go first."""
    sure = [lines.turn_ms for lines in firsts if lines is not None and lines.height_seen]
    turns = sure or [lines.turn_ms for lines in firsts if lines is not None]
    if not turns:
        return None
    near = [sum(abs(other / turn - 1) < 0.01 for other in turns) for turn in turns]
    best = turns[int(np.argmax(near))]
    return float(np.median([turn for turn in turns if abs(turn / best - 1) < 0.01]))


def _apart(turn_ms: float, agreed_ms: float) -> bool:
    return abs(turn_ms / agreed_ms - 1) > 0.015


def _one(trace: Trace, lines: Lines | None, tested_ms: float) -> Finding:
    if lines is None:
        return Finding(trace, None, None, None)
    finding = Finding(trace, lines, fit_model(trace, lines), None, tested_ms)
    if not finding.trusted and finding.slipped:
        lines = replace(lines, slack_ms=SLIPPED * lines.block_ms)
        slipped = Finding(trace, lines, fit_model(trace, lines), None, tested_ms)
        finding = slipped if slipped.trusted else finding
    if finding.model is None or finding.model.cached or not finding.trusted:
        return finding
    return replace(finding, threshold=find_threshold(trace, finding.model))
