"""Services run as compose asks: a read-only root, /tmp of their own, no rights, their image's account."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tools.containers import volume_of
from tools.hosts import private, why_no_hosts
from tools.repository_rules import ROOT

# This machine's own root stands for an image's files, which the container can't change.
INSIDE = """
import json, subprocess, sys
from pathlib import Path
from tools.containers import Container, Image
from tools.hosts import Network

folder = Path(sys.argv[1])
root = folder / "root"
root.mkdir()
subprocess.run(["mount", "--bind", "/", str(root)], check=True)
network = Network()
host = network.host("web")
image = Image.of(root, {
    "Env": ["PATH=/usr/bin:/bin"], "Entrypoint": ["/bin/sh", "-c"], "User": "10001:10001",
    "WorkingDir": "/usr",
})
service = {
    "read_only": True,
    "cap_drop": ["ALL"],
    "environment": {"GIVEN": "two words"},
    "command": ["trap 'echo asked to end; exit 0' TERM; : > /tmp/up; while :; do sleep 0.1; done"],
    "healthcheck": {"test": ["CMD", "test", "-e", "/tmp/up"]},
}
container = Container(image, "web", service, host, network.names(), folder)
container.start()
while container.healthy():
    pass
done = container.run(
    "sh", "-c",
    "touch /usr/written; echo $?; touch /tmp/written; echo $?; cp /bin/true /tmp; /tmp/true; echo $?;"
    "echo $GIVEN; pwd; hostname; id -u; grep -E 'CapBnd|NoNewPrivs' /proc/self/status; cat /etc/hosts",
)
container.stop()
print(json.dumps({"said": done.stdout, "log": container.log()}))
"""


def test_a_container_has_what_compose_gives_it_and_no_more(tmp_path: Path) -> None:
    if (reason := why_no_hosts()) is not None:
        pytest.skip(reason)
    command = private([sys.executable, "-c", INSIDE, str(tmp_path)])
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["said"].splitlines() == [
        *("1", "0", "126", "two words", "/usr", "web", "10001"),
        *("CapBnd:\t0000000000000000", "NoNewPrivs:\t1", "127.0.0.1 localhost", "10.77.0.1 web"),
    ]
    assert found["log"] == "asked to end\n"
    assert not Path("/usr/written").exists() and not Path("/tmp/written").exists()


def test_a_new_volume_is_as_the_image_has_its_place(tmp_path: Path) -> None:
    root, volumes = tmp_path / "root", tmp_path / "volumes"
    place = root / "var/lib/archive"
    place.mkdir(parents=True)
    (place / "file").write_text("content")
    place.chmod(0o750)
    volume = volume_of(root, volumes, "archive", "/var/lib/archive")
    assert (volume / "file").read_text() == "content" and volume.stat().st_mode & 0o777 == 0o750
    (place / "later").touch()
    assert volume_of(root, volumes, "archive", "/var/lib/archive") == volume
    assert not (volume / "later").exists()
    lacking = volume_of(root, volumes, "backups", "/var/lib/backups")
    assert list(lacking.iterdir()) == [] and (root / "var/lib/backups").is_dir()
