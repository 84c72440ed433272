"""A streaming replica of the tests' PostgreSQL, made and started by docker/replica.sh as an operator does."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from tools.embedded import process
from tools.embedded.account import account_choose, server_environment
from tools.embedded.binaries import PROJECT, binaries_find

PATIENCE_S = 60.0
SCRIPT = PROJECT / "docker" / "replica.sh"


class ReplicaServer:
    """A hot standby in a folder of its own, which listens at a Unix socket there."""

    def __init__(self, folder: Path, primary_url: str) -> None:
        self.data = folder / "data"
        self.log = folder / "log"
        self.slot = f"replica_{secrets.token_hex(4)}"
        self._folder, self._primary_url = folder, primary_url
        self._account = account_choose()
        self._process: subprocess.Popen[bytes] | None = None
        there = conninfo_to_dict(primary_url)
        self.url = f"postgresql://{there['user']}:{there['password']}@/{there['dbname']}?host={folder}"
        self._environment = server_environment(
            {
                "PATH": f"{binaries_find(None).postgres}:{os.environ['PATH']}",
                "PGDATA": str(self.data),
                "DATABASE_HOST": str(there["host"]),
                "DATABASE_PORT": str(there.get("port", 5432)),
                "REPLICATION_USER": self.slot,
                "REPLICATION_PASSWORD": secrets.token_urlsafe(16),
                "REPLICA_SLOT": self.slot,
            }
        )

    def prepare(self) -> None:
        """Make the account at the primary, as docs/operator/scaling.md says."""
        self.data.mkdir(mode=0o700)
        self._account.own(self.data)
        role, password = sql.Identifier(self.slot), sql.Literal(self._environment["REPLICATION_PASSWORD"])
        with psycopg.connect(self._primary_url, autocommit=True) as link:
            link.execute(sql.SQL("CREATE ROLE {} LOGIN REPLICATION PASSWORD {}").format(role, password))

    def forget(self) -> None:
        """Take account and slot from the primary."""
        with psycopg.connect(self._primary_url, autocommit=True) as link:
            drop = "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = %s"
            link.execute(drop, [self.slot])
            link.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(self.slot)))

    def launch(self) -> subprocess.Popen[bytes]:
        """Start the script, and return at once."""
        where = ["-c", f"unix_socket_directories={self._folder}", "-c", "listen_addresses=", "-p", "5432"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                ["/bin/sh", str(self._script()), *where],
                env=self._environment,
                stdout=log,
                stderr=log,
                cwd="/",
                start_new_session=True,
                **self._account.process_options(),
            )
        return self._process

    def start(self) -> None:
        """Start it, and return once it answers."""
        child, deadline = self.launch(), time.monotonic() + PATIENCE_S
        while True:
            with suppress(psycopg.OperationalError):
                self.ask("SELECT 1")
                return
            assert child.poll() is None and time.monotonic() < deadline, self.log.read_text()[-3000:]
            time.sleep(0.05)

    def kill(self) -> None:
        """End it at once, with all of its connections."""
        pid = int((self.data / "cluster" / "postmaster.pid").read_text().splitlines()[0])
        process.stop(pid, str(self.data), first=signal.SIGQUIT)
        self._reap()

    def stop(self) -> None:
        """End it where it runs."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGQUIT)
            self._reap()

    def pause(self) -> None:
        """Have it replay nothing more."""
        self.ask("SELECT pg_wal_replay_pause()")
        deadline = time.monotonic() + PATIENCE_S
        while self.ask("SELECT pg_get_wal_replay_pause_state()") != "paused":
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def resume(self) -> None:
        """Have it replay what it has received."""
        self.ask("SELECT pg_wal_replay_resume()")

    def wait_replayed(self, primary_url: str) -> None:
        """Return once it has what the primary has now."""
        with psycopg.connect(primary_url) as link:
            row = link.execute("SELECT pg_current_wal_insert_lsn()::text").fetchone()
        assert row is not None
        deadline = time.monotonic() + PATIENCE_S
        while self.ask(f"SELECT pg_last_wal_replay_lsn() >= '{row[0]}'") is not True:
            assert time.monotonic() < deadline, "the replica does not follow"
            time.sleep(0.02)

    def ask(self, query: str) -> object:
        """Return what it answers."""
        with psycopg.connect(self.url, autocommit=True) as link:
            row = link.execute(query.encode()).fetchone()
        return row[0] if row else None

    def _script(self) -> Path:
        # The account may not reach the project.
        copy = self._folder / "replica.sh"
        shutil.copy(SCRIPT, copy)
        self._account.own(copy)
        return copy

    def _reap(self) -> None:
        if self._process is not None:
            self._process.wait(PATIENCE_S)
            self._process = None


@contextmanager
def replica_folder(primary_url: str) -> Iterator[ReplicaServer]:
    """Give a replica that was not started yet; skips the test where PostgreSQL's programs for it are missing.
    Nothing of it is left at the primary."""
    programs = binaries_find(None).postgres
    lacking = [name for name in ("pg_basebackup", "pg_receivewal") if not (programs / name).exists()]
    if lacking:
        pytest.skip(f"{', '.join(lacking)} not installed: apt-get install postgresql")
    # Below pytest's own folders the servers' account would reach nothing.
    folder = Path(tempfile.mkdtemp(prefix="diskatlas-replica-"))
    account_choose().own(folder)
    server = ReplicaServer(folder, primary_url)
    try:
        server.prepare()
        yield server
    finally:
        server.stop()
        server.forget()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def replica_server(primary_url: str) -> Iterator[ReplicaServer]:
    """Give a running replica."""
    with replica_folder(primary_url) as server:
        server.start()
        yield server
