"""One direction's transfers in the order of time, and what changes in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import ruptures
from numpy.typing import NDArray

from server.core.robust import t_quantile

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

FEWEST = 30
"""Samples below which nothing is said about drift and jumps."""
MOST_SEARCHED = 3000
"""Values that the search for change points is given at most."""
PENALTY = 4.0
"""Times ln n: the cost of one more change point, in squared deviations."""
SHARP = 0.6
"""The part of a jump that has to happen between the samples just before and just after it."""
SMALLEST_JUMP = 0.003
FEWEST_IN_BLOCK = 8
"""Samples just before and just after a change point: a round over the positions, or so many."""
CLEAR = 4.5
"""A jump is as many standard errors of its nearest samples high."""
OUTSTANDING = 4.0
"""And so many times what rounds differ by elsewhere: a wave between rounds is many small steps."""


@dataclass(frozen=True, slots=True)
class Course:
    """Samples of one direction, ascending in time."""

    hours: FloatArray
    position: IntArray
    mb_per_s: FloatArray

    def __len__(self) -> int:
        return len(self.hours)

    def at(self, position: int) -> FloatArray:
        return np.asarray(self.mb_per_s[self.position == position])

    @property
    def relative(self) -> FloatArray:
        """ln of the bandwidth over its position's median."""
        found = np.zeros(len(self))
        for position in np.unique(self.position):
            here = self.position == position
            found[here] = np.log(self.mb_per_s[here] / np.median(self.mb_per_s[here]))
        return found


@dataclass(frozen=True, slots=True)
class Jump:
    """A lasting change: when, between which samples, and to how many times the bandwidth before."""

    hours: float
    index: int
    factor: float


@dataclass(frozen=True, slots=True)
class Trend:
    """Relative change over the run with half the width of its interval."""

    change: float
    error: float
    correlation: float
    """Between neighbours, of what the trend leaves."""


def course_of(entry: Mapping[str, Any], variant: str) -> Course | None:
    """None where no transfer took any time."""
    block_bytes = entry["params"]["block_bytes"]
    rows: list[tuple[float, int, float]] = []
    for series in entry["samples"]["series"]:
        if series["variant"] == variant:
            columns = zip(series["start_ns"], series["length_blocks"], series["elapsed_ns"], strict=False)
            rows += [
                (start / 3.6e12, series["position"], blocks * block_bytes / elapsed * 1e3)
                for start, blocks, elapsed in columns
                if elapsed > 0
            ]
    if not rows:
        return None
    table = np.asarray(sorted(rows), dtype=np.float64)
    return Course(table[:, 0], table[:, 1].astype(np.int64), table[:, 2])


def jumps_of(course: Course) -> list[Jump]:
    """Changes that last and are sharp. A slow wave is cut into steps by any search for change points; between
    the samples next to such a cut little happens."""
    values = course.relative
    noise = _noise(values)
    if len(values) < FEWEST or noise <= 0:
        return []
    usual = np.quantile(values, (0.05, 0.95))
    reach = max(6 * noise, float(np.ptp(usual)))
    cleaned = np.clip(values, np.median(values) - reach, np.median(values) + reach)
    block = min(max(len(np.unique(course.position)), FEWEST_IN_BLOCK), len(values) // 4)
    ends = _change_points(cleaned / noise, block)
    found: list[Jump] = []
    bounds = [0, *ends]
    for before, at, after in zip(bounds, bounds[1:], bounds[2:], strict=False):
        step = float(np.mean(cleaned[at:after]) - np.mean(cleaned[before:at]))
        near, elsewhere = _steps_of_blocks(cleaned, at, block)
        needed = (SHARP * abs(step), CLEAR * noise * np.sqrt(2 / block), OUTSTANDING * elsewhere)
        if abs(near) >= max(*needed, SMALLEST_JUMP) and near * step > 0:
            found.append(Jump(float(course.hours[at]), at, float(np.exp(step))))
    return found


def _change_points(values: FloatArray, block: int) -> list[int]:
    """Where the mean changes, and the end. The time of the search grows with the square of what it is given:
    of long runs it gets means of neighbours, and each change is then looked for among the samples next to it.
    """
    width = -(-len(values) // MOST_SEARCHED)
    whole = len(values) // width * width
    means = values[:whole].reshape(-1, width).mean(axis=1) * np.sqrt(width)
    search = ruptures.KernelCPD(kernel="linear", min_size=-(-block // width)).fit(means.reshape(-1, 1))
    found = [int(end) * width for end in search.predict(pen=PENALTY * np.log(len(values)))][:-1]
    if width > 1:
        bounds = [0, *found, len(values)]
        pairs = zip(bounds, found, bounds[2:], strict=False)
        places = [_sharper(values, before, at, after, width) for before, at, after in pairs]
        # Neighbours of which a change lies in the middle look like a stretch of their own.
        found = [
            at
            for at, before in zip(places, [-block * width, *places], strict=False)
            if at - before > block * width
        ]
    return [*found, len(values)]


def _sharper(values: FloatArray, before: int, at: int, after: int, width: int) -> int:
    """The place next to `at` where samples begin to lie nearer to the mean behind it."""
    means = float(values[before:at].mean()), float(values[at:after].mean())
    begin = max(at - width, before + 1)
    near = values[begin : min(at + width, after - 1)]
    more = (near - means[0]) ** 2 - (near - means[1]) ** 2
    return begin + int(np.concatenate([[0.0], np.cumsum(more)]).argmin())


def _steps_of_blocks(values: FloatArray, at: int, block: int) -> tuple[float, float]:
    """From the block of samples before `at` to the one behind it, and what other neighbours differ by."""
    start = at % block
    count = (len(values) - start) // block
    means = values[start : start + count * block].reshape(count, block).mean(axis=1)
    steps = np.diff(means)
    here = (at - start) // block - 1
    others = np.delete(steps, here)
    return float(steps[here]), 1.4826 * float(np.median(np.abs(others))) if len(others) else 0.0


def trend_of(course: Course, jumps: list[Jump]) -> Trend | None:
    """None where the samples span no time or are too few."""
    values, hours = course.relative, course.hours
    span = float(np.ptp(hours))
    count = len(values)
    if count < FEWEST or span <= 0:
        return None
    design = np.column_stack(
        [np.ones(count), (hours - hours[0]) / span, *(np.arange(count) >= jump.index for jump in jumps)]
    ).astype(np.float64)
    weight = np.ones(count)
    solved: FloatArray = np.zeros(design.shape[1])
    rest = values
    for _ in range(8):
        solution = np.linalg.lstsq(design * weight[:, None], values * weight, rcond=None)[0]
        solved = np.asarray(solution, dtype=np.float64)
        rest = np.asarray(values - design @ solved)
        scale = max(1.4826 * float(np.median(np.abs(rest))), 1e-9)
        weight = 1 / np.sqrt(np.maximum(np.abs(rest) / (2.5 * scale), 1.0))
    correlation = _correlation(rest * weight)
    weighted = design * weight[:, None]
    variance = float(((rest * weight) ** 2).sum()) / max(count - design.shape[1], 1)
    slope = float(np.linalg.pinv(weighted.T @ weighted)[1, 1])
    widened = float(np.sqrt((1 + correlation) / (1 - correlation)))
    free = max(count * (1 - correlation) / (1 + correlation) - design.shape[1], 2.0)
    error = t_quantile(0.975, free) * float(np.sqrt(variance * slope)) * widened
    return Trend(float(solved[1]), error, correlation)


def _noise(values: FloatArray) -> float:
    """Between neighbours: what changes slowly does not count."""
    steps = np.abs(np.diff(values))
    return float(max(1.4826 * np.median(steps), 0.5 * steps.mean(), 1e-6) / np.sqrt(2)) if len(steps) else 0.0


def _correlation(rest: FloatArray) -> float:
    """Between neighbours, from nothing to nearly one. The largest of the first few lags counts, each for the
    distance over which it fades."""
    centred = rest - rest.mean()
    total = float((centred**2).sum())
    if total <= 0:
        return 0.0
    found = 0.0
    for lag in (1, 2, 4, 8):
        if len(centred) > 3 * lag:
            one = float((centred[lag:] * centred[:-lag]).sum()) / total
            # Chance gives about 1 / sqrt(n).
            if one > 2 / np.sqrt(len(centred)):
                found = max(found, one ** (1 / lag))
    return float(min(found, 0.98))
