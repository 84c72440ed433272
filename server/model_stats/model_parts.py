"""All that a model's page says of its runs, provenance by provenance, in a handful of queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict
from uuid import UUID

from django.db.models import Count

from server.benchmarks.contract import MetricKey
from server.benchmarks.registry import metrics_by_key
from server.catalog.models import DriveModel, LiteratureValue
from server.core.lifecycle import Provenance, State
from server.core.plain import from_plain
from server.core.querying import CompiledQuery
from server.measurements.models import Aggregate
from server.model_stats.overview import NOTHING, DriveOverview, drive_overview
from server.model_stats.selectors import MetricRow, drive_representative_run, metric_rows
from server.model_stats.snapshots import SnapshotRow, snapshot_rows
from server.model_stats.statistics import DriveStatistics, drive_statistics

_SHOWN = (
    *("provenance", "metric", "scope", "n", "units", "excluded", "median", "mean"),
    *("stdev", "q1", "q3", "low", "high", "minimum", "maximum", "strata", "updated_at"),
)


_AGGREGATES: CompiledQuery[Aggregate] = CompiledQuery(
    lambda drive_model_id, metrics: (
        Aggregate.objects.filter(drive_model_id__given=drive_model_id, metric__any_of=metrics)
        .order_by()
        .only(*_SHOWN)
    )
)
_COUNTS: CompiledQuery[tuple[str, str, int]] = CompiledQuery(
    lambda drive_model_id: (
        Aggregate.objects.filter(drive_model_id__given=drive_model_id)
        .order_by()
        .values_list("provenance", "metric")
        .annotate(scopes=Count("pk"))
    )
)


_RunAt = tuple[UUID, datetime]
_Said = tuple[DriveStatistics | None, DriveOverview, _RunAt | None]


class _Asked(TypedDict):
    drive_model: DriveModel
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class ModelPart:
    """A model's runs of one provenance."""

    rows: tuple[MetricRow, ...]
    """Headline numbers and those that documents state too; beside measured ones stand the documents'."""
    counts: Mapping[str, int]
    """How many numbers there are, by kind."""
    statistics: DriveStatistics | None
    overview: DriveOverview
    run: _RunAt | None
    """The run whose pictures stand for the model, and when it was measured."""

    @property
    def as_of(self) -> datetime | None:
        """When the numbers were computed; None where there are none."""
        return next((row.aggregate.updated_at for row in self.rows if row.aggregate), None)


def model_parts(
    *, drive_model: DriveModel, values: Sequence[LiteratureValue], due: bool
) -> dict[Provenance, ModelPart]:
    """Return the parts of a model that has runs of their provenance, the measured part always.

    `values` are the metrics that documents state of it. Once something is kept of a model, a provenance of
    which nothing is kept has no runs, unless the model is `due` to be computed anew.
    """
    stored = snapshot_rows(drive_model=drive_model)
    trusted = bool(stored) and not due
    wanted = [one for one in Provenance if one in stored or one == Provenance.PROBE or not trusted]
    literature: dict[MetricKey, list[LiteratureValue]] = {}
    for value in values:
        literature.setdefault((value.metric, value.scope), []).append(value)
    aggregates = _aggregates(drive_model, {metric for metric, _scope in literature})
    counts = _counts(drive_model)
    found = {}
    for one in wanted:
        stated = literature if one == Provenance.PROBE else {}
        said = _said(drive_model, one, stored.get(one), trusted)
        found[one] = ModelPart(metric_rows(aggregates.get(one, ()), stated), counts.get(one, {}), *said)
    return found


def _said(drive_model: DriveModel, provenance: Provenance, row: SnapshotRow | None, trusted: bool) -> _Said:
    """Return what is kept; where nothing is and there may be runs, what can be computed of them."""
    if row is None and not trusted:
        asked = _Asked(drive_model=drive_model, provenance=provenance)
        run = drive_representative_run(**asked)
        return (
            drive_statistics(**asked),
            drive_overview(**asked),
            (run.run_id, run.created_at) if run else None,
        )
    if row is None:
        return None, NOTHING, None
    statistics = from_plain(DriveStatistics, row.statistics) if row.statistics else None
    shown_run = (row.run_id, row.run_created_at) if row.run_id and row.run_created_at else None
    overview = from_plain(DriveOverview, row.overview)
    return statistics, overview, shown_run if row.run_state == State.PUBLISHED else None


def _aggregates(drive_model: DriveModel, stated: Collection[str]) -> dict[str, list[Aggregate]]:
    headline = [key for key, metric in metrics_by_key().items() if metric.headline]
    found: dict[str, list[Aggregate]] = {}
    for row in _AGGREGATES.rows(drive_model_id=drive_model.pk, metrics=[*headline, *stated]):
        found.setdefault(row.provenance, []).append(row)
    return found


def _counts(drive_model: DriveModel) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for provenance, metric, scopes in _COUNTS.rows(drive_model_id=drive_model.pk):
        found.setdefault(provenance, Counter())[metric.partition(".")[0]] += scopes
    return found
