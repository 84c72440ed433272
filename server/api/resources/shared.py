"""What rows of several resources have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

import django_filters
from django.db.models import QuerySet
from django.urls import reverse
from rest_framework import serializers

from server.api.framework.filters import missing
from server.catalog.models import DriveModel
from server.core.problems import Problem, problem
from server.core.querying import CompiledQuery
from server.measurements.selectors import drive_model_public, drive_models_public
from server.search.drive_list import models_named
from server.submissions.models import Submission
from server.submissions.selectors import submission_of_run
from server.submissions.withdrawal import tombstone_of


class DriveField(serializers.Serializer[Any]):
    """The drive model that a row is about."""

    slug = serializers.SlugField()
    vendor = serializers.CharField(source="vendor.name")
    number = serializers.CharField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("source", "drive_model")
        super().__init__(*args, **kwargs)


_KEYS: CompiledQuery[int] = CompiledQuery(
    lambda slug: (
        DriveModel.objects.filter(drive_models_public(), slug__given=slug)
        .order_by()
        .values_list("pk", flat=True)
    )
)


def drive_key(slug: str) -> int:
    """Return the key of the model of that slug; raises Problem."""
    found = _KEYS.rows(slug=slug)
    if not found:
        raise missing("drive", slug)
    return found[0]


class DriveFilter(django_filters.CharFilter):
    """Rows of one drive model; a slug that no model has is told, since an empty list would look like an
    answer."""

    def filter(self, queryset: QuerySet[Any], value: Any) -> QuerySet[Any]:
        if not value:
            return queryset
        # The key goes into the query, so that the planner knows how many rows this very model has.
        return queryset.filter(**{str(self.field_name): drive_key(value)})


def drive_filter(column: str = "drive_model_id") -> DriveFilter:
    """Return the filter `drive` of a list whose rows name their model in `column`."""
    return DriveFilter(column, label="Slug of the drive model, for example seagate-st2000nm0001.")


class VendorFilter(django_filters.CharFilter):
    """Rows of one vendor's drive models."""

    def filter(self, queryset: QuerySet[Any], value: Any) -> QuerySet[Any]:
        if not value:
            return queryset
        # Keys for the same reason as above: a vendor without rows would be looked for in all of them.
        models = DriveModel.objects.filter(vendor__slug=value).order_by()
        return queryset.filter(**{f"{self.field_name}__in": list(models.values_list("pk", flat=True))})


def vendor_filter() -> VendorFilter:
    """Return the filter `vendor` of a list whose rows name their model."""
    return VendorFilter("drive_model_id", label="Slug of the vendor.")


def of_models_found(queryset: QuerySet[Any], words: str, column: str) -> QuerySet[Any]:
    """Return the rows of the models that the website's search finds; `column` is the model's key."""
    return queryset.filter(**{f"{column}__in": models_named(words)})


def drive_model_of(slug: str) -> DriveModel:
    """Return the model of that slug, with vendor and summary; raises Problem."""
    models = DriveModel.objects.select_related("vendor", "summary").filter(drive_models_public())
    model = models.filter(slug=slug).first()
    if model is None:
        raise missing("drive", slug)
    return model


def drive_model_at(slug: str) -> DriveModel:
    """Return the model of an address that holds its slug, with its vendor; raises Problem."""
    model = drive_model_public(slug=slug)
    if model is None:
        raise problem("not-found", f"There is no drive {slug!r}. Check the address.")
    return model


def gone_check(submission: Submission, run_id: UUID) -> None:
    """Raise Problem where the submission was withdrawn."""
    tombstone = tombstone_of(submission)
    if tombstone is not None:
        raise problem(
            "withdrawn",
            f"The run {run_id} was withdrawn on {tombstone.leaf.at:%Y-%m-%d}: {tombstone.reason} Its leaf "
            f"{tombstone.leaf_id} of the publication log stays.",
        )


def run_missing(run_id: UUID) -> Problem:
    """Return the problem of a run that is not published; that of a withdrawn one says so."""
    try:
        gone_check(submission_of_run(run_id=run_id), run_id)
    except Submission.DoesNotExist:
        pass
    except Problem as gone:
        return gone
    return missing("published run", run_id)


def page_url(context: Mapping[str, Any], name: str, key: object) -> str:
    """Return the absolute address of a page of the website; `key` is a slug or a UUID."""
    cache_key = f"page-url:{name}"
    addresses = cast(dict[str, Any], context)
    around: tuple[str, str] | None = addresses.get(cache_key)
    if around is None:
        # Addresses of one list differ in the key alone, and resolving each anew takes longer than the rows.
        path, request = reverse(name, args=[key]), context.get("request")
        begin, _key, end = (request.build_absolute_uri(path) if request else path).rpartition(str(key))
        around = addresses[cache_key] = (begin, end)
    return f"{around[0]}{key}{around[1]}"
