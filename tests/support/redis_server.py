"""A Redis that a test may kill, hang and start again at the same address."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis

from tools.embedded.binaries import binaries_find
from tools.embedded.postgres import free_port

READY_S = 20.0


class RedisServer:
    """One server, which keeps nothing unless it appends all to a file."""

    def __init__(self, folder: Path, *, appends: bool = False) -> None:
        self._folder = folder / "redis"
        self._appends = appends
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"redis://127.0.0.1:{self._port}/0"

    def start(self) -> None:
        """Start it; return once it answers."""
        self._folder.mkdir(exist_ok=True)
        options = ["--bind", "127.0.0.1", "--port", str(self._port), "--save", "", "--dir", str(self._folder)]
        options += ["--appendonly", "yes" if self._appends else "no"]
        self._process = subprocess.Popen(
            [str(binaries_find().redis), *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + READY_S
        while not self._answers():
            assert self._process.poll() is None and time.monotonic() < deadline, "Redis did not start"
            time.sleep(0.02)

    def kill(self) -> None:
        """End it; what it has in its file stays."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def empty(self) -> None:
        """Have it forget all."""
        with Redis.from_url(self.url, socket_timeout=READY_S) as client:
            client.flushall()

    def forget(self) -> None:
        """Remove the file of one that was killed."""
        shutil.rmtree(self._folder)

    def hang(self) -> None:
        """Let it take connections and answer nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it answer what it was asked meanwhile."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self._port), timeout=1.0) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False


@contextmanager
def redis_server(folder: Path) -> Iterator[RedisServer]:
    """Give a running server."""
    server = RedisServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()
