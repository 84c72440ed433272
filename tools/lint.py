"""Runs every static check, two at a time, and says at the end which of them failed.

`make lint` calls this. A check whose program is missing here is left out with a word; in CI that fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from tools import container_rules, repository_rules

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent


@dataclass(frozen=True, slots=True)
class Result:
    """How one check ended. `missing` names the program that it needs and that is not here."""

    name: str
    ok: bool
    output: str
    seconds: float = 0.0
    missing: str = ""


Check = Callable[[], tuple[bool, str]]


class ProgramMissingError(Exception):
    """A check needs a program that this machine does not have."""


def command(*words: str, folder: str = ".", needs: str = "") -> Check:
    """A check that is a command: it passes where the exit code is 0."""

    def run() -> tuple[bool, str]:
        if needs and not _installed(needs.split()):
            raise ProgramMissingError(needs)
        done = subprocess.run(
            words,
            cwd=ROOT / folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        return done.returncode == 0, done.stdout

    return run


def _installed(words: list[str]) -> bool:
    """Whether a program is here, and where a subcommand is named, whether it knows that one."""
    if shutil.which(words[0]) is None:
        return False
    return len(words) == 1 or subprocess.run([*words, "version"], capture_output=True).returncode == 0


def shell_scripts() -> list[str]:
    """Tracked files that a POSIX shell or bash runs."""
    scripts = []
    for path in repository_rules.tracked_files():
        with (ROOT / path).open("rb") as source:
            first = source.readline(64)
        if path.endswith(".sh") or (first.startswith(b"#!") and first.rstrip().endswith((b"sh", b"bash"))):
            scripts.append(path)
    return scripts


def check_repository() -> tuple[bool, str]:
    findings = repository_rules.check_repository()
    return not findings, "\n".join(str(finding) for finding in findings)


def check_containers() -> tuple[bool, str]:
    findings = container_rules.check(ROOT / "docker")
    return not findings, "\n".join(findings)


def checks() -> dict[str, Check]:
    """All checks by name, the slow ones first."""
    cargo = ("--manifest-path", "client/probe/Cargo.toml")
    clippy = (
        "clippy",
        "--quiet",
        "--locked",
        *cargo,
        "--all-targets",
        "--all-features",
        "--",
        "-D",
        "warnings",
    )
    compose = (
        "compose",
        "--env-file",
        "docker/env.example",
        "-f",
        "docker/compose.yaml",
        "config",
        "--quiet",
    )
    return {
        "clippy": command("cargo", *clippy),
        "mypy": command(str(BIN / "mypy")),
        "front end": command("npm", "run", "--silent", "lint", folder="frontend"),
        "imports": command(str(BIN / "lint-imports"), "--no-cache"),
        "rustfmt": command("cargo", "fmt", *cargo, "--check"),
        "ruff": command(str(BIN / "ruff"), "check", "."),
        "ruff format": command(str(BIN / "ruff"), "format", "--check", "."),
        "shellcheck": command("shellcheck", *shell_scripts(), needs="shellcheck"),
        "compose": command("docker", *compose, needs="docker compose"),
        "hadolint": command(str(BIN / "hadolint"), "docker/Dockerfile"),
        "containers": check_containers,
        "repository": check_repository,
    }


def run(name: str, check: Check) -> Result:
    """Runs one check; never raises for a defect that the check found."""
    started = time.monotonic()
    try:
        ok, output = check()
    except ProgramMissingError as error:
        return Result(name, True, "", missing=str(error))
    return Result(name, ok, output.strip(), time.monotonic() - started)


def describe(result: Result, *, required: bool) -> str:
    """One line on the check, and its output below where it failed."""
    if result.missing:
        verdict = "FAILED" if required else "left out"
        return f"{result.name:<14}{verdict}: {result.missing} is not installed"
    if result.ok:
        return f"{result.name:<14}ok      {result.seconds:6.1f} s"
    return f"{result.name:<14}FAILED  {result.seconds:6.1f} s\n{result.output}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Runs every static check.")
    parser.add_argument("names", nargs="*", help="checks to run; all where none is named")
    options = parser.parse_args(arguments)
    # Docker's client may be missing; what it would say of compose.yaml, `containers` says for the most part.
    required = bool(os.environ.get("CI"))
    optional = {"compose"}
    chosen = {name: check for name, check in checks().items() if not options.names or name in options.names}
    if unknown := sorted(set(options.names) - set(chosen)):
        parser.error(f"no check is called {', '.join(unknown)}; there are {', '.join(checks())}")
    failed = []
    with ThreadPoolExecutor(max_workers=2) as pool:
        for future in as_completed([pool.submit(run, name, check) for name, check in chosen.items()]):
            result = future.result()
            must = required and result.name not in optional
            print(describe(result, required=must), flush=True)
            if not result.ok or (result.missing and must):
                failed.append(result.name)
    print(
        f"lint: {len(chosen) - len(failed)} passed, {len(failed)} failed"
        + "".join(f"\n  {n}" for n in failed)
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
