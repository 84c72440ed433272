"""Filters that lists of several resources have: which models, which runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import django_filters
from django import forms
from django.db.models import Q, QuerySet
from drf_spectacular.utils import extend_schema_field

from server.api.framework.filters import (
    Filters,
    FlagFilter,
    NameField,
    WordsFilter,
    name_trouble,
    value_trouble,
)
from server.api.framework.parameters import bad_parameter
from server.api.resources.shared import drive_filter, drive_key, drive_keys
from server.catalog.models import DriveModel
from server.catalog.selectors import vendors_all
from server.core.problems import ErrorItem, problem
from server.measurements.group_keys import GroupsError, GroupType, key_parse
from server.measurements.selectors import vendors_public
from server.measurements.variants import variant_runs, variants_of


class DrivesFilter(WordsFilter):
    """Rows of any of some drive models, by their slugs; one that no model has is told."""

    def filter(self, queryset: QuerySet[Any], value: Any) -> QuerySet[Any]:
        if not value:
            return queryset
        return queryset.filter(**{f"{self.field_name}__in": drive_keys(value)})


vendor_trouble = value_trouble("vendor", lambda: vendors_all().filter(vendors_public()), "slug")


class ModelsFilter(django_filters.CharFilter):
    """Rows of the drive models of which something is true, such as their vendor."""

    def __init__(self, column: str, of_model: str, **more: Any) -> None:
        """Take the rows' column with the model's key, and what is looked up of models."""
        super().__init__(column, **more)
        self.of_model = of_model

    def filter(self, queryset: QuerySet[Any], value: Any) -> QuerySet[Any]:
        if value in (None, ""):
            return queryset
        # Keys, so that the planner knows how many rows these very models have: a vendor without rows would be
        # looked for in all of them.
        models = DriveModel.objects.filter(**{self.of_model: value}).order_by()
        return queryset.filter(**{f"{self.field_name}__in": list(models.values_list("pk", flat=True))})


@extend_schema_field({"type": "number"})
class ModelsNumberFilter(ModelsFilter):
    """The same of a number."""

    field_class = forms.FloatField


class ModelsNameFilter(ModelsFilter):
    """The same of a name, of those that there are."""

    field_class = NameField


_WEEK = "0?[1-9]|[1-4][0-9]|5[0-3]"
_BATCH = re.compile(rf"(?P<year>[0-9]{{4}})(-[Ww](?P<week>{_WEEK}))?( (?P<label>[^\x00]+))?")
_BATCH_WORDS = (
    "is no batch. Write year and week (1 to 53), 2014-W38, with the label behind where there is one."
)
_BATCH_SHAPE = rf"^[0-9]{{4}}(-[Ww]({_WEEK}))?( [^\x00]+)?$"


class BatchField(forms.CharField):
    """A batch as rows have it: `2014-W38`, `2014-W38 label` or `2014`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "strip": False})

    def to_python(self, value: Any) -> Any:
        """Return what is told of the batch, by the columns' names; None for nothing."""
        text = super().to_python(value)
        if not text:
            return None
        found = _BATCH.fullmatch(text)
        if found is None:
            raise forms.ValidationError(_BATCH_WORDS)
        parts = {name: part for name, part in found.groupdict().items() if part}
        return {
            **parts,
            "year": int(parts["year"]),
            **({"week": int(parts["week"])} if "week" in parts else {}),
        }


@extend_schema_field({"type": "string", "pattern": _BATCH_SHAPE, "example": "2014-W38"})
class BatchFilter(django_filters.Filter):
    """Rows of units that were made in a week or year."""

    field_class = BatchField

    def filter(self, queryset: QuerySet[Any], value: Any) -> QuerySet[Any]:
        if not value:
            return queryset
        return queryset.filter(Q(**{f"{self.field_name}__{name}": one for name, one in value.items()}))


_VARIANT_WORDS = (
    "is the key of no variant. A variant is told from others of its model. Write it with its model, "
    "western-digital-wd10ezex~variant:75WN4A0, as overviews do."
)


_VARIANT_SHAPE = r"^[A-Za-z0-9_-]{1,200}~variant:[A-Za-z0-9_.-]{1,60}$"


@extend_schema_field({"type": "string", "pattern": _VARIANT_SHAPE})
class VariantFilter(django_filters.CharFilter):
    """Runs whose drives name a variant, by its key in comparisons."""

    def filter(self, queryset: QuerySet[Any], value: str) -> QuerySet[Any]:
        if not value:
            return queryset
        try:
            key = key_parse(value)
        except GroupsError:
            raise bad_parameter("variant", _VARIANT_WORDS) from None
        if key.type != GroupType.VARIANT:
            raise bad_parameter("variant", _VARIANT_WORDS)
        model = DriveModel.objects.get(pk=drive_key(key.slug))
        if trouble := name_trouble("variant", key.part, variants_of(model)):
            detail = f"The parameter 'variant': {trouble}"
            raise problem("unknown-name", detail, ErrorItem("?variant", trouble))
        return variant_runs(queryset.filter(drive_model=model), model, key.part)


class UUIDsFilter(django_filters.BaseInFilter, django_filters.UUIDFilter):
    """Rows of any of some runs."""


def model_filters(column: str = "drive_model_id", *, years: bool = True) -> type[Filters]:
    """Return the filters of a list whose rows name their model in `column`; without `years` where `year` says
    something of the rows themselves."""
    numbers = {
        name: ModelsNumberFilter(column, of_model, label=label)
        for name, of_model, label in (
            ("rpm", "rated_rpm", "Rotation rate that the vendor states, in turns a minute."),
            ("rpm__gte", "rated_rpm__gte", "At least that rated rotation rate."),
            ("rpm__lte", "rated_rpm__lte", "At most that rated rotation rate."),
            ("year", "year", "Year in which the model was introduced."),
            ("year__gte", "year__gte", "Introduced in that year or later."),
            ("year__lte", "year__lte", "Introduced in that year or earlier."),
        )
        if years or not name.startswith("year")
    }
    return _filters(
        {
            "drive": drive_filter(column),
            "drive__in": DrivesFilter(column, label="Slugs of drive models, separated by commas."),
            "vendor": ModelsNameFilter(
                column, "vendor__slug", trouble=vendor_trouble, label="Slug of the vendor."
            ),
            **numbers,
        }
    )


def run_filters(run: str) -> type[Filters]:
    """Return the filters of a list whose rows are of a run, of relation `run`: its model's, and its own."""
    own = {
        "run": django_filters.UUIDFilter(f"{run}_id"),
        "run__in": UUIDsFilter(f"{run}_id", lookup_expr="in", label="Runs, separated by commas."),
        "unit_digest": django_filters.CharFilter(f"{run}__unit__digest", label="Digest of the unit."),
        "batch": batch_filter(f"{run}__batch"),
    }
    return type("RunFiltersBase", (model_filters(f"{run}__drive_model_id"),), own)


def batch_filter(column: str = "batch") -> BatchFilter:
    """Return the filter `batch` of a list whose rows name their batch in `column`."""
    return BatchFilter(column, label="Batch by year and week, and label where there is one: 2014-W38.")


def null_filter(column: str, what: str) -> FlagFilter:
    """Return the filter of rows with or without a value."""
    return FlagFilter(
        column, lookup_expr="isnull", label=f"true: rows without {what}; false: those with one."
    )


class EmptyTextFilter(FlagFilter):
    """Rows whose text is empty, or is not."""

    def filter(self, queryset: QuerySet[Any], value: Any) -> QuerySet[Any]:
        if value in (None, ""):
            return queryset
        empty = Q(**{self.field_name: ""})
        return queryset.filter(empty if value else ~empty)


def _filters(declared: Mapping[str, django_filters.Filter]) -> type[Filters]:
    return type("ModelFiltersBase", (Filters,), dict(declared))
