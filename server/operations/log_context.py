"""Which request a line of the log belongs to, through the queue to the tasks that the request led to.

The id goes as a header of the task's message. Each line that a task writes then has `request_id` (where a
request led to it), `task` and `task_id`, beside the ids that the line names itself, such as `submission`.
"""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

from celery.signals import before_task_publish, task_postrun, task_prerun
from structlog.contextvars import bind_contextvars, clear_contextvars, get_contextvars

HEADER = "diskatlas_request_id"
_PLAIN = re.compile(r"[A-Za-z0-9._-]{8,64}")


def request_id_choose(given: str | None, *, trusted: bool) -> str:
    """Return the id that a proxy gave, where there is one to trust and it is plain; else a new one."""
    if trusted and given and _PLAIN.fullmatch(given):
        return given
    return uuid4().hex


def connect() -> None:
    """Have Celery carry the ids."""
    before_task_publish.connect(_publish, dispatch_uid="log-context-publish")
    task_prerun.connect(_begin, dispatch_uid="log-context-begin")
    task_postrun.connect(_end, dispatch_uid="log-context-end")


def _publish(headers: dict[str, Any] | None = None, **_kwargs: Any) -> None:
    request_id = get_contextvars().get("request_id")
    if headers is not None and request_id:
        headers[HEADER] = request_id


def _begin(task_id: str = "", task: Any = None, **_kwargs: Any) -> None:
    if task.request.called_directly or task.request.is_eager:
        return
    clear_contextvars()
    carried = getattr(task.request, HEADER, None)
    bind_contextvars(task=task.name, task_id=task_id, **({"request_id": carried} if carried else {}))


def _end(task: Any = None, **_kwargs: Any) -> None:
    if not (task.request.called_directly or task.request.is_eager):
        clear_contextvars()
