"""The port on which Prometheus asks: never the site's, and none unless `METRICS_BIND` names one.

The main process of each role serves it in a thread (gunicorn's master, Celery's parent), so that asking takes
no request's place, and answers for all of its processes together.
"""

from __future__ import annotations

import os
from pathlib import Path

import structlog
from prometheus_client import REGISTRY, CollectorRegistry, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

log = structlog.get_logger("diskatlas.metrics")
MULTIPROC = "PROMETHEUS_MULTIPROC_DIR"
BIND = "METRICS_BIND"


def registry_of_all(*collectors: Collector) -> CollectorRegistry:
    """Return what is counted by all processes that share a folder, or by this one; and what is collected."""
    folder = os.environ.get(MULTIPROC)
    if folder:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # prometheus_client's
    else:
        registry = REGISTRY
    for collector in collectors:
        registry.register(collector)
    return registry


def bind_address() -> tuple[str, int] | None:
    """Return host and port of `METRICS_BIND`; None where it is empty. Raises ValueError for anything else."""
    given = os.environ.get(BIND, "").strip()
    if not given:
        return None
    host, _, port = given.rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"{BIND} is {given!r}: write it as address:port, such as 127.0.0.1:9464.")
    return host.strip("[]"), int(port)


def metrics_serve(*collectors: Collector) -> bool:
    """Serve metrics from a thread; return whether any are asked for."""
    address = bind_address()
    if address is None:
        return False
    host, port = address
    start_http_server(port, addr=host, registry=registry_of_all(*collectors))
    log.info("metrics served", host=host, port=port)
    return True


def folder_clear() -> None:
    """Forget what processes before this start counted."""
    folder = os.environ.get(MULTIPROC)
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for file in Path(folder).glob("*.db"):
            file.unlink(missing_ok=True)


def process_ended(pid: int) -> None:
    """Take a process's gauges out; what it counted stays."""
    if os.environ.get(MULTIPROC):
        mark_process_dead(pid)  # type: ignore[no-untyped-call]  # prometheus_client's
