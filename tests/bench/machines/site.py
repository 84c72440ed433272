"""An archive on several machines: each of them a host with an address of its own (tools/hosts.py), which runs
what docker/compose.scale.yaml has it run, as processes.

Simulated are the machines alone: they share this one's processors, memory and disk. PgBouncer is left out.
"""

from __future__ import annotations

import base64
import http.client
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import psycopg

from tests.faults.field.clients import Site
from tests.support.s3_server import ACCESS_KEY, BUCKET, PROGRAM, REGION, SECRET_KEY
from tools.caddy import caddy_start
from tools.embedded.account import account_choose, private_folder, server_environment
from tools.embedded.binaries import PROJECT, binaries_find
from tools.embedded.postgres import Postgres
from tools.hosts import Host, Network

DOMAIN = "archive.example"
WEBS, WORKERS = ("web-1", "web-2"), ("worker-1", "worker-2")
PASSWORD = "machines-sample"
READY_S = 180.0
S3_PORT, WEB_PORT, METRICS_PORT = 7070, 8000, 9464
CGROUP = Path("/sys/fs/cgroup/cpu")
PERIOD_US = 20_000
UNDER_WAY = """
SELECT (SELECT count(*) FROM submissions_submission
        WHERE state IN ('received', 'verified', 'validated', 'extracted'))
    + (SELECT count(*) FROM measurements_aggregatedue WHERE not_before IS NULL OR not_before <= now())
"""


class Machines:
    """The hosts and what runs on them."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self._network = Network()
        self.hosts: dict[str, Host] = {}
        self.environment: dict[str, str] = {}
        self._running: dict[str, list[subprocess.Popen[bytes]]] = {}
        self._postgres: Postgres
        self.database_url = ""
        self.max_lag_s = 5
        self.next_count = 0
        """The first number of a client's run that was not sent yet."""

    def start(self, *, workers: Sequence[str] = WORKERS) -> None:
        """Start all machines but those of workers that are not named; return once they answer."""
        database, queue, cache = (self._network.here(name) for name in ("database", "queue", "cache"))
        for name in ("storage", "replica", "proxy", "beat", *WEBS, *WORKERS):
            self.hosts[name] = self._network.host(name)
        account = account_choose()
        place = private_folder(self._folder / "database", account)
        self._postgres = Postgres(place, binaries_find(None), account, durable=True, address=database.address)
        self._postgres.start()
        self._stack.callback(self._postgres.stop)
        self.database_url = self._postgres.url()
        for name, host in (("queue", queue), ("cache", cache)):
            self._redis(name, host)
        self._storage()
        self.environment = self._settings(queue, cache)
        self.call("manage.py", "migrate", "--verbosity", "0")
        self.call("manage.py", "collectstatic", "--no-input", "--verbosity", "0")
        self.replica_start()
        for name in (*WEBS, *workers, "beat"):
            self.machine_start(name)
        upstreams = " ".join(f"{self.hosts[name].address}:{WEB_PORT}" for name in WEBS)
        proxy = caddy_start(self._folder, DOMAIN, upstreams, self.hosts["proxy"].command)
        self._stack.callback(_end, proxy)
        for site in (*map(self.web, WEBS), self.site):
            self.wait(lambda one=site: status_of(one, "/health/") == 200, f"no answer at {site.address}")

    @property
    def site(self) -> Site:
        """The archive as its visitors reach it: through the proxy."""
        return Site(443, self.hosts["proxy"].address, DOMAIN)

    def web(self, name: str) -> Site:
        """Return one of the web machines itself."""
        return Site(WEB_PORT, self.hosts[name].address)

    def machine_start(self, name: str, *, concurrency: int = 1) -> None:
        """Start what runs on a machine of web, worker or beat."""
        celery = ["celery", "--app", "server.config.celery"]
        role = name.partition("-")[0]
        if role == "web":
            command = ["gunicorn", "server.config.wsgi:application", "--config"]
            command += ["python:server.config.gunicorn", "--bind", f"0.0.0.0:{WEB_PORT}", "--workers", "2"]
            command += ["--threads", "4", "--timeout", "60"]
        elif role == "worker":
            command = [*celery, "worker", "--loglevel", "WARNING", "--concurrency", str(concurrency)]
            command += ["--hostname", f"worker@{name}", "--queues", "ingest,extract,refresh,deliver,export"]
        else:
            command = [*celery, "beat", "--loglevel", "WARNING", "--pidfile", ""]
            command += ["--schedule", str(self._folder / "beat-schedule")]
        own = self._folder / name
        own.mkdir(exist_ok=True)
        self.run(
            name,
            [sys.executable, "-m", *command],
            {
                **self.environment,
                "DATA_DIR": str(own),
                "METRICS_BIND": f"0.0.0.0:{METRICS_PORT}",
                "PROMETHEUS_MULTIPROC_DIR": str(own / "metrics"),
            },
        )

    def run(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Run a program on a machine."""
        (self._folder / name / "metrics").mkdir(parents=True, exist_ok=True)
        with (self._folder / f"{name}.log").open("ab") as log:
            child = subprocess.Popen(
                self.hosts[name].command(*command),
                cwd=PROJECT,
                env=dict(environment),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._running.setdefault(name, []).append(child)
        self._stack.callback(self.kill, name)

    def kill(self, name: str) -> None:
        """Kill all processes of a machine at once, as when its power fails."""
        self.signal(name, signal.SIGKILL)
        for child in self._running.pop(name, []):
            child.wait()

    def signal(self, name: str, number: signal.Signals) -> None:
        """Send all processes of a machine a signal."""
        for pid in self.pids(name):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def pids(self, name: str) -> list[int]:
        """Return the processes that run on a machine."""
        done = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=True)
        return [int(pid) for pid in done.stdout.split()]

    def cut_off(self, name: str, *, cut: bool) -> None:
        """Take a machine from the network, or give it back."""
        state = "down" if cut else "up"
        subprocess.run(["ip", "-n", name, "link", "set", "eth0", state], check=True)

    def limit(self, name: str, share: float) -> None:
        """Let a machine have this share of one processor; 0 lifts the limit."""
        group = CGROUP / f"diskatlas-{os.getppid()}-{name}"
        if not group.exists():
            group.mkdir()
            self._stack.callback(_group_remove, group)
            # Before that: a group with processes stays.
            self._stack.callback(self.kill, name)
        (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        (group / "cpu.cfs_quota_us").write_text(str(int(share * PERIOD_US) or -1))
        for pid in self.pids(name):
            (group / "cgroup.procs").write_text(str(pid))

    def replica_start(self) -> None:
        """Start the replica by docker/replica.sh; return once it answers."""
        host, account = self.hosts["replica"], account_choose()
        folder = self._folder / "replica"
        if not folder.exists():
            with psycopg.connect(self.database_url, autocommit=True) as link:
                link.execute(f"CREATE ROLE replication LOGIN REPLICATION PASSWORD '{PASSWORD}'".encode())
            folder.mkdir(mode=0o700)
            account.own(folder)
        script = self._folder / "replica.sh"
        shutil.copy(PROJECT / "docker" / "replica.sh", script)
        script.chmod(0o644)
        rights = [f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups"]
        where = ["-c", f"listen_addresses={host.address}", "-c", f"unix_socket_directories={folder}"]
        self.run(
            "replica",
            ["setpriv", *rights, "env", "--chdir=/", "sh", str(script), *where, "-p", "5432"],
            server_environment(
                {
                    "PATH": f"{binaries_find(None).postgres}:{os.environ['PATH']}",
                    "PGDATA": str(folder),
                    "DATABASE_HOST": self._network.hosts["database"].address,
                    "REPLICATION_PASSWORD": PASSWORD,
                }
            ),
        )
        self.wait(lambda: self.replica_ask("SELECT pg_is_in_recovery()") is True, "no replica")

    def replica_ask(self, query: str) -> object:
        """Return what the replica answers; None where it does not."""
        try:
            with psycopg.connect(self.environment["REPLICA_DATABASE_URL"], connect_timeout=2) as link:
                row = link.execute(query.encode()).fetchone()
        except psycopg.Error:
            return None
        return row[0] if row else None

    def ask(self, query: str) -> list[tuple[object, ...]]:
        """Return the rows of a query at the primary."""
        with psycopg.connect(self.database_url, autocommit=True, connect_timeout=10) as link:
            cursor = link.execute(query.encode())
            return list(cursor.fetchall()) if cursor.description else []

    def call(self, *arguments: str) -> str:
        """Call Python in the archive's environment; return what it printed."""
        done = subprocess.run(
            [sys.executable, *arguments], cwd=PROJECT, env=self.environment, capture_output=True, text=True
        )
        if done.returncode != 0:
            raise SystemExit(f"bench-machines: {arguments} failed:\n{done.stderr[-3000:]}")
        return done.stdout

    def settle(self) -> float:
        """Wait until nothing is under way; return the seconds that it took."""
        return self.wait(lambda: self.ask(UNDER_WAY) == [(0,)], "work is left", 600.0)

    def wait(self, holds: Callable[[], bool], what: str, limit_s: float = READY_S) -> float:
        """Wait until something holds; return the seconds that it took. Raises SystemExit."""
        began = time.monotonic()
        while not holds():
            if time.monotonic() - began > limit_s:
                raise SystemExit(f"bench-machines: {what}\n{self.logs()}")
            time.sleep(0.1)
        return time.monotonic() - began

    def logs(self) -> str:
        """Return the last words of each program."""
        logs = sorted(self._folder.glob("*.log"))
        return "\n".join(f"--- {log.name}\n{log.read_text(errors='replace')[-1500:]}" for log in logs)

    def replica_reads(self) -> dict[str, float]:
        """Return how many answers replica and primary gave, as the web machines count them."""
        found: dict[str, float] = {}
        for name in WEBS:
            with suppress(OSError, http.client.HTTPException):
                text = body_of(Site(METRICS_PORT, self.hosts[name].address), "/metrics").decode()
                pattern = r'^diskatlas_replica_reads_total\{from="(\w+)"\} (\S+)$'
                for who, count in re.findall(pattern, text, re.MULTILINE):
                    found[who] = found.get(who, 0.0) + float(count)
        return found

    def _redis(self, name: str, host: Host) -> None:
        command = [str(binaries_find(None).redis), "--bind", host.address, "--port", "6379", "--save", ""]
        command += [
            "--requirepass",
            PASSWORD,
            "--dir",
            str(self._folder),
            "--appendonly",
            "yes" if name == "queue" else "no",
        ]
        with (self._folder / f"{name}.log").open("wb") as log:
            self._stack.callback(_end, subprocess.Popen(command, stdout=log, stderr=log))

    def _storage(self) -> None:
        host = self.hosts["storage"]
        (self._folder / "s3" / BUCKET).mkdir(parents=True)
        command = [str(PROGRAM), "--port", f"{host.address}:{S3_PORT}", "--quiet", "--region", REGION]
        secrets = {"ROOT_ACCESS_KEY": ACCESS_KEY, "ROOT_SECRET_KEY": SECRET_KEY}
        folder = str(self._folder / "s3")
        self.run("storage", [*command, "posix", "--nometa", folder], {**os.environ, **secrets})

    def _settings(self, queue: Host, cache: Host) -> dict[str, str]:
        here = self._network.hosts["database"].address
        replica = self.database_url.replace(f"@{here}:", f"@{self.hosts['replica'].address}:")
        return {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "server.config.settings",
            "DATABASE_URL": self.database_url,
            "REPLICA_DATABASE_URL": replica,
            "REPLICA_MAX_LAG_S": str(self.max_lag_s),
            "REDIS_URL": f"redis://:{PASSWORD}@{queue.address}:6379/0",
            "CACHE_URL": f"redis://:{PASSWORD}@{cache.address}:6379/0",
            "S3_BUCKET": BUCKET,
            "S3_ENDPOINT_URL": f"http://{self.hosts['storage'].address}:{S3_PORT}",
            "S3_REGION": REGION,
            "S3_ACCESS_KEY": ACCESS_KEY,
            "S3_SECRET_KEY": SECRET_KEY,
            "SECRET_KEY": "machines-machines-machines-machines-machines-machines",
            "LOG_KEY": base64.b64encode(os.urandom(32)).decode(),
            "LOG_ORIGIN": f"{DOMAIN}/log",
            "SITE_URL": f"https://{DOMAIN}",
            "ALLOWED_HOSTS": DOMAIN,
            "HTTPS": "1",
            "BEHIND_PROXY": "1",
            "DATA_DIR": str(self._folder / "database-host"),
            "STATIC_ROOT": str(self._folder / "static"),
            "PYTHONPATH": str(PROJECT),
            "LOG_LEVEL": "WARNING",
            "SUBMISSION_RATE": "1000000/min",
            "API_READS_PER_MINUTE": "1000000",
            "PAGE_READS_PER_MINUTE": "1000000",
            "MODEL_REFRESH_DELAY_S": "1",
            "PIPELINE_STALE_AFTER_S": "40",
            "PIPELINE_SWEEP_EVERY_S": "5",
        }


def ask_of(site: Site, path: str) -> tuple[int, bytes]:
    """Return status and body of an answer, asked as the proxy asks."""
    link = site.link(20)
    try:
        headers = {"Host": DOMAIN, "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.1"}
        link.request("GET", path, headers=headers)
        answer = link.getresponse()
        return answer.status, answer.read()
    finally:
        link.close()


def status_of(site: Site, path: str) -> int:
    """Return an answer's status; 0 where nobody answers."""
    try:
        return ask_of(site, path)[0]
    except (OSError, http.client.HTTPException):
        return 0


def body_of(site: Site, path: str) -> bytes:
    """Return an answer's body."""
    return ask_of(site, path)[1]


def _end(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    child.wait(60)


def _group_remove(group: Path) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.1)
