"""The whole sawtooth as one model: lines, track boundaries, head and cylinder gaps, fitted together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from server.benchmarks.skippy.boundaries import Shape
from server.benchmarks.skippy.follow import Fit, fit_moving
from server.benchmarks.skippy.lines import ROUGH, SETTLED, Lines, least_absolute, wrap
from server.benchmarks.skippy.rhythm import REACHES
from server.benchmarks.skippy.series import BoolArray, FloatArray, IntArray, Trace
from server.benchmarks.skippy.steps import MOST_TRACKS, Spikes, Steps, find_spikes, spread, steps_of
from server.benchmarks.skippy.tracks import Period

FEWEST_BOUNDARIES = 4
FEWEST_STEPS = 12
LATE_BETTER = 0.02
"""Share of the steps that the access before has to explain beyond its own, for a write cache to answer."""
SHARPENINGS = 3
SHARP = 0.02
"""Blocks over the longest steps by which a sharpening must still move the slope for another to follow."""
LEAST_SHARE = 1e-12
Errors = Callable[[], tuple[float, ...]]

NAMES = ("turn", "block", "offset", "head", "cylinder")


@dataclass(frozen=True, slots=True)
class Gaps:
    """Boundaries and gaps, and what each access crossed."""

    head_ms: float
    cylinder_ms: float | None
    shape: Shape
    enough: bool
    """Whether what these boundaries leave unexplained is noise."""
    contrast: float = 0.0
    """Share of the misfit of one gap alone that the second gap with its period takes away, 0 to 1."""
    heads: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Head boundaries crossed by each access (all boundaries where only one gap is told apart)."""
    cylinders: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    use: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """The accesses that were followed."""
    shifts: tuple[tuple[int, int], ...] = ()
    walks: int = 0
    """Series whose boundaries have a place of their own."""
    told: bool = True
    """Whether the samples say which of the two gaps is the cylinder's, other than by a guess."""
    at_once: float = 0.0
    """Share of the steps that boundaries explain which go on evenly through whole series."""


@dataclass(frozen=True, slots=True)
class Model:
    """What one region and variant shows."""

    lines: Lines
    period: Period | None
    gaps: Gaps | None
    used: BoolArray
    """Which of the trace's accesses were fitted at all."""
    inliers: BoolArray
    """Which of the trace's accesses the model explains."""
    apart_ms: FloatArray
    """Residual of each access on the circle of one turn."""
    angle_ms: FloatArray
    """Modelled turn of the platter from the completion before to the block's end, in [0, turn)."""
    whole: IntArray
    """Whole turns lost beyond `angle_ms`."""
    noise_ms: float
    """Mean absolute residual of the accesses that the model explains."""
    cached: bool
    """Whether a write cache answers, so that each latency shows the access before it."""
    errors_ms: tuple[float, ...]
    """Standard errors of turn, block, offset, head gap, cylinder gap (nan where not fitted)."""

    @property
    def exact(self) -> BoolArray:
        """The accesses that the model explains without a slipped sector."""
        if not self.lines.slack_ms:
            return self.inliers
        return np.asarray(self.inliers & (np.abs(self.apart_ms) < self.lines.block_ms / 2))

    @property
    def explained(self) -> float:
        """Share of the fitted accesses that the model explains."""
        return float(self.inliers[self.used].mean()) if bool(self.used.any()) else 0.0


def fit_model(trace: Trace, lines: Lines) -> Model:
    """Find the boundaries, tell the gaps apart, fit all together."""
    period, gaps = find_gaps(trace, lines)
    # What explains so much leaves no room for another reading to explain as much more as it would have to.
    if gaps is None or trace.variant != "write" or gaps.at_once > 1 - LATE_BETTER:
        return _finish(trace, lines, period, gaps)
    late = one_access_late(trace)
    behind = replace(lines, offset_ms=lines.offset_ms + lines.block_ms)
    # A cache moves every access: what reads them right explains more before anything is fitted in pieces. The
    # other reading makes tracks a block too long, with which most steps agree.
    late_period, late_gaps = find_gaps(late, behind, gaps.at_once) if late is not None else (None, None)
    if late is None or period is None or late_period is None or late_gaps is None:
        return _finish(trace, lines, period, gaps)
    cached = (
        late_gaps.at_once > gaps.at_once + LATE_BETTER
        and late_period.agreement > period.agreement
        and late_period.length <= lines.track_blocks * 1.02
    )
    if not cached:
        return _finish(trace, lines, period, gaps)
    return replace(_finish(late, behind, late_period, late_gaps), cached=True)


def one_access_late(trace: Trace) -> Trace | None:
    """The same latencies against the access before: with a write cache a request waits for the medium to
    finish the one before it."""
    if len(trace.block) < 2:
        return None
    before, block = np.roll(trace.before, 1), np.roll(trace.block, 1)
    chained = trace.chained & np.roll(trace.chained, 1) & (trace.before == block)
    chained[0] = False
    return replace(trace, before=before, block=block, chained=chained)


def find_gaps(trace: Trace, lines: Lines, at_once: float = -1.0) -> tuple[Period | None, Gaps | None]:
    """The length of a track, and the gaps with the boundaries that each access crossed; nothing where whole
    series explain no more than `at_once`."""
    steps = steps_of(trace, lines)
    near = steps.only(steps.distance <= REACHES[0] * lines.track_blocks)
    spikes = find_spikes(near) if len(near.low) >= FEWEST_STEPS else None
    if spikes is None or spikes.hits < FEWEST_BOUNDARIES:
        return None, None
    for _ in range(SHARPENINGS):
        before, lines = lines, sharpened(trace, lines, near, spikes)
        if lines is before:
            break
        steps = steps_of(trace, lines)
        near = steps.only(steps.distance <= REACHES[0] * lines.track_blocks)
        spikes = find_spikes(near) or spikes
        if abs(lines.block_ms / before.block_ms - 1) * MOST_TRACKS * lines.track_blocks < SHARP:
            break
    fit = fit_moving(steps, spikes, lines.track_blocks, at_once)
    return (None, None) if fit is None else (fit.period, _gaps(trace, fit))


def sharpened(trace: Trace, lines: Lines, near: Steps, spikes: Spikes) -> Lines:
    """The lines fitted anew to steps on the line and one gap beside it: twice as many as on the line alone.

    An error of the slope that does not matter below one track would matter over several.
    """
    crossed = (near.beside(spikes.gap_ms) < near.beside(0.0)).astype(np.float64)
    on = near.beside(crossed * spikes.gap_ms) < max(near.tolerance_ms, lines.turn_ms / 100)
    inliers = np.zeros(len(trace.block), dtype=np.bool_)
    inliers[near.place[on]] = True
    if int(inliers.sum()) < 2 * FEWEST_STEPS:
        return lines
    heads = np.zeros(len(trace.block), dtype=np.int64)
    heads[near.place] = np.where(trace.distance[near.place] > 0, crossed, -crossed)
    return _refit(trace, lines, inliers, heads, np.zeros_like(heads), [spikes.gap_ms, 0.0], ROUGH)[0]


def _gaps(trace: Trace, fit: Fit) -> Gaps:
    steps, places, rarer = fit.steps, fit.places, fit.rarer
    tracks, cylinders = places.shape.crossed(steps.low, steps.high, places.start[steps.series])
    way = np.where(trace.distance[steps.place] > 0, 1, -1)
    heads = np.zeros(len(trace.block), dtype=np.int64)
    rare = heads.copy()
    use = np.zeros(len(trace.block), dtype=np.bool_)
    use[steps.place] = True
    heads[steps.place] = way * (tracks if rarer is None else tracks - cylinders)
    if rarer is not None:
        rare[steps.place] = way * cylinders
    return Gaps(
        head_ms=rarer.common_ms if rarer is not None else fit.common_ms,
        cylinder_ms=rarer.rare_ms if rarer is not None else None,
        shape=places.shape,
        enough=fit.enough,
        contrast=rarer.share if rarer is not None else 0.0,
        heads=heads,
        cylinders=rare,
        use=use,
        shifts=fit.shifts,
        walks=fit.steps.count - len(fit.shifts),
        told=fit.told,
        at_once=fit.at_once,
    )


def _finish(trace: Trace, lines: Lines, period: Period | None, gaps: Gaps | None) -> Model:
    """Fit all parameters together by least absolute deviations and judge each access."""
    nothing = np.zeros(len(trace.block), dtype=np.int64)
    heads, cylinders = (gaps.heads, gaps.cylinders) if gaps else (nothing, nothing)
    use = gaps.use if gaps else trace.chained & (np.abs(trace.distance) <= 0.7 * lines.track_blocks)
    widths = [gaps.head_ms if gaps else 0.0, (gaps.cylinder_ms or 0.0) if gaps else 0.0]
    errors = _no_errors
    inliers = before = use
    for widening in (10.0, 5.0, 2.0, 1.0, 1.0):
        apart = wrap(trace.elapsed_ms - _modelled(trace, lines, heads, cylinders, widths), lines.turn_ms)
        noise = spread(apart[use]) if bool(use.any()) else 0.0
        inliers = use & (np.abs(apart) <= max(6 * noise, widening * lines.turn_ms / 2000, lines.slack_ms))
        again = widening < 10.0 and bool((inliers == before).all())
        if int(inliers.sum()) < 8 or again:
            break
        lines, widths, errors = _refit(trace, lines, inliers, heads, cylinders, widths)
        before = inliers
    modelled = _modelled(trace, lines, heads, cylinders, widths)
    apart = wrap(trace.elapsed_ms - modelled, lines.turn_ms)
    angle = np.asarray((modelled - lines.offset_ms) % lines.turn_ms, dtype=np.float64)
    whole = np.round((trace.elapsed_ms - lines.offset_ms - angle) / lines.turn_ms).astype(np.int64)
    return Model(
        lines=replace(lines, concentration=float(inliers[use].mean()) if bool(use.any()) else 0.0),
        period=period,
        gaps=replace(
            gaps,
            head_ms=widths[0] % lines.turn_ms,
            cylinder_ms=widths[1] % lines.turn_ms if gaps.cylinder_ms is not None else None,
        )
        if gaps
        else None,
        used=use,
        inliers=inliers,
        apart_ms=apart,
        angle_ms=angle,
        whole=whole,
        noise_ms=_noise(apart[inliers], lines),
        cached=False,
        errors_ms=errors(),
    )


def _noise(apart: FloatArray, lines: Lines) -> float:
    """Mean absolute residual; slipped sectors are no noise."""
    left = np.abs(apart)
    left = left[left < lines.block_ms / 2] if lines.slack_ms else left
    return float(left.mean()) if len(left) else 0.0


def _modelled(
    trace: Trace, lines: Lines, heads: IntArray, cylinders: IntArray, widths: list[float]
) -> FloatArray:
    turned = trace.distance * lines.block_ms + heads * widths[0] + cylinders * widths[1]
    return np.asarray(turned + lines.offset_ms, dtype=np.float64)


def _refit(
    trace: Trace,
    lines: Lines,
    inliers: BoolArray,
    heads: IntArray,
    cylinders: IntArray,
    gaps: list[float],
    settled: float = SETTLED,
) -> tuple[Lines, list[float], Errors]:
    """Lines and gaps fitted anew to the accesses of the mask, and what gives the fit's standard errors."""
    distance = trace.distance[inliers].astype(np.float64)
    crossed = [heads[inliers].astype(np.float64), cylinders[inliers].astype(np.float64)]
    elapsed = trace.elapsed_ms[inliers]
    modelled = distance * lines.block_ms + lines.offset_ms + crossed[0] * gaps[0] + crossed[1] * gaps[1]
    turns = np.round((elapsed - modelled) / lines.turn_ms)
    columns = {"offset": np.ones(len(elapsed)), "block": distance}
    known = elapsed.copy()
    values, counts = np.unique(turns, return_counts=True)
    both = len(values) > 1 and int(np.sort(counts)[-2]) >= 3
    if both:
        columns["turn"] = turns
    else:
        known -= turns * lines.turn_ms
    for name, column in zip(("head", "cylinder"), crossed, strict=True):
        if np.ptp(column) > 0:
            columns[name] = column
    matrix = np.column_stack(list(columns.values()))
    if not _independent(matrix):
        return lines, gaps, _no_errors
    present = dict(zip(NAMES, (lines.turn_ms, lines.block_ms, lines.offset_ms, *gaps), strict=True))
    start = np.array([present[name] for name in columns])
    solution = dict(zip(columns, least_absolute(matrix, known, settled, start), strict=True))
    fitted = replace(
        lines,
        turn_ms=float(solution.get("turn", lines.turn_ms)),
        block_ms=float(solution["block"]),
        offset_ms=float(solution["offset"]),
        height_seen=lines.height_seen or both,
    )
    if not fitted.sane:
        return lines, gaps, _no_errors
    fitted_gaps = [float(solution.get("head", gaps[0])), float(solution.get("cylinder", gaps[1]))]
    return fitted, fitted_gaps, partial(_standard_errors, matrix, known, solution)


def _independent(matrix: FloatArray) -> bool:
    """Whether no column is a sum of others."""
    scaled = matrix / np.maximum(np.sqrt((matrix**2).sum(axis=0)), 1e-12)
    return float(np.linalg.eigvalsh(scaled.T @ scaled)[0]) > LEAST_SHARE


def _no_errors() -> tuple[float, ...]:
    return (float("nan"),) * len(NAMES)


def _standard_errors(matrix: FloatArray, target: FloatArray, solution: dict[str, float]) -> tuple[float, ...]:
    """Standard errors of a least-absolute fit, nan for what was not fitted: Laplace noise of scale b has
    Fisher information X'X / b^2."""
    scale = float(np.abs(target - matrix @ np.array(list(solution.values()))).mean())
    inverse = np.linalg.pinv(matrix.T @ matrix)
    # Half as much again: accesses that went astray are not independent, each spoils the one behind it.
    errors = dict(zip(solution, 1.5 * scale * np.sqrt(np.maximum(np.diag(inverse), 0.0)), strict=True))
    return tuple(float(errors.get(name, np.nan)) for name in NAMES)
