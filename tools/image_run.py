"""Builds the image from Debian's base by buildah, where no container engine runs, and has
tools/image_trial.py run it as docker/compose.yaml does. As root; some ten minutes.

    python3 -m tools.image_run [--probe built] [--store FOLDER]

Registries of images are not asked: debootstrap makes one base, which stands for all those that the Dockerfile
names, with this machine's Rust and Node. `--probe built` takes the binaries of `make probe` in place of the
stage that compiles them, most of the time that a build takes.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.hosts import private, why_no_hosts

ROOT = Path(__file__).resolve().parents[1]
IMAGE = "localhost/diskatlas:test"
PACKAGES = (
    *("python3", "python3-venv", "ca-certificates", "gcc", "libc6-dev", "gcc-aarch64-linux-gnu"),
    *("libc6-dev-arm64-cross", "musl-tools"),
)
HOST_FILES = ("/etc/pip.conf", "/etc/npmrc", f"{Path.home()}/.npmrc")
"""How this machine reaches its package registries."""
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"


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

    def has_image(self) -> bool:
        """Return whether the image was built before."""
        return IMAGE in self.call("images", "--format", "{{.Name}}:{{.Tag}}").split()

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


def image_try(builder: Builder, folder: Path) -> None:
    """Run the image as docker/compose.yaml has it; raises CalledProcessError where something is wrong."""
    made = builder.call("from", "--pull=never", IMAGE)
    root = builder.call("mount", made)
    shown = json.loads(builder.call("inspect", "--type", "image", IMAGE))
    place = folder / "trial"
    place.mkdir()
    # The servers' account has to pass.
    for parent in (folder, place):
        parent.chmod(0o711)
    trial = [
        sys.executable,
        "-m",
        "tools.image_trial",
        root,
        json.dumps(shown["Docker"]["config"]),
        str(place),
    ]
    subprocess.run(private(trial), cwd=ROOT, check=True)


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="image_run", description=__doc__.partition("\n")[0])
    parser.add_argument("--probe", choices=["compiled", "built"], default="compiled")
    parser.add_argument("--store", type=Path, help="a folder that keeps what was built; one that has it")
    options = parser.parse_args()
    needed = ("buildah", "debootstrap", "node", "caddy", "setpriv")
    lacking = [name for name in needed if shutil.which(name) is None]
    if lacking or (reason := why_no_hosts()) is not None:
        print(f"image_run: needs {', '.join(needed)}; missing: {lacking or reason}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="diskatlas-image-") as name:
        folder = Path(name)
        builder = Builder(options.store or folder)
        began = time.monotonic()
        if options.store is None or not builder.has_image():
            context = context_make(folder / "context", probe_built=options.probe == "built")
            builder.base((context / "docker" / "Dockerfile").read_text(encoding="utf-8"))
            builder.build(context)
        built_s = time.monotonic() - began
        print(f"built in {built_s:.0f} s", flush=True)
        try:
            image_try(builder, folder)
        except subprocess.CalledProcessError as trouble:
            return trouble.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
