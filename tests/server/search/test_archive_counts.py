"""The archive's counts: added up at most every so often, and nothing stays uncounted."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from server.core import clock
from server.search import archive_counts
from server.search.archive_counts import (
    archive_counts_deferred,
    archive_counts_settle,
    archive_counts_update,
)
from server.search.models import ArchiveCounts, ArchiveCountsDue
from server.search.summaries import summary_update
from tests.support.sample_units import measured

pytestmark = pytest.mark.django_db
EVERY_S = 15


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[datetime]:
    """A clock that stands still; its one entry is what it says."""
    settings.ARCHIVE_COUNTS_EVERY_S = EVERY_S
    now = [clock.now()]
    monkeypatch.setattr(clock, "now", lambda: now[0])
    return now


def change(commit: Any) -> None:
    run = measured(None)
    with commit(execute=True):
        summary_update(drive_model_id=run.drive_model_id)


def test_changes_that_follow_one_another_are_counted_together_by_the_scheduler(
    time: list[datetime], django_capture_on_commit_callbacks: Any
) -> None:
    change(django_capture_on_commit_callbacks)
    assert ArchiveCounts.objects.get().measured_runs == 1
    change(django_capture_on_commit_callbacks)
    change(django_capture_on_commit_callbacks)
    assert ArchiveCounts.objects.get().measured_runs == 1
    assert not archive_counts_settle()
    time[0] += timedelta(seconds=EVERY_S)
    assert archive_counts_settle()
    assert ArchiveCounts.objects.get().measured_runs == 3
    assert not ArchiveCountsDue.objects.exists()


def test_nothing_is_counted_while_nothing_is_due(time: list[datetime]) -> None:
    archive_counts_update()
    time[0] += timedelta(days=1)
    assert not archive_counts_settle()


def test_a_change_is_due_also_where_the_process_died_before_it_counted(time: list[datetime]) -> None:
    summary_update(drive_model_id=measured(1).drive_model_id)
    assert archive_counts_settle()
    assert ArchiveCounts.objects.get().measured_runs == 1


def test_a_change_that_is_taken_back_is_not_due(time: list[datetime]) -> None:
    run = measured(1)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        summary_update(drive_model_id=run.drive_model_id)
        _ = 1 / 0
    assert not archive_counts_settle()


def test_a_count_that_fails_stays_due(time: list[datetime], monkeypatch: pytest.MonkeyPatch) -> None:
    summary_update(drive_model_id=measured(1).drive_model_id)
    with monkeypatch.context() as patch:
        patch.setattr(archive_counts, "bandwidth_ranges_choose", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            archive_counts_settle()
    assert archive_counts_settle()


def test_many_changes_held_back_are_counted_once_at_the_end(
    time: list[datetime], django_capture_on_commit_callbacks: Any
) -> None:
    with archive_counts_deferred():
        change(django_capture_on_commit_callbacks)
        change(django_capture_on_commit_callbacks)
    assert not ArchiveCounts.objects.exists()
    archive_counts_update()
    assert ArchiveCounts.objects.get().measured_runs == 2
