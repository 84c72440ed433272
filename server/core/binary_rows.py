"""Rows in PostgreSQL's binary format, and arrays in them without an object for each element: what is computed
of a model reads millions of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import psycopg
from django.db import connection
from numpy.typing import NDArray

# Dimensions, flags and type of the elements, then of the one dimension its length and lower bound
# (array_send in PostgreSQL's arrayfuncs.c; the same for every version of the protocol).
_HEAD = np.dtype(
    [("dimensions", ">i4"), ("nulls", ">i4"), ("type", ">u4"), ("length", ">i4"), ("low", ">i4")]
)


def binary_rows(statement: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return a query's rows, read in binary. Raises as Django's cursors do."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        return cursor.execute(statement.encode(), parameters, binary=True).fetchall()


def array_read(sent: bytes, element: str) -> NDArray[Any]:
    """Return what `array_send` made of an array of one dimension; `element` is NumPy's name of the type of
    its elements, as `f8`. Raises ValueError where it holds a null, or elements of another size."""
    row = np.dtype([("bytes", ">i4"), ("value", f">{element}")])
    # An array without elements has no dimension.
    head = np.frombuffer(sent.ljust(_HEAD.itemsize, b"\0"), _HEAD, count=1)[0]
    length = int(head["length"])
    if head["dimensions"] != 1 or head["nulls"] or len(sent) != _HEAD.itemsize + length * row.itemsize:
        raise ValueError(f"Not an array of {length} times {element} without nulls, of one dimension.")
    rows = np.frombuffer(sent, row, count=length, offset=_HEAD.itemsize)
    return rows["value"].astype(element)
