"""A whole archive on loopback, each part of which can be hurt: PostgreSQL, Redis, web, workers, beat."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, suppress
from pathlib import Path

import psycopg

from tests.support.block import small_file_system
from tests.support.redis_server import RedisServer
from tests.support.s3_server import S3Server
from tools.embedded.binaries import PROJECT
from tools.embedded.postgres import free_port
from tools.services import Services

READY_S = 180.0
DISK_KIB = 400 * 1024
"""Of the database, and of the envelopes: 256 MiB have to be free for the archive to call itself ready."""
RESTARTED = ["sh", "-c", 'while :; do "$@"; sleep 0.5; done', "sh"]
"""A container that ends is started again (docker/compose.yaml)."""


class Archive:
    """The running processes, in one folder."""

    def __init__(self, folder: Path, s3: S3Server | None = None) -> None:
        self.folder = folder
        self.s3 = s3
        self.port = free_port()
        self._mounted = ExitStack()
        self.database_disk, self.envelopes_disk = folder / "database", folder / "envelopes"
        for disk in (self.database_disk, self.envelopes_disk):
            if may_mount():
                self._mounted.enter_context(small_file_system(disk, size_kib=DISK_KIB))
            else:
                disk.mkdir()
            disk.chmod(0o711)
        self._services = Services(self.database_disk / "services", durable=True)
        self.redis = RedisServer(folder, appends=True)
        self._roles: dict[str, subprocess.Popen[bytes]] = {}
        self.environment: dict[str, str] = {}
        self.database_url = ""

    def start(self) -> None:
        """Start everything; return once the site answers."""
        self._services.postgres.start()
        self.redis.start()
        self.clocks_shift(0)
        self.database_url = self._services.postgres.url()
        self.environment = self._environment()
        self.manage("migrate", "--verbosity", "0")
        gunicorn = ["gunicorn", "server.config.wsgi:application", "--config", "python:server.config.gunicorn"]
        web = ["--bind", f"127.0.0.1:{self.port}", "--workers", "2", "--threads", "4", "--timeout", "60"]
        self.role_start("web", [*gunicorn, *web])
        for name in ("worker-1", "worker-2"):
            self.role_start(name, [*self._celery("worker"), "--concurrency", "1", "--hostname", f"{name}@%h"])
        self.beat_start("beat")
        self.wait_answering()

    def stop(self) -> None:
        """End everything, also what is hurt."""
        for name in list(self._roles):
            self.role_end(name)
        self.redis.kill()
        self.postgres_stop()
        self._mounted.close()

    def role_start(self, name: str, command: list[str]) -> None:
        """Start a role that is started again whenever it ends."""
        with (self.folder / f"{name}.log").open("ab") as log:
            self._roles[name] = subprocess.Popen(
                [*RESTARTED, sys.executable, "-m", *command],
                cwd=PROJECT,
                env={**self.environment, **clock_environment(self.folder, self.folder / "clock")},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def beat_start(self, name: str) -> None:
        """Start a scheduler, of which there should be one."""
        schedule = str(self.folder / f"{name}-schedule")
        self.role_start(name, [*self._celery("beat"), "--schedule", schedule, "--pidfile", ""])

    def role_end(self, name: str) -> None:
        """Kill a role for good."""
        child = self._roles.pop(name)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()

    def role_kill(self, name: str, *, children_only: bool = False) -> int:
        """Kill all processes of a role, or the children of its main process; return how many."""
        below = descendants(self._roles[name].pid)
        victims = [pid for pid, depth in below if depth > 1] if children_only else [pid for pid, _ in below]
        for pid in victims:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return len(victims)

    def postgres_start(self) -> None:
        """Start the database where it does not run."""
        self._services.postgres.start()

    def postgres_stop(self) -> None:
        """Shut the database down, while it is in use."""
        self._services.postgres.stop()

    def postgres_kill(self) -> None:
        """Kill the database with all of its processes."""
        pid = self._services.postgres.pid()
        assert pid is not None
        for one in (pid, *(child for child, _depth in descendants(pid))):
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        deadline = time.monotonic() + 20
        while self._services.postgres.pid() is not None and time.monotonic() < deadline:
            time.sleep(0.05)

    def connections_cut(self) -> int:
        """End every other connection to the database; return how many."""
        return int(
            self.ask(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND datname = current_database()"
            )[0][0]
        )

    def ask(self, query: str) -> list[tuple[object, ...]]:
        """Return the rows of a query."""
        with psycopg.connect(self.database_url, autocommit=True, connect_timeout=10) as link:
            cursor = link.execute(query.encode())
            return list(cursor.fetchall()) if cursor.description else []

    def say(self, name: str, words: str) -> None:
        """Tell the faulty parts what to do."""
        part = self.folder / f"{name}.part"
        part.write_text(words)
        part.replace(self.folder / name)

    def clocks_shift(self, hours: int) -> None:
        """Set the clocks of web, workers and scheduler; those of database and queue are other machines'."""
        self.say("clock", str(3600 * hours))

    def published(self) -> int:
        """Return how many publications there were; -1 where the database does not answer."""
        try:
            ((count,),) = self.ask("SELECT count(*) FROM submissions_submission WHERE state = 'published'")
        except psycopg.Error:
            return -1
        return int(str(count))

    def manage(self, *arguments: str) -> str:
        """Call a management command, or a module with Django; return what it printed."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(
            command, cwd=PROJECT, env=self.environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def module(self, name: str, *arguments: str) -> str:
        """Call a module in the archive's environment; return what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", name, *arguments],
            cwd=PROJECT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def wait_answering(self) -> None:
        """Return once the site answers."""
        deadline = time.monotonic() + READY_S
        while not self._answers():
            assert time.monotonic() < deadline, self.logs()
            time.sleep(0.2)

    def logs(self) -> str:
        """Return the last words of each part."""
        return "\n".join(
            f"{log.name}:\n{log.read_text(errors='replace')[-3000:]}"
            for log in sorted(self.folder.glob("*.log"))
        )

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health/", timeout=5) as response:
                return bool(response.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _celery(self, role: str) -> list[str]:
        return ["celery", "--app", "server.config.celery", role, "--loglevel", "WARNING"]

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "DATABASE_URL": self.database_url,
            "REDIS_URL": self.redis.url,
            "SECRET_KEY": "faults-faults-faults-faults-faults-faults-faults",
            "DJANGO_SETTINGS_MODULE": "tests.support.settings_faults",
            "FAULTS_DIR": str(self.folder),
            "ENVELOPES_DIR": str(self.envelopes_disk),
            **(self.s3.settings() if self.s3 is not None else {}),
            "S3_TIMEOUT_S": "3",
            "DATA_DIR": str(self.folder),
            "STATIC_ROOT": str(self.folder / "static"),
            "PYTHONPATH": str(PROJECT),
            "LOG_LEVEL": "WARNING",
            "ALLOWED_HOSTS": "127.0.0.1",
            "FOLLOW_ALLOW_LOOPBACK": "1",
            "FOLLOW_WINDOW_S": "1",
            "SUBMISSION_RATE": "100000/min",
            "API_READS_PER_MINUTE": "100000",
            "PIPELINE_STALE_AFTER_S": "5",
            "PIPELINE_SWEEP_EVERY_S": "1",
            "PIPELINE_SWEEP_MAX_S": "20",
            "MODEL_REFRESH_DELAY_S": "1",
            "AGGREGATES_COOLDOWN_FACTOR": "1",
            "ARCHIVE_COUNTS_EVERY_S": "2",
        }


def may_mount() -> bool:
    """Return whether this account may give the archive disks that can be filled."""
    return os.geteuid() == 0


def may_shift_clocks() -> bool:
    """Return whether programs can be shown another time here."""
    return sys.platform == "linux" and shutil.which("cc") is not None


def clock_environment(folder: Path, says: Path) -> dict[str, str]:
    """Return what has a program show the time that a file says: shifted by so many seconds."""
    if not may_shift_clocks():
        return {}
    library = folder / "clock_shift.so"
    if not library.exists():
        source = PROJECT / "tests" / "support" / "clock_shift.c"
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, source], check=True, timeout=60)
    return {"LD_PRELOAD": str(library), "CLOCK_SHIFT_FILE": str(says)}


def disk_fill(folder: Path) -> None:
    """Take all the room that there is on a disk."""
    with suppress(OSError), (folder / "filler").open("ab", buffering=0) as filler:
        while True:
            filler.write(bytes(1 << 20))


def disk_free(folder: Path) -> None:
    """Give the room back."""
    (folder / "filler").unlink()


def descendants(pid: int) -> list[tuple[int, int]]:
    """Return the processes below one, each with how far."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, level = [], [(child, 1) for child in children.get(pid, [])]
    while level:
        found += level
        level = [(child, depth + 1) for parent, depth in level for child in children.get(parent, [])]
    return found
