"""Celery's signals as metrics, and the port on which a worker's processes are asked for them."""

from __future__ import annotations

import os
import time
from typing import Any

from celery.signals import task_postrun, task_prerun, worker_process_shutdown, worker_ready

from server.core.metrics import task_seconds, tasks
from server.operations.metrics_server import metrics_serve, process_ended

_BEGAN = "_diskatlas_began"


def connect() -> None:
    """Have Celery count."""
    task_prerun.connect(_begin, dispatch_uid="task-metrics-begin")
    task_postrun.connect(_end, dispatch_uid="task-metrics-end")
    worker_ready.connect(_serve, dispatch_uid="task-metrics-serve")
    worker_process_shutdown.connect(_process_ended, dispatch_uid="task-metrics-ended")


def _begin(task: Any = None, **_kwargs: Any) -> None:
    setattr(task.request, _BEGAN, time.monotonic())


def _end(task: Any = None, state: str | None = None, **_kwargs: Any) -> None:
    tasks.labels(task.name, (state or "unknown").lower()).inc()
    began = getattr(task.request, _BEGAN, None)
    if began is not None:
        task_seconds.labels(task.name).observe(time.monotonic() - began)


def _serve(**_kwargs: Any) -> None:
    metrics_serve()


def _process_ended(**_kwargs: Any) -> None:
    process_ended(os.getpid())
