"""What makes many small queries cheap: instants read by C code, and texts of queries made once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.backends.postgresql.psycopg_any import BaseTzLoader
from django.db.models import Field, ForeignObject, Lookup, QuerySet


class InstantLoader(BaseTzLoader):  # type: ignore[misc]  # its base depends on what is installed
    """Reads an instant as PostgreSQL writes it in a session of universal time.

    Django's loader takes it apart by a regular expression and copies it for the zone, at four times the cost.
    """

    timezone = UTC

    def load(self, data: Any) -> datetime:
        """Return the instant; years and forms that `datetime` does not read are left to psycopg."""
        try:
            found = datetime.fromisoformat(bytes(data).decode())
        except ValueError:
            found = super().load(data)
        return found


def read_instants_fast(*, connection: Any, **_: Any) -> None:
    """Make a new connection read instants by `InstantLoader`; a receiver of `connection_created`."""
    if connection.vendor == "postgresql" and connection.timezone is UTC:
        connection.connection.adapters.register_loader("timestamptz", InstantLoader)


@ForeignObject.register_lookup
@Field.register_lookup
class AnyOf(Lookup):
    """A column that is any of some keys, by one parameter: the query's text is the same for all of them."""

    lookup_name = "any_of"
    prepare_rhs = False

    def get_db_prep_lookup(self, value: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """Return the keys as one array."""
        return "%s", (value if isinstance(value, _Keys) else list(value),)

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """Return the condition and its parameter."""
        left, parameters = self.process_lhs(compiler, connection)
        right, keys = self.process_rhs(compiler, connection)
        return f"{left} = ANY({right})", (*parameters, *keys)


class _Keys:
    """Stands for the keys in a query that is only written; Django would copy a list."""


class ByKeys:
    """Columns of the rows that refer to some keys, by a query whose text is made once.

    Django takes three times as long to write such a query as PostgreSQL to answer it.
    """

    def __init__(self, rows: Callable[[Collection[Any]], QuerySet[Any]], columns: Sequence[str]) -> None:
        """Take how the rows of some keys are found, by `any_of`, and which columns are wanted."""
        keys: Any = _Keys()
        self._keys = keys
        self._compiler = rows(keys).values_list(*columns).query.get_compiler(connection=connection)
        self._text, self._parameters = self._compiler.as_sql()
        if sum(one is self._keys for one in self._parameters) != 1:
            raise TypeError("rows by keys are found by one condition `any_of`, and by no slice")
        expressions = [one for one, _, _ in self._compiler.select]
        self._converters = self._compiler.get_converters(expressions)

    def read(self, keys: Collection[Any]) -> list[tuple[Any, ...]]:
        """Return the rows of these keys; none, without asking, where there is no key."""
        if not keys:
            return []
        parameters = [list(keys) if one is self._keys else one for one in self._parameters]
        with connection.cursor() as cursor:
            cursor.execute(self._text, parameters)
            found: list[tuple[Any, ...]] = cursor.fetchall()
        if not self._converters:
            return found
        return list(map(tuple, self._compiler.apply_converters(found, self._converters)))
