"""Which of a model's published runs are corroborated: another holder of keys measured another unit with the
same numbers, under comparable conditions. Computed as of now, with what else is refreshed of a model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from server.benchmarks.registry import metrics_by_key
from server.core.lifecycle import Standing
from server.measurements.model_measurements import ModelMeasurements, PublishedRun
from server.measurements.models import Run
from server.plausibility.models import CheckResult
from server.plausibility.peers import AGREEING_SHARE, AGREEING_WITHIN

_ALIKE = ("bridge", "write_cache")
"""Conditions that runs have in common which are compared, beside the block's size."""
Values = NDArray[np.float64]


def standings_update(*, drive_model_id: int, published: ModelMeasurements) -> int:
    """Write which runs are corroborated where that has changed, within the present transaction; return of how
    many it has."""
    now = corroborated(published)
    runs = Run.objects.filter(drive_model_id=drive_model_id)
    before = set(runs.filter(standing=Standing.CORROBORATED).values_list("pk", flat=True))
    Run.objects.filter(pk__in=now - before).update(standing=Standing.CORROBORATED)
    left = Run.objects.filter(pk__in=before - now)
    if before - now:
        quarantined = CheckResult.objects.filter(
            run__in=before - now, outcome=CheckResult.Outcome.QUARANTINED
        )
        left.update(standing=Standing.PLAUSIBLE)
        Run.objects.filter(pk__in=quarantined.values("run")).update(standing=Standing.SIGNED)
    return len(now ^ before)


def corroborated(published: ModelMeasurements) -> set[UUID]:
    """Return the runs with whose headline numbers those of another unit agree that another holder measured.
    Pure."""
    groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for index, run in enumerate(published.runs):
        groups[_group(run)].append(index)
    values = _headline_values(published)
    units, holders = (
        _numbered(texts)
        for texts in ((run.unit for run in published.runs), (run.keyid for run in published.runs))
    )
    found: set[UUID] = set()
    for positions in groups.values():
        rows = np.asarray(positions)
        agreeing = rows[_agreeing(values[rows], units[rows], holders[rows])]
        found |= {published.runs[index].run_id for index in agreeing}
    return found


def _group(run: PublishedRun) -> tuple[object, ...]:
    return run.provenance, run.block_bytes, *(run.conditions.whole.get(key) for key in _ALIKE)


def _numbered(texts: Iterable[str]) -> NDArray[np.int64]:
    known: dict[str, int] = {}
    return np.asarray([known.setdefault(text, len(known)) for text in texts], dtype=np.int64)


def _headline_values(published: ModelMeasurements) -> Values:
    """Return a row for each run and a column for each headline number; not a number where there is none."""
    headline = {key for key, metric in metrics_by_key().items() if metric.headline}
    series = sorted({key[1:] for key in published.columns if key[1] in headline})
    numbers = {key: number for number, key in enumerate(series)}
    values = np.full((len(published.runs), len(series)), np.nan)
    for key, column in published.columns.items():
        if key[1] in headline:
            usable = column.usable
            values[column.runs[usable], numbers[key[1:]]] = column.values[usable]
    return values


def _agreeing(values: Values, units: NDArray[np.int64], holders: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which rows agree with one of another unit and another holder.

    A row that is looked at settles those that agree with it, and so does the one that it agrees with, which
    settles those of its own holder: for drives that are alike two looks in all, and one more for each that
    agrees with nobody.
    """
    found = np.zeros(len(values), dtype=np.bool_)
    unsettled = np.full(len(values), (holders != holders[0]).any())
    while unsettled.any():
        row = int(unsettled.argmax())
        unsettled[row] = False
        others = np.flatnonzero((units != units[row]) & (holders != holders[row]))
        agreeing = others[_agree(values[row], values[others])]
        found[row] = bool(agreeing.size)
        for pivot in (row, *agreeing[:1]):
            open_ = np.flatnonzero(unsettled & (units != units[pivot]) & (holders != holders[pivot]))
            confirmed = open_[_agree(values[open_], values[pivot])]
            found[confirmed] = True
            unsettled[confirmed] = False
    return found


def _agree(mine: Values, theirs: Values) -> NDArray[np.bool_]:
    """Return whether numbers agree with others', row by row, as `peers.keys_agreeing` has it."""
    shared = np.count_nonzero(~np.isnan(mine) & ~np.isnan(theirs), axis=-1)
    # Nothing is near what is not a number.
    agreed = np.count_nonzero(np.abs(mine - theirs) <= AGREEING_WITHIN * np.abs(theirs), axis=-1)
    result: NDArray[np.bool_] = (shared > 0) & (agreed >= AGREEING_SHARE * shared)
    return result
