"""Each page costs as many queries as the committed baseline says, whatever the archive holds.

`make query-baseline` writes the baseline anew: a page that costs more does so knowingly.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import Count
from django.test import Client
from django.test.utils import CaptureQueriesContext

from server.catalog.models import DriveModel
from server.measurements.models import Run
from server.search.model_index import model_index
from tools.sample_archive import chunks, plan

pytestmark = pytest.mark.django_db
BASELINE = Path(__file__).with_name("query_baseline.json")
PAGES = {
    "home": "/",
    "drives": "/drives/",
    "search": "/drives/?q=sample",
    "search without a hit": "/drives/?q=zzqqxx",
    "drive": "/drives/{first}/",
    "compare": "/compare/?d={first}&d={second}",
    "claims": "/claims/",
    "run": "/runs/{run}/",
    "chart": "/runs/{run}/charts/zoned/profile.json",
    "method": "/methods/zoned/",
    "drives of the API": "/api/v1/drives/?limit=5",
    "runs of the API": "/api/v1/runs/?limit=5",
}


def counts(client: Client, places: Mapping[str, Any]) -> dict[str, int]:
    found = {}
    for name, pattern in PAGES.items():
        address = pattern.format(**places)
        client.get(address)  # What is cached or drawn once is there from the second time on.
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200, address
        found[name] = len(queries)
    return found


def places() -> dict[str, Any]:
    models = DriveModel.objects.filter(simulated=False).annotate(n=Count("runs")).order_by("-n", "pk")
    first, second = models[:2]
    run = Run.objects.filter(drive_model=first).annotate(n=Count("benchmarks")).order_by("-n", "pk").first()
    return {"first": first.slug, "second": second.slug, "run": run.pk if run else None}


@pytest.mark.parametrize("runs", [30, 300])
def test_pages_cost_the_queries_of_the_baseline(
    client: Client, monkeypatch: pytest.MonkeyPatch, runs: int
) -> None:
    # Equal drives are extracted once: this is about rows, not about samples.
    for spread in ("BETWEEN_MODELS", "BETWEEN_UNITS"):
        monkeypatch.setattr(plan, spread, 0.0)
    # Every run measures every kind, so that no number rests on one run, of which pages say more.
    for module in (plan, chunks):
        monkeypatch.setattr(module, "SUITES", ((1.0, plan.SUITES[-1][1]),))
    call_command("seed_archive", models=4, units=runs // 3, runs=runs, processes=0, verbosity=0)
    found = counts(client, places())
    if os.environ.get("DISKATLAS_WRITE_BASELINE"):
        BASELINE.write_text(json.dumps(found, indent=2) + "\n")
    expected = json.loads(BASELINE.read_text())
    if model_index().trigram_index:
        for name in ("search", "search without a hit"):
            expected[name] += 2  # how similar names have to be, and which are
    assert found == expected
