"""Whatever the archive waits for has a limit: statements, tasks, queue, cache, storage, mails, calls."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from allauth.socialaccount import app_settings
from celery.signals import celeryd_init
from django.conf import LazySettings
from django.db import connection
from django.db.backends.signals import connection_created

from server.config.celery import app, statements_bound
from server.core import cache, task_queue
from server.subscriptions import delivery
from server.transparency import log_http
from tests.server.config.test_settings import GOOD
from tools.embedded.binaries import PROJECT

LONGEST_S = 30


def statement_timeout() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        row = cursor.fetchone()
    assert row is not None
    return str(row[0])


@pytest.mark.django_db
def test_a_workers_statements_end_with_their_task() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
    statements_bound(connection)
    limit_s = app.conf.task_time_limit
    assert limit_s and statement_timeout() in (f"{limit_s}s", f"{limit_s / 60:g}min")
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = '7s'")
    statements_bound(connection)
    assert statement_timeout() == "7s", "a limit that is set stays"
    with connection.cursor() as cursor:
        cursor.execute("RESET statement_timeout")


def test_a_worker_bounds_the_statements_of_all_its_connections() -> None:
    known = list(connection_created.receivers)
    celeryd_init.send(sender="sample", instance=None, conf=app.conf, options={})
    try:
        assert len(connection_created.receivers) == len(known) + 1
    finally:
        connection_created.disconnect(statements_bound)


def test_every_task_has_a_limit() -> None:
    app.loader.import_default_modules()
    for name, task in app.tasks.items():
        assert task.time_limit or app.conf.task_time_limit, name
        assert task.soft_time_limit or app.conf.task_soft_time_limit, name


def test_the_queue_and_the_cache_have_limits() -> None:
    waits = app.conf.broker_transport_options
    assert 0 < waits["socket_timeout"] <= LONGEST_S and 0 < waits["socket_connect_timeout"] <= LONGEST_S
    asked = task_queue._connection().transport_options
    assert asked["socket_timeout"] == asked["socket_connect_timeout"] == cache.TIMEOUT_S < 1
    options = cache.redis_options()
    assert options["socket_timeout"] == options["socket_connect_timeout"] == cache.TIMEOUT_S


def test_the_database_is_not_waited_for_for_long() -> None:
    options = connection.settings_dict["OPTIONS"]
    assert 0 < int(options["connect_timeout"]) <= LONGEST_S
    assert 0 < int(options["tcp_user_timeout"]) <= 60_000


def test_object_storage_has_limits() -> None:
    told = subprocess.run(
        [sys.executable, "-c", SAY_S3],
        cwd=PROJECT,
        env={"PATH": os.environ["PATH"], **GOOD, "S3_BUCKET": "sample", "S3_TIMEOUT_S": "7"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert told.stdout.split() == ["7", "7", "2"] * 2


SAY_S3 = """
from server.config.settings import STORAGES
for name in ("envelopes", "datasets"):
    config = STORAGES[name]["OPTIONS"]["client_config"]
    print(config.connect_timeout, config.read_timeout, config.retries["total_max_attempts"])
"""


def test_mails_and_calls_to_others_have_limits(settings: LazySettings) -> None:
    limits: dict[str, Any] = {
        "mails": settings.EMAIL_TIMEOUT,
        "webhooks": delivery.WHOLE_TIMEOUT_S,
        "logs that are witnessed": log_http.TIMEOUT_S,
        "sign-in by others": app_settings.REQUESTS_TIMEOUT,
    }
    assert {name for name, limit_s in limits.items() if not 0 < limit_s <= LONGEST_S} == set()
