"""Celery's settings: late acknowledgement everywhere, so that a killed worker loses no task."""

from __future__ import annotations

from typing import Any

from celery.schedules import crontab
from django.conf import settings
from kombu import Exchange, Queue

broker_url = settings.REDIS_URL
result_backend = settings.REDIS_URL
result_expires = 3600
broker_connection_retry_on_startup = True
broker_transport_options = {
    # A message whose worker died unseen comes back after this long; every task may safely run twice.
    "visibility_timeout": settings.PIPELINE_VISIBILITY_TIMEOUT_S,
    "socket_timeout": 10,
    "socket_connect_timeout": 5,
    "socket_keepalive": True,
}
result_backend_transport_options = {"socket_timeout": 10, "socket_connect_timeout": 5}
# The row is already stored when a message is sent; a request must not wait for a broker that is away.
task_publish_retry = True
task_publish_retry_policy = {"max_retries": 1, "interval_start": 0, "interval_step": 0.2, "interval_max": 0.2}
task_acks_late = True
task_reject_on_worker_lost = True
task_ignore_result = True
task_track_started = False
task_soft_time_limit = settings.PIPELINE_TASK_TIME_LIMIT_S
task_time_limit = settings.PIPELINE_TASK_TIME_LIMIT_S + 30
# Who takes which queue is said where workers are started (docker/compose.yaml); one that is not told takes
# all. Large uploads wait for each other and not before small ones; whoever is told of something may answer as
# slowly as they like; a release takes hours.
task_default_queue = "ingest"
# Each with an exchange and key of its own: Celery gives those without the default one's, and then all get
# every message.
task_queues = tuple(
    Queue(name, Exchange(name), routing_key=name)
    for name in ("ingest", "extract", "refresh", "deliver", "export")
)
task_routes = {
    "model_stats.*": {"queue": "refresh"},
    "search.*": {"queue": "refresh"},
    "subscriptions.delivery_send": {"queue": "deliver"},
    "subscriptions.*": {"queue": "refresh"},
    "transparency.*": {"queue": "deliver"},
    "datasets.*": {"queue": "export"},
}
task_serializer = "json"
accept_content = ["json"]
worker_prefetch_multiplier = 1
worker_max_tasks_per_child = 200
worker_hijack_root_logger = False
timezone = "UTC"
beat_scheduler = "server.operations.scheduler:SteadyScheduler"
beat_schedule: dict[str, Any] = {
    "sweep": {"task": "submissions.sweep", "schedule": float(settings.PIPELINE_SWEEP_EVERY_S)},
    "archive-counts": {
        "task": "search.archive_counts_settle",
        "schedule": float(settings.ARCHIVE_COUNTS_EVERY_S),
    },
    "sweep-releases": {"task": "datasets.releases_sweep", "schedule": 3600.0},
    "sweep-subscriptions": {"task": "subscriptions.sweep", "schedule": 60.0},
    "expire-subscriptions": {"task": "subscriptions.expire", "schedule": 3600.0},
    "remove-orphans": {"task": "submissions.orphaned_envelopes_remove", "schedule": 3600.0},
    "expire-rejected": {"task": "submissions.rejected_envelopes_expire", "schedule": 86400.0},
}
if settings.LOG_WITNESSES:
    beat_schedule["ask-witnesses"] = {"task": "transparency.cosignatures_ask", "schedule": 3600.0}
if settings.RELEASE_DAY_OF_MONTH:
    beat_schedule["release"] = {
        "task": "datasets.release_build",
        "schedule": crontab(minute=17, hour=3, day_of_month=settings.RELEASE_DAY_OF_MONTH),
    }
