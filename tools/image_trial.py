"""Runs an image as docker/compose.yaml has it, without an engine: every service in its own container and
host, Caddy in front, and a signed run that is uploaded and published. Inside `tools.hosts.private`, by
tools/image_run.py.

    python3 -m tools.image_trial ROOT CONFIGURATION FOLDER
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from tools.caddy import caddy_start
from tools.containers import Container, Image
from tools.embedded.account import account_choose, private_folder
from tools.embedded.binaries import PROJECT, binaries_find
from tools.embedded.postgres import Postgres
from tools.hosts import Network

DOCKER = PROJECT / "docker"
LOADER = PROJECT / ".build" / "tools" / "bin" / "compose-config"
DOMAIN = "archive.example"
WRITTEN = {
    "SECRET_KEY": "image-image-image-image-image-image-image-image",
    "APP_PASSWORD": "image-app",
    "REDIS_PASSWORD": "image-redis",
    "ALLOWED_HOSTS": DOMAIN,
    "CSRF_TRUSTED_ORIGINS": f"https://{DOMAIN}",
    "SITE_URL": f"https://{DOMAIN}",
    "HTTPS": "1",
    "BEHIND_PROXY": "1",
    "EMAIL_HOST": f"mail.{DOMAIN}",
    "EMAIL_FROM": f"DiskAtlas <archive@{DOMAIN}>",
    "LOG_ORIGIN": f"{DOMAIN}/log",
    "MODEL_REFRESH_DELAY_S": "1",
}
"""What an operator writes into docker/.env, and that models are refreshed soon."""
PATIENCE_S = 240.0
PAGES = ("/", "/drives/acme-image-1/", "/contribute/", "/api/v1/drives/acme-image-1/")
WRITES = "import pathlib, sys\nfor name in sys.argv[1:]:\n    pathlib.Path(name).write_text('written')\n"
STATUS = "print(open('/proc/self/status').read())"
BAD_LINE = re.compile(r"^.*(?:\[ERROR\]|\bTraceback\b|\"level\": \"(?:error|critical)\").*$", re.MULTILINE)


class TrialError(Exception):
    """What the image did not do, with what its containers said."""


class Trial:
    """The running services, and what was seen of them."""

    def __init__(self, image: Image, folder: Path, stack: ExitStack) -> None:
        self._image, self._folder, self._stack = image, folder, stack
        self._network = Network()
        self.containers: dict[str, Container] = {}
        self.proxy = ""

    def start(self) -> None:
        """Start servers, services and proxy, and return once all are healthy."""
        here = {name: self._network.here(name).address for name in ("postgres", "redis", "cache")}
        owner = self._postgres(here["postgres"])
        for name in ("redis", "cache"):
            self._redis(name, here[name])
        project = compose_load(self._folder, {**WRITTEN, "POSTGRES_PASSWORD": owner})
        services = {
            name: one for name, one in project["services"].items() if one["image"].startswith("diskatlas")
        }
        hosts = {name: self._network.host(name) for name in services}
        for name, service in services.items():
            names = self._network.names()
            self.containers[name] = Container(self._image, name, service, hosts[name], names, self._folder)
        migrate = self.containers.pop("migrate")
        migrate.start()
        if migrate.wait(PATIENCE_S) != 0:
            raise TrialError(f"migrate failed:\n{migrate.log()[-3000:]}")
        for container in self.containers.values():
            container.start()
            self._stack.callback(_stop_quietly, container)
        self._caddy(f"{hosts['web'].address}:8000")
        for container in self.containers.values():
            self.until(partial(_healthy, container), f"{container.name} is not healthy")
        self.until(lambda: self.ask("/health/")[0] == 200, "the proxy does not reach the site")

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait until something holds; raises TrialError with what was said meanwhile."""
        deadline = time.monotonic() + PATIENCE_S
        while not holds():
            ended = [name for name, one in self.containers.items() if one.ended()]
            if ended or time.monotonic() > deadline:
                raise TrialError(f"{what}; ended: {ended}\n{self.logs()}")
            time.sleep(0.5)

    def ask(self, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Ask the site through the proxy, as a browser or a probe does; 0 where nobody answers."""
        try:
            raw = socket.create_connection((self.proxy, 443), timeout=30)
            link = http.client.HTTPConnection(DOMAIN, timeout=30)
            # Caddy signed the certificate itself.
            link.sock = ssl._create_unverified_context().wrap_socket(raw, server_hostname=DOMAIN)
            headers = {"Content-Type": "application/json"} if body else {}
            link.request("POST" if body else "GET", path, body, headers)
            answer = link.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            return 0, b""

    def logs(self) -> str:
        """Return the last words of each container."""
        return "\n".join(f"--- {name}\n{one.log()[-2500:]}" for name, one in self.containers.items())

    def _postgres(self, address: str) -> str:
        account = account_choose()
        folder = private_folder(self._folder / "postgres", account)
        postgres = Postgres(folder, binaries_find(None), account, durable=True, address=address)
        postgres.start()
        self._stack.callback(postgres.stop)
        password = re.search(r":([^:@]+)@", postgres.url())
        assert password is not None
        return password[1]

    def _redis(self, name: str, address: str) -> None:
        command = [str(binaries_find(None).redis), "--bind", address, "--port", "6379", "--save", ""]
        command += ["--requirepass", WRITTEN["REDIS_PASSWORD"], "--dir", str(self._folder)]
        with (self._folder / f"{name}.log").open("wb") as log:
            server = subprocess.Popen(command, stdout=log, stderr=log)
        self._stack.callback(_end, server)

    def _caddy(self, upstream: str) -> None:
        host = self._network.host("caddy")
        self.proxy = host.address
        self._stack.callback(_end, caddy_start(self._folder, DOMAIN, upstream, host.command))


def compose_load(folder: Path, written: dict[str, str]) -> dict[str, Any]:
    """Return docker/compose.yaml as Compose reads it, with what an operator wrote into docker/.env."""
    text = (DOCKER / "env.example").read_text(encoding="utf-8")
    for name, value in written.items():
        text = re.sub(rf"^(?:# )?{name}=.*$", f"{name}={value}", text, flags=re.MULTILINE)
    (folder / "environment").write_text(text, encoding="utf-8")
    command = [str(LOADER), "-env-file", str(folder / "environment"), str(DOCKER / "compose.yaml")]
    done = subprocess.run(command, env={}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise TrialError(f"compose.yaml was not read: {done.stderr}")
    project: dict[str, Any] = json.loads(done.stdout)
    return project


def upload(trial: Trial) -> str:
    """Have a signed run taken; return its submission."""
    from tests.support.documents import document, envelope, skippy_part

    body = envelope(document(skippy_part(), vendor="ACME", model="IMAGE-1", rotation_rate_rpm=None))
    status, answer = trial.ask("/api/v1/submissions/", body)
    if status != 202:
        raise TrialError(f"the upload was answered {status}: {answer[:500]!r}\n{trial.logs()}")
    return str(json.loads(answer)["id"])


def looked_at(trial: Trial) -> Iterator[str]:
    """Give what does not hold, in words."""
    web = trial.containers["web"]
    rights = dict(re.findall(r"^(\w+):\s+(.*)$", web.run("python", "-c", STATUS).stdout, re.MULTILINE))
    if (rights["Uid"].split()[0], rights["NoNewPrivs"]) != ("10001", "1") or int(rights["CapBnd"], 16):
        yield f"web has rights: {rights}"
    if web.run("python", "-c", WRITES, "/app/written").returncode == 0:
        yield "the root can be written to"
    if (done := web.run("python", "-c", WRITES, "/tmp/written", "/var/lib/diskatlas/written")).returncode:
        yield f"/tmp and the volume can't be written to: {done.stderr[-300:]}"
    for command in (("check", "--deploy", "--fail-level", "ERROR"), ("doctor",)):
        if (done := web.run("python", "manage.py", *command)).returncode:
            yield f"{' '.join(command)}: {(done.stdout + done.stderr)[-1500:]}"
    if "Backup " not in trial.containers["backup"].log():
        yield "no backup was made"
    for name, container in trial.containers.items():
        if container.healthy():
            yield f"{name} is not healthy at the end: {container.healthy()}"
        for line in BAD_LINE.findall(container.log())[:3]:
            yield f"{name} said: {line[:400]}"


def image_try(image: Image, folder: Path) -> str:
    """Serve, upload, publish and look; return what was seen. Raises TrialError."""
    with ExitStack() as stack:
        trial = Trial(image, folder, stack)
        began = time.monotonic()
        trial.start()
        healthy_s = time.monotonic() - began
        sent, began = upload(trial), time.monotonic()
        trial.until(lambda: _state(trial, sent) == "published", "the run was not published")
        published_s = time.monotonic() - began
        trial.until(lambda: trial.ask("/drives/acme-image-1/")[0] == 200, "no page of the drive")
        pages = {path: trial.ask(path)[0] for path in PAGES}
        probe = re.search(rb'href="(/download/diskatlas[^"]*)"', trial.ask("/contribute/")[1])
        pages["the probe"] = trial.ask(probe[1].decode())[0] if probe else 0
        if set(pages.values()) != {200}:
            raise TrialError(f"pages: {pages}\n{trial.logs()}")
        backup = trial.containers["backup"]
        trial.until(lambda: "ackup" in backup.log(), "the backup says nothing")
        if findings := list(looked_at(trial)):
            raise TrialError("\n".join(findings))
        stopped = {name: one.stop() for name, one in trial.containers.items()}
        slowest = max(stopped, key=lambda name: stopped[name])
    return (
        f"{len(stopped)} services healthy after {healthy_s:.0f} s; a run published {published_s:.1f} s after "
        f"its 202; {len(pages)} pages through Caddy; a backup; all stopped within {stopped[slowest]:.1f} s "
        f"({slowest})"
    )


def _state(trial: Trial, submission: str) -> str:
    status, answer = trial.ask(f"/api/v1/submissions/{submission}/")
    return str(json.loads(answer)["state"]) if status == 200 else ""


def _healthy(container: Container) -> bool:
    return not container.healthy()


def _stop_quietly(container: Container) -> None:
    try:
        container.stop()
    except (subprocess.TimeoutExpired, ProcessLookupError) as trouble:
        print(f"image_trial: {container.name} did not stop by itself: {trouble}", file=sys.stderr)


def _end(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    child.wait(60)


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="image_trial", description=__doc__.partition("\n")[0])
    parser.add_argument("root", type=Path, help="the image's files")
    parser.add_argument("configuration", help="of the image, as JSON in Docker's format")
    parser.add_argument("folder", type=Path, help="for volumes, servers and logs")
    options = parser.parse_args()
    image = Image.of(options.root, json.loads(options.configuration))
    try:
        print(image_try(image, options.folder))
    except TrialError as trouble:
        print(f"image_trial: {trouble}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
