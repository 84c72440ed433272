"""The web server's hooks: `gunicorn --config python:server.config.gunicorn`. Its sizes are given where it is
started.

A thread that writes to a reader who stopped reading waits in the kernel until the connection ends, which may
be never: gunicorn has no limit for it (its `timeout` watches a worker's loop, and not the threads). Sockets
that a listener accepts have its options, so that one option there bounds every send.
"""

from __future__ import annotations

import socket
import struct
from typing import Any

from marshmallow.validate import Range

from server.config.env import Env

env = Env()
SEND_TIMEOUT_S = env.int("WEB_SEND_TIMEOUT_S", 60, validate=Range(min=1))
"""How long a reader may take nothing. A connection that is cut then ends without its end mark."""
STATEMENT_TIMEOUT_MS = env.int("DATABASE_STATEMENT_TIMEOUT_MS", 0, validate=Range(min=0))
env.seal()

# A page that asks the database for longer is given up, whoever asked: workers and commands have no limit.
raw_env = [f"DATABASE_STATEMENT_TIMEOUT_MS={STATEMENT_TIMEOUT_MS or 15_000}"]


def when_ready(server: Any) -> None:
    """Bound the sends of all connections to come; gunicorn calls it before the first worker starts."""
    for listener in server.LISTENERS:
        # socket(7): a struct timeval, seconds and microseconds as long integers.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", SEND_TIMEOUT_S, 0))
