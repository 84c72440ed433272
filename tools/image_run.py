"""Builds the image from Debian's base by buildah, where no container engine runs, and runs it: real
PostgreSQL and Redis, a signed run that is uploaded and published, and its page. As root; some ten minutes.

    python3 -m tools.image_run [--probe built]

Registries of images are not asked: debootstrap makes one base, which stands for all those that the Dockerfile
names, with this machine's Rust and Node. `--probe built` takes the binaries of `make probe` in place of the
stage that compiles them, most of the time that a build takes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

from tools.embedded.postgres import free_port
from tools.services import Services

ROOT = Path(__file__).resolve().parents[1]
IMAGE = "localhost/diskatlas:test"
PACKAGES = (
    *("python3", "python3-venv", "ca-certificates", "gcc", "libc6-dev", "gcc-aarch64-linux-gnu"),
    *("libc6-dev-arm64-cross", "musl-tools"),
)
HOST_FILES = ("/etc/pip.conf", "/etc/npmrc", f"{Path.home()}/.npmrc")
"""How this machine reaches its package registries."""
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
PATIENCE_S = 180.0


class Builder:
    """buildah with a store of its own, in a folder that goes with it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._options = ["--root", str(folder / "store"), "--runroot", str(folder / "run")]
        self._options += ["--storage-driver", "vfs"]

    def call(self, *arguments: str) -> str:
        """Call buildah; return what it printed. Raises CalledProcessError."""
        done = subprocess.run(self.command(*arguments), stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.strip()

    def command(self, *arguments: str) -> list[str]:
        """Return a call as a command line."""
        return ["buildah", *self._options, *arguments]

    def base(self, dockerfile: str) -> None:
        """Make the base, under every name that the Dockerfile begins a stage with."""
        root = self._folder / "base"
        subprocess.run(
            ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", "bookworm", str(root)],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        local = root / "usr" / "local"
        (local / "bin" / "python").symlink_to("/usr/bin/python3")
        node = Path(str(shutil.which("node"))).resolve()
        shutil.copy(node, local / "bin" / "node")
        modules = node.parent.parent / "lib" / "node_modules" / "npm"
        shutil.copytree(modules, local / "lib" / "node_modules" / "npm", symlinks=True)
        (local / "bin" / "npm").symlink_to("../lib/node_modules/npm/bin/npm-cli.js")
        shutil.copy(CERTIFICATES, root / CERTIFICATES.lstrip("/"))
        made = self.call("from", "scratch")
        self.call("add", "--quiet", made, str(root), "/")
        path = f"{Path.home()}/.cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        settings = {"PATH": path, "RUSTUP_HOME": f"{Path.home()}/.rustup"}
        settings |= dict.fromkeys(("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "PIP_CERT"), CERTIFICATES)
        shown = [f"--env={name}={value}" for name, value in settings.items()]
        self.call("config", *shown, made)
        image = self.call("commit", "--quiet", "--rm", made)
        for name in set(re.findall(r"^FROM (\S+:\S+)", dockerfile, re.MULTILINE)):
            self.call("tag", image, f"docker.io/library/{name}")
        shutil.rmtree(root)

    def build(self, context: Path) -> None:
        """Build the image from a checkout."""
        volumes = [f"{path}:{path}:ro" for path in HOST_FILES if Path(path).exists()]
        volumes += [f"{Path.home()}/{name}:{Path.home()}/{name}" for name in (".cargo", ".rustup")]
        commit = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()
        options = ["--isolation", "chroot", "--format", "docker", "--pull=never", "--layers=false"]
        options += [f"--volume={one}" for one in volumes]
        options += ["--build-arg", f"DISKATLAS_COMMIT={commit}", "--tag", IMAGE]
        subprocess.run(
            self.command("build", *options, "--file", "docker/Dockerfile", "."), cwd=context, check=True
        )


def context_make(folder: Path, *, probe_built: bool) -> Path:
    """Return a checkout of HEAD; with `probe_built` its Dockerfile takes the probe from .build/downloads."""
    folder.mkdir()
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    if probe_built:
        shutil.copytree(ROOT / ".build" / "downloads", folder / "docker" / "downloads")
        dockerfile = folder / "docker" / "Dockerfile"
        before, _, rest = dockerfile.read_text(encoding="utf-8").partition("FROM rust:")
        after = rest[rest.index("# ---- the front end") :]
        stage = "FROM debian:bookworm-slim AS probe\nCOPY docker/downloads /dist\n\n"
        dockerfile.write_text(before + stage + after, encoding="utf-8")
    return folder


def image_run(builder: Builder, folder: Path) -> str:
    """Migrate, serve, upload and publish in the image; return what was seen."""
    # So deep a folder that PostgreSQL listens at a port: its sockets are closed to the image's account.
    deep = folder / ("services-" + "x" * 90)
    folder.chmod(0o711)
    services = Services(deep, durable=False)
    port = free_port()
    with ExitStack() as stack:
        stack.callback(services.stop)
        environment = {
            **services.start(),
            "SECRET_KEY": "image-image-image-image-image-image-image-image",
            "ALLOWED_HOSTS": "127.0.0.1",
            "HEALTHCHECK_ADDRESS": f"127.0.0.1:{port}",
            "MODEL_REFRESH_DELAY_S": "1",
        }
        container = builder.call("from", "--pull=never", IMAGE)
        options = [f"--env={name}={value}" for name, value in environment.items()]
        run = builder.command("run", "--isolation", "chroot", "--network", "host", *options, container, "--")
        entrypoint = ["/bin/sh", "/app/docker/entrypoint.sh"]
        subprocess.run([*run, "python", "manage.py", "migrate", "--verbosity", "0"], check=True)
        web = ["gunicorn", "server.config.wsgi:application", "--config", "python:server.config.gunicorn"]
        for role in ([*web, "--bind", f"127.0.0.1:{port}"], ["worker"]):
            child = subprocess.Popen([*run, *entrypoint, *role], start_new_session=True)
            stack.callback(_end, child)
        _wait(lambda: _get(port, "/health/")[0] == 200, "the site")
        account = subprocess.run([*run, "id", "-u"], stdout=subprocess.PIPE, text=True, check=True)
        sent = _upload(port)
        _wait(lambda: _state(port, sent) == "published", "the run's publication")
        _wait(lambda: _get(port, "/drives/acme-image-1/")[0] == 200, "the drive's page")
        pages = {path: _get(port, path)[0] for path in ("/", "/drives/acme-image-1/", "/contribute/")}
    return f"account {account.stdout.strip()}; a run published; pages {pages}"


def _end(child: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child.pid, 15)
    child.wait(60)


def _upload(port: int) -> str:
    from tests.support.documents import document, envelope, skippy_part

    body = envelope(document(skippy_part(), vendor="ACME", model="IMAGE-1", rotation_rate_rpm=None))
    status, answer = _get(port, "/api/v1/submissions/", body)
    if status != 202:
        raise SystemExit(f"image_run: the upload was answered {status}: {answer[:500]!r}")
    return str(json.loads(answer)["id"])


def _state(port: int, submission: str) -> str:
    return str(json.loads(_get(port, f"/api/v1/submissions/{submission}/")[1])["state"])


def _get(port: int, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    headers = {"Content-Type": "application/json"} if body else {}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=body, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status), bytes(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError:
        return 0, b""


def _wait(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit(f"image_run: {what} did not come within {PATIENCE_S:g} s")
        time.sleep(0.5)


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="image_run", description=__doc__.partition("\n")[0])
    parser.add_argument("--probe", choices=["compiled", "built"], default="compiled")
    parser.add_argument("--store", type=Path, help="a folder whose image was built before")
    options = parser.parse_args()
    lacking = [name for name in ("buildah", "debootstrap", "node") if shutil.which(name) is None]
    if lacking or os.geteuid() != 0:
        print(f"image_run: needs root, buildah, debootstrap and Node; missing: {lacking}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="diskatlas-image-") as name:
        folder = Path(name)
        builder = Builder(options.store or folder)
        began = time.monotonic()
        if options.store is None:
            context = context_make(folder / "context", probe_built=options.probe == "built")
            builder.base((context / "docker" / "Dockerfile").read_text(encoding="utf-8"))
            builder.build(context)
        built_s = time.monotonic() - began
        print(f"built in {built_s:.0f} s; {image_run(builder, folder)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
