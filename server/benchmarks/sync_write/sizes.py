"""SYNC_WRITE's samples by state of the write cache and size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from server.benchmarks.contract import Measurement, Metric, Quality
from server.benchmarks.sync_write.definitions import MEDIAN, P99, STEADY
from server.core.robust import t_quantile

STATES = {False: "off", True: "on", None: "unknown"}
MAD_TO_SIGMA = 1.4826
WINDOW_SIGMAS = 5.0
WINDOW_TURNS = 0.5


@dataclass(frozen=True, slots=True)
class Size:
    """All writes of one size in one state."""

    bytes: int
    latency_ms: NDArray[np.float64]
    """In the order of the writes."""
    median_ms: float
    mean_ms: float
    """Of the latencies near the median: a turn lost to somebody else is not the drive's."""
    error_ms: float
    """Standard error of the mean."""
    median_error_ms: float

    @property
    def count(self) -> int:
        return len(self.latency_ms)

    @property
    def mb_per_s(self) -> float:
        """Bytes over time of all writes, as dd states it; MB is 10^6 bytes."""
        return self.bytes * self.count / float(self.latency_ms.sum()) / 1e3

    def begins_within(self, limit_ms: float, first: int) -> bool:
        """Whether the first few writes were all answered in less."""
        return self.count >= first and bool((self.latency_ms[:first] < limit_ms).all())


def sizes_of(entry: Mapping[str, Any], block_bytes: int, turn_ms: float | None) -> dict[str, list[Size]]:
    """The sizes of each state that was measured, in increasing order, without writes that took no time."""
    found: dict[str, list[Size]] = {}
    for series in entry["samples"]["series"]:
        latency = np.array(series["latency_ns"], dtype=np.float64) / 1e6
        latency = latency[latency > 0]
        if len(latency):
            sizes = found.setdefault(STATES[series["write_cache"]], [])
            size_bytes = int(series["request_blocks"]) * block_bytes
            if all(one.bytes != size_bytes for one in sizes):
                sizes.append(_size(size_bytes, latency, turn_ms))
    for sizes in found.values():
        sizes.sort(key=lambda one: one.bytes)
    return found


def _size(size_bytes: int, latency: NDArray[np.float64], turn_ms: float | None) -> Size:
    median = float(np.median(latency))
    sigma = MAD_TO_SIGMA * float(np.median(np.abs(latency - median)))
    near = near_median(latency, turn_ms)
    error = float(near.std(ddof=1)) / len(near) ** 0.5 if len(near) > 1 else float(near[0])
    return Size(size_bytes, latency, median, float(near.mean()), error, 1.2533 * sigma / len(latency) ** 0.5)


def near_median(latency: NDArray[np.float64], turn_ms: float | None) -> NDArray[np.float64]:
    """The latencies within five robust deviations or half a turn of the median, whichever is wider."""
    median = float(np.median(latency))
    sigma = MAD_TO_SIGMA * float(np.median(np.abs(latency - median)))
    window = max(WINDOW_SIGMAS * sigma, WINDOW_TURNS * (median if turn_ms is None else turn_ms))
    return latency[np.abs(latency - median) <= window]


# ---- The law behind the sizes: t = t0 + size / rate (OLP, write tests).

RELATIVE_ERROR = 0.005
"""What a size may be off the line by itself: track boundaries fall differently at each size."""
HUBER = 1.345
ROUNDS = 25
FEWEST_SIZES = 4
# ---- Percentiles of single sizes, and the bandwidth of the longest writes.

LEVEL = 0.95
BELOW_CORNER = 0.45
"""Shorter than this share of a track, a write crosses to the next one less often than not."""
PASSES = 4
"""So often the length of a track is put in: it says how many writes cross, and how many matters little."""
LEAST_LEVER = 0.1
"""The data of the longest of the short writes must take this share of a turn for the slope to be told."""


@dataclass(frozen=True, slots=True)
class Line:
    """latency = intercept + size * slope, with standard errors and the misfit as a share of the latency."""

    intercept_ms: float
    slope_ms_per_byte: float
    intercept_error: float
    slope_error: float
    factor: float
    """Standard errors to half of an interval: Student's quantile."""
    misfit: float
    count: int

    @property
    def mb_per_s(self) -> float:
        return 1 / self.slope_ms_per_byte / 1e3


def law_of(sizes: Sequence[Size]) -> Line | None:
    """The line through the sizes' means; None where there are too few or they do not grow with the size."""
    errors = [float(np.hypot(one.error_ms, RELATIVE_ERROR * one.mean_ms)) for one in sizes]
    return _line([one.bytes for one in sizes], [one.mean_ms for one in sizes], errors)


def on_track(sizes: Sequence[Size], law: Line, turn_ms: float) -> Line | None:
    """The line through the medians of writes that stay on their track; None where it can't be told.

    A write of a share p of a track crosses to the next one with chance p, and is then the slower for it: the
    median of the others is the quantile (1 - p) / 2 of all. The law of all sizes has the gaps between tracks
    in its slope and makes tracks too short, so that p is taken again from the line that it leads to.
    """
    corner = turn_ms / law.slope_ms_per_byte
    short = [one for one in sizes if one.bytes <= BELOW_CORNER * corner]
    errors = [one.median_error_ms + 1e-4 * one.median_ms for one in short]
    line = None
    for _ in range(PASSES):
        stayed = [float(np.quantile(one.latency_ms, max(1 - one.bytes / corner, 0.0) / 2)) for one in short]
        line = _line([one.bytes for one in short], stayed, errors)
        if line is None or line.slope_ms_per_byte * short[-1].bytes < LEAST_LEVER * turn_ms:
            return None
        corner = turn_ms / line.slope_ms_per_byte
    return line


def _line(sizes: Sequence[int], latency_ms: Sequence[float], errors: Sequence[float]) -> Line | None:
    """Least squares weighted by the errors, with Huber's weights against single sizes that are off."""
    if len(sizes) < FEWEST_SIZES:
        return None
    unit = float(max(sizes))
    design = np.column_stack([np.ones(len(sizes)), np.array(sizes, dtype=np.float64) / unit])
    latency, sigma = np.array(latency_ms), np.maximum(np.array(errors), 1e-9)
    weights = np.ones(len(sizes))
    solution, scale = np.zeros(2), 1.0
    for _ in range(ROUNDS):
        solution = _solve(design, latency, weights / sigma**2)
        residual = (latency - design @ solution) / sigma
        scale = max(1.0, MAD_TO_SIGMA * float(np.median(np.abs(residual))))
        weights = np.minimum(1.0, HUBER * scale / np.maximum(np.abs(residual), 1e-12))
    if solution[1] <= 0:
        return None
    covariance = np.linalg.pinv((design * (weights / sigma**2)[:, None]).T @ design) * scale**2
    misfit = float(np.sqrt(np.mean(((latency - design @ solution) / latency) ** 2)))
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0))
    return Line(
        float(solution[0]),
        float(solution[1]) / unit,
        float(deviations[0]),
        float(deviations[1]) / unit,
        t_quantile((1 + LEVEL) / 2, len(sizes) - 2),
        misfit,
        len(sizes),
    )


def _solve(
    design: NDArray[np.float64], latency: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    root = np.sqrt(weights)
    found, *_ = np.linalg.lstsq(design * root[:, None], latency * root, rcond=None)
    return np.asarray(found, dtype=np.float64)


# ---- Whether the write cache is on in fact, whatever the drive says.

SMALL_BYTES = 65536
FIRST = 3
"""So many quick answers in a row are no chance: a place that has just gone by does not come back sooner."""
AT_ONCE_TURNS = 0.5
WAITS_TURNS = 0.9
MANY = 0.75
FEW = 0.1

UNKNOWN_TURN = "Neither the drive's rating nor an estimate says how long a turn takes."
TOO_FEW = "No series of small writes is long enough."
ON = "Small writes are answered before the medium can have taken them: the write cache is {agrees}."
OFF = "Small writes wait for the medium, {turns:.2f} turns each: the write cache is {agrees}."
BETWEEN = (
    "Small writes take {turns:.2f} turns and begin quickly in {share:.0%} of the series: neither on nor off."
)


def verdict_of(state: str, sizes: Sequence[Size], turn_ms: float | None) -> tuple[str, str]:
    """`on`, `off` or `unknown`, and the sentence for it."""
    if turn_ms is None:
        return "unknown", UNKNOWN_TURN
    small = [one for one in sizes if one.bytes <= SMALL_BYTES and one.count >= FIRST]
    if not small:
        return "unknown", TOO_FEW
    quick = sum(one.begins_within(AT_ONCE_TURNS * turn_ms, FIRST) for one in small) / len(small)
    turns = sorted(one.median_ms for one in small)[len(small) // 2] / turn_ms
    if quick >= MANY:
        return "on", ON.format(agrees=_agrees("on", state))
    if quick <= FEW and turns >= WAITS_TURNS:
        return "off", OFF.format(turns=turns, agrees=_agrees("off", state))
    return "unknown", BETWEEN.format(turns=turns, share=quick)


def _agrees(found: str, state: str) -> str:
    if state == "unknown":
        return f"{found}; the drive does not say"
    return (
        f"{found}, as the drive says"
        if found == state
        else f"{found} in fact, although the drive says {state}"
    )


SHOWN = {"4KiB": 4096, "64KiB": 65536, "1MiB": 1 << 20}
FEWEST = {MEDIAN.key: 10, P99.key: 100}
LONG_TURNS = 20.0
"""From so many turns on, what a request costs by itself is small against its data."""
SHORT_TURNS = 5.0
LONG_WITHOUT_TURN_MS = 150.0


def percentiles(state: str, sizes: Sequence[Size]) -> list[Measurement]:
    """Median and 99th percentile of three sizes that were measured in this state."""
    by_size = {one.bytes: one for one in sizes}
    found = []
    for words, size in SHOWN.items():
        for what, share in ((MEDIAN, 0.5), (P99, 0.99)):
            found.append(_percentile(what, share, f"{state}/{words}", by_size.get(size)))
    return found


def _percentile(what: Metric, share: float, scope: str, size: Size | None) -> Measurement:
    if size is None:
        return _none(what, scope, "Writes of this size were not measured.")
    fewest = FEWEST[what.key]
    if size.count < fewest:
        return _none(what, scope, f"{size.count} writes are too few; at least {fewest} are needed.")
    ordered = np.sort(size.latency_ms)
    last = size.count - 1
    value = float(np.quantile(ordered, share))
    low, high = (
        float(ordered[int(np.clip(stats.binom.ppf(tail, size.count, share), 0, last))])
        for tail in ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    )
    return Measurement(what.key, scope, value, min(low, value), max(high, value), size.count, Quality.GOOD)


def steady(state: str, sizes: Sequence[Size], turn_ms: float | None) -> Measurement:
    """Bandwidth of the largest size, without the first half of its writes, which may fill a cache."""
    largest = sizes[-1]
    if largest.count < 2:
        return _none(STEADY, state, "A single write of the largest size: nothing says that a cache is full.")
    latency = near_median(largest.latency_ms[largest.count // 2 :], turn_ms)
    mean = float(latency.mean())
    rate = largest.bytes / mean / 1e3
    error = 0.0
    if len(latency) > 1:
        quantile = t_quantile((1 + LEVEL) / 2, len(latency) - 1)
        error = rate * quantile * float(latency.std(ddof=1)) / len(latency) ** 0.5 / mean
    turns = mean / turn_ms if turn_ms is not None else mean / LONG_WITHOUT_TURN_MS * LONG_TURNS
    quality, reason = Quality.GOOD, ""
    if turns < SHORT_TURNS:
        quality, reason = (
            Quality.POOR,
            "The longest writes are so short that what a request costs is in the number.",
        )
    elif turns < LONG_TURNS:
        quality, reason = (
            Quality.FAIR,
            "The longest writes take few turns: what a request costs lowers the number.",
        )
    elif len(latency) < 4:
        quality, reason = Quality.FAIR, f"Only {len(latency)} long writes count."
    return Measurement(
        STEADY.key, state, rate, max(rate - error, 0.0), rate + error, len(latency), quality, reason
    )


SLOWER = 1.3


def slows_down(size: Size) -> bool:
    """Whether a cache filled while these were written: the first of them took clearly less than the last."""
    few = max(size.count // 4, 1)
    first, last = float(np.median(size.latency_ms[:few])), float(np.median(size.latency_ms[-few:]))
    return size.count >= 2 * FIRST and last > SLOWER * first


def _none(what: Metric, scope: str, reason: str) -> Measurement:
    return Measurement(what.key, scope, None, None, None, 0, Quality.NONE, reason)
