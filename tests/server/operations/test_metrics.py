"""What is counted, and that all processes are counted together on a port that is not the site's."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from django.test import Client
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest

from server.core.lifecycle import State
from server.operations import archive_metrics
from server.operations.archive_metrics import ArchiveCollector
from server.operations.metrics_server import bind_address
from server.operations.readiness import Readiness
from server.operations.tracing import tracing_start, wanted
from server.submissions.models import Submission
from tests.support.sample_archive import sample_run
from tools.embedded.binaries import PROJECT


def value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def collected(**troubles: str) -> str:
    collector = ArchiveCollector()
    answers = dict.fromkeys(("database", "cache", "queue", "storage"), lambda: None)
    collector._readiness = Readiness(answers, timeout_s=5.0, keep_s=0.0)
    found = collector._readiness.troubles()
    collector._readiness.troubles = lambda: {**found, **troubles}  # type: ignore[method-assign]
    registry = CollectorRegistry()
    registry.register(collector)
    return generate_latest(registry).decode()


def test_a_request_is_counted_by_its_route_and_not_by_its_address(client: Client) -> None:
    labels = {"route": "healthz", "method": "GET", "status": "200"}
    before = value("diskatlas_http_requests_total", **labels)
    client.get("/healthz?x=1")
    assert value("diskatlas_http_requests_total", **labels) == before + 1
    client.generic("BREW", "/healthz")
    assert value("diskatlas_http_requests_total", route="healthz", method="other", status="405") >= 1


def test_the_metrics_are_nowhere_on_the_site(client: Client, db: None) -> None:
    assert client.get("/metrics").status_code == client.get("/metrics/").status_code == 404


@pytest.mark.django_db
def test_the_archives_state_is_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_metrics, "queue_depths", lambda: {"celery": 3, "taken": 1})
    submission = sample_run().submission
    Submission.objects.filter(pk=submission.pk).update(state=State.RECEIVED)
    text = collected()
    assert 'diskatlas_submissions{state="received"} 1.0' in text
    assert 'diskatlas_queue_messages{queue="celery"} 3.0' in text
    assert "diskatlas_submission_oldest_seconds " in text and "diskatlas_database_bytes " in text
    assert "diskatlas_backup_age_seconds +Inf" in text


@pytest.mark.django_db
def test_a_part_that_is_away_gives_no_numbers_instead_of_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_metrics, "queue_depths", lambda: {"celery": 3})
    text = collected(queue="refused")
    assert 'diskatlas_part_up{part="queue"} 0.0' in text
    assert "diskatlas_queue_messages" not in text


COUNTER = """
import os, sys
from server.core.metrics import submissions
submissions.labels("accepted").inc(int(sys.argv[1]))
"""
SERVER = """
import sys
from server.operations.metrics_server import metrics_serve
assert metrics_serve()
print("ready", flush=True)
sys.stdin.read()
"""


def test_processes_that_share_a_folder_are_counted_together(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "PROMETHEUS_MULTIPROC_DIR": str(tmp_path),
        "METRICS_BIND": f"127.0.0.1:{port}",
    }
    for count in ("2", "3"):
        subprocess.run(
            [sys.executable, "-c", COUNTER, count], cwd=PROJECT, env=environment, check=True, timeout=120
        )
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        cwd=PROJECT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        assert any(line == "ready\n" for line in server.stdout)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            text = answer.read().decode()
    finally:
        server.kill()
        server.communicate()
    assert 'diskatlas_submissions_total{outcome="accepted"} 5.0' in text


@pytest.mark.parametrize("given", ["9464", "host:", "localhost:http"])
def test_an_address_without_host_or_port_is_refused(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METRICS_BIND", given)
    with pytest.raises(ValueError, match="METRICS_BIND"):
        bind_address()


def test_nothing_listens_and_nothing_is_traced_unless_the_environment_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("METRICS_BIND", raising=False)
    assert bind_address() is None
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    assert not tracing_start("test")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
    assert wanted()
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    assert not wanted()


TRACED = """
import os, sys
os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:1"
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from server.operations.tracing import tracing_start
kept = InMemorySpanExporter()
assert tracing_start("test", exporter=kept)
import django
django.setup()
from django.test import Client
assert Client(SERVER_NAME="localhost").get("/robots.txt?mail=somebody").status_code == 200
from opentelemetry import trace
trace.get_tracer_provider().force_flush()
(span,) = kept.get_finished_spans()
print(span.name, dict(span.attributes))
"""


def test_a_traced_request_tells_its_route_and_not_who_asked_for_what() -> None:
    done = subprocess.run(
        [sys.executable, "-c", TRACED], cwd=PROJECT, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stderr
    assert "robots.txt" in done.stdout
    assert "somebody" not in done.stdout and "127.0.0.1" not in done.stdout
