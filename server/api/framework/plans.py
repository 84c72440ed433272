"""Rows of lists straight from columns: no model instance is made and no field is asked row by row.

A plan is derived from the serializer that the OpenAPI document describes, so that both say the same. It reads
a page in one narrow query, and what rows refer to by key in one query for each relation: joins of seven
tables cost the database more time to plan than to run (docs/decisions/0144).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import Any

from django.db import models
from django.db.models import QuerySet
from rest_framework import serializers

from server.api.framework.rows import Derived, Related, RowSerializer, Shape
from server.core.querying import CompiledQuery

Row = tuple[Any, ...]
Getter = Callable[[Row], Any]

_SAME: tuple[tuple[type[Any], type[Any]], ...] = (
    (serializers.ChoiceField, models.CharField),
    (serializers.CharField, models.CharField),
    (serializers.CharField, models.TextField),
    (serializers.IntegerField, models.IntegerField),
    (serializers.FloatField, models.FloatField),
    (serializers.BooleanField, models.BooleanField),
    (serializers.DateTimeField, models.DateTimeField),
    (serializers.UUIDField, models.UUIDField),
    (serializers.JSONField, models.JSONField),
)
"""Fields that show a column's value as it is; renderers know how instants and UUIDs are written."""


@dataclass(slots=True)
class _Lookup:
    """Rows of another table that a page's rows refer to by one of their columns."""

    key: int
    """Position of the referring column in a row."""
    model: type[models.Model]
    by: str
    """The column of the other table that is referred to."""
    columns: list[str] = field(default_factory=list)
    query: CompiledQuery[Row] | None = None
    """Made when the first page is read, as columns may be added until then."""

    def joined_to(self, records: Sequence[Row]) -> list[Row]:
        """Return rows with these columns behind their own, null where they refer to nothing."""
        if self.query is None:
            self.query = CompiledQuery(self._rows)
        keys = {key for row in records if (key := row[self.key]) is not None}
        found = {row[0]: row[1:] for row in self.query.rows(keys=list(keys))}
        nothing = (None,) * len(self.columns)
        return [row + found.get(row[self.key], nothing) for row in records]

    def _rows(self, keys: Collection[Any]) -> QuerySet[Any, Row]:
        rows = self.model._default_manager.order_by().filter(**{f"{self.by}__any_of": keys})
        return rows.values_list(self.by, *self.columns)


@dataclass(frozen=True, slots=True)
class _Leaf:
    position: tuple[int, int]
    """Part of the row (0: its own columns, 1 on: the lookups), and the column there."""
    convert: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True)
class _ComputedField:
    method: str
    positions: tuple[tuple[int, int], ...]
    owner: Any
    """The serializer inside the row's that has the method; None for the row's own."""


@dataclass(frozen=True, slots=True)
class _Object:
    entries: Mapping[str, Any]
    guards: tuple[tuple[int, int], ...]
    """Columns of which none is null where the object is there."""


@dataclass(frozen=True, slots=True)
class _ToMany:
    number: int
    """Which of the plan's lists of rows."""


class _RelatedRows:
    """Rows of another table that refer to a page's rows, in lists."""

    def __init__(self, related: Related, child: Any) -> None:
        """Take what is shown of them: one column, or what the child serializer makes of them."""
        self._child = child
        self._plan = None if related.column else RowPlan(child, related.rows([]).model)
        columns = self._plan.columns if self._plan else [str(related.column)]
        self._query: CompiledQuery[Row] = CompiledQuery(
            lambda keys: related.rows(keys).values_list(*columns, related.key)
        )

    def of(self, keys: Collection[Any]) -> Mapping[Any, list[Any]]:
        gathered: dict[Any, list[Any]] = defaultdict(list)
        found = self._query.rows(keys=list(keys))
        shown = self._plan.rows(found, self._child) if self._plan else [row[0] for row in found]
        for row, one in zip(found, shown, strict=True):
            gathered[row[-1]].append(one)
        return gathered


class RowPlan:
    """How rows of one shape are read and built."""

    def __init__(
        self, serializer: serializers.Serializer[Any], model: type[models.Model], joined: Collection[str] = ()
    ) -> None:
        """Derive the plan; `joined` names relations that the page's own query reads with the rows."""
        self.columns: list[str] = []
        """Columns of the page's query, as `values_list` takes them."""
        self._model = model
        self._joined = frozenset(joined)
        self._lookups: list[_Lookup] = []
        self._paths: dict[str, int] = {}
        self._many: list[_RelatedRows] = []
        self._key = self._position(("pk",))[1] if getattr(serializer, "related", None) else 0
        self._root = self._object(serializer, (), ())

    def rows(self, found: Sequence[Row], serializer: serializers.Serializer[Any]) -> list[dict[str, Any]]:
        """Return rows as plain data; `found` begins with `columns`, `serializer` knows the request."""
        width = len(found[0]) if found else len(self.columns)
        starts, records = [0], found
        for lookup in self._lookups:
            starts.append(width)
            records = lookup.joined_to(records)
            width += len(lookup.columns)
        lists = [many.of([row[self._key] for row in found]) for many in self._many]
        build = self._builder(self._root, serializer, starts, lists)
        return [build(row) for row in records]

    def _object(self, serializer: Any, path: tuple[str, ...], guards: tuple[tuple[int, int], ...]) -> _Object:
        entries: dict[str, Any] = {}
        for name, one in serializer.fields.items():
            related = serializer.related.get(name) if isinstance(serializer, RowSerializer) else None
            if related is not None:
                entries[name] = self._list(related, one)
            elif isinstance(one, Derived):
                positions = tuple(self._position((*path, *column.split("__"))) for column in one.columns)
                owner = serializer if path or guards else None
                entries[name] = _ComputedField(str(one.method_name), positions, owner)
            elif isinstance(one, serializers.Serializer):
                inner = (*path, *one.source_attrs)
                entries[name] = self._object(one, inner, self._guards(inner))
            elif isinstance(one, serializers.SerializerMethodField):
                raise TypeError(f"{name} is made of a model instance: it needs `Derived` or `related`")
            else:
                entries[name] = self._leaf(one, (*path, *one.source_attrs))
        return _Object(entries, guards)

    def _list(self, related: Related, one: Any) -> _ToMany:
        child: Any = related.row() if related.row is not None else getattr(one, "child", None)
        self._many.append(_RelatedRows(related, child))
        return _ToMany(len(self._many) - 1)

    def _leaf(self, one: Any, path: tuple[str, ...]) -> _Leaf:
        column = _column_field(self._model, path)
        same = any(isinstance(one, shown) and isinstance(column, stored) for shown, stored in _SAME)
        return _Leaf(self._position(path), None if same else one.to_representation)

    def _guards(self, path: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
        """Return the columns that tell whether the object at the end of a path of relations is there."""
        optional = []
        for length in range(1, len(path) + 1):
            relation = _column_field(self._model, path[:length])
            if getattr(relation, "null", True):
                optional.append(self._position((*path[:length], "pk")))
        return tuple(optional)

    def _position(self, path: tuple[str, ...]) -> tuple[int, int]:
        """Return where a row has a column, reading it besides where it is not read yet."""
        for length in range(1, len(path)):
            relation = "__".join(path[:length])
            if relation not in self._joined:
                return self._lookup_position(path[:length], "__".join(path[length:]))
        return 0, _added(self.columns, "__".join(path))

    def _lookup_position(self, relation: tuple[str, ...], column: str) -> tuple[int, int]:
        name = "__".join(relation)
        if name not in self._paths:
            join: Any = _column_field(self._model, relation)
            # A forward relation has its key in the row; the other side of one-to-one refers to the row's.
            forward = join.concrete
            key = self._position((*relation[:-1], join.attname if forward else "pk"))[1]
            by = join.target_field.attname if forward else join.field.attname
            self._lookups.append(_Lookup(key, join.related_model, by))
            self._paths[name] = len(self._lookups)
        number = self._paths[name]
        return number, _added(self._lookups[number - 1].columns, column)

    def _builder(
        self, node: Any, serializer: Any, starts: Sequence[int], lists: Sequence[Mapping[Any, Any]]
    ) -> Getter:
        def at(position: tuple[int, int]) -> int:
            return starts[position[0]] + position[1]

        match node:
            case _Leaf(position, convert):
                get = itemgetter(at(position))
                return get if convert is None else _converted(get, convert)
            case _ComputedField(method, positions, owner):
                return _computed(
                    getattr(owner or serializer, method), [at(position) for position in positions]
                )
            case _ToMany(number):
                return _from(lists[number], self._key)
        entries = [
            (name, self._builder(one, serializer, starts, lists)) for name, one in node.entries.items()
        ]
        return _built(entries, [at(position) for position in node.guards])


@lru_cache(maxsize=256)
def plan_of(
    row: type[RowSerializer], model: type[models.Model], joined: frozenset[str], shape: Shape
) -> RowPlan:
    """Return the plan of a resource's rows in one shape."""
    return RowPlan(row(context={"shape": shape}), model, joined)


def _added(columns: list[str], name: str) -> int:
    if name not in columns:
        columns.append(name)
    return columns.index(name)


def _column_field(model: type[models.Model], path: Sequence[str]) -> Any:
    """Return the model's field at the end of a path; `name_id` is the column of the relation `name`."""
    found: Any = None
    for name in path:
        meta = model._meta
        if name == "pk":
            found = meta.pk
            continue
        fields = {one.attname: one for one in meta.concrete_fields}
        found = fields.get(name) or meta.get_field(name)
        if found.is_relation and name == getattr(found, "attname", None):
            found = found.target_field
        elif found.is_relation:
            model = found.related_model
    return found


def _converted(get: Getter, convert: Callable[[Any], Any]) -> Getter:
    def converted(row: Row) -> Any:
        value = get(row)
        return None if value is None else convert(value)

    return converted


def _computed(method: Callable[..., Any], positions: Sequence[int]) -> Getter:
    return lambda row: method(*[row[position] for position in positions])


def _from(lists: Mapping[Any, list[Any]], key: int) -> Getter:
    return lambda row: lists.get(row[key], [])


def _built(entries: Sequence[tuple[str, Getter]], guards: Sequence[int]) -> Getter:
    if not guards:
        return lambda row: {name: get(row) for name, get in entries}
    return lambda row: (
        None if any(row[guard] is None for guard in guards) else {name: get(row) for name, get in entries}
    )
