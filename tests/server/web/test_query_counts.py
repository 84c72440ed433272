"""How many queries lists and pages cost, whatever they hold. Raised knowingly: the baseline is committed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from server.core.lifecycle import Provenance
from server.measurements.models import Run
from server.measurements.selectors import runs_latest
from server.model_stats.selectors import drive_metric_rows, drive_representative_run
from server.search.drive_list import DriveList, DriveQuery
from server.submissions.models import Submission
from server.submissions.selectors import run_page
from tests.support.documents import document, skippy_part, zoned_part

pytestmark = pytest.mark.django_db
BASELINE = json.loads(Path(__file__).with_name("query_counts.json").read_text())
Call = Callable[[Client, Run], Any]


def show_drives(_client: Client, _run: Run) -> Any:
    found = DriveList(DriveQuery(sort="runs", facets={"numbers": ("probe",)}))
    return [(row.drive_model.title, row.headline) for row in found.page(1)], found.facets()


def show_drive(_client: Client, run: Run) -> Any:
    model, provenance = run.drive_model, Provenance.PROBE
    return (
        drive_metric_rows(drive_model=model, provenance=provenance),
        drive_representative_run(drive_model=model, provenance=provenance),
    )


def show_latest(_client: Client, _run: Run) -> Any:
    return [
        (str(run.drive_model), run.submission.probe_key.status, run.kinds) for run in runs_latest(limit=10)
    ]


def show_run(_client: Client, run: Run) -> Any:
    page = run_page(run_id=run.run_id)
    return (
        str(page.run.drive_model),
        [row for part in page.parts for row in part.measurements],
        list(page.submission.events.all()),
    )


CALLS: dict[str, Call] = {
    "runs_latest": show_latest,
    "drives_list": show_drives,
    "drive_page": show_drive,
    "run_page": show_run,
    "submission_status": lambda client, run: client.get(f"/api/v1/submissions/{run.submission_id}/"),
}


@pytest.mark.parametrize("name", CALLS)
def test_queries_stay_at_the_baseline_however_much_there_is(
    name: str,
    client: Client,
    submit: Callable[[dict[str, Any]], Submission],
    run_jobs: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("django.db.transaction.on_commit", lambda call, **_: call())
    counts = []
    for round_number in range(2):
        for n in range(1 + 3 * round_number):
            here = 4 * round_number + n
            parts = (skippy_part(steps=150 + here), zoned_part(regions=32 + here))
            submit(
                document(*parts, model=f"SAMPLE-{round_number}-{n}", unit_digest=f"{round_number}{n}" * 32)
            )
        run_jobs()
        run = Run.objects.select_related("drive_model").latest("submission__received_at")
        with CaptureQueriesContext(
            connection,
        ) as queries:
            CALLS[name](client, run)
        counts.append(len(queries))
    assert counts[0] == counts[1], "the cost grows with what is there"
    assert counts[1] == BASELINE[name], "change tests/server/web/query_counts.json knowingly"


def test_the_baseline_names_every_call_and_nothing_else() -> None:
    assert set(BASELINE) == set(CALLS)
