"""Runs that are not published: nothing of them is read by their identity either."""

from __future__ import annotations

import pytest
from django.test import Client

from server.core.lifecycle import State
from tests.support.sample_archive import SampleRun, sample_run
from tests.support.sample_registry import sample_kinds_registered

pytestmark = pytest.mark.django_db
CHART = "charts/skippy/sawtooth-outer"
ADDRESSES = (
    "runs/{run}/",
    "runs/{run}/charts/",
    "runs/{run}/charts.csv",
    f"runs/{{run}}/{CHART}/",
    f"runs/{{run}}/{CHART}.ndjson",
    f"runs/{{run}}/{CHART}/?full=true",
    "runs/{run}/standing/",
    "runs/{run}/benchmarks/skippy/samples/",
)


@pytest.mark.parametrize("state", [state for state in State if state != State.PUBLISHED])
def test_no_address_of_a_run_that_is_not_published_tells_its_numbers(client: Client, state: State) -> None:
    with sample_kinds_registered():
        public = sample_run(SampleRun())
        assert client.get(f"/api/v1/runs/{public.pk}/{CHART}/").status_code == 200
        run = sample_run(SampleRun(state=state, unit="cd" * 32))
        for address in ADDRESSES:
            answer = client.get(f"/api/v1/{address.format(run=run.pk)}")
            assert answer.status_code in (404, 410), address
            assert answer.headers["Content-Type"] == "application/problem+json"
        compared = client.get(f"/api/v1/comparisons/?d=run:{run.pk}&d=run:{public.pk}")
        assert compared.status_code == 400
