"""The sweeper finds what was lost, by whatever clock it was written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings

from server.core import clock
from server.core.lifecycle import State
from server.measurements.models import Aggregate, AggregateCost, AggregateDue
from server.submissions import events, pipeline, sweeper
from server.submissions.models import Submission
from tests.server.submissions.test_life import Queue, Submit, killed, start_and_kill, states
from tests.support.documents import document, skippy_part

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("commit_at_once")]


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    moment = clock.now() + timedelta(seconds=seconds)
    monkeypatch.setattr(clock, "now", lambda: moment)


def test_the_sweeper_finds_a_lost_message(
    submit: Submit, queue: Queue, run_jobs: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submit(document())
    queue.clear()
    assert sweeper.submissions_sweep() == 0
    later(monkeypatch, settings.PIPELINE_STALE_AFTER_S + 1)
    assert sweeper.submissions_sweep() == 1
    run_jobs()
    assert states(submission)[-1] == State.PUBLISHED


def test_the_sweeper_waits_twice_as_long_each_time(
    submit: Submit, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(document())
    later(monkeypatch, settings.PIPELINE_STALE_AFTER_S + 1)
    assert sweeper.submissions_sweep() == 1
    later(monkeypatch, settings.PIPELINE_STALE_AFTER_S + 1)
    assert sweeper.submissions_sweep() == 0
    later(monkeypatch, settings.PIPELINE_STALE_AFTER_S + 1)
    assert sweeper.submissions_sweep() == 1


def test_the_sweeper_takes_up_a_run_that_was_left_half_way(
    submit: Submit, queue: Queue, run_jobs: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submit(document())
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "runs_assess", killed)
        start_and_kill(submission, 2)
    assert {part.state for part in submission.run.benchmarks.all()} == {"extracted"}
    queue.clear()
    later(monkeypatch, settings.PIPELINE_STALE_AFTER_S + 1)
    sweeper.submissions_sweep()
    run_jobs()
    assert states(submission)[-1] == State.PUBLISHED


def test_the_sweeper_finds_aggregates_whose_message_was_lost(
    submit: Submit, queue: Queue, run_jobs: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submit(document())
    pipeline.submissions_process(submission_id=submission.pk)
    queue.clear()
    assert AggregateDue.objects.count() == 1
    later(monkeypatch, settings.PIPELINE_STALE_AFTER_S + 1)
    sweeper.submissions_sweep()
    run_jobs()
    assert Aggregate.objects.exists()


def test_the_sweeper_finds_what_was_stamped_by_a_clock_that_was_ahead(
    submit: Submit, queue: Queue, run_jobs: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        later(patch, 3600)
        lost = submit(document(skippy_part()))
    queue.clear()
    assert sweeper.submissions_sweep() == 1
    assert sweeper.submissions_sweep() == 0, "it has a message now, which needs its time"
    run_jobs()
    lost.refresh_from_db()
    assert lost.state == State.PUBLISHED


def test_the_sweeper_finds_models_that_were_due_by_a_clock_that_was_ahead(
    submit: Submit, queue: Queue, run_jobs: Callable[[], None]
) -> None:
    submission = submit(document())
    pipeline.submissions_process(submission_id=submission.pk)
    queue.clear()
    ahead = clock.now() + timedelta(hours=1)
    AggregateDue.objects.update(since=ahead)
    sweeper.submissions_sweep()
    model = submission.run.drive_model_id
    assert queue == [(events.REFRESH, str(model))]
    queue.clear()
    AggregateDue.objects.update(since=clock.now(), not_before=ahead)
    sweeper.submissions_sweep()
    assert queue == [], "a large model may rest for an hour"
    AggregateCost.objects.create(drive_model_id=model, at=ahead, took_s=2.0)
    sweeper.submissions_sweep()
    assert queue == [(events.REFRESH, str(model))]
    run_jobs()
    assert Aggregate.objects.exists() and not AggregateDue.objects.exists()


def test_what_ended_is_not_swept(
    submit: Submit, run_jobs: Callable[[], None], queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(document())
    run_jobs()
    later(monkeypatch, 10 * settings.PIPELINE_STALE_AFTER_S)
    assert sweeper.submissions_sweep() == 0
    assert queue == []


def test_rejected_bytes_go_after_their_time_and_the_reasons_stay(
    post: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    post({**document(), "created_at": "2999-01-01T00:00:00Z"})
    assert sweeper.rejected_envelopes_expire() == 0
    later(monkeypatch, 86400 * (settings.REJECTED_KEEP_DAYS + 1))
    assert sweeper.rejected_envelopes_expire() == 1
    submission = Submission.objects.get()
    assert submission.storage_name == ""
    assert "2999" in submission.events.all()[0].reason
