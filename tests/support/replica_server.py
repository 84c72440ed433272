"""A streaming replica of the tests' PostgreSQL, made as an operator makes one: by pg_basebackup."""

from __future__ import annotations

import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tools.embedded import process
from tools.embedded.account import account_choose
from tools.embedded.binaries import binaries_find

PATIENCE_S = 60.0


class ReplicaServer:
    """A hot standby in a folder of its own, which listens at a Unix socket there."""

    def __init__(self, folder: Path, primary_url: str) -> None:
        self._folder, self._data = folder, folder / "data"
        self._account = account_choose()
        self._programs = binaries_find(None).postgres
        self._primary = conninfo_to_dict(primary_url)
        self.url = (
            f"postgresql://{self._primary['user']}:{self._primary['password']}@/{self._primary['dbname']}"
            f"?host={folder}"
        )

    def make(self) -> None:
        """Copy the primary, and note whom to follow."""
        primary = make_conninfo(**{**self._primary, "dbname": "replication"})
        copy = ["-D", str(self._data), "-d", primary, "-X", "stream", "-R", "--checkpoint=fast", "--no-sync"]
        self._run("pg_basebackup", *copy)

    def start(self) -> None:
        """Start it, and return once it answers."""
        (self._data / "postmaster.pid").unlink(missing_ok=True)
        where = f"-c unix_socket_directories={self._folder} -c listen_addresses= -c port=5432"
        log = self._folder / "log"
        self._run("pg_ctl", "start", "--wait", "-D", str(self._data), "-l", str(log), "-o", where)

    def kill(self) -> None:
        """End it at once, with all of its connections."""
        pid = int((self._data / "postmaster.pid").read_text().splitlines()[0])
        process.stop(pid, str(self._data), first=signal.SIGQUIT)

    def stop(self) -> None:
        """End it where it runs."""
        if (self._data / "postmaster.pid").exists():
            self.kill()

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

    def _run(self, program: str, *arguments: str) -> None:
        done = self._account.run([str(self._programs / program), *arguments])
        assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]


@contextmanager
def replica_server(primary_url: str) -> Iterator[ReplicaServer]:
    """Give a running replica; skips the test where PostgreSQL's program for it is missing."""
    if not (binaries_find(None).postgres / "pg_basebackup").exists():
        pytest.skip("pg_basebackup is not installed: apt-get install postgresql")
    # Below pytest's own folders the servers' account would reach nothing.
    folder = Path(tempfile.mkdtemp(prefix="diskatlas-replica-"))
    account_choose().own(folder)
    server = ReplicaServer(folder, primary_url)
    try:
        server.make()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
