"""Reading the catalogue."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Case, F, FloatField, Manager, Prefetch, Q, QuerySet, Value, When
from django.db.models.functions import Abs, Cast, Ln

from server.catalog.models import (
    Citation,
    Claim,
    DriveAlias,
    DriveModel,
    LiteratureValue,
    Vendor,
    VendorAlias,
)
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


# ---- The catalogue as lists, for readers who page through all of it.


def vendors_all() -> QuerySet[Vendor]:
    """Return the vendors with their other spellings."""
    return Vendor.objects.prefetch_related(Prefetch("aliases", queryset=VendorAlias.objects.order_by("pk")))


def vendor_aliases(vendor_ids: Collection[int]) -> QuerySet[VendorAlias]:
    """Return other spellings of some vendors."""
    return VendorAlias.objects.filter(vendor_id__any_of=vendor_ids).order_by("pk")


def drive_models_all() -> QuerySet[DriveModel]:
    """Return the drive models with vendor and other names."""
    aliases = Prefetch("aliases", queryset=DriveAlias.objects.order_by("pk"))
    return DriveModel.objects.select_related("vendor").prefetch_related(aliases)


def drive_aliases(drive_model_ids: Collection[int]) -> QuerySet[DriveAlias]:
    """Return other names of some models."""
    return DriveAlias.objects.filter(drive_model_id__any_of=drive_model_ids).order_by("pk")


def literature_all() -> QuerySet[LiteratureValue]:
    """Return the published values that are shown, with model and document."""
    return LiteratureValue.objects.filter(hidden=False).select_related("drive_model__vendor", "citation")


def claims_all() -> QuerySet[Claim]:
    """Return the vendors' claims that are shown, with model and document."""
    return Claim.objects.filter(hidden=False).select_related("drive_model__vendor", "citation")


# ---- Drive models of one class: alike in what is rated, whatever was measured.

CAPACITY_FACTOR = 2.0
ROTATION_SHARE = 0.02
YEARS = 4
FEWEST_FACTS = 2
"""A class needs so many facts that the model itself is known to have."""

_SHOWN = (
    *("slug", "number", "name", "capacity_bytes", "rated_rpm", "interface", "year"),
    *("vendor__name", "vendor__slug"),
)


@dataclass(frozen=True, slots=True)
class DriveClass:
    """What two models must have in common to be of one class."""

    condition: Q
    words: str
    """The rule in words, with what was left out since the model's own entry does not tell it."""


def drive_class(drive_model: DriveModel) -> DriveClass | None:
    """Return the class of a model; None where too little is known of it."""
    condition, words = Q(), []
    if drive_model.capacity_bytes:
        capacity = drive_model.capacity_bytes
        condition &= Q(
            capacity_bytes__gte=capacity / CAPACITY_FACTOR, capacity_bytes__lte=capacity * CAPACITY_FACTOR
        )
        words.append("capacity within a factor of two")
    if drive_model.rated_rpm:
        rpm = drive_model.rated_rpm
        condition &= Q(rated_rpm__gte=rpm * (1 - ROTATION_SHARE), rated_rpm__lte=rpm * (1 + ROTATION_SHARE))
        words.append("the same rated rotation")
    for field, name in (("interface", "interface"), ("form_factor", "form factor")):
        if value := getattr(drive_model, field):
            condition &= Q(**{f"{field}__iexact": value})
            words.append(f"the same {name}")
    if drive_model.year:
        year = drive_model.year
        condition &= Q(year__isnull=True) | Q(year__gte=year - YEARS, year__lte=year + YEARS)
        words.append(f"made within {YEARS} years, where the year is known")
    if len(words) < FEWEST_FACTS:
        return None
    return DriveClass(condition, ", ".join(words))


def drive_models_similar(*, drive_model: DriveModel, limit: int = 6) -> QuerySet[DriveModel]:
    """Return models of the same class, the nearest capacity first; none where too little is known."""
    found = drive_class(drive_model)
    if found is None:
        return DriveModel.objects.none()
    models = (
        DriveModel.objects.filter(found.condition, simulated=drive_model.simulated)
        .exclude(pk=drive_model.pk)
        .select_related("vendor")
        .only(*_SHOWN)
    )
    if drive_model.capacity_bytes:
        off = Case(
            When(
                capacity_bytes__gt=0,
                then=Abs(Ln(Cast("capacity_bytes", FloatField()) / float(drive_model.capacity_bytes))),
            ),
            default=Value(99.0),
            output_field=FloatField(),
        )
        models = models.annotate(off=off).order_by("off", "vendor__name", "number")
    return models[:limit]
