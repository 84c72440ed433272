"""Drive models of one class: alike in what is rated, whatever was measured."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Case, FloatField, Q, QuerySet, Value, When
from django.db.models.functions import Abs, Cast, Ln

from server.catalog.models import DriveModel

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
