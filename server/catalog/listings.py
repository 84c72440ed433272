"""The catalogue as lists, for readers who page through all of it."""

from __future__ import annotations

from django.db.models import QuerySet

from server.catalog.models import Claim, DriveModel, LiteratureValue, Vendor


def vendors_all() -> QuerySet[Vendor]:
    """Return the vendors with their other spellings."""
    return Vendor.objects.prefetch_related("aliases")


def drive_models_all() -> QuerySet[DriveModel]:
    """Return the drive models with vendor and other names."""
    return DriveModel.objects.select_related("vendor").prefetch_related("aliases")


def literature_all() -> QuerySet[LiteratureValue]:
    """Return the published values that are shown, with model and document."""
    return LiteratureValue.objects.filter(hidden=False).select_related("drive_model__vendor", "citation")


def claims_all() -> QuerySet[Claim]:
    """Return the vendors' claims that are shown, with model and document."""
    return Claim.objects.filter(hidden=False).select_related("drive_model__vendor", "citation")
