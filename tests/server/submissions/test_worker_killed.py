"""A worker killed in the middle of an extraction loses nothing: real processes, real Redis, SIGKILL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from django.db import connection

from server.core.lifecycle import State
from server.measurements.models import Benchmark, Measurement
from server.submissions.models import Submission
from tests.support.documents import document
from tools.embedded.binaries import PROJECT

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]
DEADLINE_S = 120.0
Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def environment(services: dict[str, str], settings: Any, tmp_path: Path) -> dict[str, str]:
    """Give the workers' environment: this test's database and envelopes, an empty queue, short waits."""
    envelopes = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": str(tmp_path / "envelopes"), "allow_overwrite": True},
    }
    settings.STORAGES = {**settings.STORAGES, "envelopes": envelopes}
    settings.PIPELINE_STALE_AFTER_S = 1
    broker = services["REDIS_URL"].rpartition("/")[0] + "/7"
    redis.from_url(broker).flushdb()
    database = connection.settings_dict["NAME"]
    before, _slash, after = services["DATABASE_URL"].rpartition("/diskatlas")
    return {
        **os.environ,
        "DATABASE_URL": f"{before}/{database}{after}",
        "REDIS_URL": broker,
        "SECRET_KEY": settings.SECRET_KEY,
        "DJANGO_SETTINGS_MODULE": "tests.support.settings_worker",
        "ENVELOPES_DIR": str(tmp_path / "envelopes"),
        "MARKS_DIR": str(tmp_path),
        "PYTHONPATH": str(PROJECT),
        "PIPELINE_STALE_AFTER_S": "1",
        "PIPELINE_SWEEP_EVERY_S": "1",
        "PIPELINE_SWEEP_MAX_S": "3",
        "PIPELINE_MAX_ATTEMPTS": "50",
    }


@pytest.fixture
def start(transactional_db: None, environment: dict[str, str], tmp_path: Path) -> Iterator[Start]:
    """Start Celery processes, each in a group of its own; end them before the database goes."""
    started: list[subprocess.Popen[bytes]] = []

    def one(role: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "celery", "--app", "server.config.celery", role, *arguments]
        with (tmp_path / f"{role}-{len(started)}.log").open("wb") as log:
            child = subprocess.Popen(
                command, cwd=PROJECT, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        started.append(child)
        return child

    yield one
    for child in started:
        kill_group(child)


def kill_group(child: subprocess.Popen[bytes]) -> None:
    """Kill a process and its children: a pool's child must not finish what its parent began."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def wait_for(condition: Callable[[], bool], what: str, logs: Path) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.1)
    said = "\n".join(f"{log.name}:\n{log.read_text()[-1500:]}" for log in sorted(logs.glob("*.log")))
    raise AssertionError(f"{what} did not come within {DEADLINE_S:.0f} s\n{said}")


def start_archive(start: Start, tmp_path: Path) -> subprocess.Popen[bytes]:
    """Start a scheduler and a worker; return the worker once it is in the middle of an extraction."""
    start("beat", "--schedule", str(tmp_path / "schedule"), "--pidfile", "")
    worker = start("worker", "--loglevel", "INFO", "--concurrency", "1")
    wait_for((tmp_path / "extracting").exists, "an extraction", tmp_path)
    return worker


def assert_published_once(submission: Submission, tmp_path: Path) -> None:
    wait_for(
        lambda: Submission.objects.filter(pk=submission.pk, state=State.PUBLISHED).exists(),
        "publication",
        tmp_path,
    )
    parts = Benchmark.objects.filter(run__submission=submission)
    assert {part.kind: part.state for part in parts} == {"skippy": "extracted", "zoned": "extracted"}
    assert parts.get(kind="skippy").attempts >= 2
    rows = list(Measurement.objects.values_list("benchmark__kind", "metric", "scope"))
    assert len(rows) == len(set(rows)) == 3


def test_killing_the_worker_in_the_middle_of_an_extraction_loses_nothing(
    submit: Callable[[dict[str, Any]], Submission], start: Start, tmp_path: Path
) -> None:
    submission = submit(document())
    worker = start_archive(start, tmp_path)
    kill_group(worker)
    (tmp_path / "go").touch()
    start("worker", "--loglevel", "INFO", "--concurrency", "1")
    assert_published_once(submission, tmp_path)


def test_killing_only_the_pools_child_has_the_task_done_by_another(
    submit: Callable[[dict[str, Any]], Submission], start: Start, tmp_path: Path
) -> None:
    submission = submit(document())
    start_archive(start, tmp_path)
    os.kill(int((tmp_path / "extracting").read_text()), signal.SIGKILL)
    (tmp_path / "go").touch()
    assert_published_once(submission, tmp_path)
