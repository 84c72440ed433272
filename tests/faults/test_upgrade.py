"""An upgrade without downtime: the release before goes on serving and publishing while this one migrates its
filled database, and after that both do.

Until there is a release with a tag, the release before is the first version whose migrations today's begin
with.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

from tests.support.history import git, release_before
from tools.embedded.binaries import PROJECT
from tools.embedded.postgres import free_port
from tools.services import throw_away

pytestmark = [pytest.mark.processes, pytest.mark.timeout(600)]
PATIENCE_S = 180.0
PAGES = (
    "/",
    "/drives/",
    "/drives/acme-upgrade-1/",
    "/api/v1/drives/",
    "/api/v1/runs/",
    "/api/v1/aggregates/",
)
RUNS = """
import base64, hashlib, json, sys
from tests.support.documents import document, envelope, skippy_part
for number in range(int(sys.argv[1]), int(sys.argv[2])):
    unit = hashlib.sha256(str(number % 5).encode()).hexdigest()
    run = document(skippy_part(steps=130 + number), vendor="ACME", model=f"UPGRADE-{1 + number % 2}",
                   unit_digest=unit, rotation_rate_rpm=None)
    print(base64.b64encode(envelope(run)).decode())
"""


@dataclass
class Version:
    """A version of the archive: its source, and the processes that run it."""

    source: Path
    data: Path
    environment: dict[str, str]
    port: int = field(default_factory=free_port)
    children: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def manage(self, *arguments: str) -> str:
        """Call a management command; return what it printed."""
        return self._call("manage.py", *arguments)

    def envelopes(self, first: int, end: int) -> list[bytes]:
        """Return signed runs as this version's tests make them, by the lines of base64."""
        return [bytes(line, "ascii") for line in self._call("-c", RUNS, str(first), str(end)).split()]

    def start(self) -> None:
        """Start a web server and a worker."""
        web = ["gunicorn", "server.config.wsgi:application", "--config", "python:server.config.gunicorn"]
        celery = ["celery", "--app", "server.config.celery"]
        self._start("web", *web, "--bind", f"127.0.0.1:{self.port}", "--workers", "1", "--threads", "4")
        name = ["--hostname", f"{self.source.name}@%h", "--concurrency", "1", "--loglevel", "WARNING"]
        self._start("worker", *celery, "worker", *name)
        beat = ["--schedule", str(self.data / f"{self.source.name}.beat"), "--pidfile", ""]
        self._start("beat", *celery, "beat", *beat, "--loglevel", "WARNING")
        deadline = time.monotonic() + PATIENCE_S
        while self.get("/health/") != 200:
            assert time.monotonic() < deadline, self.logs()
            time.sleep(0.2)

    def get(self, path: str) -> int:
        """Return the status of an address; 0 where nobody answers."""
        return self._ask(urllib.request.Request(f"http://127.0.0.1:{self.port}{path}"))[0]

    def send(self, line: bytes) -> str:
        """Upload a run; return the submission's id."""
        import base64

        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/v1/submissions/",
            data=base64.b64decode(line),
            headers={"Content-Type": "application/json"},
        )
        status, body = self._ask(request)
        assert status == 202, (status, body[:500], self.logs())
        return str(json.loads(body)["id"])

    def stop(self) -> None:
        for child in self.children:
            child.terminate()
        for child in self.children:
            child.wait(60)
        self.children.clear()

    def logs(self) -> str:
        logs = sorted(self.data.glob(f"{self.source.name}-*.log"))
        return "\n".join(f"{log.name}:\n{log.read_text(errors='replace')[-2500:]}" for log in logs)

    def _ask(self, request: urllib.request.Request) -> tuple[int, bytes]:
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return int(answer.status), bytes(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except OSError:
            return 0, b""

    def _start(self, name: str, *command: str) -> None:
        with (self.data / f"{self.source.name}-{name}.log").open("ab") as log:
            child = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=self.source,
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        self.children.append(child)

    def _call(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.source,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S * 2,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Version, Version, str]]:
    """The release before and this one, on one empty database, and the database's address."""
    commit = release_before()
    assert commit is not None
    data = tmp_path_factory.mktemp("upgrade")
    before = data / "before"
    before.mkdir()
    with tarfile.open(fileobj=io.BytesIO(git("archive", commit))) as archive:
        archive.extractall(before, filter="data")
    with throw_away() as services:
        shared = {
            **os.environ,
            **services.environment(),
            "SECRET_KEY": "upgrade-upgrade-upgrade-upgrade-upgrade-upgrade",
            "DJANGO_SETTINGS_MODULE": "server.config.settings",
            "DATA_DIR": str(data),
            "ALLOWED_HOSTS": "127.0.0.1",
            "LOG_LEVEL": "WARNING",
            "SUBMISSION_RATE": "10000/min",
            "PIPELINE_STALE_AFTER_S": "5",
            "PIPELINE_SWEEP_EVERY_S": "2",
            "MODEL_REFRESH_DELAY_S": "1",
            "ARCHIVE_COUNTS_EVERY_S": "1",
        }
        both = [
            Version(
                source,
                data,
                {**shared, "PYTHONPATH": str(source), "STATIC_ROOT": str(data / source.name / "s")},
            )
            for source in (before, PROJECT)
        ]
        built = Path("server", "web", "static", "built")
        if not (PROJECT / built).exists():
            pytest.skip("the front end is not built: call `make frontend`")
        # That of the release before was built then; its pages find the files of today by the same names.
        shutil.copytree(PROJECT / built, before / built)
        try:
            for version in both:
                version.manage("collectstatic", "--no-input", "--verbosity", "0")
            yield both[0], both[1], services.environment()["DATABASE_URL"]
        finally:
            for version in both:
                version.stop()


def ended(database: str, ids: set[str]) -> dict[str, str]:
    """Return in which state each submission is."""
    with psycopg.connect(database) as link:
        rows = link.execute(
            "SELECT id::text, state FROM submissions_submission WHERE id = ANY(%s::uuid[])", [list(ids)]
        )
        return dict(rows.fetchall())


def wait_published(database: str, ids: set[str], version: Version) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while set((found := ended(database, ids)).values()) != {"published"} or len(found) < len(ids):
        assert time.monotonic() < deadline, (found, version.logs())
        time.sleep(0.5)


def test_the_release_before_goes_on_while_its_database_is_migrated(
    versions: tuple[Version, Version, str],
) -> None:
    before, now, database = versions
    before.manage("migrate", "--verbosity", "0")
    before.start()
    runs = iter(before.envelopes(0, 400))
    sent = {before.send(next(runs)) for _ in range(12)}
    wait_published(database, sent, before)

    stop, statuses = threading.Event(), set[int]()

    def visit() -> None:
        while not stop.is_set():
            sent.add(before.send(next(runs)))
            statuses.update(before.get(path) for path in PAGES[3:])
            time.sleep(0.2)

    visitor = threading.Thread(target=visit, daemon=True)
    visitor.start()
    now.manage("migrate", "--verbosity", "0")
    time.sleep(3)
    stop.set()
    visitor.join(60)
    assert not visitor.is_alive() and statuses == {200}, (statuses, before.logs())
    assert len(sent) > 12
    wait_published(database, sent, before)

    now.start()
    newer = {now.send(line) for line in now.envelopes(400, 410)}
    older = {before.send(next(runs)) for _ in range(10)}
    wait_published(database, newer | older, now)
    for version in (before, now):
        assert {path: version.get(path) for path in PAGES} == dict.fromkeys(PAGES, 200), version.logs()
    before.stop()
    wait_published(database, {now.send(line) for line in now.envelopes(410, 413)}, now)
    assert "no migrations to apply" in now.manage("migrate").lower()
