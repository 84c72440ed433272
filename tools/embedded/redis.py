"""A private Redis on a loopback port, with a random password."""

from __future__ import annotations

import json
import secrets
import signal
import socket
import subprocess
import time
from pathlib import Path

from tools.embedded import process
from tools.embedded.account import Account, ServicesError, server_environment
from tools.embedded.binaries import Binaries
from tools.embedded.postgres import free_port

_PORT_TRIES = 5


class Redis:
    """One instance in `folder`, which the account owns."""

    def __init__(self, folder: Path, binaries: Binaries, account: Account, *, durable: bool) -> None:
        self.data = folder / "redis"
        self.log = folder / "redis.log"
        self._state_file = folder / "redis.json"
        self._configuration_file = folder / "redis.conf"
        self._binaries = binaries
        self._account = account
        self._durable = durable

    def start(self) -> None:
        """Start the server; a running one is left alone."""
        if self._running_pid():
            return
        self.data.mkdir(mode=0o700, exist_ok=True)
        self._account.own(self.data)
        for _attempt in range(_PORT_TRIES):
            if self._start_on(free_port()):
                return
        tail = self.log.read_text(errors="replace")[-2000:]
        raise ServicesError(f"Redis did not start. Its log, {self.log}, ends with:\n{tail}")

    def stop(self) -> bool:
        """Stop the server; return whether it ran."""
        pid = self._running_pid()
        return process.stop(pid, self._title(), first=signal.SIGTERM) if pid else False

    def pid(self) -> int | None:
        """Return the number of the running server's process."""
        return self._running_pid()

    def url(self) -> str:
        """Return REDIS_URL for the running server."""
        state = self._state()
        return f"redis://:{state['password']}@127.0.0.1:{state['port']}/0"

    def _start_on(self, port: int) -> bool:
        password = str(self._state().get("password") or secrets.token_urlsafe(32))
        self._write(self._configuration_file, self._configuration(port, password))
        command = [str(self._binaries.redis), str(self._configuration_file)]
        with self.log.open("ab") as log:
            self._account.own(self.log)
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd="/",
                env=server_environment(),
                **self._account.process_options(),
            )
        self._write(self._state_file, json.dumps({"pid": child.pid, "port": port, "password": password}))
        deadline = time.monotonic() + 20.0
        while time.monotonic() < deadline and child.poll() is None:
            if _answers(port, password):
                return True
            time.sleep(0.02)
        if child.poll() is None:
            child.kill()
            child.wait()
        return False

    def _configuration(self, port: int, password: str) -> str:
        lines = [
            "bind 127.0.0.1",
            f"port {port}",
            f'requirepass "{password}"',
            f'dir "{self.data}"',
            "daemonize no",
            'save ""',
            f"appendonly {'yes' if self._durable else 'no'}",
            "maxmemory-policy noeviction",
        ]
        return "\n".join(lines) + "\n"

    def _write(self, path: Path, text: str) -> None:
        path.touch(mode=0o600)
        path.write_text(text)
        self._account.own(path)

    def _state(self) -> dict[str, str | int]:
        try:
            state: dict[str, str | int] = json.loads(self._state_file.read_text())
        except (OSError, ValueError):
            return {}
        return state

    def _running_pid(self) -> int | None:
        state = self._state()
        pid = int(state.get("pid", 0))
        if not process.is_ours(pid, self._title()):
            return None
        return pid if _answers(int(state["port"]), str(state["password"])) else None

    def _title(self) -> str:
        """Return what a running Redis writes into its command line: its address."""
        return f"127.0.0.1:{self._state().get('port', 'none')}"


def _answers(port: int, password: str) -> bool:
    """Return whether a Redis with this password listens there: only ours knows it."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2.0) as connection:
            connection.sendall(b"AUTH %b\r\nPING\r\n" % password.encode())
            said = b""
            while said.count(b"\r\n") < 2:
                received = connection.recv(256)
                if not received:
                    break
                said += received
    except OSError:
        return False
    return said.startswith(b"+OK\r\n+PONG")
