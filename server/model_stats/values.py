"""Numbers of a model's published runs at each place, and by unit: what the statistics are made of. One
provenance at a time."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from server.benchmarks.contract import MetricKey
from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance
from server.measurements.model_measurements import (
    Column,
    ModelMeasurements,
    model_measurements_read,
)
from server.measurements.strata import Strata
from server.model_stats.mechanism.features import FEATURES, Reading, RunReadings


@dataclass(frozen=True, slots=True)
class UsableNumbers:
    """The usable numbers at one place, in the order in which their runs were made."""

    runs: NDArray[np.int64]
    """Places in `RunNumbers.runs`."""
    units: NDArray[np.int64]
    """Places in `RunNumbers.unit_names`."""
    values: NDArray[np.float64]

    def by_unit(self) -> list[NDArray[np.float64]]:
        """Return the numbers of each unit."""
        order = np.argsort(self.units, kind="stable")
        ends = np.flatnonzero(np.diff(self.units[order])) + 1
        return np.split(self.values[order], ends) if order.size else []

    def means(self) -> dict[int, float]:
        """Return one number for each unit: the mean over its runs."""
        units, of_unit, counts = np.unique(self.units, return_inverse=True, return_counts=True)
        return dict(zip(units.tolist(), (np.bincount(of_unit, self.values) / counts).tolist(), strict=True))

    def where(self, chosen: NDArray[np.bool_]) -> UsableNumbers:
        """Return some of them."""
        return UsableNumbers(self.runs[chosen], self.units[chosen], self.values[chosen])


class RunNumbers:
    """The present numbers of some of a model's runs of one provenance, at the places where they have any."""

    def __init__(
        self,
        published: ModelMeasurements,
        *,
        provenance: Provenance,
        metrics: Collection[str],
        chosen: Collection[UUID] | None = None,
    ) -> None:
        """Take all runs with a number of some metrics, or those of them among `chosen`."""
        columns = {
            (metric, scope): column
            for (of, metric, scope), column in published.columns.items()
            if of == provenance and metric in metrics
        }
        there = np.zeros(len(published.runs), dtype=np.bool_)
        for column in columns.values():
            there[column.runs] = True
        if chosen is not None:
            there &= np.asarray([run.run_id in chosen for run in published.runs], dtype=np.bool_)
        self.runs = tuple(published.runs[index] for index in np.flatnonzero(there).tolist())
        """In the order in which they were made."""
        numbers: dict[str, int] = {}
        self._units = np.asarray(
            [numbers.setdefault(run.unit, len(numbers)) for run in self.runs], dtype=np.int64
        )
        self.unit_names = tuple(numbers)
        """The digest of each unit, or the key that signed where a run does not tell its drive."""
        self._columns: dict[MetricKey, Column] = {}
        self._apart: dict[MetricKey, NDArray[np.bool_]] = {}
        """Numbers taken under other conditions than most units' of the model: with another bridge, say."""
        strata, place_of = Strata(published), np.cumsum(there) - 1
        for key, column in columns.items():
            apart = np.zeros(column.runs.size, dtype=np.bool_)
            split = strata.split(key[0], column)
            for entries in split.others.values() if split else ():
                apart[entries] = True
            order = np.argsort(column.runs, kind="stable")
            order = order[there[column.runs[order]]]
            found = column.where(order)
            self._columns[key] = replace(found, runs=place_of[found.runs])
            self._apart[key] = apart[order]
        # All kinds but those that told their caches were measured under their run's conditions.
        self._telling = {kind for run in self.runs for kind in run.conditions.kinds}
        self._states: dict[tuple[str, str], tuple[list[str], NDArray[np.int64]]] = {}

    def keys(self, metrics: Collection[str]) -> list[MetricKey]:
        """Return where there are usable numbers of `metrics`, in the order of those."""
        order = {metric: number for number, metric in enumerate(metrics)}
        found = [key for key, column in self._columns.items() if key[0] in order and column.usable.any()]
        return sorted(found, key=lambda key: (order[key[0]], key))

    def usable_at(self, key: MetricKey, *, every_stratum: bool = False) -> UsableNumbers:
        """Return the usable numbers at a place. Those taken under other conditions than most units' are left
        out, unless it is they that are asked about."""
        column = self._columns[key]
        counting = column.usable if every_stratum else column.usable & ~self._apart[key]
        runs = column.runs[counting]
        return UsableNumbers(runs, self._units[runs], column.values[counting])

    def states_at(self, key: MetricKey, numbers: UsableNumbers, condition: str) -> dict[str, UsableNumbers]:
        """Return numbers at a place by the known states of a condition while they were measured."""
        names, codes = self._codes(condition, key[0].partition(".")[0])
        here = codes[numbers.runs]
        found = {names[code]: numbers.where(here == code) for code in np.unique(here).tolist() if names[code]}
        return dict(sorted(found.items()))

    def resolution_at(self, key: MetricKey) -> float:
        """Return the standard error of a typical measurement: half its interval over 1.96."""
        column = self._columns[key]
        widths = (column.highs - column.lows)[column.usable]
        widths = widths[~np.isnan(widths)]
        return float(np.median(widths / 2)) / 1.96 if widths.size else 0.0

    def for_fingerprints(self) -> list[RunReadings]:
        """Return what the fingerprints are made of."""
        found: list[list[Reading]] = [[] for _run in self.runs]
        for key in (feature.metric_key for feature in FEATURES):
            column = self._columns.get(key)
            columns = (
                (column.runs, column.values, column.lows, column.highs, column.qualities) if column else ()
            )
            for run, *numbers, quality in zip(*(one.tolist() for one in columns), strict=True):
                value, low, high = (None if number != number else number for number in numbers)
                found[run].append(Reading(*key, value, low, high, quality))
        return [
            RunReadings(str(run.run_id), run.unit, run.block_bytes, tuple(readings))
            for run, readings in zip(self.runs, found, strict=True)
        ]

    def _codes(self, condition: str, kind: str) -> tuple[list[str], NDArray[np.int64]]:
        """Return the states of a condition, and each run's number among them, during benchmarks of a kind."""
        key = condition, kind if kind in self._telling else ""
        if key not in self._states:
            known: dict[str, int] = {}
            # Runs that were made alike share their conditions: each is looked at once.
            alike: dict[int, int] = {}
            codes = []
            for run in self.runs:
                if (code := alike.get(id(run.conditions))) is None:
                    state = run.conditions.during(kind).get(condition, "")
                    code = alike[id(run.conditions)] = known.setdefault(state, len(known))
                codes.append(code)
            self._states[key] = list(known), np.asarray(codes, dtype=np.int64)
        return self._states[key]


def model_numbers(
    *,
    drive_model: DriveModel,
    provenance: Provenance,
    metrics: Collection[str],
    chosen: Collection[UUID] | None = None,
) -> RunNumbers:
    """Return the runs of a model, or those among `chosen`, with their present numbers of some metrics."""
    published = model_measurements_read(drive_model_id=drive_model.pk, metrics=metrics)
    return RunNumbers(published.counting(), provenance=provenance, metrics=metrics, chosen=chosen)
