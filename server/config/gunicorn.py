"""The web server's hooks: `gunicorn --config python:server.config.gunicorn`. Its sizes are given where it is
started.

A thread that writes to a reader who stopped reading waits in the kernel until the connection ends, which may
be never: gunicorn has no limit for it (its `timeout` watches a worker's loop, and not the threads). Sockets
that a listener accepts have its options, so that one option there bounds every send.
"""

from __future__ import annotations

import json
import socket
import struct
from contextlib import suppress
from typing import Any

from gunicorn.http.errors import LimitRequestLine
from gunicorn.workers.gthread import ThreadWorker
from marshmallow.validate import Range

from server.config.env import Env
from server.core.problems import MEDIA_TYPE, problem
from server.operations.metrics_server import folder_clear, metrics_serve, process_ended
from server.operations.tracing import tracing_start

env = Env()
SEND_TIMEOUT_S = env.int("WEB_SEND_TIMEOUT_S", 60, validate=Range(min=1))
"""How long a reader may take nothing. A connection that is cut then ends without its end mark."""
STATEMENT_TIMEOUT_MS = env.int("DATABASE_STATEMENT_TIMEOUT_MS", 0, validate=Range(min=0))
env.seal()

# A page that asks the database for longer is given up, whoever asked: workers and commands have no limit.
raw_env = [f"DATABASE_STATEMENT_TIMEOUT_MS={STATEMENT_TIMEOUT_MS or 15_000}"]


class Worker(ThreadWorker):
    """Says by a problem document, too, that an address is too long: no request reaches the site then."""

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        if not isinstance(exc, LimitRequestLine):
            super().handle_error(req, client, addr, exc)
            return
        limit = self.cfg.limit_request_line
        trouble = problem(
            "uri-too-long",
            f"The first line of the request is longer than {limit} bytes. Ask for less at once.",
        )
        body = json.dumps(trouble.body()).encode()
        head = f"HTTP/1.1 414 URI Too Long\r\nContent-Type: {MEDIA_TYPE}\r\nContent-Length: {len(body)}"
        with suppress(OSError):
            client.sendall(f"{head}\r\nConnection: close\r\n\r\n".encode() + body)


worker_class = Worker
# It would be a socket below the account's home, which is read-only in a container; nobody talks to it.
control_socket_disable = True


def on_starting(_server: Any) -> None:
    """Forget what was counted before this start."""
    folder_clear()


def post_fork(_server: Any, _worker: Any) -> None:
    """Trace, where the environment asks for it; the site is loaded after this."""
    tracing_start("web")


def child_exit(_server: Any, worker: Any) -> None:
    """Take the gauges of a process that ended out of the metrics."""
    process_ended(worker.pid)


def when_ready(server: Any) -> None:
    """Bound the sends of all connections to come, and serve metrics; gunicorn calls it before the first
    worker starts."""
    metrics_serve()
    for listener in server.LISTENERS:
        # socket(7): a struct timeval, seconds and microseconds as long integers.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", SEND_TIMEOUT_S, 0))
