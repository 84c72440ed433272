"""POSITIONAL's samples to measurements (OLP, read tests)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.benchmarks.contract import Extraction, Facts, Measurement, Metric, Quality
from server.benchmarks.heads import of_one_head
from server.benchmarks.interface import held_rate, is_held, of_interface
from server.benchmarks.positional import definitions as metric
from server.core.robust import chi2_quantile, t_quantile

POSITIONS = ("outer", "middle", "inner")
LEVEL = 0.95
FEWEST_FOR_GOOD = 5
SHORT_SHARE = 0.5
"""A sample that took less than this share of the time asked for ended with the device."""
RESTLESS = 0.05
"""Samples of a quiet disk differ by less than one in a hundred (OLP: 0.2 to 1.0 %)."""
WILD = 0.2


SLOWEST_TURN_MS = 60e3 / 3600
"""Of a disk whose rotation is not told."""
WAY_MS = 20.0
"""The most that a command and the arm take on the way to the first block, which is timed with the sample."""


@dataclass(frozen=True, slots=True)
class Position:
    """The samples of one position and what follows from them; MB is 10^6 bytes."""

    name: str
    start_gb: float
    mb_per_s: NDArray[np.float64]
    short: int
    """Samples that the end of the device cut short."""
    sample_ms: float
    """What a sample took, by their mean."""
    turn_ms: float

    @property
    def mean(self) -> float:
        return float(self.mb_per_s.mean())

    @property
    def deviation(self) -> float:
        return float(self.mb_per_s.std(ddof=1)) if len(self.mb_per_s) > 1 else 0.0

    @property
    def error(self) -> float:
        """Half of the interval that chance leaves the mean; 0 where one sample says nothing of it."""
        count = len(self.mb_per_s)
        return t_quantile((1 + LEVEL) / 2, count - 1) * self.deviation / count**0.5 if count > 1 else 0.0

    @property
    def less(self) -> float:
        """How far the interval reaches below the mean, and how far above it: `more`."""
        # All samples read the same stretch: the boundaries in it may be a turn more or less.
        return self.error + self.mean * min(self.turn_ms / self.sample_ms, 1.0)

    @property
    def more(self) -> float:
        # Beside that turn, the way to the place and up to a turn of waiting there.
        return self.error + self.mean * (2 * self.turn_ms + WAY_MS) / self.sample_ms


def extract(entry: Mapping[str, Any], facts: Facts) -> Extraction:
    """Never raises on data that fits the schema: what the samples do not carry gets a reason instead."""
    positions = {name: position_of(entry, name, facts) for name in POSITIONS}
    found = [one for one in positions.values() if one is not None]
    shares = [one.start_gb * 1e9 / max(facts.capacity_bytes, 1) for one in found]
    held = held_rate(np.array(shares), np.array([one.mean for one in found]))
    of_interfaces = {
        one.name for one, share in zip(found, shares, strict=True) if is_held(held, share, one.mean)
    }
    measurements: list[Measurement] = []
    for name, position in positions.items():
        numbers = _of(name, position)
        measurements += map(of_interface, numbers) if name in of_interfaces else numbers
    ratio = _ratio(positions["outer"], positions["inner"])
    measurements.append(of_interface(ratio) if of_interfaces else ratio)
    stretches = (metric.MEAN.key, metric.RATIO.key)
    measurements = [of_one_head(one, facts) if one.metric in stretches else one for one in measurements]
    details = {
        "positions": [
            {
                "position": one.name,
                "start_gb": one.start_gb,
                "mb_per_s": [float(rate) for rate in one.mb_per_s],
                "mean_mb_per_s": one.mean,
            }
            for one in found
        ]
    }
    return Extraction(tuple(measurements), details)


def position_of(entry: Mapping[str, Any], name: str, facts: Facts) -> Position | None:
    """The samples of a position that took a measurable time; None where there is none."""
    series = [one for one in entry["samples"]["series"] if one["position"] == name]
    rows = [
        (offset, length, elapsed)
        for one in series
        for offset, length, elapsed in zip(
            one["offset_blocks"], one["length_blocks"], one["elapsed_ns"], strict=True
        )
        if elapsed > 0
    ]
    if not rows:
        return None
    length, elapsed = (np.array([row[column] for row in rows], dtype=np.float64) for column in (1, 2))
    return Position(
        name,
        rows[0][0] * facts.block_bytes / 1e9,
        length * facts.block_bytes / elapsed * 1e3,
        int((elapsed < SHORT_SHARE * entry["params"]["sample_ns"]).sum()),
        float(elapsed.mean()) / 1e6,
        60e3 / facts.rated_rpm if facts.rated_rpm else SLOWEST_TURN_MS,
    )


def _of(name: str, position: Position | None) -> list[Measurement]:
    if position is None:
        reason = (
            "No sample of this position could be read: the run ended before it, or the medium failed there."
        )
        return [_none(one, name, reason) for one in (metric.MEAN, metric.DEVIATION, metric.VARIATION)]
    count, mean, deviation = len(position.mb_per_s), position.mean, position.deviation
    quality, reason = _judge(position)
    found = [
        Measurement(
            metric.MEAN.key, name, mean, mean - position.less, mean + position.more, count, quality, reason
        )
    ]
    if count < 2:
        reason = "One sample has no deviation; measure at least two."
        return [*found, *(_none(one, name, reason) for one in (metric.DEVIATION, metric.VARIATION))]
    low, high = (
        deviation * float(np.sqrt((count - 1) / chi2_quantile(share, count - 1)))
        for share in ((1 + LEVEL) / 2, (1 - LEVEL) / 2)
    )
    for what, unit in ((metric.DEVIATION, 1.0), (metric.VARIATION, mean)):
        found.append(
            Measurement(what.key, name, deviation / unit, low / unit, high / unit, count, quality, reason)
        )
    return found


def _judge(position: Position) -> tuple[Quality, str]:
    count, variation = len(position.mb_per_s), position.deviation / position.mean
    if position.short:
        return Quality.POOR, f"The device ended before {position.short} of {count} samples had their time."
    if count < 2:
        return Quality.POOR, "A single sample: nothing says how far it may be trusted."
    if variation > WILD:
        return Quality.POOR, f"The samples differ by {variation:.0%}: something else used the disk."
    if variation > RESTLESS:
        return Quality.FAIR, f"The samples differ by {variation:.1%}, more than those of a quiet disk."
    if count < FEWEST_FOR_GOOD:
        return Quality.FAIR, f"Only {count} samples were taken."
    return Quality.GOOD, ""


def _ratio(outer: Position | None, inner: Position | None) -> Measurement:
    if outer is None or inner is None:
        missing = "outer" if outer is None else "inner"
        return _none(metric.RATIO, "", f"There is no sample of the {missing} position.")
    ratio = inner.mean / outer.mean
    less = ratio * float(np.hypot(inner.less / inner.mean, outer.more / outer.mean))
    more = ratio * float(np.hypot(inner.more / inner.mean, outer.less / outer.mean))
    order = [Quality.GOOD, Quality.FAIR, Quality.POOR]
    quality, reason = max((_judge(outer), _judge(inner)), key=lambda judged: order.index(judged[0]))
    count = len(outer.mb_per_s) + len(inner.mb_per_s)
    return Measurement(
        metric.RATIO.key, "", ratio, max(ratio - less, 0.0), ratio + more, count, quality, reason
    )


def _none(what: Metric, scope: str, reason: str) -> Measurement:
    return Measurement(what.key, scope, None, None, None, 0, Quality.NONE, reason)
