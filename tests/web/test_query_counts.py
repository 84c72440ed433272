"""Pages ask the database as often for many rows as for few."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.sample_archive import DAY, SampleRun, sample_archive, sample_run

pytestmark = pytest.mark.django_db

# The baseline: a page that needs more has grown a query per row, or shows more than it did.
BASELINE = {"/": 10, "/drives/": 4, "/drives/{slug}/": 42, "/runs/{run}/": 9}


def count(client: Client, address: str) -> int:
    client.get(address)  # Charts come out of the cache from the second time on.
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


@pytest.mark.parametrize("pattern", BASELINE)
def test_a_page_asks_no_more_often_for_many_runs_than_for_few(client: Client, pattern: str) -> None:
    model = sample_archive()
    run = model.runs.filter(provenance="probe").latest("created_at")
    address = pattern.format(slug=model.slug, run=run.run_id)
    few = count(client, address)
    for hours in range(6):
        sample_run(SampleRun(at=DAY - timedelta(hours=hours + 1), unit=f"{hours:064x}"))
        sample_run(SampleRun(model=f"Other {hours}", at=DAY - timedelta(hours=hours + 1)))
    call_command("refresh_summaries")
    assert count(client, address) == few
    assert few <= BASELINE[pattern]
