"""What `diskatlas import` makes of other tools' output, from the probe to the archive's pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from server.core.lifecycle import State
from server.measurements.models import Aggregate
from server.submissions.models import Submission
from tests.server.submissions.test_life import Queue
from tests.support.documents import document, envelope
from tests.support.probe import Probe
from tools.fio_plot_runs import runs_import

pytestmark = [pytest.mark.django_db]
DATA = Path(__file__).parents[3] / "client/probe/tests/data/import"
FALLING = "zcav-falling.txt"
OUTPUTS = {
    "hdparm": ("hdparm-direct.txt",),
    "zcav": (FALLING,),
    "hdtune": ("hdtune.txt",),
    "fio": ("fio-json-plus.json", "reads_lat.1.log"),
}


def falling(folder: Path) -> Path:
    """Write the rates of the sample in the order of a disk's: it was taken of a file, which has no zones."""
    lines = (DATA / "zcav.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    rates = sorted((row[1:] for row in rows), key=lambda rate: -float(rate[0]))
    told = [" ".join([row[0], *rate]) for row, rate in zip(rows, rates, strict=True)]
    path = folder / FALLING
    path.write_text("\n".join([*lines[:2], *told, lines[-1], ""]), encoding="utf-8")
    return path


def imported(probe: Probe, output: Path, *names: str) -> bytes:
    files = [falling(output.parent) if name == FALLING else DATA / name for name in names]
    identity = ("--identity", DATA / "identity.json", "--license", "CC0-1.0", "-o", output)
    done = probe.call("import", *files, *identity)
    assert done.returncode == 0, done.stderr
    return output.read_bytes()


@pytest.mark.probe
def test_imports_of_every_tool_are_published_apart(
    probe: Probe,
    client: Client,
    queue: Queue,
    run_jobs: Callable[[], None],
    django_capture_on_commit_callbacks: Any,
    tmp_path: Path,
) -> None:
    for tool, names in OUTPUTS.items():
        body = imported(probe, tmp_path / f"{tool}.json", *names)
        with django_capture_on_commit_callbacks(execute=True):
            answer = client.post("/api/v1/submissions/", data=body, content_type="application/json")
        assert answer.status_code == 202, answer.content
        run_jobs()
        submission = Submission.objects.get(pk=answer.json()["id"])
        reasons = [event.reason for event in submission.events.all()]
        assert submission.state == State.PUBLISHED, (tool, reasons)
    runs = client.get("/api/v1/runs/?provenance=imported").json()["results"]
    assert len(runs) == len(OUTPUTS)
    assert client.get("/api/v1/runs/?provenance=probe").json()["results"] == []
    numbers = client.get("/api/v1/measurements/?provenance=imported&limit=500").json()["results"]
    assert "good" not in {number["quality"] for number in numbers}
    rates = [one for one in numbers if (one["metric"], one["scope"]) == ("random_io.iops", "read/4096/p1")]
    assert rates[0]["value"] == pytest.approx(1500 / 0.201)
    assert set(Aggregate.objects.values_list("provenance", flat=True)) == {"imported"}
    page = client.get(f"/runs/{submission.run.run_id}/").content.decode()
    assert "Imported from fio (fio-3.33) output" in page


@pytest.mark.probe
def test_real_measurements_of_three_disks_are_published(
    probe: Probe,
    client: Client,
    queue: Queue,
    run_jobs: Callable[[], None],
    django_capture_on_commit_callbacks: Any,
    tmp_path: Path,
) -> None:
    def call(arguments: list[str]) -> None:
        done = probe.call(*arguments)
        assert done.returncode == 0, done.stderr

    for name, file in runs_import(tmp_path, call):
        with django_capture_on_commit_callbacks(execute=True):
            answer = client.post(
                "/api/v1/submissions/", data=file.read_bytes(), content_type="application/json"
            )
        assert answer.status_code == 202, answer.content
        run_jobs()
        submission = Submission.objects.get(pk=answer.json()["id"])
        assert submission.state == State.PUBLISHED, (name, list(submission.events.values_list("reason")))
    numbers = client.get(
        "/api/v1/measurements/?provenance=imported&metric=random_io.iops&scope=read/4096/p1"
    ).json()["results"]
    # fio's own numbers in the files.
    assert sorted(round(one["value"], 2) for one in numbers) == [58.58, 65.64, 72.05, 122.97]
    runs = client.get("/api/v1/runs/?provenance=imported").json()["results"]
    assert len(runs) == 4
    page = client.get(f"/runs/{submission.run.run_id}/").content.decode()
    assert "Copyright (c) 2017 Louwrentius, BSD 3-Clause" in page


def test_a_document_that_hides_or_invents_its_source_is_refused(client: Client, queue: Queue) -> None:
    hidden = document(provenance="imported")
    invented = document() | {
        "imported": {
            "tool": "fio",
            "tool_version": None,
            "measured_at": None,
            "files": [{"format": "fio-json", "sha256": "ab" * 32, "size_bytes": 1}],
            "remarks": [],
        }
    }
    for wrong in (hidden, invented):
        body = envelope(wrong)
        answer = client.post("/api/v1/submissions/", data=body, content_type="application/json")
        assert answer.status_code == 422, answer.content
        assert "/imported" in answer.content.decode()
