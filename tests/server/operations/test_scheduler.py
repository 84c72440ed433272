"""The scheduler goes on where the clock is put back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from server.config.celery import app
from server.core import clock
from server.operations.scheduler import SteadyScheduler


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the tasks that the scheduler sends."""
    names: list[str] = []
    monkeypatch.setattr(SteadyScheduler, "producer", None)  # no queue is asked
    monkeypatch.setattr(
        SteadyScheduler, "apply_async", lambda _self, entry, **_: names.append(entry.task) or Sent()
    )
    return names


class Sent:
    """What sending gives."""

    id = "sample"


@pytest.fixture
def scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: list[str]) -> Iterator[SteadyScheduler]:
    """A scheduler whose clock is an hour ahead, and that has sent all it had to."""
    at(monkeypatch, timedelta(hours=1))
    made = SteadyScheduler(app, schedule_filename=str(tmp_path / "schedule"), lazy=False)
    del made.schedule["archive-counts"]  # always due in tests
    for entry in made.schedule.values():
        entry.last_run_at = entry.default_now()
    yield made
    made.close()


def at(monkeypatch: pytest.MonkeyPatch, ahead: timedelta) -> None:
    """Set the clock that Celery asks."""
    now = clock.now

    def shifted() -> datetime:
        return now() + ahead

    monkeypatch.setattr(app, "now", shifted)


def ticked(scheduler: Any, times: int) -> list[float]:
    return [scheduler.tick() for _ in range(times)]


def test_nothing_waits_for_a_clock_that_was_put_back_to_show_the_same_again(
    scheduler: SteadyScheduler, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ticked(scheduler, 1)
    assert sent == []
    at(monkeypatch, timedelta())
    assert min(ticked(scheduler, 1)) <= 60
    assert max(entry.last_run_at for entry in scheduler.schedule.values()) <= clock.now()
    at(monkeypatch, timedelta(seconds=120))
    ticked(scheduler, 3 * len(scheduler.schedule))
    assert {"submissions.sweep", "subscriptions.sweep"} <= set(sent)


def test_beat_uses_it() -> None:
    assert app.conf.beat_scheduler == "server.operations.scheduler:SteadyScheduler"
