"""The job queue. Messages carry ids only: the database rows are the truth."""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import worker_process_init

from server.operations import log_context, task_metrics
from server.operations.tracing import tracing_start

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "server.config.settings")
# There is a worker process for each processor: threads of the linear algebra would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

app = Celery("diskatlas")
app.config_from_object("server.config.celery_config")
app.autodiscover_tasks(
    [f"server.{room}" for room in ("datasets", "model_stats", "search", "submissions", "subscriptions")]
)
app.set_default()
log_context.connect()
task_metrics.connect()
worker_process_init.connect(lambda **_: tracing_start("worker"), weak=False)
