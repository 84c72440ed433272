"""Fixtures of the server's tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client

from server.benchmarks.contract import Kind
from server.measurements import charts, extraction, reextraction
from server.model_stats.management.commands import reextract
from server.model_stats.refresh import refresh_model
from server.submissions import events, pipeline, selectors, validation
from server.submissions.models import Submission
from tests.support.documents import document, envelope, skippy_part
from tests.support.kinds import kind

KindTable = dict[str, Kind]


@pytest.fixture
def kinds(monkeypatch: pytest.MonkeyPatch) -> KindTable:
    """Replace the registry by stand-ins; a test may put others into the table."""
    table = {slug: kind(slug) for slug in ("skippy", "zoned", "seeker")}
    for module in (charts, extraction, reextract, reextraction, selectors, validation):
        monkeypatch.setattr(module, "kinds_by_slug", lambda: table)
    monkeypatch.setattr(
        selectors, "metrics_by_key", lambda: {m.key: m for entry in table.values() for m in entry.metrics}
    )
    return table


@pytest.fixture(autouse=True)
def fresh_cache() -> Iterator[None]:
    """Forget charts and request counts between tests."""
    cache.clear()
    yield


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Collect what is put into the queue instead of sending it."""
    sent: list[tuple[str, str]] = []
    monkeypatch.setattr(events, "message_send", lambda task, argument, **_: sent.append((task, argument)))
    return sent


Post = Callable[..., HttpResponse]


@pytest.fixture
def post(client: Client, kinds: KindTable, queue: list[tuple[str, str]]) -> Post:
    """Post a body (or the envelope of a document) as a submission."""

    def send(body: bytes | dict[str, Any], **headers: str) -> Any:
        raw = envelope(body) if isinstance(body, dict) else body
        return client.post("/api/v1/submissions/", data=raw, content_type="application/json", headers=headers)

    return send


@pytest.fixture
def submit(post: Post) -> Callable[[dict[str, Any]], Submission]:
    """Submit a document and return its row."""

    def send(document: dict[str, Any]) -> Submission:
        response = post(document)
        assert response.status_code == 202, response.content
        return Submission.objects.get(pk=json.loads(response.content)["id"])

    return send


@pytest.fixture
def run_jobs(queue: list[tuple[str, str]], django_capture_on_commit_callbacks: Any) -> Callable[[], None]:
    """Do what the queue holds, as a worker would, until it is empty."""

    def one(task: str, argument: str) -> None:
        if task == events.REFRESH:
            refresh_model(drive_model_id=int(argument))
        else:
            pipeline.submissions_process(submission_id=UUID(argument))

    def run() -> None:
        while queue:
            with django_capture_on_commit_callbacks(execute=True):
                one(*queue.pop(0))

    return run


@pytest.fixture
def publish(
    submit: Callable[[dict[str, Any]], Submission],
    run_jobs: Callable[[], None],
    django_capture_on_commit_callbacks: Any,
) -> Callable[..., Submission]:
    """Publish a run, in a test's transaction too; keyword arguments are those of `document`."""

    def send(*parts: dict[str, Any], license: str = "CC0-1.0", **fields: Any) -> Submission:
        # No two runs are alike, or the second one is held as a copy.
        own = parts or (skippy_part(steps=150 + Submission.objects.count()),)
        with django_capture_on_commit_callbacks(execute=True):
            run = document(*own, **{"rotation_rate_rpm": None, **fields})
            submission = submit({**run, "license": license})
        run_jobs()
        submission.refresh_from_db()
        assert submission.state == "published", list(submission.events.values_list("reason", flat=True))
        return submission

    return send
