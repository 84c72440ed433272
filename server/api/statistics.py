"""A model's statistics over units, as JSON: what its page says, with the numbers behind the sentences."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django.http import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request

from server.api.framework.openapi import described
from server.api.framework.tables import TableView, fields_of
from server.api.resources.shared import drive_model_at
from server.benchmarks.registry import metrics_by_key
from server.core.lifecycle import Provenance
from server.measurements.group_keys import Source, model_key
from server.model_stats.statistics import DriveStatistics, NumberOfUnits, drive_statistics


class NumberSerializer(serializers.Serializer[Any]):
    """One metric over a model's units; each unit counts once, with the mean of its runs."""

    metric = serializers.CharField()
    scope = serializers.CharField()
    unit = serializers.CharField(help_text="Unit of measure.")
    units = serializers.IntegerField()
    runs = serializers.IntegerField()
    mean = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="Lower bound of the mean's interval.")
    high = serializers.FloatField(allow_null=True)
    stdev = serializers.FloatField(allow_null=True)
    variation = serializers.FloatField(allow_null=True, help_text="Standard deviation over mean.")
    between_units = serializers.FloatField(
        allow_null=True, help_text="Share of the variance that lies between units (ICC)."
    )
    reason = serializers.CharField(help_text="Why there is no spread; empty where there is one.")


class ApartSerializer(serializers.Serializer[Any]):
    """A unit that stands apart."""

    unit = serializers.CharField(help_text="Digest of the unit.")
    metric = serializers.CharField()
    scope = serializers.CharField()
    value = serializers.FloatField()
    distance = serializers.FloatField(help_text="Robust standard deviations from the median.")
    adjusted_p = serializers.FloatField()


class StateValuesSerializer(serializers.Serializer[Any]):
    """One state of a condition."""

    state = serializers.CharField()
    units = serializers.IntegerField()
    mean = serializers.FloatField()


class TestedSerializer(serializers.Serializer[Any]):
    """One number compared over the states of a condition."""

    metric = serializers.CharField()
    scope = serializers.CharField()
    states = StateValuesSerializer(many=True)
    within_units = serializers.BooleanField(help_text="Whether units were compared with themselves.")
    p = serializers.FloatField(allow_null=True)
    adjusted_p = serializers.FloatField(allow_null=True)
    differs = serializers.BooleanField()
    pairs = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    reason = serializers.CharField()


class ConfounderSerializer(serializers.Serializer[Any]):
    """A condition that runs differ in."""

    condition = serializers.CharField()
    states = serializers.DictField(child=serializers.IntegerField(), help_text="Runs of each state.")
    matters = serializers.BooleanField()
    words = serializers.CharField()
    tests = TestedSerializer(many=True)


class MechanismSerializer(serializers.Serializer[Any]):
    """Units that can be of one mechanism."""

    units = serializers.ListField(child=serializers.CharField())
    runs = serializers.ListField(child=serializers.CharField())
    typical = serializers.DictField(child=serializers.FloatField())


class StatisticsSerializer(serializers.Serializer[Any]):
    """The statistics of one provenance."""

    provenance = serializers.ChoiceField(choices=Provenance.choices)
    level = serializers.FloatField()
    runs = serializers.IntegerField()
    units = serializers.IntegerField()
    differing = serializers.DictField(
        child=serializers.DictField(child=serializers.IntegerField()),
        help_text="What the runs differ in: condition to state to runs.",
    )
    mixture = serializers.CharField(help_text="The same in words; empty where the runs were alike.")
    numbers = NumberSerializer(many=True)
    apart = ApartSerializer(many=True)
    confounders = ConfounderSerializer(many=True)
    mechanism_flag = serializers.CharField(help_text="Empty where one mechanism explains all units.")
    mechanisms = MechanismSerializer(many=True)
    left_out = serializers.ListField(child=serializers.CharField(), help_text="Units known by too little.")


class DriveStatisticsSerializer(serializers.Serializer[Any]):
    """A model's statistics, one entry for each provenance it has runs of: they are never mixed."""

    drive = serializers.CharField()
    statistics = StatisticsSerializer(many=True)


STATISTICS_TABLES = {
    "numbers": (
        "provenance, metric and scope",
        ("group", "provenance", *fields_of(NumberSerializer), "level"),
    ),
    "apart": (
        "unit and number in which it stands apart",
        ("group", "provenance", *fields_of(ApartSerializer)),
    ),
}


@described("drive_statistics", "Statistics of a drive model over its units", shape=DriveStatisticsSerializer)
class DriveStatisticsView(TableView):
    """What a model's runs say together."""

    tables = STATISTICS_TABLES
    file_name = "statistics"

    def get(self, request: Request, slug: str, format: str | None = None) -> HttpResponseBase:
        """Return the spread over units, who stands apart, what runs differ in, and the mechanisms."""
        model = drive_model_at(slug)
        found = [drive_statistics(drive_model=model, provenance=provenance) for provenance in Provenance]
        statistics = [statistics_data(one) for one in found if one is not None]
        body = DriveStatisticsSerializer({"drive": slug, "statistics": statistics}).data
        groups = [(model_key(slug, Source(one["provenance"])), one) for one in body["statistics"]]
        return self.answer(request, body, statistics_tables(groups))


def statistics_data(found: DriveStatistics) -> dict[str, Any]:
    """Return the body of one provenance."""
    return {
        "provenance": found.provenance,
        "level": found.level,
        "runs": found.runs,
        "units": found.units,
        "differing": found.differing,
        "mixture": found.mixture,
        "numbers": [_number(number) for number in found.numbers],
        "apart": [asdict(unit) for unit in found.apart],
        "confounders": [{**asdict(one), "matters": one.matters} for one in found.confounders],
        "mechanism_flag": found.mechanism_flag,
        "mechanisms": [asdict(group) for group in found.mechanisms.groups],
        "left_out": list(found.mechanisms.left_out),
    }


def statistics_tables(statistics: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of groups' statistics, which are given with the groups' keys."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in STATISTICS_TABLES}
    for group, one in statistics:
        common = {"group": group, "provenance": one["provenance"], "level": one["level"]}
        for name, found in rows.items():
            found += [{**common, **row} for row in one[name]]
    return rows


def _number(number: NumberOfUnits) -> dict[str, Any]:
    spread, metric = number.spread, metrics_by_key().get(number.metric)
    interval, share = spread.mean_interval, number.components.share
    return {
        "metric": number.metric,
        "scope": number.scope,
        "unit": metric.unit if metric else "",
        "units": spread.n,
        "runs": number.runs,
        "mean": spread.mean,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "stdev": spread.stdev,
        "variation": spread.variation,
        "between_units": share.value if share else None,
        "reason": spread.reason,
    }
