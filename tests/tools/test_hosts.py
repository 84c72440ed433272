"""Hosts of a private network reach each other at addresses of their own, and nobody else sees them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tools.hosts import private, why_no_hosts
from tools.repository_rules import ROOT

INSIDE = """
import subprocess, sys, time
from tools.hosts import Network

network = Network()
here, web, worker = network.here("database"), network.host("web"), network.host("worker")
quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
serve = web.command(sys.executable, "-m", "http.server", "--directory", "docker")
subprocess.Popen(serve, **quiet)
ask = "import sys, urllib.request; urllib.request.urlopen(sys.argv[1], timeout=5)"


def asked(address):
    command = worker.command(sys.executable, "-c", ask, f"http://{address}:8000/")
    return subprocess.run(command, **quiet).returncode == 0


deadline = time.monotonic() + 20
while not asked(web.address):
    assert time.monotonic() < deadline
assert not asked("127.0.0.1") and not asked(here.address)
print(network.names())
subprocess.Popen(["sleep", "987654"])
"""


def test_hosts_reach_each_other_and_end_with_the_one_who_made_them() -> None:
    if (reason := why_no_hosts()) is not None:
        pytest.skip(reason)
    command = private([sys.executable, "-c", INSIDE])
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    names = [line.split()[1] for line in done.stdout.splitlines() if line]
    assert names == ["localhost", "database", "web", "worker"]
    outside = subprocess.run(["ip", "-brief", "addr"], capture_output=True, text=True, check=True).stdout
    known = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    assert "10.77.0." not in outside and "worker" not in known
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert "sleep 987654" not in left
