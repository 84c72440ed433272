"""Reading the catalogue."""

from __future__ import annotations

from django.db.models import F, Manager, QuerySet

from server.catalog.models import Citation, Claim, DriveModel, LiteratureValue
from server.core.querying import CompiledQuery

FACT_PREFIX = "published."
"""Keys of published numbers that no benchmark measures begin so; see `files.facts_by_key`."""


def literature_values_list(*, drive_model: DriveModel) -> QuerySet[LiteratureValue]:
    """Return the published values of metrics, with the documents that state them."""
    return _stated(drive_model.literature_values).exclude(metric__startswith=FACT_PREFIX)


def literature_list(*, drive_model: DriveModel) -> tuple[list[LiteratureValue], list[LiteratureValue]]:
    """Return the published values of metrics, and the published numbers that no benchmark measures, with the
    documents that state them, in one query."""
    rows = _STATED.rows(drive_model_id=drive_model.pk)
    for row in rows:
        row.drive_model = drive_model
    facts = [row for row in rows if row.metric.startswith(FACT_PREFIX)]
    return [row for row in rows if not row.metric.startswith(FACT_PREFIX)], facts


def claims_list(*, drive_model: DriveModel) -> QuerySet[Claim]:
    """Return what the vendor claims of a model, with the documents that state it."""
    return claims_shown(drive_model.claims)


def claims_shown(claims: Manager[Claim] | QuerySet[Claim]) -> QuerySet[Claim]:
    """Return those of some claims that are shown, in the order of a model's page."""
    return claims.filter(hidden=False).select_related("citation").order_by("metric", "scope", "id")


def _stated(values: Manager[LiteratureValue] | QuerySet[LiteratureValue]) -> QuerySet[LiteratureValue]:
    return (
        values.filter(hidden=False)
        .select_related("citation")
        .order_by("citation__key", "metric", "scope", "id")
    )


_STATED: CompiledQuery[LiteratureValue] = CompiledQuery(
    lambda drive_model_id: _stated(LiteratureValue.objects.filter(drive_model_id__given=drive_model_id))
)


def citations_list() -> QuerySet[Citation]:
    """Return the documents that values or claims were taken from, oldest first, those without a year last."""
    return Citation.objects.order_by(F("year").asc(nulls_last=True), "key")
