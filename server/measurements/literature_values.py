"""What documents say was measured on drives of a model: its numbers where nobody has measured it here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from server.benchmarks.contract import MetricKey
from server.benchmarks.registry import metrics_by_key
from server.catalog.models import DriveModel, LiteratureValue
from server.catalog.selectors import FACT_PREFIX


@dataclass(frozen=True, slots=True)
class PublishedNumber:
    """One number of a document, in the metric's unit."""

    value: float
    units: int
    """Different drives behind it, as far as the document says; at least one."""
    citation: str
    locator: str


NUMBERS: dict[str, Any] = {
    "hidden": False,
    "basis__in": [LiteratureValue.Basis.MEASURED, LiteratureValue.Basis.DERIVED],
    "relation__in": [LiteratureValue.Relation.EQUAL, LiteratureValue.Relation.ABOUT],
}
"""What makes a published value one of a model's numbers: ratings are claims, and a bound is none."""


def is_number(row: LiteratureValue) -> bool:
    """Return whether a published value is one of a model's numbers: see NUMBERS."""
    metric = metrics_by_key().get(row.metric)
    return (
        not row.hidden
        and row.basis in NUMBERS["basis__in"]
        and row.relation in NUMBERS["relation__in"]
        and metric is not None
        and metric.unit == row.unit
    )


def published_values(drive_model: DriveModel) -> QuerySet[LiteratureValue]:
    """Return the values that were measured on drives, of metrics that benchmarks measure.

    A specification can't stand for a drive.
    """
    return drive_model.literature_values.filter(
        hidden=False,
        basis=LiteratureValue.Basis.MEASURED,
        relation__in=[LiteratureValue.Relation.EQUAL, LiteratureValue.Relation.ABOUT],
    ).exclude(metric__startswith=FACT_PREFIX)


def has_published_numbers(drive_model: DriveModel) -> bool:
    """Return whether a document says anything that was measured on drives of the model."""
    return published_values(drive_model).exists()


def published_numbers(drive_model: DriveModel) -> dict[MetricKey, PublishedNumber]:
    """Return one number for each place: of several that documents state, the one with most behind it."""
    metrics = metrics_by_key()
    found: dict[MetricKey, PublishedNumber] = {}
    for row in sorted(published_values(drive_model).select_related("citation"), key=_rank):
        metric = metrics.get(row.metric)
        if metric is None or metric.unit != row.unit:
            continue
        found.setdefault(
            (row.metric, row.scope),
            PublishedNumber(row.value, row.units or 1, row.citation.title, row.locator),
        )
    return found


def _rank(row: LiteratureValue) -> tuple[Any, ...]:
    """Return what sorts values: those that tell their samples first, then those that are not rounded."""
    bare = not row.samples and row.deviation is None
    return bare, row.relation != LiteratureValue.Relation.EQUAL, row.pk
