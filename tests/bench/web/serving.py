"""The web server as production runs it, on loopback."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tools.embedded.binaries import PROJECT
from tools.embedded.postgres import free_port

READY_S = 180.0
WORKERS = 2
UNCACHED = {"PAGE_CACHE_S": "0", "PAGES_KEPT_S": "0"}
"""With these, every page is rendered: the present name, and that of the first commits."""


@contextmanager
def web_server(environment: Mapping[str, str]) -> Iterator[tuple[str, int, int]]:
    """Give host, port and process of a running server, stopped at the end; raises RuntimeError."""
    port = free_port()
    bind = ["--bind", f"127.0.0.1:{port}", "--workers", str(WORKERS), "--threads", "4"]
    bind += ["--log-level", "warning"]
    command = [sys.executable, "-m", "gunicorn", "server.config.wsgi:application", *bind]
    child = subprocess.Popen(command, cwd=PROJECT, env=dict(environment))
    try:
        deadline = time.monotonic() + READY_S
        while not _answers(f"http://127.0.0.1:{port}/health/"):
            if child.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("The web server did not start; what it said stands above.")
            time.sleep(0.1)
        yield "127.0.0.1", port, child.pid
    finally:
        child.terminate()
        child.wait(timeout=30)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False
