"""A private PostgreSQL: its own data folder, a Unix socket (or a loopback port), a random password."""

from __future__ import annotations

import secrets
import signal
import socket
from pathlib import Path
from urllib.parse import quote

from tools.embedded import process
from tools.embedded.account import Account, ServicesError
from tools.embedded.binaries import Binaries

USER = DATABASE = "diskatlas"
_SOCKET_PATH_LIMIT = 100
"""A socket's path may have 107 bytes on Linux and 103 on macOS (sockaddr_un)."""


class Postgres:
    """One instance in `folder`, which the account owns."""

    def __init__(
        self, folder: Path, binaries: Binaries, account: Account, *, durable: bool, address: str = ""
    ) -> None:
        """Take the address of a network whose hosts may come with their passwords, to port 5432."""
        self.data = folder / f"postgres-{binaries.postgres_major}"
        self.log = folder / "postgres.log"
        self._sockets = folder / "sockets"
        self._password_file = folder / f"postgres-{binaries.postgres_major}.password"
        self._binaries = binaries
        self._account = account
        self._durable = durable
        self._address = address

    @property
    def uses_socket(self) -> bool:
        """Whether the path leaves room for a Unix socket's name."""
        return len(str(self._sockets / ".s.PGSQL.5432").encode()) <= _SOCKET_PATH_LIMIT

    def start(self) -> None:
        """Start the server, making its data folder first where there is none; a running one is left alone."""
        if self._running_pid():
            return
        if not (self.data / "PG_VERSION").exists():
            self._initialise()
        # A server that was killed leaves both files. Their number may be another process's by now, or that of
        # a dead child that nobody has waited for.
        for left in (self.data / "postmaster.pid", self._sockets / ".s.PGSQL.5432.lock"):
            left.unlink(missing_ok=True)
        port = 5432 if self.uses_socket or self._address else free_port()
        self.log.touch()
        self._account.own(self.log)
        where = ["-D", str(self.data), "-l", str(self.log), "-o", self._options(port)]
        start = [str(self._binaries.postgres / "pg_ctl"), "start", "--wait", "--timeout=60", *where]
        if self._account.run(start).returncode:
            tail = self.log.read_text(errors="replace")[-2000:]
            raise ServicesError(f"PostgreSQL did not start. Its log, {self.log}, ends with:\n{tail}")

    def stop(self) -> bool:
        """Stop the server (fast shutdown); return whether it ran."""
        pid = self._running_pid()
        return process.stop(pid, str(self.data), first=signal.SIGINT) if pid else False

    def pid(self) -> int | None:
        """Return the number of the running server's process."""
        return self._running_pid()

    def url(self) -> str:
        """Return DATABASE_URL for the running server."""
        password = quote(self._password_file.read_text().strip(), safe="")
        if self._address:
            return f"postgresql://{USER}:{password}@{self._address}:5432/{DATABASE}"
        if self.uses_socket:
            return f"postgresql://{USER}:{password}@/{DATABASE}?host={quote(str(self._sockets), safe='')}"
        return f"postgresql://{USER}:{password}@127.0.0.1:{self._pid_lines()[3]}/{DATABASE}"

    def _initialise(self) -> None:
        password = secrets.token_urlsafe(32)
        self._password_file.touch(mode=0o600)
        self._password_file.write_text(password + "\n")
        self._account.own(self._password_file)
        command = [
            str(self._binaries.postgres / "initdb"),
            "-D",
            str(self.data),
            "-U",
            USER,
            "-E",
            "UTF8",
            "--locale=C",
            "--auth=scram-sha-256",
            f"--pwfile={self._password_file}",
            *([] if self._durable else ["--no-sync"]),
        ]
        done = self._account.run(command)
        if done.returncode:
            raise ServicesError(f"initdb failed: {done.stderr.strip()[-2000:]}")
        self._sockets.mkdir(mode=0o700, exist_ok=True)
        self._account.own(self._sockets)
        with (self.data / "postgresql.conf").open("a") as file:
            file.write(self._configuration())
        if self._address:
            with (self.data / "pg_hba.conf").open("a") as file:
                file.writelines(f"host {what} all samenet scram-sha-256\n" for what in ("all", "replication"))
        self._create_database()

    def _create_database(self) -> None:
        """Make the database in single-user mode: no client program is needed, and nobody else is
        connected."""
        command = [str(self._binaries.postgres / "postgres"), "--single", "-D", str(self.data), "postgres"]
        done = self._account.run(command, input=f"CREATE DATABASE {DATABASE};\n")
        if done.returncode:
            raise ServicesError(f"The database could not be made: {done.stderr.strip()[-2000:]}")

    def _configuration(self) -> str:
        listen = "" if self.uses_socket else "127.0.0.1"
        sockets = self._sockets if self.uses_socket else ""
        lines = [
            f"listen_addresses = '{listen}'",
            f"unix_socket_directories = '{sockets}'",
            "unix_socket_permissions = 0700",
            "max_connections = 200",
            "shared_buffers = 64MB",
            "logging_collector = off",
            "log_min_messages = warning",
            "timezone = 'UTC'",
            "log_timezone = 'UTC'",
        ]
        if not self._durable:
            lines += ["fsync = off", "synchronous_commit = off", "full_page_writes = off"]
        return "\n# Set by tools/embedded/postgres.py\n" + "\n".join(lines) + "\n"

    def _options(self, port: int) -> str:
        return f"-p {port}" + (f" -c listen_addresses={self._address}" if self._address else "")

    def _pid_lines(self) -> list[str]:
        try:
            return (self.data / "postmaster.pid").read_text().splitlines()
        except OSError:
            return []

    def _running_pid(self) -> int | None:
        lines = self._pid_lines()
        pid = int(lines[0]) if lines and lines[0].strip().isdigit() else 0
        return pid if process.is_ours(pid, str(self.data)) else None


def free_port() -> int:
    """Return a loopback TCP port that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
