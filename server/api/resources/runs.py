"""Runs, their benchmarks, and the units and batches that they were made on."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import django_filters
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from server.api.framework.filters import RANGE, SPAN, InstantFilter, WholeFilter, value_filter
from server.api.framework.keyset import Ordering
from server.api.framework.openapi import described
from server.api.framework.rows import Derived, Related, RowSerializer, Shape
from server.api.framework.views import DetailView, ListView
from server.api.resources.filters import (
    EmptyTextFilter,
    UUIDsFilter,
    VariantFilter,
    batch_filter,
    model_filters,
    null_filter,
    run_filters,
)
from server.api.resources.shared import (
    DriveField,
    kind_filter,
    kinds_filter,
    of_models_found,
    page_url,
    run_missing,
)
from server.core.lifecycle import Provenance, Standing
from server.measurements.group_keys import batch_key, unit_key
from server.measurements.listings import (
    batches_all,
    benchmarks_all,
    benchmarks_of,
    measurements_of,
    measurements_of_runs,
    runs_all,
    units_all,
)
from server.measurements.models import Batch, Benchmark, Measurement, Run, Unit, batch_text


class RunBenchmarkSerializer(serializers.Serializer[Any]):
    """One kind's part of a run, in short."""

    kind = serializers.CharField()
    state = serializers.ChoiceField(choices=Benchmark.State.choices)
    reason = serializers.CharField(help_text="Why it was skipped or failed.")
    elapsed_ns = serializers.IntegerField(allow_null=True)
    medium_errors = serializers.IntegerField()
    extractor_version = serializers.CharField()
    extracted_at = serializers.DateTimeField(allow_null=True)


class RunNumberSerializer(serializers.Serializer[Any]):
    """A number of a run, or the reason why there is none."""

    metric = serializers.CharField()
    scope = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="Lower bound of the confidence interval.")
    high = serializers.FloatField(allow_null=True)
    level = serializers.FloatField(help_text="Confidence level of the interval.")
    count = serializers.IntegerField(help_text="Samples behind the number.")
    quality = serializers.CharField(help_text="good, fair, poor, or none where there is no number.")
    reason = serializers.CharField()


class KeySerializer(serializers.Serializer[Any]):
    """The key that signed a run."""

    keyid = serializers.CharField()
    status = serializers.CharField()
    revoked_from = serializers.DateTimeField(
        allow_null=True, help_text="Since when the key may be in other hands, where its holder has said so."
    )


@extend_schema_field({"type": "object", "additionalProperties": True})
class SummaryField(serializers.JSONField):
    """A run document without its samples; `/schema/run/v1.json` describes the rest."""


@extend_schema_serializer(deprecate_fields=("unit",))
class RunSerializer(RowSerializer):
    """A published run: one invocation of the probe on one drive."""

    on_demand = ("measurements", "document")
    related = {
        "benchmarks": Related(benchmarks_of, "run_id"),
        "measurements": Related(measurements_of, "benchmark__run_id", row=RunNumberSerializer),
    }

    id = serializers.UUIDField(source="run_id")
    run_id = serializers.UUIDField(help_text="The same as `id`, by the name that other lists have it by.")
    drive = DriveField()
    drive_model = serializers.CharField(source="drive_model.slug", help_text="Slug of the drive model.")
    unit_digest = serializers.CharField(
        source="unit.digest",
        default=None,
        allow_null=True,
        help_text="Digest of the unit; null where untold.",
    )
    unit = serializers.CharField(
        source="unit.digest",
        default=None,
        allow_null=True,
        help_text="Digest of the unit; null where untold.",
    )
    batch = Derived("batch__year", "batch__week", "batch__label")
    firmware = serializers.CharField()
    provenance = serializers.ChoiceField(choices=Provenance.choices)
    measured_on_request = serializers.BooleanField(
        help_text="Whether its random places follow from a fresh challenge of this archive."
    )
    in_browser = serializers.BooleanField(
        help_text="Whether the archive's page imported it: no probe signed it, and no number counts it."
    )
    standing = serializers.ChoiceField(
        choices=Standing.choices,
        help_text="How far it is borne out: corroborated where another holder's unit has the same numbers.",
    )
    license = serializers.CharField()
    capacity_bytes = serializers.IntegerField()
    block_bytes = serializers.IntegerField()
    key = KeySerializer(source="submission.probe_key")
    after_revocation = Derived(
        "submission__probe_key__revoked_from",
        "submission__received_at",
        help_text="Whether it came in after its key may have been in other hands.",
    )
    beyond_share = serializers.BooleanField(
        help_text="Whether it is of a unit beyond its holder's third of the model, and counts in no number."
    )
    submission = serializers.UUIDField(source="submission_id")
    benchmarks = RunBenchmarkSerializer(many=True)
    created_at = serializers.DateTimeField(help_text="When the probe says that it measured.")
    published_at = serializers.DateTimeField(source="submission.published_at")
    updated_at = serializers.DateTimeField(help_text="When it was published or extracted anew.")
    url = Derived("run_id", help_text="Its page.")
    measurements = serializers.SerializerMethodField(help_text="Only with expand=measurements.")
    document = SummaryField(
        source="summary", help_text="The run document without its samples. Only with expand=document."
    )

    def get_batch(self, year: int | None, week: int | None, label: str | None) -> str | None:
        """Return year, week and label."""
        return None if label is None else batch_text(year, week, label)

    def get_after_revocation(self, revoked_from: datetime | None, received_at: datetime) -> bool:
        return revoked_from is not None and received_at >= revoked_from

    def get_url(self, run_id: UUID) -> str:
        return page_url(self.context, "run-detail", run_id)

    @extend_schema_field(RunNumberSerializer(many=True))
    def get_measurements(self, run: Run) -> Any:
        rows: list[Measurement] = [
            row for benchmark in run.benchmarks.all() for row in benchmark.measurements.all()
        ]
        return RunNumberSerializer(rows, many=True).data


_ModelFilters: Any = model_filters()
_OfRun: Any = run_filters("run")
_BatchModelFilters: Any = model_filters(years=False)


class RunFilters(_ModelFilters):
    """Filters of runs."""

    run = django_filters.UUIDFilter("run_id")
    run__in = UUIDsFilter("run_id", lookup_expr="in", label="Runs, separated by commas.")
    unit_digest = django_filters.CharFilter("unit__digest", label="Digest of the unit.")
    unit__isnull = null_filter("unit", "a unit that they tell")
    unit_digest__isnull = null_filter("unit", "a unit that they tell")
    batch = batch_filter()
    batch__isnull = null_filter("batch", "a batch")
    unit = django_filters.CharFilter("unit__digest", label="Digest of the drive.")
    batch_year = WholeFilter("batch__year")
    batch_week = WholeFilter("batch__week")
    batch_label = value_filter("batch label", batches_all, "label", of="batch__label")
    kind = kind_filter(method="with_kind", label="Runs in which this kind was extracted.")
    kind__in = kinds_filter(method="with_kind", label="Runs in which any of these kinds was extracted.")
    key = django_filters.CharFilter("submission__probe_key__keyid", label="Key that signed the run.")
    published_at__gte = InstantFilter("submission__published_at", lookup_expr="gte")
    published_at__lt = InstantFilter("submission__published_at", lookup_expr="lt")
    license = value_filter("licence", runs_all, "license")
    firmware = value_filter("firmware revision", runs_all, "firmware")
    firmware__isnull = EmptyTextFilter("firmware", label="true: runs that tell no firmware; false: others.")
    variant = VariantFilter(label="Variant that the unit names, by its key in comparisons.")

    class Meta:
        model = Run
        fields = {
            "provenance": ["exact"],
            "measured_on_request": ["exact"],
            "in_browser": ["exact"],
            "standing": ["exact"],
            "capacity_bytes": RANGE,
            "block_bytes": RANGE,
            "created_at": SPAN,
        }

    def with_kind(self, queryset: QuerySet[Any], _name: str, value: str | list[str]) -> QuerySet[Any]:
        kinds = [value] if isinstance(value, str) else value
        parts = Benchmark.objects.filter(kind__in=kinds, state=Benchmark.State.EXTRACTED)
        return queryset.filter(pk__in=parts.values("run_id"))


def _with_document(queryset: QuerySet[Run]) -> QuerySet[Run]:
    return queryset.defer(None).defer("drive_model__search_text")


@described("runs_list", "Published runs, latest first", "runs")
class RunsView(ListView):
    """Published runs."""

    serializer_class = RunSerializer
    filterset_class = RunFilters
    file_name = "runs"
    indexed = ("drive", "unit", "key")
    orderings = {
        "published_at": Ordering(("submission__published_at", "submission_id")),
        "created_at": Ordering(("created_at", "pk")),
        "updated_at": Ordering(("updated_at", "pk")),
    }
    usual_ordering = "-published_at"
    joined = frozenset({"submission"})
    since_column = "updated_at"
    searches = True
    expansions = {"measurements": measurements_of_runs, "document": _with_document}

    rows = staticmethod(runs_all)

    def search(self, queryset: QuerySet[Any], words: str) -> QuerySet[Any]:
        return of_models_found(queryset, words, "drive_model_id")


@described("runs_get", "A published run", "runs")
class RunView(DetailView):
    """A published run."""

    serializer_class = RunSerializer
    more_problems = (410,)
    expansions = {"measurements": measurements_of_runs, "document": _with_document}

    def row(self, *, shape: Shape, run_id: UUID) -> Run:
        found: Run | None = self.expanded(runs_all(), shape).filter(pk=run_id).first()
        if found is None:
            raise run_missing(run_id)
        return found


class UnitSerializer(RowSerializer):
    """One physical drive, known only by a digest of its serial number."""

    identity = ("drive", "digest")

    drive = DriveField()
    drive_model = serializers.CharField(source="drive_model.slug", help_text="Slug of the drive model.")
    digest = serializers.CharField()
    unit_digest = serializers.CharField(source="digest", help_text="The same, as other lists name it.")
    group = Derived("drive_model__slug", "digest", help_text="Its key in comparisons.")
    first_seen_at = serializers.DateTimeField()

    get_group = staticmethod(unit_key)


class UnitFilters(_ModelFilters):
    """Filters of units."""

    digest = django_filters.CharFilter("digest")
    digest__startswith = django_filters.CharFilter("digest", lookup_expr="startswith")

    class Meta:
        model = Unit
        fields = {"first_seen_at": SPAN}


@described("units_list", "Units: physical drives that were measured", "runs")
class UnitsView(ListView):
    """Units with a published run."""

    serializer_class = UnitSerializer
    filterset_class = UnitFilters
    file_name = "units"
    indexed = ("drive", "digest")
    orderings = {"id": Ordering(("pk",)), "first_seen_at": Ordering(("first_seen_at", "pk"))}
    since_column = "first_seen_at"

    rows = staticmethod(units_all)


class BatchSerializer(RowSerializer):
    """Units of a model made in the same week, with an optional label."""

    identity = ("drive", "year", "week", "label")

    drive = DriveField()
    drive_model = serializers.CharField(source="drive_model.slug", help_text="Slug of the drive model.")
    year = serializers.IntegerField(allow_null=True)
    week = serializers.IntegerField(allow_null=True)
    label = serializers.CharField()  # type: ignore[assignment]  # the field's published name
    group = Derived("drive_model__slug", "year", "week", "label", help_text="Its key in comparisons.")

    def get_group(self, slug: str, year: int | None, week: int | None, label: str) -> str:
        return batch_key(slug, Batch(year=year, week=week, label=label))


class BatchFilters(_BatchModelFilters):
    """Filters of batches."""

    year__isnull = null_filter("year", "a week that is known")
    label = value_filter("batch label", batches_all, "label")

    class Meta:
        model = Batch
        fields = {"year": RANGE, "week": RANGE}


@described("batches_list", "Batches: units made in the same week", "runs")
class BatchesView(ListView):
    """Batches with a published run."""

    serializer_class = BatchSerializer
    filterset_class = BatchFilters
    file_name = "batches"
    indexed = ("drive",)

    rows = staticmethod(batches_all)


@extend_schema_serializer(deprecate_fields=("run",))
class BenchmarkSerializer(RowSerializer, RunBenchmarkSerializer):
    """One kind's part of a published run."""

    identity = ("run", "kind")

    run = serializers.UUIDField(source="run_id")
    run_id = serializers.UUIDField(help_text="The run.")
    drive = DriveField(source="run.drive_model")
    drive_model = serializers.CharField(source="run.drive_model.slug", help_text="Slug of the drive model.")
    provenance = serializers.CharField(source="run.provenance")


class BenchmarkFilters(_OfRun):
    """Filters of benchmarks."""

    provenance = django_filters.ChoiceFilter(field_name="run__provenance", choices=Provenance.choices)
    kind = kind_filter()
    kind__in = kinds_filter()
    extractor_version = value_filter("version of an extraction", benchmarks_all, "extractor_version")

    class Meta:
        model = Benchmark
        fields = {
            "state": ["exact"],
            "extracted_at": SPAN,
        }


@described("benchmarks_list", "Benchmarks of published runs", "runs")
class BenchmarksView(ListView):
    """Benchmarks of published runs."""

    serializer_class = BenchmarkSerializer
    filterset_class = BenchmarkFilters
    file_name = "benchmarks"
    indexed = ("run", "drive")
    joined = frozenset({"run"})
    since_column = "run__updated_at"

    rows = staticmethod(benchmarks_all)
