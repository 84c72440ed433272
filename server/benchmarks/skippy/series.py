"""The samples of one region and variant as arrays, ready for fitting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from server.benchmarks.contract import Measurement, Metric, Quality

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

NS_PER_MS = 1e6
LARGEST_INTEGER = 2**62


@dataclass(frozen=True, slots=True)
class Trace:
    """The timed accesses of one region and variant; all repeats and patterns behind one another."""

    region: str
    """`outer`, `middle`, `inner`, or a place between them in per cent of the device, as `12.5`."""
    variant: str
    step: IntArray
    """The paper's loop index."""
    before: IntArray
    """Absolute block of the access before."""
    block: IntArray
    """Absolute block of the timed access."""
    latency_ms: FloatArray
    elapsed_ms: FloatArray
    """From the completion before to this completion; equals `latency_ms` where no start column is."""
    timed_ends: bool
    """Whether `elapsed_ms` contains the time between the requests."""
    chained: BoolArray
    """Whether the access before is the one just before on the device (none failed in between)."""
    increasing: BoolArray
    """Whether the access belongs to an `increasing` series."""
    series: IntArray
    """Which series of the region and variant the access belongs to."""

    @property
    def distance(self) -> IntArray:
        """Start-to-start distance in blocks, negative where the head walks down."""
        return self.block - self.before

    @property
    def forward(self) -> bool:
        return self.variant != "backward"


def traces_of(samples: Mapping[str, Any]) -> tuple[Trace, ...]:
    """Group the series of `skippy` samples by region and variant, in the order in which they come."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for series in samples.get("series", ()):
        columns = _columns(series)
        if columns is not None and (series["region"] != "between" or "position_permille" in series):
            groups.setdefault((_place(series), str(series["variant"])), []).append(columns)
    return tuple(_join(region, variant, parts) for (region, variant), parts in groups.items())


def _place(series: Mapping[str, Any]) -> str:
    """The region, or of a place between the three how many per cent of the device lie before it."""
    permille = series.get("position_permille")
    return str(series["region"]) if permille is None else f"{int(permille) / 10:g}"


def _integers(values: Iterable[Any]) -> IntArray:
    column = list(values)
    try:
        return np.clip(np.array(column, dtype=np.int64), -LARGEST_INTEGER, LARGEST_INTEGER)
    except OverflowError:
        clipped = [min(max(int(value), -LARGEST_INTEGER), LARGEST_INTEGER) for value in column]
        return np.array(clipped, dtype=np.int64)


def _columns(series: Mapping[str, Any]) -> dict[str, Any] | None:
    """Arrays of one series, or None where its columns do not agree in length or are empty."""
    step = _integers(series["step_blocks"])
    block = _integers(series["offset_blocks"])
    latency_ms = _integers(series["latency_ns"]).astype(np.float64) / NS_PER_MS
    if not (len(step) == len(block) == len(latency_ms)) or len(step) == 0:
        return None
    before = np.concatenate([_integers([series["start_block"]]), block[:-1]])
    chained = np.abs(block - before) == step + 1
    start = series.get("start_ns")
    elapsed_ms = latency_ms.copy()
    timed_ends = start is not None and len(start) == len(step)
    if timed_ends:
        end_ms = _integers(start or ()).astype(np.float64) / NS_PER_MS + latency_ms
        elapsed_ms[1:] = np.diff(end_ms)
        # The access before the first is not timed: its completion is unknown.
        chained[0] = False
    quiet = _quiet(series, len(step))
    if not quiet.any():
        return None
    columns = {
        "step": step,
        "before": before,
        "block": block,
        "latency_ms": latency_ms,
        "elapsed_ms": elapsed_ms,
        "chained": chained,
        "increasing": np.full(len(step), series.get("pattern", "increasing") == "increasing"),
    }
    return {name: column[quiet] for name, column in columns.items()} | {"timed_ends": timed_ends}


def _quiet(series: Mapping[str, Any], count: int) -> BoolArray:
    """Which samples nothing disturbed; all where the probe marked none."""
    marks = series.get("disturbed") or ()
    return _integers(marks) == 0 if len(marks) == count else np.ones(count, dtype=np.bool_)


def _join(region: str, variant: str, parts: list[dict[str, Any]]) -> Trace:
    for number, part in enumerate(parts):
        part["series"] = np.full(len(part["step"]), number, dtype=np.int64)
    timed_ends = all(part["timed_ends"] for part in parts)
    if not timed_ends:
        for part in parts:
            part["elapsed_ms"] = part["latency_ms"]
    names = ("step", "before", "block", "latency_ms", "elapsed_ms", "chained", "increasing", "series")
    joined = {name: np.concatenate([part[name] for part in parts]) for name in names}
    return Trace(region=region, variant=variant, timed_ends=timed_ends, **joined)


# ---- Numbers of several series together, with their interval and quality.

Z95 = 1.96
DISAGREE = "The series of this run disagree by more than their noise explains."
WIDE = "The noise of the samples leaves a wide interval."


@dataclass(frozen=True, slots=True)
class Estimate:
    value: float
    error: float
    count: int


def none(what: Metric, scope: str, reason: str) -> Measurement:
    return Measurement(what.key, scope, None, None, None, 0, Quality.NONE, reason)


def pooled(what: Metric, scope: str, estimates: list[Estimate], tolerance: float) -> Measurement:
    """Inverse-variance mean; those further apart than errors and `tolerance` allow lower the quality."""
    values = np.array([one.value for one in estimates])
    errors = np.array([one.error for one in estimates])
    weights = 1 / errors**2
    value = float((values * weights).sum() / weights.sum())
    error = float(1 / np.sqrt(weights.sum()))
    apart = float(np.abs(values - value).max())
    quality, reason = Quality.GOOD, ""
    if apart > max(tolerance, 4 * float(errors.max())):
        quality, reason = Quality.POOR, DISAGREE
        error = max(error, apart / Z95)
    elif Z95 * error > tolerance:
        quality, reason = Quality.FAIR, WIDE
    count = sum(one.count for one in estimates)
    return Measurement(
        what.key, scope, value, value - Z95 * error, value + Z95 * error, count, quality, reason
    )


def scattered(what: Metric, estimates: list[Estimate], tolerance: float) -> Measurement:
    """The mean over regions and variants, of which each had a value of its own when it was measured.

    What they differ by beyond their errors widens the interval as it does that of any few draws (random
    effects, DerSimonian and Laird, with Student's quantile); beyond `tolerance` it is no wandering any more.
    """
    values = np.array([one.value for one in estimates])
    errors = np.array([one.error for one in estimates])
    between = variance_between(values, errors)
    weights = 1 / (errors**2 + between)
    value = float((values * weights).sum() / weights.sum())
    reach = Z95 * float(np.sqrt(1 / (1 / errors**2).sum()))
    if between > 0:
        several = len(values) - 1
        spread = float(((values - value) ** 2 * weights).sum() / weights.sum()) / several
        reach = max(reach, float(stdtrit(several, 0.975)) * float(np.sqrt(spread)))
    apart = float(np.abs(values - value).max())
    quality, reason = Quality.GOOD, ""
    if apart > max(tolerance, 4 * float(errors.max())):
        quality, reason, reach = Quality.POOR, DISAGREE, max(reach, apart)
    elif reach > tolerance:
        quality, reason = Quality.FAIR, WIDE
    count = sum(one.count for one in estimates)
    return Measurement(what.key, "", value, value - reach, value + reach, count, quality, reason)


def variance_between(values: FloatArray, errors: FloatArray) -> float:
    """Variance of the values beyond their errors."""
    weights = 1 / errors**2
    mean = (values * weights).sum() / weights.sum()
    free = weights.sum() - (weights**2).sum() / weights.sum()
    excess = (weights * (values - mean) ** 2).sum() - (len(values) - 1)
    return max(float(excess / free), 0.0) if free > 0 else 0.0
