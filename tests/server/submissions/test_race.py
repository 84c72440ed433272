"""Senders at the same moment: one run, one submission, whoever comes first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count

from server.catalog.models import DriveModel
from server.core.lifecycle import State
from server.core.problems import Problem
from server.measurements.models import AggregateDue, Measurement, Run
from server.model_stats import tasks
from server.model_stats.refresh import refresh_model
from server.submissions.intake import submission_receive
from server.submissions.models import Submission, SubmissionEvent
from server.submissions.pipeline import submissions_process
from server.transparency.models import LogLeaf
from tests.support.documents import document, envelope, skippy_part

pytestmark = pytest.mark.django_db(transaction=True)
SENDERS = 6


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """Do all calls in threads that start together; return results or exceptions in order."""
    barrier = threading.Barrier(len(calls))
    results: list[Any] = [None] * len(calls)

    def one(index: int) -> None:
        barrier.wait()
        try:
            results[index] = calls[index]()
        except Exception as error:
            results[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=one, args=(index,)) for index in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_the_same_bytes_from_many_senders_make_one_submission(kinds: Any, queue: list[Any]) -> None:
    body = envelope(document())
    results = at_once([lambda: submission_receive(content=body)] * SENDERS)
    assert {result.submission_id for result in results} == {Submission.objects.get().pk}
    assert [result.created for result in results].count(True) == 1
    assert Run.objects.count() == 1
    assert len(queue) == 1


def test_of_many_documents_with_one_run_id_one_wins_and_the_others_are_told(
    kinds: Any, queue: list[Any]
) -> None:
    first = document()
    bodies = [envelope({**first, "created_at": f"2026-01-02T03:04:{n:02}Z"}) for n in range(SENDERS)]
    results = at_once([lambda body=body: submission_receive(content=body) for body in bodies])  # type: ignore[misc]
    refused = [result for result in results if isinstance(result, Problem)]
    assert {trouble.type.slug for trouble in refused} == {"run-id-taken"}
    assert len(refused) == SENDERS - 1
    assert Run.objects.count() == 1
    assert Submission.objects.count() == 1


def test_new_models_whose_names_look_alike_get_different_addresses_even_at_once(
    kinds: Any, queue: list[Any]
) -> None:
    bodies = [envelope(document(model=f"MODEL{'!' * n}X{n % 2}")) for n in range(SENDERS)]
    results = at_once([lambda body=body: submission_receive(content=body) for body in bodies])  # type: ignore[misc]
    assert not [result for result in results if isinstance(result, Exception)]
    assert DriveModel.objects.count() == 2


def test_one_message_at_several_workers_at_once_is_one_publication(kinds: Any, queue: list[Any]) -> None:
    received = [
        submission_receive(content=envelope(document(skippy_part(steps=150 + number)))) for number in range(3)
    ]
    calls = [
        lambda pk=one.submission_id: submissions_process(submission_id=pk)  # type: ignore[misc]
        for one in received
        for _ in range(2)
    ]
    results = at_once(calls)
    assert [one for one in results if isinstance(one, Exception)] == []
    # Whoever found all of them taken did nothing; what one left another has.
    for one in received:
        submissions_process(submission_id=one.submission_id)
        ends = SubmissionEvent.objects.filter(submission=one.submission_id, state=State.PUBLISHED)
        assert ends.count() == 1
    assert LogLeaf.objects.count() == 3
    numbers = Measurement.objects.values("benchmark", "metric", "scope").annotate(times=Count("pk"))
    assert numbers.exists() and not numbers.filter(times__gt=1).exists()


def test_one_refresh_message_at_several_workers_at_once_computes_the_model_once(
    kinds: Any, queue: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    received = submission_receive(content=envelope(document(skippy_part())))
    submissions_process(submission_id=received.submission_id)
    model = AggregateDue.objects.get().drive_model_id
    computed = []

    def compute(*, drive_model_id: int, charts: bool) -> int:
        computed.append(drive_model_id)
        return refresh_model(drive_model_id=drive_model_id, charts=charts)

    monkeypatch.setattr(tasks, "refresh_model", compute)
    results = at_once([lambda: tasks.model_refresh(str(model))] * 4)
    assert [one for one in results if isinstance(one, Exception)] == []
    assert computed == [model]
    assert not AggregateDue.objects.exists()
