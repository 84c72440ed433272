"""Filters of lists: typed, strict, and with the remedy in their errors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import django_filters
from django import forms
from django.db import models
from django.db.models import QuerySet
from django_filters.fields import BaseCSVField
from django_filters.rest_framework import DjangoFilterBackend, FilterSet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework.request import Request

from server.api.framework.parameters import instant_read
from server.core.cache import cached
from server.core.problems import ErrorItem, Problem, problem
from server.core.text import did_you_mean


class InstantField(forms.CharField):
    """An instant with its time zone."""

    def to_python(self, value: Any) -> Any:
        """Return the instant, or None for nothing."""
        text = super().to_python(value)
        if not text:
            return None
        try:
            return instant_read("", text)
        except Problem as trouble:
            raise forms.ValidationError(trouble.errors[0].message) from None


@extend_schema_field(OpenApiTypes.DATETIME)
class InstantFilter(django_filters.Filter):
    """Filters by an instant."""

    field_class = InstantField


@extend_schema_field(OpenApiTypes.INT)
class WholeFilter(django_filters.Filter):
    """Filters by a whole number."""

    field_class = forms.IntegerField


@extend_schema_field({"type": "string", "enum": ["true", "false"]})
class FlagFilter(django_filters.TypedChoiceFilter):
    """Filters by `true` or `false`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs |= {"choices": (("true", "true"), ("false", "false")), "coerce": lambda text: text == "true"}
        super().__init__(*args, **kwargs)


class WordsField(BaseCSVField):
    """Words, separated by commas."""

    def clean(self, value: Any) -> Any:
        """Return the words; an empty one is an error, since nothing that is empty is meant by it."""
        if isinstance(value, list) and not all(str(word).strip() for word in value):
            raise forms.ValidationError("has an empty word. Write words with one comma between two.")
        return super().clean(value)


class WordsFilter(django_filters.BaseInFilter, django_filters.CharFilter):
    """Filters by any of some words, separated by commas."""

    base_field_class = WordsField


class NameField(forms.CharField):
    """A name of those that there are: `trouble` gives None for one, and says what is wrong with another."""

    def __init__(self, *args: Any, trouble: Callable[[str], str | None], **kwargs: Any) -> None:
        self.trouble = trouble
        super().__init__(*args, **kwargs)

    def clean(self, value: Any) -> Any:
        """Return the name, or nothing for nothing."""
        name = super().clean(value)
        if name and (words := self.trouble(name)):
            raise forms.ValidationError(words, code=_UNKNOWN)
        return name


class NameFilter(django_filters.CharFilter):
    """Filters by a name. One that there is not is told: an empty list would look like an answer."""

    field_class = NameField


class NamesFilter(NameFilter, WordsFilter):
    """Filters by any of some names, separated by commas."""


_UNKNOWN = "unknown-name"
_NO_CHOICE = "invalid_choice"


def words_filter(words: Collection[str], column: str, noun: str) -> NamesFilter:
    """Return the filter by any of some of the words that a column may hold."""
    made = NamesFilter(
        column,
        lookup_expr="in",
        trouble=lambda name: name_trouble(noun, name, words),
        label=f"Any of {', '.join(words)}, separated by commas.",
    )
    described: NamesFilter = extend_schema_field({"type": "string", "enum": list(words)})(made)
    return described


_MOST_NAMES = 10_000
"""Values that are looked through for the nearest one."""
_VALUES_KEEP_S = 300
"""A list with a value that is known does not look through all rows for it again in this time."""


def value_trouble(
    noun: str, rows: Callable[[], QuerySet[Any]], column: str, lookup: str = "exact"
) -> Callable[[str], str | None]:
    """Return what tells whether any row has a value in a column, and which is the nearest where none has."""

    def known() -> frozenset[str]:
        values = rows().order_by().values_list(column, flat=True).distinct()[:_MOST_NAMES]
        return frozenset(value for value in values if value)

    def trouble(name: str) -> str | None:
        found = rows()
        known_names = cached(
            f"filter-values:{found.model._meta.label}.{column}", known, keep_s=_VALUES_KEEP_S
        )
        # What the kept ones do not hold may have come in since, or be one too many for them.
        if name in known_names or found.order_by().filter(**{f"{column}__{lookup}": name}).exists():
            return None
        return name_trouble(noun, name, known_names)

    return trouble


def value_filter(
    noun: str,
    rows: Callable[[], QuerySet[Any]],
    column: str,
    *,
    of: str | None = None,
    lookup: str = "exact",
    label: str | None = None,
) -> NameFilter:
    """Return the filter of a list by a value that `column` of `rows` has, which its own rows have in `of`."""
    trouble = value_trouble(noun, rows, column, lookup)
    return NameFilter(of or column, lookup_expr=lookup, trouble=trouble, label=label)


_WHOLE = {"filter_class": WholeFilter}
RANGE = ["exact", "gte", "lte"]
"""Lookups of a number or an instant."""
SPAN = ["gte", "lt"]
"""Lookups of an instant: from, and before."""


class Filters(FilterSet):
    """The base of all filter sets: whole numbers are whole, instants have a time zone."""

    def __init__(self, data: Any = None, queryset: QuerySet[Any] | None = None, **more: Any) -> None:
        if data is not None:
            # Each filter is copied and gets a form field of its own: those that are not asked for need none.
            known: Any = self.base_filters  # type: ignore[has-type]  # set by the metaclass
            self.base_filters = {name: one for name, one in known.items() if name in data}
        super().__init__(data, queryset, **more)

    FILTER_DEFAULTS = {
        **FilterSet.FILTER_DEFAULTS,
        models.PositiveSmallIntegerField: _WHOLE,
        models.PositiveIntegerField: _WHOLE,
        models.PositiveBigIntegerField: _WHOLE,
        models.DateTimeField: {"filter_class": InstantFilter},
        models.BooleanField: {"filter_class": FlagFilter},
    }


class StrictFilterBackend(DjangoFilterBackend):
    """django-filter's backend with this API's problems instead of DRF's."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: Any) -> QuerySet[Any]:
        """Return the rows that pass; raises Problem where a value is not understood."""
        known: Any = getattr(view, "filterset_class", None)
        if known is None or not set(request.query_params) & set(known.base_filters):
            return queryset
        filterset = self.get_filterset(request, queryset, view)
        if filterset is None:
            return queryset
        if not filterset.is_valid():
            raise _problem(filterset.errors.as_data(), filterset.form.fields)
        found: QuerySet[Any] = filterset.qs
        return found


def _problem(errors: dict[str, list[forms.ValidationError]], fields: Mapping[str, forms.Field]) -> Problem:
    items = tuple(
        ErrorItem(f"?{name}", message)
        for name, found in errors.items()
        for one in found
        for message in _messages(name, one, fields)
    )
    unknown = all(one.code in {_UNKNOWN, _NO_CHOICE} for found in errors.values() for one in found)
    detail = f"The parameter {items[0].path[1:]!r}: {items[0].message}"
    return problem(_UNKNOWN if unknown else "bad-parameter", detail, *items)


def _messages(name: str, error: forms.ValidationError, fields: Mapping[str, forms.Field]) -> list[str]:
    """Return what is wrong with a parameter; of a word that is no choice, with those that are."""
    field = fields[name]
    if error.code != _NO_CHOICE or not isinstance(field, forms.ChoiceField):
        return list(error.messages)
    words = [str(word) for word, _label in field.choices if word]  # type: ignore[misc, union-attr]
    told = name_trouble(name, str((error.params or {}).get("value")), words) or ""
    return [f"{told} Choose of: {', '.join(words)}."]


def name_trouble(noun: str, name: str, known: Collection[str]) -> str | None:
    """Return what is wrong with a name that is not known; None for one that is."""
    if name in known:
        return None
    return f"There is no {noun} {name[:80]!r}.{did_you_mean(name, known)} Check its spelling."


def missing(what: str, key: object) -> Problem:
    """Return the problem of something that a filter or an address names and that is not there."""
    return problem("not-found", f"There is no {what} {str(key)[:80]!r}. Check its spelling.")
