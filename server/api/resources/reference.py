"""What the numbers are: metrics and the methods behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from server.api.framework.openapi import described
from server.api.framework.rows import RowSerializer, Shape
from server.api.framework.views import DetailView, RegistryView
from server.api.resources.shared import page_url
from server.benchmarks.contract import Direction, Kind, Metric
from server.benchmarks.registry import kinds_by_slug, metrics_by_key


@extend_schema_serializer(deprecate_fields=("unit",))
class MetricSerializer(RowSerializer):
    """An entry of the metric registry."""

    identity = ("key",)

    key = serializers.CharField()
    metric = serializers.CharField(source="key", help_text="The same, as other lists name it.")
    kind = serializers.SerializerMethodField(help_text="The benchmark that measures it.")
    title = serializers.CharField()
    unit = serializers.CharField(help_text="Unit of measure; `1` is a plain number.")
    unit_of_measure = serializers.CharField(source="unit", help_text="The same, as other lists name it.")
    direction = serializers.ChoiceField(
        choices=[(way.value, way.value) for way in Direction], help_text="Which way it improves."
    )
    definition = serializers.CharField()
    method = serializers.CharField()
    source = serializers.CharField(help_text="Document and section that the method comes from.")  # type: ignore[assignment]  # the field's published name
    headline = serializers.BooleanField()
    url = serializers.SerializerMethodField(help_text="The page of its method.")

    def get_kind(self, metric: Metric) -> str:
        return metric.key.partition(".")[0]

    def get_url(self, metric: Metric) -> str:
        return page_url(self.context, "method-detail", metric.key.partition(".")[0])


@described("metrics_list", "Metrics: what each number is", "reference")
class MetricsView(RegistryView):
    """The metric registry."""

    serializer_class = MetricSerializer
    file_name = "metrics"
    choices = {
        "kind": lambda metric: str(metric.key.partition(".")[0]),
        "unit": lambda metric: str(metric.unit),
    }

    def rows(self) -> Sequence[Any]:
        return list(metrics_by_key().values())


@described("metrics_get", "A metric", "reference")
class MetricView(DetailView):
    """A metric."""

    serializer_class = MetricSerializer
    noun = "metric"

    def row(self, *, shape: Shape, key: str) -> Metric | None:
        return metrics_by_key().get(key)


class MethodSerializer(RowSerializer):
    """A benchmark kind: what it measures and how its samples are read."""

    identity = ("slug",)

    slug = serializers.CharField()
    kind = serializers.CharField(source="slug", help_text="The same, as other lists name it.")
    title = serializers.CharField()
    extractor_version = serializers.CharField()
    metrics = serializers.SerializerMethodField(help_text="Keys of what it measures.")
    about = serializers.SerializerMethodField(help_text="As Markdown.")
    url = serializers.SerializerMethodField(help_text="Its page.")
    schema_url = serializers.SerializerMethodField(help_text="JSON Schema of its part of a run document.")

    def get_metrics(self, kind: Kind) -> list[str]:
        return [metric.key for metric in kind.metrics]

    def get_about(self, kind: Kind) -> str:
        return (kind.folder / "about.md").read_text(encoding="utf-8")

    def get_url(self, kind: Kind) -> str:
        return page_url(self.context, "method-detail", kind.slug)

    def get_schema_url(self, kind: Kind) -> str:
        return page_url(self.context, "schema-detail", kind.slug)


@described("methods_list", "Methods: the benchmark kinds", "reference")
class MethodsView(RegistryView):
    """The benchmark kinds."""

    serializer_class = MethodSerializer
    file_name = "methods"

    def rows(self) -> Sequence[Any]:
        return list(kinds_by_slug().values())


@described("methods_get", "A method", "reference")
class MethodView(DetailView):
    """A benchmark kind."""

    serializer_class = MethodSerializer
    noun = "method"

    def row(self, *, shape: Shape, slug: str) -> Kind | None:
        return kinds_by_slug().get(slug)
