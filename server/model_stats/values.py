"""Numbers of a model's published runs, by drive and by run: what the statistics are made of. One provenance
at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from uuid import UUID

import numpy as np

from server.benchmarks.contract import MetricKey
from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance
from server.measurements.model_measurements import ModelMeasurements, PublishedRun, model_measurements_read
from server.measurements.strata import Strata
from server.model_stats.mechanism.features import USABLE, Reading, RunReadings
from server.stats.intervals import Values

Held = tuple[str, float, Mapping[str, str]]
"""A usable number: of which drive, its value, and the conditions while it was measured."""


@dataclass(frozen=True, slots=True)
class RunNumbers:
    """What one run measured, and how."""

    run_id: UUID
    unit: str
    """The drive's digest, or the key that signed where the run does not tell it."""
    block_bytes: int
    conditions: Mapping[str, str]
    during: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The conditions during benchmarks of a kind, of the kinds that told their caches."""
    readings: dict[MetricKey, Reading] = field(default_factory=dict)
    apart: set[MetricKey] = field(default_factory=set)
    """Readings that were taken under other conditions than most units': their bridge or caches differ."""

    def for_fingerprint(self) -> RunReadings:
        """Return the same as the fingerprint takes it."""
        return RunReadings(str(self.run_id), self.unit, self.block_bytes, tuple(self.readings.values()))


def model_numbers(
    *, drive_model: DriveModel, provenance: Provenance, metrics: Collection[str]
) -> list[RunNumbers]:
    """Return the runs of a model with their current numbers of some metrics, in the order they were made."""
    published = model_measurements_read(drive_model_id=drive_model.pk, metrics=metrics)
    return numbers_of(published.counting(), provenance=provenance, metrics=metrics)


def numbers_of(
    published: ModelMeasurements, *, provenance: Provenance, metrics: Collection[str]
) -> list[RunNumbers]:
    """Return the runs of one provenance with their numbers of some metrics, in the order they were made."""
    found: dict[int, RunNumbers] = {}
    strata = Strata(published)
    for (of, metric, scope), column in published.columns.items():
        if of != provenance or metric not in metrics:
            continue
        place = (metric, scope)
        columns = (column.runs, column.values, column.lows, column.highs, column.qualities)
        for run, value, low, high, quality in zip(*(one.tolist() for one in columns), strict=True):
            if run not in found:
                found[run] = _run_numbers(published.runs[run])
            found[run].readings[place] = Reading(
                metric, scope, value, None if low != low else low, None if high != high else high, quality
            )
        split = strata.split(metric, column)
        for entries in split.others.values() if split else ():
            for run in column.runs[entries].tolist():
                found[run].apart.add(place)
    return [found[run] for run in sorted(found)]


def _run_numbers(run: PublishedRun) -> RunNumbers:
    return RunNumbers(run.run_id, run.unit, run.block_bytes, run.conditions.whole, run.conditions.kinds)


def places_of(runs: Collection[RunNumbers], metrics: Collection[str]) -> list[MetricKey]:
    """Return where the runs have usable numbers of `metrics`, in the order of those."""
    found = {place for run in runs for place, reading in run.readings.items() if _counts(reading)}
    order = {metric: number for number, metric in enumerate(metrics)}
    return sorted((place for place in found if place[0] in order), key=lambda place: (order[place[0]], place))


def held_at(
    runs: Iterable[RunNumbers], places: Collection[MetricKey], *, every_stratum: bool = False
) -> dict[MetricKey, list[Held]]:
    """Return the usable numbers at each place, in the runs' order: what is asked of one place then costs as
    much as there is at it. Those taken under other conditions than most units' are left out, unless it is
    they that are asked about."""
    found: dict[MetricKey, list[Held]] = {place: [] for place in places}
    kinds = {place: place[0].partition(".")[0] for place in places}
    for run in runs:
        for place, reading in run.readings.items():
            wanted = place in found and (every_stratum or place not in run.apart)
            if wanted and _counts(reading) and reading.value is not None:
                states = run.during.get(kinds[place], run.conditions)
                found[place].append((run.unit, reading.value, states))
    return found


def _counts(reading: Reading) -> bool:
    return reading.value is not None and reading.quality in USABLE


def values_by_unit(held: Iterable[Held]) -> dict[str, list[float]]:
    """Return the numbers of each drive."""
    found: dict[str, list[float]] = defaultdict(list)
    for unit, value, _states in held:
        found[unit].append(value)
    return found


def means_of(by_unit: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return one number for each drive: the mean over its runs."""
    return {unit: fsum(values) / len(values) for unit, values in by_unit.items()}


def means_by_state(held: Iterable[Held], condition: str) -> dict[str, dict[str, float]]:
    """Return one number for each drive in each known state of a condition."""
    by_state: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for unit, value, states in held:
        if state := states.get(condition, ""):
            by_state[state][unit].append(value)
    return {state: means_of(by_unit) for state, by_unit in sorted(by_state.items())}


def resolution_of(runs: Collection[RunNumbers], place: MetricKey) -> float:
    """Return the standard error of a typical measurement: half its interval over 1.96."""
    halves: Values = np.asarray(
        [
            (reading.high - reading.low) / 2
            for run in runs
            if (reading := run.readings.get(place))
            and reading.quality in USABLE
            and reading.low is not None
            and reading.high is not None
        ],
        dtype=np.float64,
    )
    return float(np.median(halves)) / 1.96 if halves.size else 0.0
