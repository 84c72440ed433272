"""Small runs go through together: they share queries and a transaction, and no one's fault is another's."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from server.benchmarks.contract import Extraction, Facts
from server.core.lifecycle import State
from server.measurements.models import AggregateDue, Benchmark, Measurement
from server.model_stats.refresh import refresh_model
from server.plausibility.models import CheckResult
from server.submissions import events, pipeline
from server.submissions.models import Submission, SubmissionEvent
from server.transparency.models import LogLeaf
from tests.support.documents import document, skippy_part
from tests.support.kinds import kind, measurement

pytestmark = pytest.mark.django_db
Submit = Callable[[dict[str, Any]], Submission]
QUERIES = 45
"""Of a batch, whatever its size."""


@pytest.fixture
def batch(submit: Submit) -> list[Submission]:
    """Four small submissions of one model's drives, each with samples of its own."""
    return [
        submit(document(skippy_part(steps=150 + number), unit_digest=f"{number:064x}")) for number in range(4)
    ]


def state_of(submission: Submission) -> str:
    submission.refresh_from_db()
    return submission.state


def fails_for(steps: int, trouble: Callable[[], Extraction]) -> Callable[..., Extraction]:
    """Return an extraction that goes wrong for the run of so many steps."""

    def extract(part: Mapping[str, Any], _facts: Facts) -> Extraction:
        if len(part["samples"]["series"][0]["step_blocks"]) == steps:
            return trouble()
        return Extraction((measurement("skippy.longest", 1.0),), {})

    return extract


def test_one_message_takes_all_small_runs_that_wait(batch: list[Submission]) -> None:
    pipeline.submissions_process(submission_id=batch[2].pk)
    assert [state_of(one) for one in batch] == [State.PUBLISHED] * 4
    for one in batch:
        states = [event.state for event in one.events.all()]
        assert states == ["received", "verified", "validated", "extracted", "published"]
    assert LogLeaf.objects.count() == 4
    assert AggregateDue.objects.get().changes == 1


def test_a_batch_costs_no_more_queries_than_one_run(submit: Submit, batch: list[Submission]) -> None:
    with CaptureQueriesContext(connection) as of_four:
        pipeline.submissions_process(submission_id=batch[0].pk)
    alone = submit(document(skippy_part(steps=170), unit_digest=f"{9:064x}"))
    with CaptureQueriesContext(connection) as of_one:
        pipeline.submissions_process(submission_id=alone.pk)
    assert len(of_four) <= len(of_one) + 2 <= QUERIES


def test_the_messages_of_runs_that_are_through_change_nothing(batch: list[Submission]) -> None:
    pipeline.submissions_process(submission_id=batch[0].pk)
    before = SubmissionEvent.objects.count(), Measurement.objects.count(), CheckResult.objects.count()
    for one in batch:
        assert pipeline.submissions_process(submission_id=one.pk) == []
    assert before == (
        SubmissionEvent.objects.count(),
        Measurement.objects.count(),
        CheckResult.objects.count(),
    )


def test_an_extraction_that_fails_holds_its_run_alone(batch: list[Submission], kinds: dict[str, Any]) -> None:
    kinds["skippy"] = kind("skippy", fails_for(151, lambda: 1 / 0))  # type: ignore[arg-type, return-value]
    pipeline.submissions_process(submission_id=batch[0].pk)
    assert [state_of(one) for one in batch] == ["published", "quarantined", "published", "published"]


def test_rows_that_the_database_refuses_stop_their_run_alone(
    batch: list[Submission], kinds: dict[str, Any], queue: list[tuple[str, str]]
) -> None:
    refused = Extraction((measurement("skippy.longest", 1.0, count=-1),), {})
    kinds["skippy"] = kind("skippy", fails_for(151, lambda: refused))
    with pytest.raises(IntegrityError):
        pipeline.submissions_process(submission_id=batch[0].pk)
    assert [state_of(one) for one in batch] == ["published", "validated", "published", "published"]
    assert batch[1].run.benchmarks.get().state == Benchmark.State.PENDING


def test_a_storage_that_lacks_one_envelope_stops_its_run_alone(
    batch: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = pipeline.envelope_of

    def unreadable(submission: Submission) -> Any:
        if submission.pk == batch[3].pk:
            raise OSError("input/output error")
        return real(submission)

    with monkeypatch.context() as patch, pytest.raises(OSError):
        patch.setattr(pipeline, "envelope_of", unreadable)
        pipeline.submissions_process(submission_id=batch[0].pk)
    assert [state_of(one) for one in batch] == ["published", "published", "published", "received"]
    pipeline.submissions_process(submission_id=batch[3].pk)
    assert state_of(batch[3]) == State.PUBLISHED


def test_runs_whose_batch_was_killed_go_on_one_by_one(
    batch: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        """Stands for SIGKILL."""

    def killed(_works: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(pipeline, "_write", killed)
        pipeline.submissions_process(submission_id=batch[0].pk)
    assert {state_of(one) for one in batch} == {State.RECEIVED}
    assert pipeline.submissions_process(submission_id=batch[1].pk) == [State.PUBLISHED]
    assert [state_of(one) for one in batch] == ["received", "published", "received", "received"]


def test_what_is_published_while_a_model_is_computed_leaves_it_due(
    batch: list[Submission], monkeypatch: pytest.MonkeyPatch, queue: list[tuple[str, str]]
) -> None:
    pipeline.submissions_process(submission_id=batch[0].pk)
    model = batch[0].run.drive_model_id
    monkeypatch.setattr("server.model_stats.refresh.summary_update", lambda **_: events.models_due([model]))
    refresh_model(drive_model_id=model)
    assert AggregateDue.objects.get().changes == 1
    monkeypatch.undo()
    refresh_model(drive_model_id=model)
    assert not AggregateDue.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_one_submission_publish_it_once(submit: Submit, kinds: dict[str, Any]) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(_part: Mapping[str, Any], _facts: Facts) -> Extraction:
        begun.set()
        assert go_on.wait(30)
        return Extraction((measurement("skippy.longest", 1.0),), {})

    kinds["skippy"] = kind("skippy", slow)
    submission = submit(document(skippy_part()))
    found: list[list[State]] = []

    def work() -> None:
        try:
            found.append(pipeline.submissions_process(submission_id=submission.pk))
        finally:
            connection.close()

    first = threading.Thread(target=work)
    first.start()
    assert begun.wait(30)
    second = threading.Thread(target=work)
    second.start()
    second.join(30)
    assert found == [[]]
    go_on.set()
    first.join(30)
    assert found == [[], [State.PUBLISHED]]
    assert state_of(submission) == State.PUBLISHED
    assert Measurement.objects.count() == 1
    assert LogLeaf.objects.count() == 1


def test_many_submissions_are_announced_by_one_message_until_a_worker_looks(
    submit: Submit, queue: list[tuple[str, str]], django_capture_on_commit_callbacks: Any
) -> None:
    def send(*numbers: int) -> list[Submission]:
        with django_capture_on_commit_callbacks(execute=True):
            return [submit(document(skippy_part(steps=150 + number))) for number in numbers]

    first, *_others = send(0, 1, 2)
    assert queue == [(events.PROCESS, str(first.pk))]
    assert len(pipeline.submissions_process(submission_id=first.pk)) == 3
    (later,) = send(3)
    assert queue == [(events.PROCESS, str(one.pk)) for one in (first, later)]


def test_a_message_that_is_lost_is_followed_by_another_one(
    submit: Submit, queue: list[tuple[str, str]], django_capture_on_commit_callbacks: Any
) -> None:
    for number in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            submit(document(skippy_part(steps=150 + number)))
        events.announced_forget()  # as it ends by itself
    assert len(queue) == 2


def test_a_full_batch_calls_the_next_worker(
    batch: list[Submission],
    queue: list[tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    monkeypatch.setattr(pipeline, "BATCH", 3)
    queue.clear()
    while True:
        with django_capture_on_commit_callbacks(execute=True):
            done = pipeline.submissions_process(submission_id=batch[0].pk)
        if not done:
            break
    assert [state_of(one) for one in batch] == [State.PUBLISHED] * 4
    assert [task for task, _id in queue].count(events.PROCESS) == 1


def test_a_worker_waits_a_moment_for_more_and_calls_the_next_at_once(
    batch: list[Submission], monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    sent: list[float | None] = []
    monkeypatch.setattr(events, "message_send", lambda *_, **options: sent.append(options.get("countdown")))
    monkeypatch.setattr(pipeline, "BATCH", 3)
    events.announced_forget()
    with django_capture_on_commit_callbacks(execute=True):
        events.submission_announce(batch[0])
    with django_capture_on_commit_callbacks(execute=True):
        pipeline.submissions_process(submission_id=batch[0].pk)
    assert sent[:2] == [events.LINGER_S, 0.0]
    assert [state_of(one) for one in batch].count(State.RECEIVED) == 1
