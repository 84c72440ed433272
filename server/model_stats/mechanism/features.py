"""What identifies a mechanism, read from a drive's runs with the tolerance that belongs to it.

A feature's tolerance is the interval of the measurement, the scatter over the drive's own runs where that is
wider, and what drives of one mechanism differ by anyway (`relative`, `absolute`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median

from server.benchmarks.contract import Metric, MetricKey
from server.benchmarks.registry import metrics_by_key

USABLE = frozenset({"good", "fair"})


@dataclass(frozen=True, slots=True)
class Feature:
    """A number that units of one mechanism share."""

    metric: str
    scope: str
    title: str
    family: str
    """Features of one family tell of the same part and count once."""
    unit: str
    relative: float
    """Share by which units of one mechanism may differ."""
    absolute: float = 0.0
    in_blocks: bool = False
    """Counted in blocks: read in KiB, since a bridge may present other blocks."""

    @property
    def metric_key(self) -> MetricKey:
        """Where its numbers belong."""
        return self.metric, self.scope

    @property
    def key(self) -> str:
        """Metric and scope."""
        return f"{self.metric}/{self.scope}" if self.scope else self.metric


def _features(metric: Metric) -> Iterator[Feature]:
    in_blocks = metric.unit == "blocks"
    for one in metric.fingerprint:
        yield Feature(
            metric=metric.key,
            scope=one.scope,
            title=one.title,
            family=one.family,
            unit="KiB" if in_blocks else metric.unit,
            relative=one.relative,
            absolute=one.absolute,
            in_blocks=in_blocks,
        )


FEATURES = tuple(feature for metric in metrics_by_key().values() for feature in _features(metric))
METRICS = frozenset(feature.metric for feature in FEATURES)
_BY_METRIC_KEY = {feature.metric_key: feature for feature in FEATURES}
BY_KEY = {feature.key: feature for feature in FEATURES}


@dataclass(frozen=True, slots=True)
class Reading:
    """One measurement of one run."""

    metric: str
    scope: str
    value: float | None
    low: float | None
    high: float | None
    quality: str


@dataclass(frozen=True, slots=True)
class RunReadings:
    """What one run measured."""

    run: str
    unit: str
    """The drive's digest; the run's own id where it has none."""
    block_bytes: int
    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A feature of one drive: the value lies within `half` of it."""

    value: float
    half: float


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The features of one drive that its runs carry."""

    unit: str
    runs: tuple[str, ...]
    estimates: Mapping[str, Estimate]

    @property
    def families(self) -> frozenset[str]:
        """The families of which something is known."""
        return frozenset(BY_KEY[key].family for key in self.estimates)


def fingerprints(runs: Iterable[RunReadings]) -> tuple[Fingerprint, ...]:
    """Return one fingerprint for each drive, whatever the number of its runs."""
    by_unit: dict[str, list[RunReadings]] = {}
    for run in runs:
        by_unit.setdefault(run.unit, []).append(run)
    return tuple(_fingerprint(unit, by_unit[unit]) for unit in sorted(by_unit))


def _fingerprint(unit: str, runs: list[RunReadings]) -> Fingerprint:
    found: dict[str, list[Estimate]] = {}
    for run in runs:
        for reading in run.readings:
            feature = _BY_METRIC_KEY.get((reading.metric, reading.scope))
            if feature and (estimate := _estimate(reading, feature, run.block_bytes)):
                found.setdefault(feature.key, []).append(estimate)
    merged = {key: _merged(estimates) for key, estimates in found.items()}
    return Fingerprint(unit, tuple(sorted(run.run for run in runs)), merged)


def _estimate(reading: Reading, feature: Feature, block_bytes: int) -> Estimate | None:
    """Return what a measurement says of a feature; a poor one, or one without an interval, says nothing."""
    value, low, high = reading.value, reading.low, reading.high
    if reading.quality not in USABLE or value is None or low is None or high is None:
        return None
    scale = block_bytes / 1024 if feature.in_blocks else 1.0
    return Estimate(scale * value, scale * max(high - value, value - low, 0.0))


def _merged(estimates: list[Estimate]) -> Estimate:
    values = [estimate.value for estimate in estimates]
    scatter = (max(values) - min(values)) / 2
    return Estimate(median(values), max(scatter, median(estimate.half for estimate in estimates)))


def differs(feature: Feature, one: Estimate, other: Estimate) -> bool:
    """Whether two drives can't share this feature."""
    allowed = max(feature.absolute, feature.relative * min(abs(one.value), abs(other.value)))
    return abs(one.value - other.value) > one.half + other.half + allowed
