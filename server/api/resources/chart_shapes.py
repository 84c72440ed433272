"""The shapes of charts in answers: what `chart_json` writes. What is empty is left out of them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from server.benchmarks.contract import ROLES, SHAPES


def _numbers(help_text: str = "", **more: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.FloatField(), help_text=help_text, **more)


class ChartAxisSerializer(serializers.Serializer[Any]):
    """An axis of a chart."""

    label = serializers.CharField()  # type: ignore[assignment]  # a field called label
    unit = serializers.CharField(help_text="Unit of the numbers; empty for none.")
    scale = serializers.ChoiceField(choices=["linear", "log"])
    categories = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Words of the places 0, 1, ... of the axis."
    )
    switchable = serializers.BooleanField(
        required=False, help_text="Whether a reader may switch between the scales."
    )


class ChartSeriesSerializer(serializers.Serializer[Any]):
    """A series of a chart: equally long columns, of which its role needs some."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field called label
    role = serializers.ChoiceField(choices=list(ROLES))
    x = _numbers("On an axis with categories their places, from 0.")
    y = _numbers()
    z = _numbers("What a cell's colour says.", required=False)
    low = _numbers("Lower end of an error bar, a spread or a whisker.", required=False)
    high = _numbers("Upper end of it.", required=False)
    q1 = _numbers("First quartile.", required=False)
    q3 = _numbers("Third quartile.", required=False)
    axis = serializers.ChoiceField(choices=["y2"], required=False, help_text="The axis on the right.")


class ChartAnnotationSerializer(serializers.Serializer[Any]):
    """A line where x or y is given, a point where both are; `low` and `high` make a stripe of it."""

    label = serializers.CharField(required=False)  # type: ignore[assignment]  # likewise
    x = serializers.FloatField(required=False)
    y = serializers.FloatField(required=False)
    low = serializers.FloatField(required=False)
    high = serializers.FloatField(required=False)


class ChartViewSerializer(serializers.Serializer[Any]):
    """One way to look at a chart of several; what it leaves out is the chart's."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field called label
    series = serializers.ListField(child=serializers.CharField(), help_text="Keys of what it shows.")
    shape = serializers.ChoiceField(choices=list(SHAPES), required=False)
    x = ChartAxisSerializer(required=False)
    y = ChartAxisSerializer(required=False)
    y2 = ChartAxisSerializer(required=False)
    marks = ChartAnnotationSerializer(many=True, required=False)


class ChartSerializer(serializers.Serializer[Any]):
    """A chart as the website draws it."""

    id = serializers.CharField(help_text="Unique within the kind.")
    shape = serializers.ChoiceField(choices=list(SHAPES))
    title = serializers.CharField()
    summary = serializers.CharField(help_text="What it shows, in a sentence.")
    x = ChartAxisSerializer()
    y = ChartAxisSerializer()
    series = ChartSeriesSerializer(many=True)
    marks = ChartAnnotationSerializer(many=True)
    metrics = serializers.ListField(
        child=serializers.CharField(), help_text="Metrics that the chart explains."
    )
    y2 = ChartAxisSerializer(required=False)
    z = ChartAxisSerializer(required=False)
    views = ChartViewSerializer(many=True, required=False)
    points_total = serializers.IntegerField(
        required=False, help_text="Points that the series had before they were thinned out."
    )


class ComparisonChartsSerializer(serializers.Serializer[Any]):
    """The charts of a comparison."""

    results = ChartSerializer(many=True)
