"""The doctor says what is wrong, what to do, and by its exit code whether anything is."""

from __future__ import annotations

import io
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import call_command

from server.core import clock
from server.operations import doctor, readiness
from server.operations.doctor import Level, installation_examine
from server.submissions.models import Submission
from tests.support.sample_archive import sample_run

pytestmark = pytest.mark.django_db


def words(**options: bool) -> str:
    return "\n".join(map(str, installation_examine(**options)))


@pytest.fixture(autouse=True)
def answering(monkeypatch: pytest.MonkeyPatch) -> None:
    """All parts answer, and no worker is asked: tests say what is away."""
    monkeypatch.setattr(doctor, "PARTS", dict.fromkeys(readiness.PARTS, lambda: None))
    monkeypatch.setattr(doctor.current_app.control, "ping", lambda timeout: [{"worker@one": {}}])
    taken(monkeypatch, *doctor.current_app.amqp.queues)
    monkeypatch.setattr(doctor, "queue_policy", lambda: "noeviction")
    monkeypatch.setattr(doctor, "cache_policy", lambda: "allkeys-lru")


def taken(monkeypatch: pytest.MonkeyPatch, *queues: str) -> None:
    """Have the worker take these queues."""

    class Inspect:
        def __init__(self, timeout: float) -> None:
            assert timeout > 0

        def active_queues(self) -> dict[str, list[dict[str, str]]]:
            return {"worker@one": [{"name": name} for name in queues]}

    monkeypatch.setattr(doctor.current_app.control, "inspect", Inspect)


def test_a_queue_that_no_worker_takes_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No worker takes" not in words()
    taken(monkeypatch, "ingest", "extract", "refresh", "export")
    assert "error: No worker takes the queue deliver. Add it to the WORKER_QUEUES of one." in words()


def test_a_part_that_is_away_is_one_line_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise ConnectionError("refused")

    monkeypatch.setitem(doctor.PARTS, "database", away)
    found = words()
    assert "error: The database does not answer (ConnectionError: refused). Start PostgreSQL" in found
    assert "migrations" not in found


def test_no_worker_and_no_scheduler_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.current_app.control, "ping", lambda timeout: [])
    found = words()
    assert "error: No worker answers." in found
    assert "error: The sweeper did not run within" in found


def test_a_queue_that_forgets_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "queue_policy", lambda: "allkeys-lru")
    assert "error: The queue's Redis forgets what it holds when it is full (allkeys-lru)." in words()


def test_a_submission_that_waits_and_an_envelope_that_is_gone_are_told() -> None:
    submission = sample_run().submission
    Submission.objects.filter(pk=submission.pk).update(
        received_at=clock.now() - timedelta(hours=2), state="received", storage_name="aa/bb/gone.json.zst"
    )
    found = words()
    assert "error: 1 submissions came more than an hour ago and are not through." in found
    assert "such as aa/bb/gone.json.zst" in found


def test_a_log_key_that_others_may_read_is_told(settings: LazySettings, tmp_path: Path) -> None:
    settings.LOG_KEY = None
    settings.LOG_KEY_FILE = tmp_path / "log-key"
    settings.LOG_KEY_FILE.write_text("BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n")
    settings.LOG_KEY_FILE.chmod(0o644)
    assert f"Run `chmod 600 {settings.LOG_KEY_FILE}`." in words()


def test_what_one_examination_raises_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> list[doctor.Finding]:
        raise RuntimeError("no such table")

    monkeypatch.setattr(doctor, "EXAMINATIONS", (({"database"}, broken), *doctor.EXAMINATIONS))
    found = words(full=True)
    assert "Could not look at broken (RuntimeError: no such table)." in found
    assert "The sweeper did not run" in found


def test_the_exit_code_says_whether_there_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    said = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("doctor", stdout=said)
    assert ended.value.code == 1
    lines = said.getvalue().splitlines()
    assert lines[0].startswith("error: ") and lines[-1].endswith(" warnings.")

    harmless = [doctor.Finding(Level.WARNING, "It rains.", "Take a coat.")]
    monkeypatch.setattr(
        "server.operations.management.commands.doctor.installation_examine", lambda full: harmless
    )
    said = io.StringIO()
    call_command("doctor", stdout=said)
    assert said.getvalue() == "warning: It rains. Take a coat.\n0 errors, 1 warnings.\n"
