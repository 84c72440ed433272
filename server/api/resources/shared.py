"""What rows of several resources have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import django_filters
from django.db.models import QuerySet
from django.urls import reverse
from rest_framework import serializers

from server.api.frame.filters import missing
from server.catalog.models import DriveModel


class DriveField(serializers.Serializer[Any]):
    """The drive model that a row is about."""

    slug = serializers.SlugField()
    vendor = serializers.CharField(source="vendor.name")
    number = serializers.CharField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("source", "drive_model")
        super().__init__(*args, **kwargs)


class DriveFilter(django_filters.CharFilter):
    """Rows of one drive model; a slug that no model has is told, since an empty list would look like an
    answer."""

    def filter(self, queryset: QuerySet[Any], value: Any) -> QuerySet[Any]:
        """Return the model's rows; raises Problem."""
        if not value:
            return queryset
        # The key goes into the query, so that the planner knows how many rows this very model has.
        key = DriveModel.objects.filter(slug=value).values_list("pk", flat=True).first()
        if key is None:
            raise missing("drive", value)
        return queryset.filter(**{str(self.field_name): key})


def drive_filter(column: str = "drive_model_id") -> DriveFilter:
    """Return the filter `drive` of a list whose rows name their model in `column`."""
    return DriveFilter(column, label="Slug of the drive model, for example seagate-st2000nm0001.")


def page_url(context: Mapping[str, Any], name: str, *args: object) -> str:
    """Return the absolute address of a page of the website."""
    path = reverse(name, args=args)
    request = context.get("request")
    return str(request.build_absolute_uri(path)) if request else path
