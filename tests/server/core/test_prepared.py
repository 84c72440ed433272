"""Statements that a connection plans once."""

from __future__ import annotations

import psycopg
import pytest
from django.db import connection

from server.core.prepared import prepared_row

STATEMENT = "SELECT %s::text || '!' FROM generate_series(1, 1)"
PLANS = "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE %s"


@pytest.mark.django_db(transaction=True)
def test_a_statement_is_planned_once_for_all_values() -> None:
    rows = [prepared_row(STATEMENT, f"value {number}") for number in range(3)]

    assert rows == [("value 0!",), ("value 1!",), ("value 2!",)]
    with connection.cursor() as cursor:
        cursor.execute(PLANS, ["%generate_series(1, 1)%"])
        assert cursor.fetchall() == [(3, 0)]


@pytest.mark.django_db(transaction=True)
def test_a_statement_is_prepared_anew_where_the_server_closed_its_connection() -> None:
    assert prepared_row(STATEMENT, "first") == ("first!",)
    with psycopg.connect(**connection.get_connection_params()) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [connection.connection.info.backend_pid])

    assert prepared_row(STATEMENT, "second") == ("second!",)
