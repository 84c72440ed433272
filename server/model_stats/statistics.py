"""What a model's runs say together: units, batches, conditions and mechanisms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from server.benchmarks.contract import MetricKey
from server.benchmarks.registry import metrics_by_key
from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance
from server.core.plain import from_plain
from server.measurements.conditions import differing_of, differing_words
from server.measurements.model_measurements import ModelMeasurements, model_measurements_read
from server.measurements.models import Aggregate
from server.model_stats.confounders import Confounder, confounders
from server.model_stats.mechanism.features import METRICS, fingerprints
from server.model_stats.mechanism.groups import Mechanisms, mechanisms
from server.model_stats.mechanism.wording import mechanisms_words
from server.model_stats.snapshots import snapshot_part
from server.model_stats.values import RunNumbers
from server.stats.intervals import holm
from server.stats.outliers import ALPHA, Distances, distances
from server.stats.spread import Components, Spread, spread_over_units, variance_components

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class NumberOfUnits:
    """One metric over a model's units."""

    metric: str
    scope: str
    runs: int
    spread: Spread
    components: Components
    """Runs of one unit against units."""
    distances: Distances


@dataclass(frozen=True, slots=True)
class UnitOutlier:
    """A unit that stands apart in one number."""

    unit: str
    metric: str
    scope: str
    value: float
    distance: float
    """In robust standard deviations from the median."""
    adjusted_p: float


@dataclass(frozen=True, slots=True)
class DriveStatistics:
    """The statistics of a model's runs of one provenance."""

    provenance: str
    level: float
    runs: int
    units: int
    differing: Mapping[str, Mapping[str, int]]
    mixture: str
    """What the runs differ in, in words; empty where they were alike."""
    numbers: tuple[NumberOfUnits, ...]
    apart: tuple[UnitOutlier, ...]
    confounders: tuple[Confounder, ...]
    mechanisms: Mechanisms
    mechanism_flag: str
    """Empty where one mechanism explains all runs."""


def drive_statistics(*, drive_model: DriveModel, provenance: Provenance) -> DriveStatistics | None:
    """Return the statistics of a model; None where it has no run of that provenance."""
    there, plain = snapshot_part(drive_model=drive_model, provenance=provenance, part="statistics")
    if not there:
        return statistics_compute(drive_model=drive_model, provenance=provenance)
    return from_plain(DriveStatistics, plain) if plain else None


def statistics_compute(*, drive_model: DriveModel, provenance: Provenance) -> DriveStatistics | None:
    """Compute the statistics of a model from its runs' numbers; None where it has no aggregates of that
    provenance."""
    if not Aggregate.objects.filter(drive_model=drive_model, provenance=provenance).exists():
        return None
    headline = {name for name, metric in metrics_by_key().items() if metric.headline}
    published = model_measurements_read(drive_model_id=drive_model.pk, metrics=headline | METRICS)
    return statistics_of_measurements(published.counting(), provenance=provenance)


def statistics_of_measurements(
    published: ModelMeasurements, *, provenance: Provenance
) -> DriveStatistics | None:
    """Compute the statistics of a model's runs of one provenance; None where none has a usable number."""
    if not any(key[0] == provenance and column.usable.any() for key, column in published.columns.items()):
        return None
    headline = [name for name, metric in metrics_by_key().items() if metric.headline]
    found = RunNumbers(published, provenance=provenance, metrics={*headline, *METRICS})
    return statistics_of(found, headline, provenance=provenance.value)


def statistics_of(
    found: RunNumbers, headline: Sequence[str], *, provenance: str, level: float = LEVEL
) -> DriveStatistics:
    """Return the statistics of some runs of one provenance."""
    keys = found.keys(headline)
    numbers = tuple(_number(found, key, level) for key in keys)
    differing = differing_of(run.conditions.whole for run in found.runs)
    kinds = mechanisms(fingerprints(found.for_fingerprints()))
    return DriveStatistics(
        provenance=provenance,
        level=level,
        runs=len(found.runs),
        units=len(found.unit_names),
        differing=differing,
        mixture=differing_words(differing, len(found.runs)),
        numbers=numbers,
        apart=_apart(numbers),
        confounders=confounders(found, keys, differing, level),
        mechanisms=kinds,
        mechanism_flag=mechanisms_words(kinds),
    )


def _number(found: RunNumbers, key: MetricKey, level: float) -> NumberOfUnits:
    here = found.usable_at(key)
    means = {found.unit_names[unit]: mean for unit, mean in here.means().items()}
    return NumberOfUnits(
        metric=key[0],
        scope=key[1],
        runs=here.runs.size,
        spread=spread_over_units(list(means.values()), level=level),
        components=variance_components([values.tolist() for values in here.by_unit()], level=level),
        distances=distances(means, resolution=found.resolution_at(key)),
    )


def _apart(numbers: Sequence[NumberOfUnits]) -> tuple[UnitOutlier, ...]:
    """Return who stands apart, corrected for the number of metrics looked at."""
    looked_at = [number for number in numbers if number.distances.p is not None]
    adjusted = holm([number.distances.p for number in looked_at if number.distances.p is not None])
    return tuple(
        UnitOutlier(unit.key, number.metric, number.scope, unit.value, unit.distance, p)
        for number, p in zip(looked_at, adjusted, strict=True)
        if p <= ALPHA
        for unit in number.distances.apart
    )
