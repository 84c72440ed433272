"""The catalogue as lists, for readers who page through all of it."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Prefetch, QuerySet

from server.catalog.models import Claim, DriveAlias, DriveModel, LiteratureValue, Vendor, VendorAlias


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
