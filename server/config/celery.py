"""The job queue. Messages carry ids only: the database rows are the truth."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import celeryd_init, worker_process_init
from django.db.backends.signals import connection_created

from server.operations import log_context, task_metrics
from server.operations.tracing import tracing_start

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "server.config.settings")
# There is a worker process for each processor: threads of the linear algebra would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

app = Celery("diskatlas")
app.config_from_object("server.config.celery_config")
ROOMS = ("datasets", "model_stats", "search", "submissions", "subscriptions", "transparency")
"""Those with jobs. A worker throws a message away whose job it does not know."""
app.autodiscover_tasks([f"server.{room}" for room in ROOMS])
app.set_default()


def statements_bound(connection: Any, **_: Any) -> None:
    """Have the database give up what a task asked for when its time is over: it would go on for a worker
    that was killed."""
    limit_s = app.conf.task_time_limit
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('statement_timeout', %s, false)"
            " WHERE current_setting('statement_timeout') = '0'",
            [f"{limit_s}s"],
        )


# In workers alone: commands are ended by those who call them, and the web server has a limit of its own.
celeryd_init.connect(lambda **_: connection_created.connect(statements_bound), weak=False)
log_context.connect()
task_metrics.connect()
worker_process_init.connect(lambda **_: tracing_start("worker"), weak=False)
