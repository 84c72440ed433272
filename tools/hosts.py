"""Hosts with addresses of their own on one machine: network namespaces below a private one (Linux, root).

A program that needs them calls itself again by `private()`: in that child's namespaces there are no hosts but
those that it makes, none of it can be seen or reached from outside, and all of it, processes too, ends with
the child.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

BRIDGE = "diskatlas0"
NETWORK = "10.77.0."
"""What addresses begin with; the last number says which host it is."""
PREFIX_LENGTH = 24
_NAMES = Path("/run/netns")
_PREPARE = f"""set -eu
mount --make-rprivate /
mkdir -p {_NAMES}
mount -t tmpfs -o mode=755 none {_NAMES}
ip link set lo up
ip link add {BRIDGE} type bridge
ip link set {BRIDGE} up
"$@"
exit $?
"""
# The shell stays: as the first process of its namespace it waits for whatever others leave behind.


def why_no_hosts() -> str | None:
    """Return why there can be no hosts here; None where there can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "network namespaces need Linux and root"
    lacking = [name for name in ("ip", "unshare", "mount") if shutil.which(name) is None]
    if lacking:
        return f"network namespaces need {', '.join(lacking)}: apt-get install iproute2 util-linux"
    done = subprocess.run(private(["true"]), capture_output=True, text=True, check=False)
    return f"no network namespaces: {done.stderr.strip()}" if done.returncode else None


def private(command: Sequence[str]) -> list[str]:
    """Return a command line that runs a command in a network without hosts. `Network` works inside it."""
    namespaces = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    return [*namespaces, "sh", "-c", _PREPARE, "sh", *command]


@dataclass(frozen=True, slots=True)
class Host:
    """One host; programs started by `command` have its address, and loopback to themselves."""

    name: str
    address: str

    def command(self, *command: str) -> list[str]:
        """Return a command line that runs a command on this host."""
        return ["ip", "netns", "exec", self.name, *command]


class Network:
    """The network of a process that was started by `private`, which itself is the first host."""

    def __init__(self) -> None:
        self.hosts: dict[str, Host] = {}
        self._last = 0

    def here(self, name: str) -> Host:
        """Give this process another address, under a name; `command` of it is for other hosts' only."""
        host = self._named(name)
        _ip("addr", "add", f"{host.address}/{PREFIX_LENGTH}", "dev", BRIDGE)
        return host

    def host(self, name: str) -> Host:
        """Make a host."""
        host = self._named(name)
        link = f"link{self._last}"
        _ip("netns", "add", name)
        _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name)
        _ip("link", "set", link, "master", BRIDGE, "up")
        _ip("-n", name, "addr", "add", f"{host.address}/{PREFIX_LENGTH}", "dev", "eth0")
        for device in ("eth0", "lo"):
            _ip("-n", name, "link", "set", device, "up")
        return host

    def names(self) -> str:
        """Return the hosts as lines of /etc/hosts."""
        lines = ["127.0.0.1 localhost", *(f"{one.address} {one.name}" for one in self.hosts.values())]
        return "\n".join(lines) + "\n"

    def _named(self, name: str) -> Host:
        self._last += 1
        host = self.hosts[name] = Host(name, f"{NETWORK}{self._last}")
        return host


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
