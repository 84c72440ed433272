"""The built probe and the simulator's tool, as tests call them."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.release.native import built_probe

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 240
"""More than any command of the tests takes; a hanging probe must fail its test and not the whole run."""


def probe_path() -> Path | None:
    """The probe that `make build` left, or None."""
    return built_probe()


def simtool_path() -> Path | None:
    """The simulator's tool that `cargo test --all-features` left, or None."""
    path = Path(os.environ.get("DISKATLAS_SIMTOOL", ROOT / "client/probe/target/debug/diskatlas-simtool"))
    return path if path.is_file() else None


@dataclass(frozen=True, slots=True)
class Probe:
    """Calls the probe with a key and a configuration folder of its own."""

    path: Path
    home: Path
    before: tuple[str, ...] = ()
    """A command that starts the probe, with its options."""

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        inherited = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        own = {"HOME": str(self.home), "DISKATLAS_KEY": str(self.home / "key"), "NO_COLOR": "1"}
        return inherited | own | dict(extra or {})

    def call(
        self, *arguments: str | Path, env: Mapping[str, str] | None = None, timeout_s: float = TIMEOUT_S
    ) -> subprocess.CompletedProcess[str]:
        """Runs one command to its end; the exit code is the caller's to judge."""
        return subprocess.run(
            [*self.before, str(self.path), *map(str, arguments)],
            env=self.environment(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    def start(self, *arguments: str | Path, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """Starts one command; the caller ends and reaps it."""
        return subprocess.Popen(
            [*self.before, str(self.path), *map(str, arguments)],
            env=self.environment(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, device: str | Path, output: Path, *options: str) -> dict[str, Any]:
        """Measures and gives the run document; fails the test where the probe does."""
        done = self.call("run", device, "-o", output, "--license", "CC0-1.0", *options)
        assert done.returncode == 0, done.stderr
        return document_of(output)


def document_of(path: Path) -> dict[str, Any]:
    """The run document inside the envelope at `path`; the signature is not looked at."""
    envelope = json.loads(path.read_text(encoding="utf-8"))
    document = json.loads(base64.b64decode(envelope["payload"], validate=True))
    assert isinstance(document, dict)
    return document


def entry_of(document: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The document's entry of one kind."""
    entries: Iterable[dict[str, Any]] = document["benchmarks"]
    (entry,) = (entry for entry in entries if entry["kind"] == kind)
    return entry
