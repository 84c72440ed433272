"""Numbers: of single runs, and of models over their runs. Each row says how many stand behind it."""

from __future__ import annotations

from typing import Any

import django_filters
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from server.api.framework.filters import RANGE, InstantFilter, value_filter, words_filter
from server.api.framework.keyset import Ordering
from server.api.framework.openapi import described
from server.api.framework.rows import Derived, RowSerializer
from server.api.framework.views import ListView
from server.api.resources.filters import model_filters, null_filter, run_filters
from server.api.resources.runs import RunNumberSerializer
from server.api.resources.shared import (
    DriveField,
    kind_filter,
    kinds_filter,
    metric_filter,
    metrics_filter,
    scope_filter,
)
from server.benchmarks.registry import kinds_by_slug, metrics_by_key
from server.core.lifecycle import Provenance
from server.measurements.listings import aggregates_all, measurements_all, runs_all
from server.measurements.models import Aggregate, Measurement


def unit_of(metric: str) -> str:
    """Return a metric's unit of measure; empty for a metric that is no longer registered."""
    entry = metrics_by_key().get(metric)
    return entry.unit if entry else ""


@extend_schema_serializer(deprecate_fields=("run", "drive_unit", "unit"))
class MeasurementSerializer(RowSerializer, RunNumberSerializer):
    """A number of a published run, with what it was measured on; or the reason why there is none."""

    id = serializers.IntegerField()
    run = serializers.UUIDField(source="benchmark.run_id")
    drive = DriveField(source="benchmark.run.drive_model")
    drive_unit = serializers.CharField(
        source="benchmark.run.unit.digest", default=None, allow_null=True, help_text="Digest of the unit."
    )
    provenance = serializers.CharField(source="benchmark.run.provenance")
    kind = serializers.CharField(source="benchmark.kind")
    unit = Derived("metric", help_text="Unit of measure.")
    run_id = serializers.UUIDField(source="benchmark.run_id", help_text="The run.")
    drive_model = serializers.CharField(
        source="benchmark.run.drive_model.slug", help_text="Slug of the drive model."
    )
    unit_digest = serializers.CharField(
        source="benchmark.run.unit.digest", default=None, allow_null=True, help_text="Digest of the unit."
    )
    unit_of_measure = Derived("metric", help_text="Unit of the numbers.")
    extractor_version = serializers.CharField()

    get_unit = staticmethod(unit_of)
    get_unit_of_measure = staticmethod(unit_of)


_RunFilters: Any = run_filters("benchmark__run")
_ModelFilters: Any = model_filters()


_QUALITIES = ("good", "fair", "poor", "none")


class MeasurementFilters(_RunFilters):
    """Filters of numbers."""

    drive_unit = django_filters.CharFilter("benchmark__run__unit__digest", label="Digest of the unit.")
    provenance = django_filters.ChoiceFilter(
        field_name="benchmark__run__provenance", choices=Provenance.choices
    )
    kind = kind_filter("benchmark__kind")
    kind__in = kinds_filter("benchmark__kind")
    firmware = value_filter("firmware revision", runs_all, "firmware", of="benchmark__run__firmware")
    metric = metric_filter()
    metric__in = metrics_filter()
    scope = scope_filter(Measurement, names=Aggregate)
    quality = django_filters.ChoiceFilter(choices=[(word, word) for word in _QUALITIES])
    quality__in = words_filter(_QUALITIES, "quality", "quality")
    value__isnull = null_filter("value", "a number")

    class Meta:
        model = Measurement
        fields = {"value": ["gte", "lte"], "count": RANGE}


@described("measurements_list", "Numbers of published runs", "numbers")
class MeasurementsView(ListView):
    """Numbers of published runs, of the extraction that counts."""

    serializer_class = MeasurementSerializer
    filterset_class = MeasurementFilters
    file_name = "measurements"
    indexed = ("drive", "run", "drive_unit", "metric")
    joined = frozenset({"benchmark", "benchmark__run"})
    since_column = "benchmark__run__updated_at"

    rows = staticmethod(measurements_all)


_STATES = {"type": "object", "additionalProperties": {"type": "string"}}
_NUMBER = {"type": "number"}
_COUNT = {"type": "integer"}


@extend_schema_field(_STATES)
class StatesField(serializers.JSONField):
    """Conditions with their states."""


@extend_schema_field(
    {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "conditions": _STATES,
                "n": {**_COUNT, "description": "Runs."},
                "units": _COUNT,
                **dict.fromkeys(("median", "minimum", "maximum"), _NUMBER),
            },
        },
    }
)
class StrataField(serializers.JSONField):
    """What was measured under other conditions than the row's own."""


@extend_schema_field(
    {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": _COUNT}}
)
class DifferingField(serializers.JSONField):
    """Conditions, their states, and how many runs have each."""


@extend_schema_serializer(deprecate_fields=("unit",))
class AggregateSerializer(RowSerializer):
    """One metric over the units of a model's published runs, of one provenance and one set of conditions."""

    identity = ("drive", "provenance", "metric", "scope")

    drive = DriveField()
    provenance = serializers.ChoiceField(choices=Provenance.choices)
    metric = serializers.CharField()
    scope = serializers.CharField()
    unit = Derived("metric", help_text="Unit of measure.")
    n = serializers.IntegerField(help_text="Runs behind the numbers.")
    units = serializers.IntegerField(help_text="Different units among them.")
    excluded = serializers.IntegerField(help_text="Runs whose value was too poor to count.")
    mean = serializers.FloatField()
    stdev = serializers.FloatField(allow_null=True, help_text="Of the units; null where there is one.")
    median = serializers.FloatField()
    q1 = serializers.FloatField()
    q3 = serializers.FloatField()
    minimum = serializers.FloatField()
    maximum = serializers.FloatField()
    low = serializers.FloatField(
        allow_null=True,
        help_text="Interval that the median's digits follow on pages: the quartiles of several units, of a "
        "single one that of its runs; null where they have none.",
    )
    high = serializers.FloatField(allow_null=True)
    conditions = StatesField(
        help_text="Under which all of these were measured: way to the disk and caches, as far as told."
    )
    strata = StrataField(
        help_text="What was measured under other conditions, each with its runs, units and median."
    )
    differing = DifferingField(help_text="What the runs differ in: condition to state to runs.")
    updated_at = serializers.DateTimeField()
    drive_model = serializers.CharField(source="drive_model.slug", help_text="Slug of the drive model.")
    unit_of_measure = Derived("metric", help_text="Unit of the numbers.")

    get_unit = staticmethod(unit_of)
    get_unit_of_measure = staticmethod(unit_of)


class AggregateFilters(_ModelFilters):
    """Filters of aggregates."""

    kind = kind_filter(method="of_kinds", label="Statistics of this kind's metrics.")
    kind__in = kinds_filter(method="of_kinds")
    stdev__isnull = null_filter("stdev", "a standard deviation: of a single unit")
    metric = metric_filter()
    metric__in = metrics_filter()
    scope = scope_filter(Aggregate)
    updated_at__lt = InstantFilter("updated_at", lookup_expr="lt")

    class Meta:
        model = Aggregate
        fields = {
            "provenance": ["exact"],
            "n": RANGE,
            "units": RANGE,
            "median": ["gte", "lte"],
            "mean": ["gte", "lte"],
        }

    def of_kinds(self, queryset: QuerySet[Any], _name: str, value: str | list[str]) -> QuerySet[Any]:
        kinds = [value] if isinstance(value, str) else value
        return queryset.filter(
            metric__in=[one.key for kind in kinds for one in kinds_by_slug()[kind].metrics]
        )


@described("aggregates_list", "Statistics of models over their runs", "numbers")
class AggregatesView(ListView):
    """Statistics of models over their published runs."""

    serializer_class = AggregateSerializer
    filterset_class = AggregateFilters
    file_name = "aggregates"
    indexed = ("drive", "metric")
    orderings = {
        "id": Ordering(("pk",)),
        "median": Ordering(("median", "pk")),
        "updated_at": Ordering(("updated_at", "pk")),
    }
    since_column = "updated_at"

    rows = staticmethod(aggregates_all)
