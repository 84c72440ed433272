"""The sweeper finds what was lost, by whatever clock it was written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings

from server.core import clock
from server.core.envelope_store import StorageUnavailable
from server.core.lifecycle import State
from server.measurements.models import Aggregate, AggregateCost, AggregateDue
from server.submissions import commands, events, pipeline, sweeper, withdrawal
from server.submissions.models import Submission
from server.submissions.tasks import rejected_envelopes_expire
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
    AggregateDue.objects.update(since=clock.now(), not_before=ahead, next_sweep_at=None)
    sweeper.submissions_sweep()
    assert queue == [], "a large model may rest for an hour"
    AggregateCost.objects.create(drive_model_id=model, at=ahead, took_s=2.0)
    sweeper.submissions_sweep()
    assert queue == [(events.REFRESH, str(model))]
    run_jobs()
    assert Aggregate.objects.exists() and not AggregateDue.objects.exists()


def test_a_queue_that_is_behind_does_not_grow_by_what_is_swept(
    submit: Submit, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline.submissions_process(submission_id=submit(document()).pk)
    queue.clear()
    start = clock.now()
    for second in range(0, 3600, settings.PIPELINE_SWEEP_EVERY_S):
        with monkeypatch.context() as patch:
            moment = start + timedelta(seconds=second)
            patch.setattr(clock, "now", lambda moment=moment: moment)
            sweeper.submissions_sweep()
    assert 3 <= len(queue) <= 6, "one of 120 sweeps after 90 s, 180, 360..."


def test_models_whose_refresh_fails_for_good_leave_the_sweep_to_others(
    submit: Submit, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeper, "_BATCH", 2)
    for number in range(3):
        run = document(skippy_part(steps=150 + number), model=f"MODEL-{number}", rotation_rate_rpm=None)
        pipeline.submissions_process(submission_id=submit(run).pk)
    queue.clear()
    later(monkeypatch, settings.PIPELINE_STALE_AFTER_S + 1)
    sweeper.submissions_sweep()
    first = set(queue)
    queue.clear()
    later(monkeypatch, settings.PIPELINE_SWEEP_EVERY_S)
    sweeper.submissions_sweep()
    assert len(first) == 2 and len(queue) == 1 and not first & set(queue)


def test_bytes_that_cannot_be_removed_leave_others_to_go(
    post: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        post({**document(skippy_part(steps=150 + number)), "created_at": "2999-01-01T00:00:00Z"})
    kept = Submission.objects.order_by("digest")[0].storage_name
    remove = sweeper.envelope_delete

    def refuse(*, name: str) -> None:
        if name == kept:
            raise StorageUnavailable("AccessDenied")
        remove(name=name)

    monkeypatch.setattr(sweeper, "envelope_delete", refuse)
    later(monkeypatch, 86400 * (settings.REJECTED_KEEP_DAYS + 1))
    with pytest.raises(StorageUnavailable):
        rejected_envelopes_expire()
    assert list(Submission.objects.exclude(storage_name="").values_list("storage_name", flat=True)) == [kept]


def test_what_is_withdrawn_goes_though_other_bytes_cannot_be_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    called = []
    monkeypatch.setattr(commands, "commands_forget", lambda: 1 / 0)
    monkeypatch.setattr(withdrawal, "withdrawn_envelopes_remove", lambda: called.append("withdrawn"))
    monkeypatch.setattr(sweeper, "rejected_envelopes_expire", lambda: called.append("rejected"))
    with pytest.raises(ZeroDivisionError):
        rejected_envelopes_expire()
    assert called == ["withdrawn", "rejected"]


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
