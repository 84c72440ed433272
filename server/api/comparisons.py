"""Two to eight groups beside each other, as JSON: what `/compare/` shows, with the numbers behind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypedDict

from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from server.api.framework.openapi import described
from server.api.framework.tables import TableView
from server.benchmarks.registry import kinds_by_slug
from server.comparison.curves import Curves
from server.comparison.matrix import Cell, Row
from server.comparison.practical import GREATEST_MARGIN, MARGIN, MarginError, margin_read, opening
from server.comparison.selectors import (
    GREATEST_LEVEL,
    LEAST_LEVEL,
    Comparison,
    LevelError,
    comparison_get,
    level_read,
)
from server.comparison.wording import curves_words, row_words
from server.core.problems import ErrorItem, problem
from server.core.text import did_you_mean
from server.measurements.group_keys import LETTERS, GroupsError, Source
from server.measurements.groups import FEWEST, MOST, Group, groups_get


class IntervalSerializer(serializers.Serializer[Any]):
    """An estimate with its confidence interval."""

    value = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    level = serializers.FloatField()


class LetterField(serializers.CharField):
    """A group by its letter, of its place among the groups."""

    def to_representation(self, index: Any) -> str:
        return LETTERS[index]


class MethodField(serializers.ChoiceField):
    """How two groups were tested."""

    def to_representation(self, method: str) -> str:
        return method or "none"


class NeededSerializer(serializers.Serializer[Any]):
    """How much more would decide, if the difference really is `difference`."""

    difference = serializers.FloatField()
    per_group = serializers.IntegerField(allow_null=True, help_text="Of each group; null above 10,000.")
    more_a = serializers.IntegerField(allow_null=True)
    more_b = serializers.IntegerField(allow_null=True)
    power = serializers.FloatField()


class ComparedGroupSerializer(serializers.Serializer[Any]):
    """One of the groups."""

    letter = serializers.CharField(help_text="What pairs and sentences call it.")
    key = serializers.CharField(source="group.key")
    form = serializers.ChoiceField(
        source="group.type.value", choices=["model", "batch", "firmware", "unit", "run"]
    )
    title = serializers.CharField(source="group.title")
    drive = serializers.CharField(source="group.drive_model.slug", help_text="The drive model's slug.")
    provenance = serializers.ChoiceField(
        source="group.source.value", choices=[(source.value, source.words) for source in Source]
    )
    runs = serializers.IntegerField(source="numbers.runs")
    units = serializers.IntegerField(source="numbers.units")
    conditions = serializers.DictField(
        source="numbers.conditions",
        child=serializers.DictField(child=serializers.IntegerField()),
        help_text="Condition to state to runs; the empty state was not told.",
    )


class CellSerializer(serializers.Serializer[Any]):
    """One group in one number."""

    group = serializers.CharField(help_text="Its letter.")
    n = serializers.IntegerField(help_text="Drives; runs where each group is one drive.")
    runs = serializers.IntegerField()
    mean = serializers.FloatField(allow_null=True)
    interval = IntervalSerializer(allow_null=True)
    interval_of = serializers.ChoiceField(choices=["mean", "measurement", "none"])
    better_than = serializers.ListField(child=LetterField(), help_text="Letters.")


class PairSerializer(serializers.Serializer[Any]):
    """Two groups in one number, A minus B."""

    a = LetterField()
    b = LetterField()
    method = MethodField(choices=["welch", "paired", "ranks", "none"])
    difference = IntervalSerializer(allow_null=True, help_text="Not corrected: of this pair alone.")
    effect = serializers.FloatField(allow_null=True, help_text="Hedges' g.")
    p = serializers.FloatField(allow_null=True)
    adjusted_p = serializers.FloatField(allow_null=True, help_text="Holm, over all tests of the answer.")
    higher = LetterField(allow_null=True, help_text="Who is higher for certain, by the margin or more.")
    better = LetterField(allow_null=True)
    percent = serializers.FloatField(
        allow_null=True, help_text="By how many per cent of the lower one A is above B."
    )
    equal = serializers.BooleanField(help_text="Practically equal: they differ by less than the margin.")
    needed = NeededSerializer(
        allow_null=True, help_text="Given for the undecided pair with the largest effect."
    )
    reason = serializers.CharField(help_text="Why nothing was tested.")


class ComparedNumberSerializer(serializers.Serializer[Any]):
    """One metric in one scope over all groups."""

    metric = serializers.CharField()
    scope = serializers.CharField()
    unit = serializers.CharField()
    groups = CellSerializer(many=True)
    pairs = PairSerializer(many=True)
    words = serializers.CharField()


class CurvesSerializer(serializers.Serializer[Any]):
    """Two groups at the same places of the device."""

    metric = serializers.CharField()
    scope = serializers.CharField()
    unit = serializers.CharField()
    places = serializers.ListField(child=serializers.CharField())
    a = serializers.ListField(child=serializers.FloatField())
    b = serializers.ListField(child=serializers.FloatField())
    difference = IntervalSerializer(allow_null=True, help_text="Mean of A less B.")
    interval_over = serializers.ChoiceField(
        choices=["units", "places"],
        help_text="Units, or the places of two curves: then nothing is better.",
    )
    p = serializers.FloatField(allow_null=True)
    adjusted_p = serializers.FloatField(allow_null=True)
    better = LetterField(allow_null=True)
    words = serializers.CharField()


class DifferingSerializer(serializers.Serializer[Any]):
    """A condition that the groups' runs differ in."""

    condition = serializers.CharField()
    groups = serializers.ListField(
        child=serializers.DictField(child=serializers.IntegerField()), help_text="State to runs, by group."
    )


class ComparisonSerializer(serializers.Serializer[Any]):
    """A comparison."""

    level = serializers.FloatField()
    margin = serializers.FloatField(help_text="Per cent below which a difference makes nothing better.")
    summary = serializers.ListField(
        child=serializers.CharField(), help_text="What differs and what is equal, in sentences."
    )
    noun = serializers.ChoiceField(choices=["unit", "run"], help_text="What repeats.")
    tests = serializers.IntegerField(help_text="Tests that were corrected together.")
    groups = ComparedGroupSerializer(many=True)
    numbers = ComparedNumberSerializer(many=True)
    curves = CurvesSerializer(many=True, help_text="Of two groups of one provenance.")
    differing = DifferingSerializer(many=True)


_D = OpenApiParameter(
    "d",
    {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": FEWEST, "maxItems": MOST},
    OpenApiParameter.QUERY,
    required=True,
    explode=True,
    description=(
        "Two to eight groups: `<slug>`, `<slug>~batch:2012-w31`, `<slug>~fw:1AJ10001`, `<slug>~unit:<hex>` "
        "or `run:<id>`; `~sim` or `~lit` at the end asks for simulated runs or published values."
    ),
)
_LEVEL = OpenApiParameter(
    "level",
    {"type": "number", "minimum": LEAST_LEVEL, "maximum": GREATEST_LEVEL},
    description="Confidence level; 0.95 without it.",
)
_KIND = OpenApiParameter(
    "kind", enum=list(kinds_by_slug()), description="All metrics of one kind in place of the headline ones."
)
_MARGIN = OpenApiParameter(
    "margin",
    {"type": "number", "minimum": 0, "maximum": GREATEST_MARGIN},
    description=f"Per cent below which groups are practically equal; {MARGIN:g} without it.",
)
COMPARED = (_D, _LEVEL, _KIND, _MARGIN)
"""Parameters that name a comparison."""


@described("comparison", "Compare two to eight groups", shape=ComparisonSerializer)
class ComparisonsView(TableView):
    """Groups side by side."""

    tables = {
        "groups": (
            "number of each group",
            (
                *("letter", "group", "title", "provenance", "metric", "scope", "unit", "n", "runs"),
                *("mean", "low", "high", "level", "interval_of", "better_than"),
            ),
        ),
        "pairs": (
            "number of each two groups",
            (
                *("metric", "scope", "unit", "a", "b", "method", "difference", "low", "high", "level"),
                *("effect", "p", "adjusted_p", "higher", "better", "reason", "percent", "equal"),
            ),
        ),
    }
    file_name = "comparison"
    parameters = COMPARED
    repeatable = frozenset({"d"})

    def get(self, request: Request, format: str | None = None) -> HttpResponseBase:
        """Return every number of every group, and which differences are shown."""
        asked = comparison_asked(request)
        comparison = comparison_get(**asked)
        body = ComparisonSerializer({**comparison_data(comparison), "margin": asked["margin"]}).data
        return self.answer(request, body, {"groups": _cell_rows(body), "pairs": _pair_rows(body)})


class Asked(TypedDict):
    """What an address asks to compare, as `comparison_get` takes it."""

    groups: tuple[Group, ...]
    level: float
    kind: str
    margin: float


def comparison_asked(request: Request) -> Asked:
    """Return what an address asks to compare; raises Problem."""
    errors: list[ErrorItem] = []
    groups: tuple[Group, ...] = ()
    try:
        groups = groups_get(request.query_params.getlist("d"))
    except GroupsError as error:
        errors += [ErrorItem("/d", text) for text in error.errors]
    level = 0.0
    try:
        level = level_read(request.query_params.get("level", ""))
    except LevelError as error:
        errors.append(ErrorItem("/level", str(error)))
    margin = MARGIN
    try:
        margin = margin_read(request.query_params.get("margin", ""))
    except MarginError as error:
        errors.append(ErrorItem("/margin", str(error)))
    kind = request.query_params.get("kind", "")
    if kind and kind not in kinds_by_slug():
        known = ", ".join(kinds_by_slug())
        near = did_you_mean(kind, kinds_by_slug())
        errors.append(ErrorItem("/kind", f"There is no kind “{kind[:40]}”.{near} Kinds are {known}."))
    if errors:
        raise problem("bad-request", " ".join(item.message for item in errors), *errors)
    return {"groups": groups, "level": level, "kind": kind, "margin": margin}


def comparison_data(found: Comparison) -> dict[str, Any]:
    return {
        "level": found.level,
        "summary": opening(found.table, LETTERS[: len(found.groups)]),
        "noun": found.table.noun,
        "tests": found.table.tests,
        "groups": [
            {"letter": letter, "group": group, "numbers": numbers}
            for letter, group, numbers in zip(LETTERS, found.groups, found.numbers, strict=False)
        ],
        "numbers": [_number(row, found) for row in found.table.rows],
        "curves": [_curves(curves) for curves in found.curves],
        "differing": [{"condition": one.condition, "groups": one.states} for one in found.differing],
    }


def _cell_rows(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give each number of each group, as the website's file has them."""
    for number in body["numbers"]:
        common = {name: number[name] for name in ("metric", "scope", "unit")}
        for group, cell in zip(body["groups"], number["groups"], strict=True):
            named = {
                "group": group["key"],
                **{name: group[name] for name in ("letter", "title", "provenance")},
            }
            yield {**common, **cell, **_bounds(cell["interval"]), **named}


def _pair_rows(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give each number of each two groups."""
    for number in body["numbers"]:
        common = {name: number[name] for name in ("metric", "scope", "unit")}
        for pair in number["pairs"]:
            found = pair["difference"]
            yield {**common, **pair, **_bounds(found), "difference": found["value"] if found else None}


def _bounds(interval: dict[str, Any] | None) -> dict[str, Any]:
    return {name: interval[name] if interval else None for name in ("low", "high", "level")}


def _number(row: Row, found: Comparison) -> dict[str, Any]:
    table = found.table
    return {
        "metric": row.metric,
        "scope": row.scope,
        "unit": row.entry.unit if row.entry else "",
        "groups": [_cell(index, cell) for index, cell in enumerate(row.cells)],
        "pairs": row.pairs,
        "words": row_words(row, level=table.level, noun=table.noun, tests=table.tests),
    }


def _cell(index: int, cell: Cell) -> dict[str, Any]:
    return {
        "group": LETTERS[index],
        "n": cell.n,
        "runs": cell.runs,
        "mean": cell.mean,
        "interval": cell.interval,
        "interval_of": "none" if cell.interval is None else "measurement" if cell.own else "mean",
        "better_than": cell.better_than,
    }


def _curves(curves: Curves) -> dict[str, Any]:
    keys = curves.by_position.keys
    return {
        "metric": curves.metric,
        "scope": curves.scope,
        "unit": curves.entry.unit if curves.entry else "",
        "places": list(keys),
        "a": [curves.a[key] for key in keys],
        "b": [curves.b[key] for key in keys],
        "difference": curves.difference,
        "interval_over": "units" if curves.units.difference else "places",
        "p": curves.units.p,
        "adjusted_p": curves.adjusted_p,
        "better": curves.better,
        "words": curves_words(curves),
    }
