"""Reading drive models together with the runs, numbers and statistics that stand behind them.

Provenances stand side by side, never in one number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from server.benchmarks.contract import Metric, MetricKey
from server.benchmarks.registry import metrics_by_key
from server.catalog.models import DriveModel, LiteratureValue
from server.catalog.selectors import literature_values_list
from server.core.lifecycle import Provenance, State
from server.core.text import natural_order
from server.measurements.model_measurements import ModelMeasurements, model_measurements_read
from server.measurements.models import Aggregate, Run
from server.model_stats.snapshots import snapshot_part


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One metric in one scope: the statistics of the runs and what documents state, side by side."""

    key: str
    scope: str
    metric: Metric | None
    """None for a metric that is no longer registered."""
    aggregate: Aggregate | None
    literature: tuple[LiteratureValue, ...]


def drive_metric_rows(
    *, drive_model: DriveModel, provenance: Provenance, kind: str = ""
) -> tuple[MetricRow, ...]:
    """Return the statistics of a model's runs of one provenance in the registry's order, of one kind or of
    all.

    Beside the measured ones stand the values that documents state; simulated runs stand alone.
    """
    aggregates = Aggregate.objects.filter(drive_model=drive_model, provenance=provenance)
    values = literature_values_list(drive_model=drive_model)
    if kind:
        aggregates = aggregates.filter(metric__startswith=f"{kind}.")
        values = values.filter(metric__startswith=f"{kind}.")
    literature: dict[tuple[str, str], list[LiteratureValue]] = {}
    if provenance == Provenance.PROBE:
        for value in values:
            literature.setdefault((value.metric, value.scope), []).append(value)
    return metric_rows(aggregates, literature)


def metric_rows(
    rows: Iterable[Aggregate], literature: Mapping[MetricKey, list[LiteratureValue]]
) -> tuple[MetricRow, ...]:
    """Return aggregates and published values side by side, in the registry's order."""
    aggregates = {(entry.metric, entry.scope): entry for entry in rows}
    metrics = metrics_by_key()
    order = {key: index for index, key in enumerate(metrics)}
    pairs = sorted(
        {*aggregates, *literature},
        key=lambda pair: (order.get(pair[0], len(order)), pair[0], natural_order(pair[1])),
    )
    return tuple(
        MetricRow(
            key=pair[0],
            scope=pair[1],
            metric=metrics.get(pair[0]),
            aggregate=aggregates.get(pair),
            literature=tuple(literature.get(pair, ())),
        )
        for pair in pairs
    )


def drive_representative_run(*, drive_model: DriveModel, provenance: Provenance) -> Run | None:
    """Return the published run whose charts stand for the model, as it is kept."""
    there, run_id = snapshot_part(drive_model=drive_model, provenance=provenance, part="representative_run")
    if not there:
        published = model_measurements_read(drive_model_id=drive_model.pk, metrics=())
        run_id = representative_compute(published, provenance)
    runs = Run.objects.filter(pk=run_id, submission__state=State.PUBLISHED)
    return runs.prefetch_related("benchmarks").first()


def representative_compute(published: ModelMeasurements, provenance: Provenance) -> UUID | None:
    """Return the run with most kinds extracted, then the latest, of those that count if there are any; None
    where none has any."""
    found = [
        (not run.beyond_share, kinds, run.created_at, run.run_id)
        for kinds, run in zip(published.kinds.tolist(), published.runs, strict=True)
        if kinds and run.provenance == provenance
    ]
    return max(found)[-1] if found else None
