"""The archive refuses what it could not keep a promise about, and says when to come again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import LazySettings

from server.submissions import backpressure, events
from server.submissions.models import Submission
from tests.support.documents import document, envelope, skippy_part

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def counted_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each upload count what waits."""
    monkeypatch.setattr(backpressure, "BACKLOG_KEEP_S", 0.0)
    monkeypatch.setitem(backpressure._backlog, "until", 0.0)


def test_an_upload_is_refused_while_too_many_wait_and_taken_after(
    post: Callable[..., Any], run_jobs: Callable[[], None], settings: LazySettings
) -> None:
    settings.SUBMISSIONS_WAITING_MAX = 1
    first = envelope({**document(), "license": "CC0-1.0"})
    assert post(first).status_code == 202
    other = envelope({**document(skippy_part(steps=140)), "license": "CC0-1.0"})
    refused = post(other)
    assert refused.status_code == 503
    assert refused.headers["Retry-After"] == "60"
    assert refused.json()["type"].endswith("/problems/overloaded/")
    assert Submission.objects.count() == 1, "what is refused is not kept"
    assert post(first).status_code == 202, "what was promised before is answered as before"
    Submission.objects.update(state="quarantined")
    assert post(other).status_code == 202


@pytest.mark.parametrize(("size_bytes", "queue"), [(1000, "ingest"), (events.SMALL_BYTES + 1, "extract")])
def test_a_large_upload_waits_in_a_queue_of_its_own(
    size_bytes: int,
    queue: str,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(events, "message_send", lambda *_, **options: sent.append(options))
    with django_capture_on_commit_callbacks(execute=True):
        events.submission_enqueue(Submission(size_bytes=size_bytes))
    assert sent == [{"queue": queue}]


def test_every_task_goes_into_a_queue_that_workers_take() -> None:
    from server.config.celery import app

    app.loader.import_default_modules()
    known = set(app.amqp.queues)
    ways = {(queue.exchange.name, queue.routing_key) for queue in app.amqp.queues.values()}
    assert len(ways) == len(known) == 5, "a message must go into one queue"
    for name in app.tasks:
        if not name.startswith("celery."):
            assert app.amqp.router.route({}, name)["queue"].name in known, name
    assert app.amqp.router.route({}, "datasets.release_build")["queue"].name == "export"
    assert app.amqp.router.route({}, "model_stats.refresh")["queue"].name == "refresh"
    assert app.amqp.router.route({}, "subscriptions.delivery_send")["queue"].name == "deliver"
