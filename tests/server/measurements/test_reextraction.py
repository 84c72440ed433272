"""`manage.py reextract`: numbers made anew, old rows kept, what changed said."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from server.benchmarks.contract import Extraction, Kind
from server.measurements.models import Aggregate, Benchmark, Measurement
from server.submissions.models import Submission
from server.subscriptions.models import ArchiveEvent
from tests.support.documents import document, skippy_part
from tests.support.kinds import kind, measurement

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def commit_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.db.transaction.on_commit", lambda call, **_: call())


@pytest.fixture
def published(
    submit: Callable[..., Submission], run_jobs: Callable[[], None], kinds: dict[str, Kind]
) -> dict[str, Kind]:
    """One published run, extracted by version 1, and the kinds that extract the next one."""
    submit(document(skippy_part(rotation_ns=8_000_000), rotation_rate_rpm=None))
    run_jobs()
    return kinds


def doubled(_part: Any, _facts: Any) -> Extraction:
    return Extraction((measurement("skippy.longest", 42.0),), {"greatest_ns": 1})


def broken(_part: Any, _facts: Any) -> Extraction:
    raise ValueError("no such column")


def longest() -> Measurement:
    row: Measurement = Measurement.objects.get(metric="skippy.longest", extractor_version="2")
    return row


def called(*arguments: str) -> str:
    out = io.StringIO()
    call_command("reextract", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_a_new_version_writes_its_rows_beside_the_old_ones(published: dict[str, Kind]) -> None:
    before = set(Measurement.objects.values_list("pk", flat=True))
    published["skippy"] = kind("skippy", doubled, version="2")
    called()
    assert before < set(Measurement.objects.values_list("pk", flat=True))
    assert longest().value == 42.0
    assert Benchmark.objects.get(kind="skippy").extractor_version == "2"


def test_aggregates_follow_the_new_numbers(published: dict[str, Kind]) -> None:
    published["skippy"] = kind("skippy", doubled, version="2")
    called()
    assert Aggregate.objects.get(metric="skippy.longest").mean == 42.0


def test_numbers_that_changed_are_an_event_and_those_that_did_not_are_none(
    published: dict[str, Kind],
) -> None:
    events = ArchiveEvent.objects.filter(kind=ArchiveEvent.Kind.RUN_REEXTRACTED)
    called("--present")
    assert not events.exists()
    published["skippy"] = kind("skippy", doubled, version="2")
    called("--dry-run")
    assert not events.exists()
    called()
    event = events.get()
    assert event.run_id == Benchmark.objects.get(kind="skippy").run_id
    assert event.details["kind"] == "skippy" and event.details["extractor_version"] == "2"
    assert event.details["changes"] >= 1


def test_numbers_of_a_run_that_is_not_public_are_no_event(published: dict[str, Kind]) -> None:
    Submission.objects.update(state="quarantined")
    published["skippy"] = kind("skippy", doubled, version="2")
    called()
    assert longest().value == 42.0
    assert not ArchiveEvent.objects.filter(kind=ArchiveEvent.Kind.RUN_REEXTRACTED).exists()


def test_the_report_says_what_changed_and_what_is_gone(published: dict[str, Kind], tmp_path: Path) -> None:
    published["skippy"] = kind("skippy", doubled, version="2")
    text = called("--report", str(tmp_path / "report.json"))
    report = json.loads((tmp_path / "report.json").read_text())
    changes = {one["metric"]: one for one in report["changes"]}
    assert report["finished"]
    assert changes["skippy.longest"]["what"] == "value"
    assert changes["skippy.longest"]["after"] == 42.0
    assert changes["skippy.rotation_rate"]["what"] == "vanished"
    assert "skippy: 1 vanished" in text
    assert "skippy: 1 vanished" in (tmp_path / "report.json.txt").read_text()


def test_a_dry_run_changes_nothing(published: dict[str, Kind]) -> None:
    published["skippy"] = kind("skippy", doubled, version="2")
    text = called("--dry-run")
    assert "skippy: 1 value" in text
    assert set(Measurement.objects.values_list("extractor_version", flat=True)) == {"1"}
    assert Benchmark.objects.get(kind="skippy").extractor_version == "1"


def test_what_the_present_version_made_is_left_alone_unless_asked_for(published: dict[str, Kind]) -> None:
    published["skippy"] = kind("skippy", doubled, version="2")
    called()
    assert called().startswith("0 benchmarks")
    assert called("--present").startswith("1 benchmarks extracted anew, 0 changes")


def test_a_failure_leaves_the_old_numbers_in_force_and_is_said(published: dict[str, Kind]) -> None:
    published["skippy"] = replace(kind("skippy", broken), extractor_version="2")
    text = called()
    row = Benchmark.objects.get(kind="skippy")
    assert "failed with 2: ValueError: no such column" in text
    assert (row.state, row.extractor_version) == (Benchmark.State.EXTRACTED, "1")


def test_only_numbers_of_older_versions_are_due_where_that_is_asked(published: dict[str, Kind]) -> None:
    published["skippy"] = kind("skippy", doubled, version="3")
    assert called("--older-than-version", "1").startswith("0 benchmarks")
    assert called("--older-than-version", "1.5").startswith("1 benchmarks")


def test_a_report_that_was_cut_off_is_gone_on_with(published: dict[str, Kind], tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps({"finished": False, "dry_run": False, "benchmarks": 7, "changes": []}))
    published["skippy"] = kind("skippy", doubled, version="2")
    called("--report", str(path))
    assert json.loads(path.read_text())["benchmarks"] == 8


def test_a_kind_that_does_not_exist_is_refused_with_those_that_do(published: dict[str, Kind]) -> None:
    with pytest.raises(CommandError, match=r"Known kinds: .*skippy"):
        called("--kind", "skipy")
