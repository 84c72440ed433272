"""`make demo`: a whole archive on this machine, filled by the real probe over real HTTP: from simulated
drives, and from real measurements that others published.

    DEMO_PORT=8000    port on 127.0.0.1
    DEMO_ONCE=1       stop by itself once every run is published; exit code 1 where one is not

What was built, installed and measured before is used again, so that a second call starts in seconds.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from types import FrameType

from tools.children import Children
from tools.embedded.account import ServicesError
from tools.embedded.binaries import PROJECT
from tools.fio_plot_runs import runs_import
from tools.release.native import DOWNLOADS, VARIABLE, built_probe
from tools.services import DATA, Services, project_services

DRIVES = ("ibm-ultrastar-xp", "seagate-hawk", "quantum-fireball", "samsung-hd103sj", "modern-20tb")
READY_TIMEOUT_S = 60.0
SUBMIT_TIMEOUT_S = 600


class DemoError(Exception):
    """What keeps the demo from going on, and what to do."""


class Stop(BaseException):
    """Ctrl-C or a polite kill."""


def main() -> int:
    """Run the demo; return the exit code."""
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    began = time.monotonic()
    try:
        with_once = os.environ.get("DEMO_ONCE", "") not in {"", "0"}
        return Demo(_port(), once=with_once, began=began).run()
    except (DemoError, ServicesError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    except Stop:
        say("stopped")
        return 0


class Demo:
    """One call of the demo."""

    def __init__(self, port: int, *, once: bool, began: float) -> None:
        self._url = f"http://127.0.0.1:{port}"
        self._port = port
        self._once = once
        self._began = began
        self._folder = DATA / "demo"
        self._probe = _probe()

    def run(self) -> int:
        """Start everything, fill the archive, serve until told to stop; stop what was started."""
        _check_port_free(self._port)
        self._folder.mkdir(parents=True, exist_ok=True)
        services = project_services()
        already_running = services.running()
        children: Children | None = None
        try:
            say("starting PostgreSQL and Redis")
            environment = self._environment(services)
            self._prepare(services, environment)
            children = Children(DATA / "logs", environment, PROJECT)
            self._start(children)
            published = self._fill(environment)
            self._report(published)
            if not self._once:
                self._serve(children)
            return 0 if all(address for _name, address in published) else 1
        finally:
            # A second Ctrl-C must not cut the stopping short.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            if children is not None:
                children.stop()
            if not already_running:
                services.stop()

    def _environment(self, services: Services) -> dict[str, str]:
        own = {
            **services.start(),
            "DJANGO_SETTINGS_MODULE": "server.config.settings",
            "SECRET_KEY": _secret(DATA / "secret-key"),
            "ALLOWED_HOSTS": "127.0.0.1,localhost",
            "DATA_DIR": str(DATA),
            "SITE_URL": self._url,
            "EMAIL_FILE_PATH": str(self._folder / "mail"),
            "DISKATLAS_KEY": str(self._folder / "key"),
            "LOG_JSON": "0",
        }
        return {**os.environ, **own}

    def _prepare(self, services: Services, environment: dict[str, str]) -> None:
        """Bring database and static files up to what the sources say; nothing to do takes no time."""
        manage = [sys.executable, "manage.py"]
        made = (services.postgres.data / "PG_VERSION").stat()
        sources = [*sorted(PROJECT.glob("server/*/migrations")), PROJECT / "server" / "catalog"]
        with _Stamp(
            self._folder / "database.stamp", f"{made.st_ino} {made.st_mtime} {_fingerprint(sources)}"
        ) as due:
            if due:
                say("bringing the database up to date")
                _call([*manage, "migrate", "--no-input", "--verbosity", "0"], environment, "the migrations")
                _call([*manage, "load_catalog"], environment, "the catalogue")
                _call([*manage, "load_identities"], environment, "the drives that people have")
                _call([*manage, "refresh_summaries", "--missing"], environment, "the summaries")
        sources = [PROJECT / "server" / "web" / "static", PROJECT / "requirements" / "base.txt"]
        with _Stamp(self._folder / "static.stamp", _fingerprint(sources)) as due:
            if due or not (PROJECT / ".build" / "static").exists():
                say("collecting the static files")
                _call(
                    [*manage, "collectstatic", "--no-input", "--verbosity", "0"],
                    environment,
                    "the static files",
                )

    def _start(self, children: Children) -> None:
        say("starting the web server, the worker and the scheduler")
        web = ["-m", "gunicorn", "server.config.wsgi:application", "--bind", f"127.0.0.1:{self._port}"]
        web += ["--config", "python:server.config.gunicorn"]
        children.start("web", [sys.executable, *web, "--workers", "2", "--timeout", "120"])
        celery = [sys.executable, "-m", "celery", "--app", "server.config.celery"]
        children.start("worker", [*celery, "worker", "--loglevel", "INFO", "--concurrency", "2"])
        schedule = ["--schedule", str(self._folder / "beat-schedule"), "--pidfile", ""]
        children.start("beat", [*celery, "beat", "--loglevel", "INFO", *schedule])
        deadline = time.monotonic() + READY_TIMEOUT_S
        while not _answers(f"{self._url}/health/"):
            ended = children.ended()
            if ended or time.monotonic() > deadline:
                name = ended or "web"
                raise DemoError(
                    f"{name} did not start. Its log {children.log(name)} ends:\n{children.log_tail(name)}"
                )
            time.sleep(0.1)

    def _fill(self, environment: dict[str, str]) -> list[tuple[str, str | None]]:
        if not (self._folder / "key").exists():
            _call([str(self._probe), "key", "new"], environment, "the demo's signing key")
        state = _fingerprint([self._probe])[:12]
        measured = [(name, self._measure(name, state, environment)) for name in DRIVES]

        def imports(arguments: list[str]) -> None:
            _call([str(self._probe), *arguments], environment, "the import of real measurements")

        files = [*measured, *runs_import(self._folder, imports)]
        return [(name, self._submit(name, file, environment)) for name, file in files]

    def _measure(self, name: str, state: str, environment: dict[str, str]) -> Path:
        """Return the run of a simulated drive."""
        file = self._folder / f"{name}-preserve-{state}.run.json"
        if not file.exists():
            say(f"measuring the simulated drive {name}")
            unfinished = file.with_suffix(".part")
            for left in (unfinished, unfinished.with_name(f"{unfinished.name}.journal")):
                left.unlink(missing_ok=True)
            # Reads alone meet the cache; writes show the medium. A simulated drive has nothing to lose.
            measure = ["run", f"sim:{name}", "--writes", "preserve", "--output", str(unfinished)]
            measure += ["--license", "CC0-1.0"]
            command = [str(self._probe), *measure]
            _call(command, environment, f"the measurement of {name}")
            unfinished.rename(file)
        return file

    def _submit(self, name: str, file: Path, environment: dict[str, str]) -> str | None:
        """Return the address of the published run, or None where it was not published."""
        say(f"submitting {name}")
        command = [str(self._probe), "submit", str(file), "--server", self._url, "--wait", "--json"]
        done = subprocess.run(
            [*command, "--wait-limit", str(SUBMIT_TIMEOUT_S)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            print(
                f"demo: {name} was not published: {done.stderr.strip() or done.stdout.strip()}",
                file=sys.stderr,
            )
            return None
        answer = json.loads(done.stdout)
        return str(answer["run_url"])

    def _report(self, published: Iterable[tuple[str, str | None]]) -> None:
        say(f"ready after {time.monotonic() - self._began:.0f} s\n")
        for name, address in published:
            print(f"  {name:20} {address or 'not published; see above'}")
        print(f"\n  the archive          {self._url}/\n  the drives           {self._url}/drives/")
        print(f"  logs                 {DATA / 'logs'}", flush=True)

    def _serve(self, children: Children) -> None:
        print("\nCtrl-C stops it.", flush=True)
        while True:
            ended = children.ended()
            if ended:
                raise DemoError(f"{ended} ended by itself. Its log ends:\n{children.log_tail(ended)}")
            time.sleep(0.5)


class _Stamp:
    """Remembers for which state of its sources a step was done; a step that fails is due again."""

    def __init__(self, path: Path, state: str) -> None:
        self._path = path
        self._state = state

    def __enter__(self) -> bool:
        return not self._path.exists() or self._path.read_text() != self._state

    def __exit__(self, error: type[BaseException] | None, *_rest: object) -> None:
        if error is None:
            self._path.write_text(self._state)


def say(words: str) -> None:
    """Say what is being done."""
    print(f"demo: {words}", flush=True)


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise Stop


def _port() -> int:
    text = os.environ.get("DEMO_PORT") or "8000"
    if not text.isdigit() or not 0 < int(text) < 65536:
        raise DemoError(f"DEMO_PORT is {text!r}; it must be a port number from 1 to 65535.")
    return int(text)


def _check_port_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise DemoError(
                f"Port {port} on 127.0.0.1 cannot be used ({error.strerror}). Stop what uses it, or "
                f"pick another: "
                "`make demo DEMO_PORT=8001`."
            ) from None


def _probe() -> Path:
    """Return the built probe, which the Makefile names."""
    path = built_probe()
    if path is None:
        looked_for = os.environ.get(VARIABLE) or f"one for {os.uname().machine} in {DOWNLOADS}"
        raise DemoError(f"The probe is not built (looked for {looked_for}). Call `make probe`.")
    return path


def _secret(path: Path) -> str:
    """Return the demo's own secret, made once: sessions outlive a restart."""
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(50))
    return path.read_text()


def _fingerprint(places: Iterable[Path]) -> str:
    """Return a digest of the files' contents, so that a changed file is noticed and a touched one is not."""
    digest = hashlib.sha256()
    for place in places:
        found = (path for path in place.rglob("*") if path.is_file() and path.suffix != ".pyc")
        files = sorted(found) if place.is_dir() else [place]
        for file in files:
            digest.update(str(file.relative_to(place.parent)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _call(command: list[str], environment: dict[str, str], what: str) -> None:
    done = subprocess.run(command, env=environment, cwd=PROJECT, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip())[-3000:]
        raise DemoError(f"{what} failed (exit code {done.returncode}):\n{said}")


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


if __name__ == "__main__":
    sys.exit(main())
