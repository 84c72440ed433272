"""The binaries that `make probe` left: what they need to run, what they give away, and that they run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tools.release import manifest
from tools.release.build import ROOT, STATIC_TARGETS
from tools.release.elf import read_elf

DOWNLOADS = ROOT / ".build" / "downloads"
SIZE_BAR_BYTES = 6 << 20
"""A rescue system's memory and a slow line: six MiB."""


@pytest.fixture(scope="module")
def listed() -> dict[str, Any]:
    """The manifest of what was built."""
    path = DOWNLOADS / manifest.MANIFEST
    if not path.is_file():
        pytest.skip("the probe is not built: call `make probe`")
    content = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def binaries(listed: dict[str, Any]) -> list[Path]:
    return [DOWNLOADS / item["name"] for item in listed["files"] if item["target"]]


def test_each_static_target_gives_a_binary_without_loader_and_libraries(listed: dict[str, Any]) -> None:
    built = binaries(listed)
    assert built
    for path in built:
        elf = read_elf(path.read_bytes())
        target = path.name.removeprefix("diskatlas-")
        assert elf.machine == target.partition("-")[0]
        if target in STATIC_TARGETS:
            assert (elf.interpreter, elf.needed) == ("", ())


def test_no_binary_tells_where_it_was_built(listed: dict[str, Any]) -> None:
    cargo = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    for path in binaries(listed):
        data = path.read_bytes()
        for place in (ROOT, cargo, Path.home() / ".rustup", ROOT / "client/probe"):
            assert f"{place}/".encode() not in data, f"{path.name} holds the path {place}"


def test_a_binary_is_small_enough_for_a_rescue_system(listed: dict[str, Any]) -> None:
    for path in binaries(listed):
        if path.name.removeprefix("diskatlas-") in STATIC_TARGETS:
            assert path.stat().st_size <= SIZE_BAR_BYTES, path.name


def test_the_manifest_and_the_list_of_digests_agree_with_the_files(listed: dict[str, Any]) -> None:
    assert [manifest.entry(DOWNLOADS / item["name"]) for item in listed["files"]] == listed["files"]
    command = ["sha256sum", "--check", "--quiet", manifest.CHECKSUMS]
    assert subprocess.run(command, cwd=DOWNLOADS, check=False).returncode == 0


def test_every_binary_runs_and_says_what_it_is(listed: dict[str, Any]) -> None:
    for path in binaries(listed):
        target = path.name.removeprefix("diskatlas-")
        said = subprocess.run(
            [*runner(target), path, "--version"], capture_output=True, text=True, check=True
        )
        assert said.stdout.startswith(f"diskatlas {listed['version']} ({target}, commit ")


def test_a_binary_for_another_machine_measures_what_the_native_one_measures(
    listed: dict[str, Any], tmp_path: Path
) -> None:
    digests = set()
    for path in binaries(listed):
        target = path.name.removeprefix("diskatlas-")
        output = tmp_path / f"{target}.json"
        words = [*runner(target), path, "run", "sim:hp-97560,seed=3", "--only", "zoned", "--repeats", "1"]
        environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
        subprocess.run([*words, "-o", output], env=environment, check=True, capture_output=True, timeout=240)
        shown = subprocess.run(
            [*runner(target), path, "show", "--json", output],
            check=True,
            capture_output=True,
            env=environment,
        )
        digests.add(json.dumps(json.loads(shown.stdout)["benchmarks"], sort_keys=True))
    assert len(digests) == 1


def runner(target: str) -> list[str]:
    """What runs a binary of that target here; skips where nothing does."""
    machine = target.partition("-")[0]
    if machine == os.uname().machine:
        return []
    emulator = shutil.which(f"qemu-{machine}-static") or shutil.which(f"qemu-{machine}")
    if emulator is None:
        pytest.skip(f"nothing here runs a program for {machine} (on Debian: qemu-user-static)")
    return [emulator]
