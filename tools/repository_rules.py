"""Rules about the repository's files that no linter knows: addresses, machine paths and the size budget."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

FILE_BUDGET_LINES = 400
BUDGETED_SUFFIXES = (".py", ".rs", ".ts")

BUDGET_EXCEPTIONS: dict[str, str] = {}
"""Files that may be longer, each with the reason."""

# Written in parts, so that this file keeps its own rule.
_REGISTRY_HOSTS = (
    ("pypi", "org"),
    ("pythonhosted", "org"),
    ("npmjs", "org"),
    ("npmjs", "com"),
    ("crates", "io"),
    ("golang", "org"),
    ("maven", "org"),
    ("deb", "debian", "org"),
    ("static", "rust-lang", "org"),
)
# Cargo names the index of a package by a fixed identity that ends in `-index`: no address to fetch from.
REGISTRY_HOST = re.compile(
    "|".join(r"\b" + re.escape(".".join(parts)) + r"\b(?!-index)" for parts in _REGISTRY_HOSTS)
)
MACHINE_PATH = re.compile(r"(?<![\w.${}/-])/(?:root|work|home/\w+|opt/wheels|tmp/\w+_jobs)(?:/|\b)(?!-)")
RESOLVED = re.compile(r'"resolved"\s*:')
ADDRESS = re.compile(r"https?://")


@dataclass(frozen=True, slots=True)
class Finding:
    """A broken rule at one place."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def tracked_files(root: Path = ROOT) -> list[str]:
    """What git tracks or would track: the working copy's files without the ignored ones."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return sorted(name for name in set(listing.split("\0")) if name and (root / name).is_file())


def check_text(path: str, text: str) -> Iterator[Finding]:
    """Findings in one file's text. `path` is relative to the repository."""
    name = Path(path).name
    for number, line in enumerate(text.splitlines(), start=1):
        if match := REGISTRY_HOST.search(line):
            yield Finding(path, number, f"names a package registry's host ({match[0]}); the client knows it")
        if match := MACHINE_PATH.search(line):
            yield Finding(path, number, f"names a path of one machine ({match[0]}); use a relative one")
        if name == "package-lock.json" and RESOLVED.search(line):
            yield Finding(path, number, "holds a resolved address; frontend/.npmrc omits them, lock again")
        if path.startswith("requirements/") and ADDRESS.search(line):
            yield Finding(path, number, "a lock file holds no address; lock again with `make requirements`")


def check_budget(path: str, text: str) -> Iterator[Finding]:
    """Says which source file is longer than the budget."""
    lines = text.count("\n")
    if path.endswith(BUDGETED_SUFFIXES) and lines > FILE_BUDGET_LINES and path not in BUDGET_EXCEPTIONS:
        yield Finding(
            path,
            FILE_BUDGET_LINES,
            f"has {lines} lines; the budget is {FILE_BUDGET_LINES}: split it where it thinks of two things",
        )


def check_repository(root: Path = ROOT, paths: Iterable[str] | None = None) -> list[Finding]:
    """All findings, ordered by path. Files that are not UTF-8 text are left out."""
    findings: list[Finding] = []
    for path in paths if paths is not None else tracked_files(root):
        try:
            text = (root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        findings.extend(check_text(path, text))
        findings.extend(check_budget(path, text))
    return findings
