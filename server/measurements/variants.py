"""Variants of a model among its published runs: which runs' drives name which.

A variant is nowhere stored: the tables of makers' numbers read it from what a drive calls itself. A model's
drives call themselves little, so what they say is read once for each change of its numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import Max, Q, QuerySet, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce

from server.catalog.models import DriveModel
from server.catalog.names import drive_name
from server.core.cache import cached
from server.core.lifecycle import State
from server.measurements.models import Aggregate, Run

ReportedName = tuple[str, str]
"""What a drive says: its vendor's field and its model's, empty where it says none."""
_REPORTED = {
    "reported_vendor": Coalesce(KT("summary__device__vendor"), Value(""), output_field=TextField()),
    "reported_model": Coalesce(KT("summary__device__model"), Value(""), output_field=TextField()),
}


_BRIDGED = "ATA"
"""What SCSI's vendor field says where the disk behind it is an ATA one (SAT, 10.3)."""
_PRODUCT_LENGTH = 16
"""Characters of SCSI's product field (SPC, standard INQUIRY data)."""


def variant_reported(vendor: str | None, model: str | None) -> str:
    """Return the variant that a drive names; none where the field may have ended within it."""
    said = (model or "").strip()
    if (vendor or "").strip() == _BRIDGED and len(said) == _PRODUCT_LENGTH:
        return ""
    return drive_name(vendor, said).variant


def variants_of(drive_model: DriveModel) -> Mapping[str, tuple[ReportedName, ...]]:
    """Return each variant that a published run's drive names, with what such drives say."""
    updated = Aggregate.objects.filter(drive_model=drive_model).aggregate(at=Max("updated_at"))["at"]
    # Without aggregates nothing tells when a run came in.
    key = f"variants:{drive_model.pk}:{updated.timestamp()}" if updated else ""
    return cached(key, lambda: _read(drive_model))


def variant_runs(runs: QuerySet[Run], drive_model: DriveModel, variant: str) -> QuerySet[Run]:
    """Return those of a model's runs whose drives name that variant."""
    wanted = Q(pk=None)
    for vendor, model in variants_of(drive_model).get(variant, ()):
        wanted |= Q(reported_vendor=vendor, reported_model=model)
    return runs.alias(**_REPORTED).filter(wanted)


def _read(drive_model: DriveModel) -> dict[str, tuple[ReportedName, ...]]:
    runs = Run.objects.filter(drive_model=drive_model, submission__state=State.PUBLISHED)
    found: dict[str, tuple[ReportedName, ...]] = {}
    for name in runs.order_by().values_list(*_REPORTED.values()).distinct():
        if variant := variant_reported(*name):
            found[variant] = (*found.get(variant, ()), name)
    return found
