"""Where the kinds measure what others ask for by name: no one but a kind's own metrics says so."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from server.benchmarks.contract import ExportDetail, Measurand, Metric, MetricKey
from server.benchmarks.registry import KINDS, metrics_by_key

MeasurandKey = tuple[Measurand, str]
"""A measurand and where on the drive; empty for the whole of it."""


@cache
def sources() -> dict[Measurand, tuple[MetricKey, ...]]:
    """Return where each measurand is measured, the metric that defines it first."""
    found: dict[Measurand, list[tuple[int, MetricKey]]] = {}
    for metric in metrics_by_key().values():
        for one in metric.measures:
            found.setdefault(one.measurand, []).append((one.rank, (metric.key, one.scope or "")))
    return {name: tuple(key for _rank, key in sorted(keys)) for name, keys in found.items()}


def source(measurand: Measurand) -> MetricKey:
    """Return metric and scope that define a measurand."""
    return sources()[measurand][0]


@cache
def stand_ins() -> dict[MetricKey, tuple[MetricKey, ...]]:
    """Return, by what a claim may be about, where else the same quantity is measured, in order."""
    return {keys[0]: keys[1:] for keys in sources().values() if len(keys) > 1}


@cache
def _defining() -> dict[str, tuple[Measurand, str | None]]:
    metrics = metrics_by_key().values()
    return {
        metric.key: (one.measurand, one.scope)
        for metric in metrics
        for one in metric.measures
        if not one.rank
    }


def defining_metrics() -> tuple[Metric, ...]:
    """Return the metrics that define a measurand."""
    return tuple(metrics_by_key()[key] for key in _defining())


def answered() -> tuple[MetricKey, ...]:
    """Return metric and scope of the questions that a drive's page leads with, in their order."""
    found = [
        (answer.position, (metric.key, answer.scope))
        for metric in metrics_by_key().values()
        for answer in metric.answers
    ]
    return tuple(key for _position, key in sorted(found))


def by_measurand(numbers: Mapping[MetricKey, float]) -> dict[MeasurandKey, float]:
    """Return those of the numbers whose metrics define a measurand, by what they measure."""
    found = {}
    for (metric, scope), value in numbers.items():
        measurand, whole = _defining().get(metric, (None, None))
        if measurand is not None and whole in (None, scope):
            found[measurand, scope if whole is None else ""] = value
    return found


@cache
def kind_of_detail(detail: ExportDetail) -> str:
    """Return the slug of the kind in whose details that part stands."""
    return next(kind.slug for kind in KINDS if detail in kind.export_details)
