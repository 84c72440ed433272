"""Administration of the catalogue."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.forms import ModelForm
from django.http import HttpRequest

from server.catalog.models import (
    Citation,
    DriveAlias,
    DriveModel,
    LiteratureValue,
    Vendor,
    VendorAlias,
)
from server.catalog.services import drive_model_search_text_update
from server.catalog.signals import catalogue_changed


class DriveAliasInline(admin.TabularInline):  # type: ignore[type-arg]  # stubs make it generic, Django does not
    """Other strings that mean the model."""

    model = DriveAlias
    extra = 0


class LiteratureValueInline(admin.StackedInline):  # type: ignore[type-arg]  # stubs make it generic, Django does not
    """Published values."""

    model = LiteratureValue
    extra = 0
    classes = ("collapse",)


@admin.register(DriveModel)
class DriveModelAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # stubs make it generic, Django does not
    """Drive models; saving one brings its searched text up to date."""

    list_display = ("number", "vendor", "name", "curated", "year", "rated_rpm")
    list_filter = ("curated", "simulated", "vendor")
    search_fields = ("number", "name", "aliases__text")
    readonly_fields = ("slug", "normalized")
    inlines = (DriveAliasInline, LiteratureValueInline)

    def save_related(self, request: HttpRequest, form: ModelForm[Any], formsets: Any, change: bool) -> None:
        """Save, then search by the new names."""
        super().save_related(request, form, formsets, change)
        drive_model_search_text_update(drive_model=form.instance)
        catalogue_changed.send(sender=DriveModel, drive_model_ids={form.instance.pk}, at_once=False)


for _model in (Vendor, VendorAlias, Citation):
    admin.site.register(_model)
