"""The numbers that lists of drives can show and sort by: one metric in one scope each. Those of COLUMNS stand
in each model's summary; every other number of the archive can be asked for by its `metric|scope`, and comes
straight from the models' medians and published values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from statistics import median

from django.db import connection

from server.benchmarks.registry import metrics_by_key
from server.catalog.models import LiteratureValue
from server.core.scopes import scope_text
from server.core.text import printable
from server.measurements.literature_values import NUMBERS, is_number
from server.measurements.models import Aggregate

LITERATURE = "literature"
Spread = list[float | int | None]
"""Median, lower and upper quartile, runs or published values, units, and the interval that digits follow."""
_PAIRS = """
    WITH RECURSIVE pairs AS (
        (SELECT metric, scope FROM measurements_aggregate ORDER BY metric, scope LIMIT 1)
        UNION ALL
        SELECT following.metric, following.scope FROM pairs, LATERAL (
            SELECT metric, scope FROM measurements_aggregate
            WHERE (metric, scope) > (pairs.metric, pairs.scope)
            ORDER BY metric, scope LIMIT 1
        ) AS following
    )
    SELECT metric, scope FROM pairs
"""


@dataclass(frozen=True, slots=True)
class Column:
    """A number of the list of drives."""

    key: str
    """What the address says."""
    metric: str
    scope: str
    label: str
    shown: bool = False
    """Whether the list shows it without being asked."""

    @property
    def summed(self) -> bool:
        """Return whether summaries hold it."""
        return self.key in COLUMN_OF_KEY

    @property
    def metric_scope(self) -> str:
        """Return how summaries call it."""
        return f"{self.metric}|{self.scope}"


COLUMNS: tuple[Column, ...] = tuple(
    Column(declared.key, metric.key, declared.scope, declared.label, declared.shown)
    for declared, metric in sorted(
        ((declared, metric) for metric in metrics_by_key().values() for declared in metric.columns),
        key=lambda pair: pair[0].position,
    )
)
COLUMN_OF_KEY = {column.key: column for column in COLUMNS}
SHOWN = tuple(column.key for column in COLUMNS if column.shown)
_KEY_OF_METRIC_SCOPE = {column.metric_scope: column.key for column in COLUMNS}
_SCOPE_MAX = 200


def column_of(key: str) -> Column | None:
    """Return the column of a key: one of COLUMNS, or `metric|scope` of a registered metric; else None."""
    known = COLUMN_OF_KEY.get(_KEY_OF_METRIC_SCOPE.get(key, key))
    metric, bar, scope = key.partition("|")
    entry = metrics_by_key().get(metric)
    if known or entry is None or not bar or len(scope) > _SCOPE_MAX or printable(scope) != scope:
        return known
    words = scope_text(scope)
    return Column(key, metric, scope, f"{entry.title}, {words}" if words else entry.title)


def columns_known() -> list[tuple[str, str]]:
    """Return each metric and scope of which the archive has a number, by one step along an index each."""
    with connection.cursor() as cursor:
        cursor.execute(_PAIRS)
        return list(cursor.fetchall())


def column_medians(column: Column, numbers: str) -> dict[int, float]:
    """Return the median of each model that has the column's number in one provenance."""
    if numbers == LITERATURE:
        return {
            model: float(spread[0] or 0) for model, spread in _stated([column])[column.metric_scope].items()
        }
    rows = Aggregate.objects.filter(metric=column.metric, scope=column.scope, provenance=numbers).order_by()
    return dict(rows.values_list("drive_model_id", "median"))


def column_spreads(
    columns: Iterable[Column], numbers: str, models: Collection[int]
) -> Iterator[tuple[int, str, Spread]]:
    """Give model, place and number of some models in some columns."""
    wanted = {column.metric_scope: column for column in columns}
    if not wanted or not models:
        return
    if numbers == LITERATURE:
        for key, found in _stated(wanted.values(), models).items():
            yield from ((model, key, spread) for model, spread in found.items())
        return
    metrics = {column.metric for column in wanted.values()}
    rows = Aggregate.objects.filter(drive_model_id__in=models, provenance=numbers, metric__in=metrics)
    shown = rows.order_by().values_list(
        "drive_model_id", "metric", "scope", "median", "q1", "q3", "n", "units", "low", "high"
    )
    for model, metric, scope, *spread in shown:
        if (key := f"{metric}|{scope}") in wanted:
            yield model, key, [*spread]


def _stated(columns: Iterable[Column], models: Collection[int] | None = None) -> dict[str, dict[int, Spread]]:
    columns = list(columns)
    found = published_spreads({column.metric for column in columns}, models)
    return {column.metric_scope: found.get(column.metric_scope, {}) for column in columns}


def published_spreads(
    metrics: Collection[str], models: Collection[int] | None = None
) -> dict[str, dict[int, Spread]]:
    """Return by place what documents measured on drives of some models, or of all; ratings are claims and no
    measurements."""
    rows = LiteratureValue.objects.filter(metric__in=metrics, **NUMBERS).order_by("pk")
    if models is not None:
        rows = rows.filter(drive_model_id__in=models)
    values: dict[str, dict[int, list[float]]] = {}
    for row in rows:
        if is_number(row):
            of_model = values.setdefault(f"{row.metric}|{row.scope}", {})
            of_model.setdefault(row.drive_model_id, []).append(row.value)
    return {
        key: {model: [median(stated), None, None, len(stated), None] for model, stated in held.items()}
        for key, held in values.items()
    }
