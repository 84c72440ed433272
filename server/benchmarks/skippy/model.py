"""The whole sawtooth as one model: lines, track boundaries, head and cylinder gaps, fitted together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from server.benchmarks.skippy.lines import Lines, least_absolute, wrap
from server.benchmarks.skippy.series import BoolArray, FloatArray, IntArray, Trace
from server.benchmarks.skippy.tracks import (
    CANDIDATES_FROM,
    CANDIDATES_TO,
    Boundaries,
    Period,
    best_period,
    circular_peaks,
    follow_boundaries,
)

MOST_HEADS = 40
FEWEST_BOUNDARIES = 4
MOST_TRACKS = 4
SURE_AGREEMENT = 0.985
WORTH_FOLLOWING = 0.9
MOST_STATES = 16_000_000
MOST_RANKED = 1200
"""Steps of more tracks than this are not used: longer moves of the arm are not SKIPPY's (Skippy 4.1.1)."""


@dataclass(frozen=True, slots=True)
class Gaps:
    """An assignment of boundaries and gaps, and how badly it fits (0 to 1)."""

    cost: float
    head_ms: float
    cylinder_ms: float | None
    boundaries: Boundaries
    contrast: float = 0.0
    """Share of the misfit of one gap alone that the second gap with its period takes away, 0 to 1."""
    heads: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Head boundaries crossed by each access (all boundaries where only one gap is told apart)."""
    cylinders: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    use: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """The accesses that were followed."""
    shifts: tuple[tuple[int, int], ...] = ()


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
    def explained(self) -> float:
        """Share of the fitted accesses that the model explains."""
        return float(self.inliers[self.used].mean()) if bool(self.used.any()) else 0.0


def residual(trace: Trace, lines: Lines) -> FloatArray:
    return wrap(trace.elapsed_ms - trace.distance * lines.block_ms - lines.offset_ms, lines.turn_ms)


def spread(apart: FloatArray) -> float:
    """Scale of the noise from the residuals nearest to the line, robust against those beside it."""
    near = np.sort(np.abs(apart))
    return float(near[: max(1, len(near) // 2)].mean() * 2.0) if len(near) else 0.0


def fit_model(trace: Trace, lines: Lines) -> Model:
    """Find the boundaries, tell the gaps apart, fit all together."""
    cached = False
    period = find_period(trace, lines, residual(trace, lines))
    if period is not None and trace.variant == "write" and period.agreement < SURE_AGREEMENT:
        late = one_access_late(trace)
        late_period = find_period(late, lines, residual(late, lines)) if late is not None else None
        better = late_period is not None and (
            late_period.agreement > period.agreement + 0.02
            and late_period.margin >= max(3.0, 0.8 * period.margin)
            and late_period.length <= lines.track_blocks * 1.02
        )
        if late is not None and late_period is not None and better:
            trace, period, cached = late, late_period, True
            lines = replace(lines, offset_ms=lines.offset_ms + lines.block_ms)
    gaps = None
    if period is not None and period.agreement >= WORTH_FOLLOWING:
        gaps = tell_gaps_apart(trace, lines, residual(trace, lines), period)
    return replace(_finish(trace, lines, period, gaps), cached=cached)


def one_access_late(trace: Trace) -> Trace | None:
    """The same latencies against the access before: with a write cache a request waits for the medium to
    finish the one before it."""
    if len(trace.block) < 2:
        return None
    before, block = np.roll(trace.before, 1), np.roll(trace.block, 1)
    chained = trace.chained & np.roll(trace.chained, 1) & (trace.before == block)
    chained[0] = False
    return replace(trace, before=before, block=block, chained=chained)


def find_period(trace: Trace, lines: Lines, apart: FloatArray) -> Period | None:
    """Blocks per track from the steps shorter than a track, over the longest stretch that agrees."""
    track = lines.track_blocks
    lengths = np.arange(max(2, int(track * CANDIDATES_FROM)), int(track * CANDIDATES_TO) + 2, dtype=np.int64)
    found: list[Period] = []
    for share in (1.0, 0.75, 0.5):
        use = trace.chained & (np.abs(trace.distance) <= share * track)
        if int(use.sum()) < 12:
            continue
        limit = hit_limit(apart[use], lines)
        hit = np.abs(apart[use]) > limit
        if int(hit.sum()) < FEWEST_BOUNDARIES:
            continue
        low = np.minimum(trace.before[use], trace.block[use])
        high = np.maximum(trace.before[use], trace.block[use])
        period = best_period(low, high, hit, lengths)
        if period is not None:
            found.append(period)
            if period.agreement > 0.985:
                break
    return max(found, key=lambda one: one.agreement * min(1.0, 0.9 + 0.1 * one.steps / track), default=None)


def hit_limit(apart: FloatArray, lines: Lines) -> float:
    """How far beside the line an access must lie to have crossed a boundary."""
    noise = spread(apart)
    limit = max(4.0 * noise, lines.turn_ms / 500)
    beside = apart[np.abs(apart) > limit]
    peaks = circular_peaks(beside, lines.turn_ms, max(4 * noise, lines.turn_ms / 200), limit=2)
    if peaks:
        nearest = min(abs(float(wrap(np.asarray(centre), lines.turn_ms))) for centre, _ in peaks)
        limit = max(min(limit, nearest / 2), lines.turn_ms / 1000)
    return limit


def tell_gaps_apart(trace: Trace, lines: Lines, apart: FloatArray, period: Period) -> Gaps | None:
    """Head and cylinder gap by how often they come, not by size: one cylinder boundary in `heads` boundaries.

    The steps below one track name the candidates; all steps choose among them, which also fixes the phase,
    since steps of several tracks tell one crossing from two.
    """
    turn = lines.turn_ms
    single = Boundaries(period.length, 1, period.length, period.phase)
    near = trace.chained & (np.abs(trace.distance) <= single.track_blocks)
    tracks, _ = _tracks(trace, single)
    quiet = near & (tracks == 0)
    noise = spread(apart[quiet]) if bool(quiet.any()) else turn / 1000
    once = near & (np.abs(tracks) == 1)
    width = max(5 * noise, 0.6 * lines.block_ms, turn / 1000)
    places = [centre for centre, _ in circular_peaks(np.sign(tracks[once]) * apart[once], turn, width)]
    if not places:
        return None
    cap = max(8 * noise, lines.block_ms, turn / 200)
    alone = min(
        (
            Gaps(_cost(apart[near] - tracks[near] * centre, turn, cap), centre, None, single)
            for centre in places[:3]
        ),
        key=lambda gaps: gaps.cost,
    )
    candidates = [alone, *_distinct_assignments(trace, single, near, apart, places, turn, cap)]
    steps = trace.chained & (np.abs(trace.distance) <= MOST_TRACKS * single.track_blocks)
    followed = [_follow(trace, steps, apart, lines, gaps, cap) for gaps in candidates]
    best = min(followed, key=lambda gaps: gaps.cost)
    return replace(best, contrast=1 - best.cost / followed[0].cost if followed[0].cost > 0 else 0.0)


def _distinct_assignments(
    trace: Trace,
    single: Boundaries,
    near: BoolArray,
    apart: FloatArray,
    places: list[float],
    turn_ms: float,
    cap: float,
) -> list[Gaps]:
    """The best assignment of several stretches of steps: a spare area spoils one stretch only."""
    found: dict[tuple[int, float, float | None], Gaps] = {}
    reach = np.abs(trace.distance) / single.track_blocks
    for low, high in ((0.0, 1.0), (0.0, 0.65), (0.5, 0.85), (0.7, 1.0)):
        window = near & (reach > low) & (reach <= high)
        if int(window.sum()) > MOST_RANKED:
            window[np.flatnonzero(window)[:: -(-int(window.sum()) // MOST_RANKED)]] ^= True
            window = near & (reach > low) & (reach <= high) & ~window
        if int(window.sum()) >= 8:
            for gaps in _rank_assignments(trace, single, window, apart, places, turn_ms, cap)[:1]:
                found.setdefault((gaps.boundaries.heads, gaps.head_ms, gaps.cylinder_ms), gaps)
    return list(found.values())


def _follow(trace: Trace, use: BoolArray, apart: FloatArray, lines: Lines, gaps: Gaps, cap: float) -> Gaps:
    """Follow an assignment's boundaries through the steps, past spare areas; the shortest steps where there
    are more than the search has room for."""
    room = max(MOST_STATES // gaps.boundaries.cylinder_blocks, 50)
    if int(use.sum()) > room:
        reach = np.abs(trace.distance[use])
        use = use & (np.abs(trace.distance) <= np.partition(reach, room)[room])
        use[np.flatnonzero(use)[room:]] = False
    second = gaps.head_ms if gaps.cylinder_ms is None else gaps.cylinder_ms
    path = follow_boundaries(
        trace.before[use],
        trace.block[use],
        apart[use],
        gaps.boundaries,
        (gaps.head_ms, second),
        lines.turn_ms,
        cap,
    )
    heads = np.zeros(len(trace.block), dtype=np.int64)
    cylinders = heads.copy()
    heads[use], cylinders[use] = path.heads, path.cylinders
    if gaps.cylinder_ms is None:
        heads, cylinders = heads + cylinders, np.zeros_like(heads)
    return replace(gaps, cost=path.cost, heads=heads, cylinders=cylinders, use=use, shifts=path.shifts)


def _rank_assignments(
    trace: Trace,
    single: Boundaries,
    near: BoolArray,
    apart: FloatArray,
    places: list[float],
    turn_ms: float,
    cap: float,
) -> list[Gaps]:
    """The most fitting pairs of gaps, heads per cylinder and first cylinder, over the steps below a track."""
    first = np.floor_divide(trace.before[near] - single.start, single.track_blocks)
    last = np.floor_divide(trace.block[near] - single.start, single.track_blocks)
    rest, count = apart[near], last - first
    pairs = [(head, cylinder) for head in places[:3] for cylinder in places if head != cylinder]
    found: list[tuple[float, float, float, int, int]] = []
    for heads in range(2, MOST_HEADS + 1):
        for shift in range(heads):
            cylinders = np.floor_divide(last - shift, heads) - np.floor_divide(first - shift, heads)
            if not cylinders.any():
                continue
            for head, cylinder in pairs:
                cost = _cost(rest - count * head - cylinders * (cylinder - head), turn_ms, cap)
                found.append((cost, head, cylinder, heads, shift))
    found.sort()
    return [
        Gaps(
            cost,
            head,
            cylinder,
            replace(
                single,
                heads=heads,
                cylinder_blocks=heads * single.track_blocks,
                start=single.start + shift * single.track_blocks,
            ),
        )
        for cost, head, cylinder, heads, shift in found[:12]
    ]


def _tracks(trace: Trace, boundaries: Boundaries) -> tuple[IntArray, IntArray]:
    heads, cylinders = boundaries.crossed(trace.before, trace.block)
    return heads + cylinders, cylinders


def _cost(rest: FloatArray, turn_ms: float, cap: float) -> float:
    return float(np.minimum(np.abs(wrap(rest, turn_ms)), cap).mean() / cap)


def _finish(trace: Trace, lines: Lines, period: Period | None, gaps: Gaps | None) -> Model:
    """Fit all parameters together by least absolute deviations and judge each access."""
    nothing = np.zeros(len(trace.block), dtype=np.int64)
    heads, cylinders = (gaps.heads, gaps.cylinders) if gaps else (nothing, nothing)
    use = gaps.use if gaps else trace.chained & (np.abs(trace.distance) <= 0.7 * lines.track_blocks)
    widths = [gaps.head_ms if gaps else 0.0, (gaps.cylinder_ms or 0.0) if gaps else 0.0]
    errors: tuple[float, ...] = (float("nan"),) * 5
    inliers = use
    for widening in (10.0, 5.0, 2.0, 1.0, 1.0):
        apart = wrap(trace.elapsed_ms - _modelled(trace, lines, heads, cylinders, widths), lines.turn_ms)
        noise = spread(apart[use]) if bool(use.any()) else 0.0
        inliers = use & (np.abs(apart) <= max(6 * noise, widening * lines.turn_ms / 2000))
        if int(inliers.sum()) < 8:
            break
        lines, widths, errors = _refit(trace, lines, inliers, heads, cylinders, widths)
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
        noise_ms=float(np.abs(apart[inliers]).mean()) if bool(inliers.any()) else 0.0,
        cached=False,
        errors_ms=errors,
    )


def _modelled(
    trace: Trace, lines: Lines, heads: IntArray, cylinders: IntArray, widths: list[float]
) -> FloatArray:
    turned = trace.distance * lines.block_ms + heads * widths[0] + cylinders * widths[1]
    return np.asarray(turned + lines.offset_ms, dtype=np.float64)


def _refit(
    trace: Trace, lines: Lines, inliers: BoolArray, heads: IntArray, cylinders: IntArray, gaps: list[float]
) -> tuple[Lines, list[float], tuple[float, ...]]:
    distance = trace.distance[inliers].astype(np.float64)
    crossed = [heads[inliers].astype(np.float64), cylinders[inliers].astype(np.float64)]
    elapsed = trace.elapsed_ms[inliers]
    modelled = distance * lines.block_ms + lines.offset_ms + crossed[0] * gaps[0] + crossed[1] * gaps[1]
    turns = np.round((elapsed - modelled) / lines.turn_ms)
    columns = {"offset": np.ones(len(elapsed)), "block": distance}
    known = elapsed.copy()
    values, counts = np.unique(turns, return_counts=True)
    both = len(values) > 1 and np.sort(counts)[-2] >= 3
    if both:
        columns["turn"] = turns
    else:
        known -= turns * lines.turn_ms
    for name, column in zip(("head", "cylinder"), crossed, strict=True):
        if np.ptp(column) > 0:
            columns[name] = column
    matrix = np.column_stack(list(columns.values()))
    if np.linalg.matrix_rank(matrix / np.maximum(np.abs(matrix).max(axis=0), 1e-12)) < matrix.shape[1]:
        return lines, gaps, (float("nan"),) * 5
    solution = dict(zip(columns, least_absolute(matrix, known), strict=True))
    errors = dict(zip(columns, _standard_errors(matrix, known, list(solution.values())), strict=True))
    fitted = replace(
        lines,
        turn_ms=float(solution.get("turn", lines.turn_ms)),
        block_ms=float(solution["block"]),
        offset_ms=float(solution["offset"]),
        height_seen=lines.height_seen or both,
    )
    if not fitted.sane:
        return lines, gaps, (float("nan"),) * 5
    fitted_gaps = [float(solution.get("head", gaps[0])), float(solution.get("cylinder", gaps[1]))]
    names = ("turn", "block", "offset", "head", "cylinder")
    return fitted, fitted_gaps, tuple(float(errors.get(name, float("nan"))) for name in names)


def _standard_errors(matrix: FloatArray, target: FloatArray, solution: list[float]) -> FloatArray:
    """Standard errors of a least-absolute fit: Laplace noise of scale b has Fisher information X'X / b^2."""
    scale = float(np.abs(target - matrix @ np.asarray(solution)).mean())
    inverse = np.linalg.pinv(matrix.T @ matrix)
    # Half as much again: accesses that went astray are not independent, each spoils the one behind it.
    return np.asarray(1.5 * scale * np.sqrt(np.maximum(np.diag(inverse), 0.0)), dtype=np.float64)
