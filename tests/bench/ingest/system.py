"""One checkout's archive as production runs it, on loopback: its processes, and what CPU time they took.

Its parts are told apart by what stands in their command lines alone, so that any commit can be measured.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.bench.checkouts import Checkout
from tools.children import Children
from tools.embedded.postgres import free_port
from tools.services import Services

READY_S = 90.0
WEB = ("--workers", "2", "--threads", "4", "--timeout", "60", "--max-requests", "2000")
"""docker/entrypoint.sh's, with a process for each of two processors."""
WORKERS = "2"
ENVELOPE_EVERY = 50
TABLES = {
    # Put together, so that a renaming of the present ones leaves the former alone.
    "submissions": ("submissions_submission", "runs" + "_submission"),
    "due": ("measurements_refreshdue", "measurements_aggregatedue", "runs" + "_aggregatedue"),
}
"""Present and former names."""

Cpu = dict[str, float]
"""Part of the archive to seconds of CPU time since its start."""


def niceness(checkout: Path) -> int:
    """Return by how much a checkout's image puts its workers behind the web server."""
    entrypoint = checkout / "docker" / "entrypoint.sh"
    text = entrypoint.read_text(encoding="utf-8") if entrypoint.exists() else ""
    found = re.search(r"nice -n (\d+)", text)
    return int(found.group(1)) if found else 0


def put_behind(pid: int, nice: int) -> None:
    """Put a session behind the others on a busy machine, as `cpu_shares` does among containers: sched(7),
    where sessions share the processors, niceness counts within each alone."""
    autogroup = Path(f"/proc/{pid}/autogroup")
    if nice and autogroup.exists():
        autogroup.write_text(f"{nice}\n")


class System:
    """The running processes of one checkout on one archive."""

    def __init__(self, checkout: Checkout, runs: int, root: Path) -> None:
        """Take what is to run, and the folder of all archives."""
        self.checkout, self.runs = checkout, runs
        self.folder = root / f"{checkout.name}-{runs}"
        self.port = free_port()
        self._children: Children | None = None
        self._services = Services(self.folder / "services")
        self._pids: dict[str, int] = {}
        self._tables: dict[str, str] = {}

    @contextmanager
    def running(self) -> Iterator[System]:
        """Start all parts, filling the archive first where that is not done, and stop them at the end."""
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            environment = self._environment(self._services.start())
            self._database = psycopg.connect(environment["DATABASE_URL"], autocommit=True)
            self._fill(environment)
            self._start(environment)
            yield self
        finally:
            if self._children is not None:
                self._children.stop()
            self._services.stop()

    def ask(self, query: str, *parameters: object) -> tuple[object, ...]:
        """Return the one row of a query in which {submissions} and {due} stand for tables."""
        row = self._database.execute(query.format(**self._tables).encode(), parameters).fetchone()
        assert row is not None
        return row

    def cpu(self) -> Cpu:
        """Return the CPU time of each part with all its processes, those that have ended too."""
        parents, spent = _processes()
        found = dict.fromkeys(self._pids, 0.0)
        owners = {pid: part for part, pid in self._pids.items()}
        for pid, seconds in spent.items():
            above = pid
            while above not in owners and above in parents:
                above = parents[above]
            if above in owners:
                found[owners[above]] += seconds
        return found

    def log_tails(self) -> str:
        """Return the last words of the web server and the worker."""
        assert self._children is not None
        return "\n".join(self._children.log_tail(name) for name in ("web", "worker"))

    def _start(self, environment: dict[str, str]) -> None:
        children = self._children = Children(self.folder / "logs", environment, self.checkout.folder)
        gunicorn = ["gunicorn", "server.config.wsgi:application", "--config", "python:server.config.gunicorn"]
        celery = ["celery", "--app", "server.config.celery"]
        commands = {
            "web": [*gunicorn, "--bind", f"127.0.0.1:{self.port}", *WEB],
            "worker": [*celery, "worker", "--loglevel", "ERROR", "--concurrency", WORKERS],
            "beat": [
                *celery,
                "beat",
                "--loglevel",
                "ERROR",
                "--schedule",
                str(self.folder / "beat"),
                "--pidfile",
                "",
            ],
        }
        behind = niceness(self.checkout.folder)
        for name, command in commands.items():
            own = ["nice", "-n", str(behind)] if name == "worker" else []
            self._pids[name] = children.start(name, [*own, sys.executable, "-m", *command]).pid
        put_behind(self._pids["worker"], behind)
        self._pids |= {
            "postgres": self._services.postgres.pid() or 0,
            "redis": self._services.redis.pid() or 0,
        }
        deadline = time.monotonic() + READY_S
        while not self._answers():
            if children.ended() or time.monotonic() > deadline:
                raise SystemExit(f"bench-ingest: {self.checkout.name} did not start.\n{self.log_tails()}")
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health/", timeout=5) as response:
                return bool(response.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _fill(self, environment: dict[str, str]) -> None:
        self._manage(environment, "migrate", "--verbosity", "0")
        for name, tables in TABLES.items():
            there = [table for table in tables if self.ask("SELECT to_regclass(%s)", table) != (None,)]
            self._tables[name] = there[0]
        if self.ask("SELECT EXISTS (SELECT FROM {submissions})") == (False,):
            sizes = ["--models", max(self.runs // 100, 1), "--units", max(self.runs // 10, 1)]
            # What is computed of a model is computed with its first upload: half an hour is saved.
            only = ["--envelope-every", ENVELOPE_EVERY, "--step", "runs"]
            self._manage(environment, "seed_archive", *sizes, "--runs", self.runs, *only)
            self._database.execute("VACUUM ANALYZE")

    def _manage(self, environment: dict[str, str], *arguments: object) -> None:
        command = [sys.executable, "manage.py", *map(str, arguments)]
        subprocess.run(command, cwd=self.checkout.folder, env=environment, check=True)

    def _environment(self, services: dict[str, str]) -> dict[str, str]:
        # A commit before development had settings of its own has the sample archive in the site's.
        own = (self.checkout.folder / "tools" / "settings.py").exists()
        return {
            **os.environ,
            **services,
            "DJANGO_SETTINGS_MODULE": "tools.settings" if own else "server.config.settings",
            "SECRET_KEY": "bench-bench-bench-bench-bench-bench-bench-bench-bench",
            "ALLOWED_HOSTS": "127.0.0.1",
            "DATA_DIR": str(self.folder),
            "STATIC_ROOT": str(self.folder / "static"),
            "LOG_LEVEL": "ERROR",
            # One address sends all: more than any contributor may.
            "SUBMISSION_RATE": "1000000/min",
        }


def _processes() -> tuple[dict[int, int], dict[int, float]]:
    """Return the parent of each process, and its CPU seconds with those of its children that ended."""
    parents, spent = {}, {}
    tick = os.sysconf("SC_CLK_TCK")
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        # proc(5), counted from the state: ppid is the second, utime to cstime the 12th to 15th.
        parents[int(entry.name)] = int(fields[1])
        spent[int(entry.name)] = sum(map(int, fields[11:15])) / tick
    return parents, spent
