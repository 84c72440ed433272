"""The migration that gave claims and published values their columns keeps what was there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

BEFORE = [("catalog", "0001_initial")]


@pytest.fixture
def old_tables(transactional_db: None) -> Iterator[Any]:
    """Take the catalogue back to its first tables, and forward again after the test."""
    executor = MigrationExecutor(connection)
    newest = executor.loader.graph.leaf_nodes()
    executor.migrate(BEFORE)
    yield MigrationExecutor(connection).loader.project_state(BEFORE).apps
    executor = MigrationExecutor(connection)
    executor.migrate(newest)


def test_numbers_go_where_their_form_has_them_and_loaded_rows_are_known(old_tables: Any) -> None:
    def model(name: str) -> Any:
        return old_tables.get_model("catalog", name)

    vendor = model("Vendor").objects.create(name="Sample", slug="sample", normalized="sample")
    drive = model("DriveModel").objects.create(
        vendor=vendor, number="1", slug="sample-1", normalized="1", search_text=""
    )
    source = model("Citation").objects.create(key="olp", authors="Sample", title="Sample")
    own = model("Citation").objects.create(key="own", authors="Sample", title="Sample")
    for metric, form, low, high, citation in (
        ("a.typical", "typical", 8.9, None, source),
        ("a.minimum", "minimum", None, 62.0, source),
        ("a.maximum", "maximum", 152.0, None, own),
        ("a.range", "range", 1.0, None, own),
    ):
        model("Claim").objects.create(
            drive_model=drive,
            citation=citation,
            locator="1",
            metric=metric,
            form=form,
            low=low,
            high=high,
            unit="1",
        )
    executor = MigrationExecutor(connection)
    executor.migrate([("catalog", "0002_claims_in_full")])
    claims = executor.loader.project_state([("catalog", "0002_claims_in_full")]).apps.get_model(
        "catalog", "Claim"
    )
    found = {row.metric: (row.form, row.low, row.high, row.loaded_digest) for row in claims.objects.all()}
    assert found == {
        "a.typical": ("typical", 8.9, 8.9, "before digests"),
        "a.minimum": ("minimum", 62.0, None, "before digests"),
        "a.maximum": ("maximum", None, 152.0, ""),
        "a.range": ("minimum", 1.0, None, ""),
    }
