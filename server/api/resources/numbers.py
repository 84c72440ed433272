"""Numbers: of single runs, and of models over their runs. Each row says how many stand behind it."""

from __future__ import annotations

import django_filters
from rest_framework import serializers

from server.api.framework.filters import RANGE, Filters, InstantFilter, WordsFilter
from server.api.framework.keyset import Ordering
from server.api.framework.openapi import described
from server.api.framework.rows import Derived, RowSerializer
from server.api.framework.views import ListView
from server.api.resources.runs import RunNumberSerializer
from server.api.resources.shared import DriveField, drive_filter, vendor_filter
from server.benchmarks.registry import metrics_by_key
from server.core.lifecycle import Provenance
from server.measurements.listings import aggregates_all, measurements_all
from server.measurements.models import Aggregate, Measurement


def unit_of(metric: str) -> str:
    """Return a metric's unit of measure; empty for a metric that is no longer registered."""
    entry = metrics_by_key().get(metric)
    return entry.unit if entry else ""


class MeasurementSerializer(RowSerializer, RunNumberSerializer):
    """A number of a published run, with what it was measured on; or the reason why there is none."""

    id = serializers.IntegerField()
    run = serializers.UUIDField(source="benchmark.run_id")
    drive = DriveField(source="benchmark.run.drive_model")
    drive_unit = serializers.CharField(
        source="benchmark.run.unit.digest", default=None, allow_null=True, help_text="Digest of the drive."
    )
    provenance = serializers.CharField(source="benchmark.run.provenance")
    kind = serializers.CharField(source="benchmark.kind")
    unit = Derived("metric", help_text="Unit of measure.")
    extractor_version = serializers.CharField()

    get_unit = staticmethod(unit_of)


class MeasurementFilters(Filters):
    """Filters of numbers."""

    run = django_filters.UUIDFilter("benchmark__run_id")
    drive = drive_filter("benchmark__run__drive_model_id")
    drive_unit = django_filters.CharFilter("benchmark__run__unit__digest", label="Digest of the drive.")
    provenance = django_filters.ChoiceFilter(
        field_name="benchmark__run__provenance", choices=Provenance.choices
    )
    kind = django_filters.CharFilter("benchmark__kind")
    firmware = django_filters.CharFilter("benchmark__run__firmware")
    metric__in = WordsFilter("metric", lookup_expr="in")
    quality = django_filters.ChoiceFilter(choices=[(word, word) for word in ("good", "fair", "poor", "none")])
    quality__in = WordsFilter("quality", lookup_expr="in")

    class Meta:
        model = Measurement
        fields = {"metric": ["exact"], "scope": ["exact"], "value": ["gte", "lte"], "count": RANGE}


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


class AggregateSerializer(RowSerializer):
    """One metric over the published runs of a model, of one provenance."""

    identity = ("drive", "provenance", "metric", "scope")

    drive = DriveField()
    provenance = serializers.ChoiceField(choices=Provenance.choices)
    metric = serializers.CharField()
    scope = serializers.CharField()
    unit = Derived("metric", help_text="Unit of measure.")
    n = serializers.IntegerField(help_text="Runs behind the numbers.")
    units = serializers.IntegerField(help_text="Different drives among them.")
    excluded = serializers.IntegerField(help_text="Runs whose value was too poor to count.")
    mean = serializers.FloatField()
    stdev = serializers.FloatField(allow_null=True, help_text="Of the runs; null where there is one.")
    median = serializers.FloatField()
    q1 = serializers.FloatField()
    q3 = serializers.FloatField()
    minimum = serializers.FloatField()
    maximum = serializers.FloatField()
    differing = serializers.JSONField(help_text="What the runs differ in: condition to state to runs.")
    updated_at = serializers.DateTimeField()

    get_unit = staticmethod(unit_of)


class AggregateFilters(Filters):
    """Filters of aggregates."""

    drive = drive_filter()
    vendor = vendor_filter()
    metric__in = WordsFilter("metric", lookup_expr="in")
    updated_at__lt = InstantFilter("updated_at", lookup_expr="lt")

    class Meta:
        model = Aggregate
        fields = {
            "provenance": ["exact"],
            "metric": ["exact"],
            "scope": ["exact"],
            "n": RANGE,
            "units": RANGE,
            "median": ["gte", "lte"],
            "mean": ["gte", "lte"],
        }


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
