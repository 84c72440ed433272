"""Models beside their measurements: lists and drive pages. Provenances stand side by side, never in one
number."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Prefetch, Q, QuerySet

from server.benchmarks.contract import Metric
from server.catalog.models import DriveModel, LiteratureValue
from server.catalog.selectors import drive_models_search, literature_values_list
from server.runs.kinds import metrics_by_key
from server.runs.models import Aggregate, Provenance, Run, State
from server.runs.selectors import runs_of_model


@dataclass(frozen=True, slots=True)
class ValueRow:
    """One metric and scope of a model, by provenance; each may be missing."""

    key: str
    scope: str
    metric: Metric | None
    measured: Aggregate | None
    simulated: Aggregate | None
    literature: tuple[LiteratureValue, ...]


@dataclass(frozen=True, slots=True)
class DrivePage:
    """All that a drive page shows."""

    drive_model: DriveModel
    aliases: tuple[str, ...]
    rows: tuple[ValueRow, ...]
    runs: tuple[Run, ...]
    measured_runs: int
    simulated_runs: int


def drives_list(*, query: str = "") -> QuerySet[DriveModel]:
    """Return the models that match, each with `measured_runs`, `simulated_runs` and prefetched
    `aggregates`."""
    published = Q(runs__submission__state=State.PUBLISHED)
    headline = [key for key, metric in metrics_by_key().items() if metric.headline]
    return (
        drive_models_search(query=query)
        .annotate(
            measured_runs=Count("runs", filter=published & Q(runs__provenance=Provenance.PROBE)),
            simulated_runs=Count("runs", filter=published & Q(runs__provenance=Provenance.SIMULATED)),
        )
        .prefetch_related(
            Prefetch(
                "aggregates",
                queryset=Aggregate.objects.filter(metric__in=headline).order_by("metric", "scope"),
            )
        )
        .order_by("vendor__name", "number")
    )


def drive_page(*, slug: str, run_limit: int = 50) -> DrivePage:
    """Return a drive page's data; raises DriveModel.DoesNotExist."""
    drive_model = DriveModel.objects.select_related("vendor").prefetch_related("aliases").get(slug=slug)
    runs = runs_of_model(drive_model=drive_model)
    counts = dict(
        Run.objects.filter(drive_model=drive_model, submission__state=State.PUBLISHED)
        .values_list("provenance")
        .annotate(n=Count("pk"))
    )
    return DrivePage(
        drive_model=drive_model,
        aliases=tuple(alias.text for alias in drive_model.aliases.all()),
        rows=_value_rows(drive_model),
        runs=tuple(runs[:run_limit]),
        measured_runs=counts.get(Provenance.PROBE.value, 0),
        simulated_runs=counts.get(Provenance.SIMULATED.value, 0),
    )


def _value_rows(drive_model: DriveModel) -> tuple[ValueRow, ...]:
    aggregates = {(row.provenance, row.metric, row.scope): row for row in drive_model.aggregates.all()}
    literature: dict[tuple[str, str], list[LiteratureValue]] = {}
    for value in literature_values_list(drive_model=drive_model):
        literature.setdefault((value.metric, value.scope), []).append(value)
    metrics = metrics_by_key()
    order = {key: position for position, key in enumerate(metrics)}
    keys = {(metric, scope) for _provenance, metric, scope in aggregates} | set(literature)
    return tuple(
        ValueRow(
            key=metric,
            scope=scope,
            metric=metrics.get(metric),
            measured=aggregates.get((Provenance.PROBE.value, metric, scope)),
            simulated=aggregates.get((Provenance.SIMULATED.value, metric, scope)),
            literature=tuple(literature.get((metric, scope), ())),
        )
        for metric, scope in sorted(keys, key=lambda pair: (order.get(pair[0], len(order)), pair))
    )
