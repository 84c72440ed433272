"""Arrays that PostgreSQL sends in binary: the numbers that it holds, or an error."""

from __future__ import annotations

import math

import numpy as np
import pytest
from django.db import DataError

from server.core.binary_rows import array_read, binary_rows

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("array", "element", "expected"),
    [
        ("ARRAY[1.5, -2.25e300, 'inf']::float8[]", "f8", [1.5, -2.25e300, math.inf]),
        ("ARRAY[1, -9223372036854775808]::bigint[]", "i8", [1, -(2**63)]),
        ("ARRAY[7, -1]::integer[]", "i4", [7, -1]),
    ],
)
def test_an_array_is_read_as_it_stands(array: str, element: str, expected: list[float]) -> None:
    [(sent,)] = binary_rows(f"SELECT array_send({array})", {})
    found = array_read(sent, element)
    assert found.dtype == np.dtype(element) and found.tolist() == expected


def test_what_is_not_a_number_stays_so() -> None:
    [(sent,)] = binary_rows("SELECT array_send(ARRAY['NaN', 1]::float8[])", {})
    assert np.isnan(array_read(sent, "f8")).tolist() == [True, False]


@pytest.mark.parametrize(
    "array",
    [
        "ARRAY[1, NULL]::float8[]",
        "ARRAY[1, 2]::float4[]",
        "ARRAY[[1, 2], [3, 4]]::float8[]",
        "'{}'::float8[]",
    ],
)
def test_another_array_is_an_error_and_no_other_numbers(array: str) -> None:
    [(sent,)] = binary_rows(f"SELECT array_send({array})", {})
    with pytest.raises(ValueError, match="Not an array"):
        array_read(sent, "f8")


def test_an_error_of_the_database_is_djangos() -> None:
    with pytest.raises(DataError):
        binary_rows("SELECT 1 / %(nought)s::integer", {"nought": 0})
