"""Rows as answers: all fields, the chosen ones, and those that come only when asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import QuerySet
from django.urls import reverse
from drf_spectacular.drainage import get_override
from rest_framework import serializers


@dataclass(frozen=True, slots=True)
class Shape:
    """Which fields a request wants; `fields` None means all that come unasked."""

    fields: frozenset[str] | None = None
    expand: frozenset[str] = frozenset()


class Derived(serializers.SerializerMethodField):
    """A field that is made of columns: its method is given their values, null where a relation is."""

    def __init__(self, *columns: str, **kwargs: Any) -> None:
        """Take the columns, through relations as `relation__column`."""
        self.columns = columns
        super().__init__(**kwargs)

    def to_representation(self, row: Any) -> Any:
        method = getattr(self.parent, str(self.method_name))
        return method(*(_column_of(row, column) for column in self.columns))


@dataclass(frozen=True, slots=True)
class Related:
    """Rows of another table that a list field shows."""

    rows: Callable[[Collection[Any]], QuerySet[Any]]
    """Those that refer to any of some keys, in the order in which they are shown."""
    key: str
    """Their column that refers to a row."""
    column: str | None = None
    """What is shown of them, where that is one column."""
    row: type[serializers.Serializer[Any]] | None = None
    """Or their shape, where the field itself is not a serializer."""


class RowSerializer(serializers.Serializer[Any]):
    """One row of a resource.

    `identity` names the fields that every row has, whatever `fields=` says; `on_demand` those that come
    only by `expand=`.
    """

    identity: ClassVar[tuple[str, ...]] = ("id",)
    on_demand: ClassVar[tuple[str, ...]] = ()
    related: ClassVar[Mapping[str, Related]] = {}
    """Where fields that are lists come from."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return the fields of the request's shape; all of them where there is no request."""
        fields = super().get_fields()
        shape = self._shape()
        if shape is None:
            return fields
        return {name: field for name, field in fields.items() if self._included(name, shape)}

    def _shape(self) -> Shape | None:
        parent: Any = self.parent
        if isinstance(parent, serializers.ListSerializer):
            parent = parent.parent
        shape: Shape | None = self.context.get("shape")
        return shape if parent is None or shape is None else Shape()

    def _included(self, name: str, shape: Shape) -> bool:
        if name in self.on_demand:
            return name in shape.expand
        return name in self.identity or shape.fields is None or name in shape.fields


class AddressField(serializers.URLField):
    """The absolute address of a view whose arguments are columns of the row."""

    def __init__(self, view: str, *columns: str, **kwargs: Any) -> None:
        self.view, self.columns = view, columns
        super().__init__(**{**kwargs, "source": "*"})

    def to_representation(self, row: Any) -> str:
        path = reverse(self.view, args=[getattr(row, column) for column in self.columns])
        address: str = self.context["request"].build_absolute_uri(path)
        return address


def _column_of(row: Any, column: str) -> Any:
    for name in column.split("__"):
        try:
            row = getattr(row, name, None)
        except ObjectDoesNotExist:
            return None
    return row


def columns_of(serializer: serializers.BaseSerializer[Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Give the columns of a table of such rows: its name and the path to its value.

    An object inside a row becomes columns `object.field`, also where a method makes it that says so by
    `extend_schema_field`. A list stays one column, as JSON, and so does an object whose names are not known
    beforehand.
    """
    fields: dict[str, Any] = getattr(serializer, "fields", {})
    for name, field in fields.items():
        shape = field
        if isinstance(field, serializers.SerializerMethodField):
            shape = get_override(getattr(serializer, str(field.method_name)), "field")
        if isinstance(shape, serializers.Serializer):
            for inner, path in columns_of(shape):
                yield f"{name}.{inner}", (name, *path)
        else:
            yield name, (name,)


def columns_words(names: Iterable[str]) -> str:
    """Return columns as a description lists them."""
    return ", ".join(f"`{name}`" for name in names)


def rows_words(row: serializers.BaseSerializer[Any]) -> str:
    """Return what the lines of such rows are, in words."""
    named = columns_words(name for name, _path in columns_of(row))
    return f"One line for each row; columns {named}. Where CSV has `object.field`, NDJSON has objects."
