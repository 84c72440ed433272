"""Numbers of a model's published runs, by drive and by run: what the statistics are made of. One provenance
at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from math import fsum
from typing import Any
from uuid import UUID

import numpy as np
from django.db.models import F

from server.benchmarks.contract import Place
from server.catalog.models import DriveModel
from server.compare.mechanism.features import USABLE, Reading, RunReadings
from server.compare.stats.samples import Values
from server.runs.conditions import UNTOLD, run_conditions
from server.runs.models import Measurement, Provenance, State


@dataclass(frozen=True, slots=True)
class RunNumbers:
    """What one run measured, and how."""

    run_id: UUID
    unit: str
    """The drive's digest; `run <id>` where the run does not tell it: it may be of any drive."""
    block_bytes: int
    conditions: Mapping[str, str]
    during: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The conditions during benchmarks of a kind, of the kinds that told their caches."""
    readings: dict[Place, Reading] = field(default_factory=dict)

    def value(self, place: Place) -> float | None:
        """Return a number that is good enough to count, or None."""
        reading = self.readings.get(place)
        return reading.value if reading and reading.quality in USABLE else None

    def state(self, place: Place, condition: str) -> str:
        """Return a condition's state when the number was measured; nothing where it was not told."""
        kind = place[0].partition(".")[0]
        return self.during.get(kind, self.conditions).get(condition, "")

    def for_fingerprint(self) -> RunReadings:
        """Return the same as the fingerprint takes it."""
        return RunReadings(str(self.run_id), self.unit, self.block_bytes, tuple(self.readings.values()))


def model_numbers(
    *, drive_model: DriveModel, provenance: Provenance, metrics: Collection[str]
) -> list[RunNumbers]:
    """Return the runs of a model with their current numbers of some metrics, in the order they were made."""
    conditions = run_conditions(drive_model_id=drive_model.pk)
    found: dict[UUID, RunNumbers] = {}
    for row in _rows(drive_model, provenance, metrics):
        run_id, digest, block_bytes, metric, scope, value, low, high, quality = row
        if run_id not in found:
            made = conditions.get(run_id, UNTOLD)
            name = digest or f"run {run_id}"
            found[run_id] = RunNumbers(run_id, name, block_bytes, made.whole, made.kinds)
        run = found[run_id]
        run.readings[metric, scope] = Reading(metric, scope, value, low, high, quality)
    return list(found.values())


def _rows(drive_model: DriveModel, provenance: Provenance, metrics: Collection[str]) -> list[tuple[Any, ...]]:
    return list(
        Measurement.objects.filter(
            benchmark__run__drive_model=drive_model,
            benchmark__run__provenance=provenance,
            benchmark__run__submission__state=State.PUBLISHED,
            extractor_version=F("benchmark__extractor_version"),
            metric__in=metrics,
            value__isnull=False,
        )
        .order_by("benchmark__run__created_at", "benchmark__run_id", "id")
        .values_list(
            "benchmark__run_id",
            "benchmark__run__unit__digest",
            "benchmark__run__block_bytes",
            *("metric", "scope", "value", "low", "high", "quality"),
        )
    )


def places_of(runs: Collection[RunNumbers], metrics: Collection[str]) -> list[Place]:
    """Return where the runs have usable numbers of `metrics`, in the order of those."""
    found = {place for run in runs for place in run.readings if run.value(place) is not None}
    order = {metric: number for number, metric in enumerate(metrics)}
    return sorted((place for place in found if place[0] in order), key=lambda place: (order[place[0]], place))


def runs_holding(runs: Iterable[RunNumbers], places: Collection[Place]) -> dict[Place, list[RunNumbers]]:
    """Return the runs that have a usable number at each place, in their order: what is asked of one place
    then costs as much as there is at it."""
    found: dict[Place, list[RunNumbers]] = {place: [] for place in places}
    for run in runs:
        for place, reading in run.readings.items():
            if place in found and reading.quality in USABLE and reading.value is not None:
                found[place].append(run)
    return found


def values_by_unit(runs: Collection[RunNumbers], place: Place) -> dict[str, list[float]]:
    """Return the usable numbers of each drive."""
    found: dict[str, list[float]] = {}
    for run in runs:
        value = run.value(place)
        if value is not None:
            found.setdefault(run.unit, []).append(value)
    return found


def unit_means(runs: Collection[RunNumbers], place: Place) -> dict[str, float]:
    """Return one number for each drive: the mean over its runs."""
    return {unit: fsum(values) / len(values) for unit, values in values_by_unit(runs, place).items()}


def means_by_state(runs: Collection[RunNumbers], place: Place, condition: str) -> dict[str, dict[str, float]]:
    """Return one number for each drive in each known state of a condition."""
    by_state: dict[str, list[RunNumbers]] = {}
    for run in runs:
        if state := run.state(place, condition):
            by_state.setdefault(state, []).append(run)
    means = {state: unit_means(members, place) for state, members in sorted(by_state.items())}
    return {state: found for state, found in means.items() if found}


def resolution_of(runs: Collection[RunNumbers], place: Place) -> float:
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
