"""The life of a submission: every state, every reason, and what happens when steps fail or come twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage
from django.db import OperationalError
from django.test import Client
from psycopg.errors import ProgramLimitExceeded

from server.accounts.models import User
from server.benchmarks.contract import Extraction, Facts
from server.core import clock
from server.core.envelope_store import envelope_delete
from server.core.lifecycle import State
from server.core.task_queue import message_send
from server.measurements import extraction
from server.measurements.models import Aggregate, AggregateDue, Benchmark, Measurement
from server.submissions import events, moderation, pipeline, sweeper
from server.submissions.models import Submission
from server.submissions.pipeline import TRANSIENT
from tests.support.documents import document, skippy_part, zoned_part
from tests.support.kinds import kind, measurement

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("commit_at_once")]
Submit = Callable[[dict[str, Any]], Submission]
Queue = list[tuple[str, str]]


def states(submission: Submission) -> list[str]:
    submission.refresh_from_db()
    return [event.state for event in submission.events.all()]


def last_reason(submission: Submission) -> str:
    event = submission.events.last()
    assert event is not None
    return event.reason


def test_a_good_run_goes_through_every_state_to_published(
    submit: Submit, run_jobs: Callable[[], None], client: Client
) -> None:
    submission = submit(document())
    run_jobs()
    assert states(submission) == ["received", "verified", "validated", "extracted", "published"]
    status = client.get(f"/api/v1/submissions/{submission.pk}/").json()
    assert (status["state"], status["queue_position"]) == ("published", None)
    assert [part["state"] for part in status["benchmarks"]] == ["extracted", "extracted"]
    assert all(event["reason"] for event in status["events"])
    assert not AggregateDue.objects.exists()


def test_a_waiting_submission_says_how_many_are_ahead(submit: Submit, client: Client) -> None:
    rows = [submit(document()) for _ in range(3)]
    status = client.get(f"/api/v1/submissions/{rows[-1].pk}/").json()
    assert (status["state"], status["queue_position"]) == ("received", 3)


def test_only_the_id_goes_into_the_queue(submit: Submit, queue: Queue) -> None:
    submission = submit(document())
    assert queue == [(events.PROCESS, str(submission.pk))]


def test_a_broker_that_is_away_does_not_lose_the_submission(
    submit: Submit, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The address of the tests' settings, at which nobody listens.
    monkeypatch.setattr(events, "message_send", message_send)
    submission = submit(document())
    assert submission.state == State.RECEIVED


def test_a_failing_extraction_holds_the_run_and_lets_the_other_kinds_end(
    submit: Submit, run_jobs: Callable[[], None], kinds: dict[str, Any]
) -> None:
    def broken(_part: Mapping[str, Any], _facts: Facts) -> Extraction:
        raise ValueError("no teeth found")

    kinds["skippy"] = kind("skippy", broken)
    submission = submit(document())
    run_jobs()
    parts = {part.kind: part.state for part in submission.run.benchmarks.all()}
    assert parts == {"skippy": "failed", "zoned": "extracted"}
    assert states(submission)[-1] == State.QUARANTINED
    assert "no teeth found" in last_reason(submission)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        (({"low": 2.0, "high": 0.5},), "is not between 2.0 and 0.5"),
        (({"low": 1.5, "high": 2.0},), "is not between 1.5 and 2.0"),
        (({}, {}), "was extracted twice"),
    ],
)
def test_numbers_that_no_row_may_hold_fail_their_kind_alone(
    submit: Submit,
    run_jobs: Callable[[], None],
    kinds: dict[str, Any],
    numbers: tuple[dict[str, float], ...],
    words: str,
) -> None:
    def contradictory(_part: Mapping[str, Any], _facts: Facts) -> Extraction:
        return Extraction(tuple(measurement("skippy.longest", 1.0, **fields) for fields in numbers))

    kinds["skippy"] = kind("skippy", contradictory)
    submission = submit(document())
    run_jobs()
    parts = {part.kind: part.state for part in submission.run.benchmarks.all()}
    assert parts == {"skippy": "failed", "zoned": "extracted"}
    assert "skippy.longest" in last_reason(submission)
    assert words in last_reason(submission)
    assert "memory" not in last_reason(submission)


def test_numbers_that_are_not_finite_become_reasons(
    submit: Submit, run_jobs: Callable[[], None], kinds: dict[str, Any]
) -> None:
    def odd(_part: Mapping[str, Any], _facts: Facts) -> Extraction:
        return Extraction((measurement("skippy.longest", float("nan")),), {"x": float("inf"), "y": (1, 2)})

    kinds["skippy"] = kind("skippy", odd)
    submission = submit(document(skippy_part()))
    run_jobs()
    row = Measurement.objects.get()
    assert (row.value, row.quality) == (None, "none")
    assert row.reason
    assert submission.run.benchmarks.get().details == {"x": None, "y": [1, 2]}


def test_every_step_may_come_twice(submit: Submit, run_jobs: Callable[[], None], queue: Queue) -> None:
    submission = submit(document())
    queue.append(queue[0])
    run_jobs()
    before = list(Measurement.objects.values_list("pk", "value"))
    pipeline.submissions_process(submission_id=submission.pk)
    queue.append((events.PROCESS, str(submission.pk)))
    run_jobs()
    assert states(submission) == ["received", "verified", "validated", "extracted", "published"]
    assert list(Measurement.objects.values_list("pk", "value")) == before


class Killed(BaseException):
    """Stands for SIGKILL: nothing of ours gets to handle it."""


def killed(*_: Any, **__: Any) -> None:
    raise Killed


def start_and_kill(submission: Submission, times: int) -> None:
    for _ in range(times):
        with pytest.raises(Killed):
            pipeline.submissions_process(submission_id=submission.pk)


def test_a_kind_that_kills_its_worker_is_given_up_and_leaves_the_others(
    submit: Submit, run_jobs: Callable[[], None], kinds: dict[str, Any]
) -> None:
    kinds["skippy"] = kind("skippy", killed)
    submission = submit(document())
    start_and_kill(submission, settings.PIPELINE_MAX_ATTEMPTS)
    run_jobs()
    parts = {part.kind: part.state for part in submission.run.benchmarks.all()}
    assert parts == {"skippy": "failed", "zoned": "extracted"}
    assert states(submission)[-1] == State.QUARANTINED
    assert "never ended" in last_reason(submission)


@pytest.mark.parametrize("step", ["extract", "charts"])
def test_a_document_that_takes_for_ever_holds_up_those_beside_it_for_a_moment_only(
    submit: Submit, kinds: dict[str, Any], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(extraction, "LEAST_S", 0.3)
    other = submit(document(zoned_part()))

    def forever(*_: Any) -> Any:
        while True:
            pass

    kinds["skippy"] = kind("skippy", **{step: forever})
    poison = submit(document(skippy_part()))
    pipeline.submissions_process(submission_id=poison.pk)
    assert states(other)[-1] == State.PUBLISHED
    assert states(poison)[-1] == (State.QUARANTINED if step == "extract" else State.PUBLISHED)
    assert ("s of processor time and was stopped" in last_reason(poison)) == (step == "extract")


def test_checks_that_kill_their_worker_are_stopped_and_say_so(
    submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submit(document())
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "runs_assess", killed)
        # The first start is that of all steps, and the second one ends the kinds.
        start_and_kill(submission, settings.PIPELINE_MAX_ATTEMPTS + 2)
    pipeline.submissions_process(submission_id=submission.pk)
    assert states(submission)[-1] == State.QUARANTINED
    assert "never ended" in last_reason(submission)
    assert {part.state for part in submission.run.benchmarks.all()} == {"extracted"}


def test_a_reading_that_never_ends_is_stopped_and_says_so(submit: Submit) -> None:
    submission = submit(document())
    Submission.objects.update(attempts=settings.PIPELINE_MAX_ATTEMPTS)
    pipeline.submissions_process(submission_id=submission.pk)
    assert states(submission)[-1] == State.QUARANTINED


def test_a_lost_envelope_is_stated_not_hidden(submit: Submit, run_jobs: Callable[[], None]) -> None:
    submission = submit(document())
    envelope_delete(name=submission.storage_name)
    for _ in range(settings.PIPELINE_MAX_ATTEMPTS - 1):
        pipeline.submissions_process(submission_id=submission.pk)
        assert states(submission) == ["received"]
    run_jobs()
    assert states(submission)[-1] == State.QUARANTINED
    assert "backup" in last_reason(submission)


def test_a_folder_that_was_not_mounted_for_a_while_holds_no_run_for_a_person(
    submit: Submit, run_jobs: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = [submit(document(skippy_part(steps=150 + number))) for number in range(3)]

    def nothing_there(_storage: InMemoryStorage, name: str, _mode: str = "rb") -> None:
        raise FileNotFoundError(name)

    with monkeypatch.context() as patch:
        patch.setattr(InMemoryStorage, "open", nothing_there)
        run_jobs()
    assert {tuple(states(one)) for one in waiting} == {("received",)}
    later = clock.now() + timedelta(seconds=settings.PIPELINE_STALE_AFTER_S + 1)
    monkeypatch.setattr(clock, "now", lambda: later)
    sweeper.submissions_sweep()
    run_jobs()
    assert {states(one)[-1] for one in waiting} == {State.PUBLISHED}


def test_a_file_that_came_cut_off_is_read_again(
    submit: Submit, run_jobs: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Object storage may answer 200 and end early, behind a proxy that gives no length."""
    submission = submit(document())
    whole = InMemoryStorage.open

    def cut_off(storage: InMemoryStorage, name: str, mode: str = "rb") -> Any:
        return ContentFile(whole(storage, name, mode).read()[:-40])

    with monkeypatch.context() as patch:
        patch.setattr(InMemoryStorage, "open", cut_off)
        run_jobs()
    assert states(submission) == ["received"]
    pipeline.submissions_process(submission_id=submission.pk)
    assert states(submission)[-1] == State.PUBLISHED


def test_a_database_that_is_away_is_tried_again_not_failed(
    submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submit(document(skippy_part()))

    def away(*_: Any) -> None:
        raise OperationalError("away")

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "envelope_of", away)
        with pytest.raises(OperationalError):
            pipeline.submissions_process(submission_id=submission.pk)
    assert submission.run.benchmarks.get().state == Benchmark.State.PENDING
    pipeline.submissions_process(submission_id=submission.pk)
    assert states(submission)[-1] == State.PUBLISHED


def test_a_storage_that_is_away_for_long_holds_no_run_for_a_person(
    submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submit(document(skippy_part()))

    def refused(*_: Any, **__: Any) -> None:
        raise ReadTimeoutError  # no OSError, as those of object stores are not

    with monkeypatch.context() as patch:
        patch.setattr(InMemoryStorage, "open", refused)
        for _ in range(settings.PIPELINE_MAX_ATTEMPTS + 3):
            with pytest.raises(TRANSIENT):
                pipeline.submissions_process(submission_id=submission.pk)
    assert states(submission) == ["received"]
    assert submission.run.benchmarks.get().attempts == 0
    pipeline.submissions_process(submission_id=submission.pk)
    assert states(submission)[-1] == State.PUBLISHED


def test_a_document_that_the_database_cannot_take_is_held_after_some_tries(
    submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submit(document(skippy_part()))

    def too_large(*_: Any) -> None:
        raise OperationalError("too large for an index") from ProgramLimitExceeded()

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "envelope_of", too_large)
        for _ in range(settings.PIPELINE_MAX_ATTEMPTS):
            with pytest.raises(OperationalError):
                pipeline.submissions_process(submission_id=submission.pk)
        pipeline.submissions_process(submission_id=submission.pk)
    assert states(submission)[-1] == State.QUARANTINED


class ReadTimeoutError(Exception):
    """Stands for what the library of an object store raises."""


def test_a_run_beside_one_that_the_storage_kept_back_is_published(
    submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_back, other = submit(document(skippy_part())), submit(document(skippy_part(steps=170)))
    opened = InMemoryStorage.open

    def open_some(storage: InMemoryStorage, name: str, mode: str = "rb") -> Any:
        if name == kept_back.storage_name:
            raise ReadTimeoutError
        return opened(storage, name, mode)

    with monkeypatch.context() as patch:
        patch.setattr(InMemoryStorage, "open", open_some)
        with pytest.raises(TRANSIENT):
            pipeline.submissions_process(submission_id=other.pk)
    assert states(other)[-1] == State.PUBLISHED
    assert states(kept_back) == ["received"] and kept_back.attempts == 0


def test_the_raw_envelope_and_document_come_back_byte_for_byte(
    submit: Submit, run_jobs: Callable[[], None], client: Client
) -> None:
    from server.core.envelope import sha256_hex

    submission = submit(document(zoned_part()))
    run_jobs()
    envelope = client.get(f"/api/v1/runs/{submission.run.run_id}/envelope/")
    assert sha256_hex(envelope.content) == submission.digest
    raw = client.get(f"/api/v1/runs/{submission.run.run_id}/document/")
    assert raw.json()["run_id"] == str(submission.run.run_id)


REASON = "Looked at the evidence in a test."


def curator() -> User:
    return User.objects.get_or_create(username="a-curator", is_superuser=True)[0]


def held(submit: Submit, run_jobs: Callable[[], None]) -> Submission:
    submission = submit(document(skippy_part(), rotation_rate_rpm=5400))
    run_jobs()
    submission.refresh_from_db()
    assert submission.state == State.QUARANTINED
    return submission


def test_a_held_run_that_is_released_is_published_and_counts(
    submit: Submit, run_jobs: Callable[[], None]
) -> None:
    submission = held(submit, run_jobs)
    moderation.submission_accept(submission, by=curator(), reason=REASON)
    run_jobs()
    assert states(submission)[-1] == State.PUBLISHED
    assert last_reason(submission) == f"Accepted by a moderator: {REASON}"
    assert Aggregate.objects.exists()


def test_a_held_run_may_be_started_over(
    submit: Submit, run_jobs: Callable[[], None], kinds: dict[str, Any]
) -> None:
    good = kinds["skippy"]
    kinds["skippy"] = kind("skippy", lambda _part, _facts: 1 / 0)  # type: ignore[arg-type, return-value]
    submission = submit(document(skippy_part()))
    run_jobs()
    kinds["skippy"] = good
    submission.refresh_from_db()
    moderation.submission_restart(submission, by=curator(), reason=REASON)
    run_jobs()
    assert states(submission)[-1] == State.PUBLISHED


def test_only_a_held_run_waits_for_a_decision(submit: Submit, run_jobs: Callable[[], None]) -> None:
    submission = held(submit, run_jobs)
    moderation.submission_reject(submission, by=curator(), reason=REASON)
    with pytest.raises(moderation.NotQuarantined):
        moderation.submission_accept(submission, by=curator(), reason=REASON)
    assert states(submission)[-1] == State.REJECTED
