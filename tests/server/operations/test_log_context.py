"""A line of a worker's log says which request led to it."""

from __future__ import annotations

from typing import Any

import pytest
from celery import current_app
from django.conf import LazySettings
from django.test import Client
from structlog.contextvars import bind_contextvars, clear_contextvars, get_contextvars

from server.operations import log_context
from server.operations.log_context import HEADER, request_id_choose


@pytest.fixture(autouse=True)
def clean() -> Any:
    clear_contextvars()
    yield
    clear_contextvars()


class Request:
    """What a worker hands to its signals."""

    called_directly = is_eager = False


class Task:
    name = "submissions.process"
    request: Any


def test_an_answer_says_its_request_and_believes_no_stranger(client: Client, settings: LazySettings) -> None:
    mine = "a-proxys-id-0001"
    first = client.get("/healthz", headers={"X-Request-Id": mine})
    assert len(first["X-Request-Id"]) == 32
    assert client.get("/healthz")["X-Request-Id"] != first["X-Request-Id"]
    settings.BEHIND_PROXY = True
    assert client.get("/healthz", headers={"X-Request-Id": mine})["X-Request-Id"] == mine


@pytest.mark.parametrize("given", ["short", 'quote"quote"quote', "x" * 65, "two words here", "", None])
def test_only_a_plain_id_is_taken_over(given: str | None) -> None:
    assert request_id_choose(given, trusted=True) != given


def test_a_message_carries_the_request_and_the_task_has_it_until_it_ends() -> None:
    bind_contextvars(request_id="r" * 32)
    headers: dict[str, Any] = {}
    log_context._publish(headers=headers)
    assert headers == {HEADER: "r" * 32}

    clear_contextvars()
    bind_contextvars(submission="left by the task before")
    task = Task()
    task.request = Request()
    setattr(task.request, HEADER, headers[HEADER])
    log_context._begin(task_id="t-1", task=task)
    assert get_contextvars() == {"task": "submissions.process", "task_id": "t-1", "request_id": "r" * 32}
    log_context._end(task=task)
    assert get_contextvars() == {}


def test_what_no_request_led_to_has_no_request_id() -> None:
    headers: dict[str, Any] = {}
    log_context._publish(headers=headers)
    assert headers == {}
    task = Task()
    task.request = Request()
    log_context._begin(task_id="t-2", task=task)
    assert "request_id" not in get_contextvars()


def test_celery_is_told() -> None:
    from celery.signals import before_task_publish, task_prerun

    import server.config.celery  # noqa: F401 -- it connects

    assert current_app.main == "diskatlas"
    assert any(log_context._publish in (ref(), ref) for _key, ref in before_task_publish.receivers)
    assert any(log_context._begin in (ref(), ref) for _key, ref in task_prerun.receivers)
