"""Runs services of a compose file where no container engine is: from the folder with an image's files, with a
read-only root, /tmp in memory, the image's account, no capabilities, no new privileges, and a host of its
own. Limits of memory and of processes are not held. Inside `tools.hosts.private` alone.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.hosts import Host

_ENTER = """set -eu
name=$1 root=$2 files=$3
shift 3
hostname "$name"
mount --bind "$root" "$root"
while [ "$1" != -- ]; do
  mount --bind "$1" "$root$2"
  shift 2
done
shift
mount --bind "$files/tmp" "$root/tmp"
mount --bind "$files/hosts" "$root/etc/hosts"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755,nosuid none "$root/dev"
mkdir "$root/dev/shm"
mount -t tmpfs -o mode=1777,nosuid,nodev,noexec none "$root/dev/shm"
for device in null zero full random urandom; do
  : > "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount -o remount,ro,bind "$root"
exec chroot "$root" "$@"
"""
_NO_RIGHTS = ("--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all")
READ_ONLY_TMP = "nosuid,nodev,noexec,mode=1777"
"""What an engine gives where compose says `tmpfs: [/tmp]`."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image's files, and what its configuration says."""

    root: Path
    environment: Mapping[str, str]
    entrypoint: tuple[str, ...]
    user: str
    folder: str

    @classmethod
    def of(cls, root: Path, config: Mapping[str, Any]) -> Image:
        """Return the image of a configuration in Docker's format."""
        pairs = (one.partition("=") for one in config.get("Env") or ())
        return cls(
            root=root,
            environment={name: value for name, _, value in pairs},
            entrypoint=tuple(config.get("Entrypoint") or ()),
            user=str(config["User"]),
            folder=str(config.get("WorkingDir") or "/"),
        )


class Container:
    """One service of a compose file, as `docker compose config` shows it."""

    def __init__(
        self, image: Image, name: str, service: Mapping[str, Any], host: Host, names: str, folder: Path
    ) -> None:
        """Take the lines of /etc/hosts as `names`; `folder` is all containers', for their volumes."""
        if not service.get("read_only") or service.get("cap_drop") != ["ALL"]:
            raise ValueError(f"{name} is no service whose root is read-only and that has no capabilities")
        self.name = name
        self._image, self._service, self._host = image, service, host
        self._files = folder / f"container-{name}"
        self._log = folder / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None
        (self._files / "tmp").mkdir(parents=True)
        (self._files / "hosts").write_text(names, encoding="utf-8")
        (image.root / "etc/hosts").touch()
        options = ["-t", "tmpfs", "-o", READ_ONLY_TMP, "none", str(self._files / "tmp")]
        subprocess.run(["mount", *options], check=True)
        self._volumes = [
            (volume_of(image.root, folder / "volumes", one["source"], one["target"]), one["target"])
            for one in service.get("volumes", [])
            if one["type"] == "volume"
        ]

    def start(self) -> None:
        """Start the service's command."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command([*self._image.entrypoint, *self._service["command"]]),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def run(self, *command: str, timeout_s: float = 300.0) -> subprocess.CompletedProcess[str]:
        """Run another command in the container; its output is text."""
        return subprocess.run(
            self._command(command), capture_output=True, text=True, check=False, timeout=timeout_s
        )

    def healthy(self) -> str:
        """Return what the service's health check finds wrong; empty where it finds nothing."""
        words, *test = self._service["healthcheck"]["test"]
        assert words == "CMD", words
        done = self.run(*test)
        return (done.stderr or done.stdout or "not healthy").strip() if done.returncode else ""

    def wait(self, timeout_s: float) -> int:
        """Return the exit code of a service that ends by itself."""
        assert self._process is not None
        return self._process.wait(timeout_s)

    def ended(self) -> bool:
        """Return whether it ended."""
        return self._process is not None and self._process.poll() is not None

    def stop(self, grace_s: float = 60.0) -> float:
        """Ask the service's first process to end, as an engine does; return the seconds that it took. Raises
        TimeoutExpired where it had to be killed."""
        process, began = self._process, time.monotonic()
        if process is None or process.poll() is not None:
            return 0.0
        os.kill(first_child(process.pid), signal.SIGTERM)
        try:
            process.wait(grace_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        return time.monotonic() - began

    def log(self) -> str:
        """Return what the service said."""
        return self._log.read_text(encoding="utf-8", errors="replace") if self._log.exists() else ""

    def _command(self, command: Sequence[str]) -> list[str]:
        given = {**self._image.environment, **(self._service.get("environment") or {})}
        uid, _, gid = self._image.user.partition(":")
        rights = [f"--reuid={uid}", f"--regid={gid or uid}", *_NO_RIGHTS]
        return [
            *self._host.command("unshare", "--uts", "--pid", "--fork", "--kill-child"),
            *("sh", "-c", _ENTER, "sh", self.name, str(self._image.root), str(self._files)),
            *(str(part) for volume in self._volumes for part in volume),
            "--",
            *("setpriv", *rights, "env", "-i", f"--chdir={self._image.folder}"),
            *(f"{name}={value}" for name, value in given.items()),
            *command,
        ]


def volume_of(root: Path, folder: Path, name: str, target: str) -> Path:
    """Return the folder of a named volume. A new one gets owner, rights and content of what the image has at
    its place; where the image has nothing it belongs to root, as an engine makes it."""
    place = root / target.lstrip("/")
    volume = folder / name
    place.mkdir(parents=True, exist_ok=True)
    if not volume.exists():
        shutil.copytree(place, volume, symlinks=True)
        for source in (place, *place.rglob("*")):
            info = source.lstat()
            os.chown(volume / source.relative_to(place), info.st_uid, info.st_gid, follow_symlinks=False)
    return volume


def first_child(pid: int) -> int:
    """Return a process's only child, waiting for it to be there."""
    deadline = time.monotonic() + 10
    while True:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children:
            return int(children[0])
        if time.monotonic() > deadline:
            raise ProcessLookupError(f"process {pid} has no child")
        time.sleep(0.02)
