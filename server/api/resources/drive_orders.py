"""Drive models in the orders of the website's list, and what that list shows of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import CharField, Exists, F, FloatField, OuterRef, QuerySet, Value
from rest_framework import serializers

from server.api.framework.keyset import Ordering, Placed
from server.search.columns import COLUMNS
from server.search.drive_list import NUMBERS
from server.search.models import ListNumber
from server.search.sort_index import NUMBERED, order_key

NATURAL = "natural"
SORTS = (*NUMBERED, *(column.key for column in COLUMNS))
"""Orders that go by a value of the model's summary."""
_BY_VALUE = Ordering(("by", "by_name", "by_model"), nullable=True)
ORDERINGS = {f"{sign}{sort}": _BY_VALUE for sort in SORTS for sign in ("", "-")}
"""A falling order goes by the negated value: rows that are level stand by name in both, as the website has
them."""


def ordered(queryset: QuerySet[Any], name: str, numbers: str) -> QuerySet[Any] | Placed:
    """Return models with the columns that one of these orders goes by; others are left as they are."""
    sort = name.removeprefix("-")
    if sort == NATURAL:
        return Placed(tuple(_by_name(queryset)))
    if sort not in SORTS:
        return queryset
    order = order_key(sort, numbers)
    # All that a page begins behind is of one table: the database walks its index from there.
    known = queryset.filter(list_numbers__order=order).annotate(
        by=F("list_numbers__falling" if name.startswith("-") else "list_numbers__rising"),
        by_name=F("list_numbers__by_name"),
        by_model=F("list_numbers__drive_model"),
    )
    there = ListNumber.objects.filter(drive_model=OuterRef("pk"), order=order)
    others = queryset.filter(~Exists(there)).annotate(by=Value(None, FloatField()))
    return Placed((known, *_by_name(others)))


def _by_name(queryset: QuerySet[Any]) -> Iterator[QuerySet[Any]]:
    """Give the models that have a summary, and those that were just made and have none yet."""
    yield queryset.filter(summary__isnull=False).annotate(
        by_name=F("summary__sort_name"), by_model=F("summary__drive_model")
    )
    yield queryset.filter(summary__isnull=True).annotate(by_name=Value(None, CharField()), by_model=F("pk"))


class SpreadSerializer(serializers.Serializer[Any]):
    """A number of a model over its units, or over published values."""

    median = serializers.FloatField()
    q1 = serializers.FloatField(
        allow_null=True, help_text="Lower quartile; null of published values, as `q3` is."
    )
    q3 = serializers.FloatField(allow_null=True, help_text="Upper quartile.")
    runs = serializers.IntegerField(help_text="Runs or published values behind it.")
    units = serializers.IntegerField(allow_null=True, help_text="Null of published values.")


class SummarySerializer(serializers.Serializer[Any]):
    """What the website's list shows of a model."""

    measured_runs = serializers.IntegerField()
    simulated_runs = serializers.IntegerField()
    units = serializers.IntegerField()
    claims = serializers.IntegerField()
    last_published_at = serializers.DateTimeField(allow_null=True)
    numbers = serializers.DictField(
        child=serializers.DictField(child=SpreadSerializer()),
        help_text="Provenance to the name of an order to its number.",
    )


SUMMARY = ("measured_runs", "simulated_runs", "units", "claims", "last_published_at", "headline")
"""Columns of a summary that it shows."""


def summary_data(measured_runs: int | None, *rest: Any) -> dict[str, Any] | None:
    """Return a summary of the values of its columns; None for a model that has none yet."""
    if measured_runs is None:
        return None
    *counted, headline = (measured_runs, *rest)
    names = [column for column in SUMMARY if column != "headline"]
    numbers = {source: dict(_numbers(headline[source])) for source in NUMBERS if source in headline}
    return {**dict(zip(names, counted, strict=True)), "numbers": numbers}


def _numbers(held: dict[str, list[Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    names = ("median", "q1", "q3", "runs", "units")
    for column in COLUMNS:
        if column.place in held:
            yield column.key, dict(zip(names, held[column.place], strict=True))
