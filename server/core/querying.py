"""What makes many small queries cheap: texts of queries made once (decision 0177)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from inspect import signature
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Field, ForeignObject, Lookup, QuerySet

T = TypeVar("T")


class Param:
    """Stands for a value in a query that is only written; each one is known by its identity."""


@ForeignObject.register_lookup
@Field.register_lookup
class AnyOf(Lookup):
    """A column that is any of some keys, by one parameter: the query's text is the same for all of them."""

    lookup_name = "any_of"
    prepare_rhs = False
    condition = "{} = ANY({})"

    def get_db_prep_lookup(self, value: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """Return the keys as one array."""
        return "%s", (value if isinstance(value, Param) else list(value),)

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """Return the condition and its parameter."""
        left, parameters = self.process_lhs(compiler, connection)
        right, keys = self.process_rhs(compiler, connection)
        return self.condition.format(left, right), (*parameters, *keys)


@ForeignObject.register_lookup
@Field.register_lookup
class IsGiven(AnyOf):
    """A column that is a value which is told when the query runs."""

    lookup_name = "given"
    condition = "{} = {}"

    def get_db_prep_lookup(self, value: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """Return the value as it is."""
        return "%s", (value,)


class CompiledQuery(Generic[T]):
    """A query whose text is made once, with conditions `given` and `any_of` on values that are told later.

    Django takes several times as long to write a small query as PostgreSQL to answer it. What the query reads
    beside its rows (`prefetch_related`) is not read here.
    """

    def __init__(self, make: Callable[..., QuerySet[Any, T]]) -> None:
        """Take the function that makes the query; it is called once, with a `Param` for each argument."""
        self._make = make
        self._written: _Written | None = None

    def rows(self, **values: Any) -> list[T]:
        """Return the rows for these values, by the names of the function's arguments.

        A list without keys is a condition that no row meets: nothing is asked then.
        """
        if any(isinstance(value, list) and not value for value in values.values()):
            return []
        if self._written is None:
            self._written = _Written(self._make)
        rows: list[T] = self._written.rows(values)
        return rows


class _Written:
    """A query's compiler with the text that it made."""

    def __init__(self, make: Callable[..., QuerySet[Any, Any]]) -> None:
        params: dict[str, Any] = {name: Param() for name in signature(make).parameters}
        self._queryset = make(**params)
        self._compiler = self._queryset.query.get_compiler(connection=connection)
        self._text, parameters = self._compiler.as_sql()
        names = {id(param): name for name, param in params.items()}
        self._parameters = [(names.get(id(one)), one) for one in parameters]
        if missed := set(params) - {name for name, _ in self._parameters}:
            raise TypeError(f"the query has no condition `given` or `any_of` on {', '.join(sorted(missed))}")

    def rows(self, values: Mapping[str, Any]) -> list[Any]:
        parameters = [values[name] if name else constant for name, constant in self._parameters]
        compiler = copy(self._compiler)
        # What reads a compiler's rows asks it for the text each time.
        compiler.as_sql = lambda *_, **__: (self._text, parameters)
        query = copy(self._queryset.query)
        query.get_compiler = lambda *_, **__: compiler  # type: ignore[method-assign]
        source: Any = self._queryset
        rows: Any = type(source)(model=source.model, query=query, using=source.db)
        rows._fields = source._fields
        return list(source._iterable_class(rows))
