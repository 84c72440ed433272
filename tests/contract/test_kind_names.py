"""Nothing but a kind's folders and the registries names it: what others need is declared by the kind."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.benchmarks.registry import KINDS
from tools.repository_rules import ROOT, tracked_files

SLUGS = frozenset(kind.slug for kind in KINDS)
KEY = re.compile(rf"(?<![\w.-])({'|'.join(sorted(SLUGS))})\.[a-z]")
ADDRESS = re.compile(rf"([/\"'`])({'|'.join(sorted(SLUGS))})\1")

ALLOWED = {
    "tools/": "calls the probe with `--only`, and holds numbers against the simulator's truth kind by kind",
    "server/core/units.py": "temperature is what degrees measure",
    "server/benchmarks/contract.py": "shapes of charts have words of their own",
    "server/drawing/strokes.py": "draws shapes of charts, by those words",
}
"""Folders and files that may, and why."""


def sources() -> list[Path]:
    """Code of archive, front end and tools outside the kinds' folders, without tests."""
    found = []
    for name in tracked_files():
        path = Path(name)
        own = path.parts[:2] == ("server", "benchmarks") and path.parts[2] in SLUGS
        if own or path.name.startswith("test_") or ".test." in path.name or not (ROOT / path).is_file():
            continue
        if path.parts[0] in ("server", "tools") or path.parts[:2] == ("frontend", "src"):
            found.append(path)
    return [path for path in found if path.suffix in (".py", ".html", ".ts", ".txt", ".xml")]


def strings(text: str) -> Iterator[tuple[int, str]]:
    """Lines and values of all strings of a module that are not there to be read alone."""
    tree = ast.parse(text)
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


def named(suffix: str, text: str) -> list[str]:
    """Where a text names a kind: a string that is a slug or holds a metric's key, or an address of one."""
    if suffix == ".py":
        return [
            f"line {line}: {value!r}"
            for line, value in strings(text)
            if value in SLUGS or KEY.search(value) or ADDRESS.search(value)
        ]
    found = [(line, words) for line, words in enumerate(text.splitlines(), 1) if KEY.search(words)]
    found += [(line, words) for line, words in enumerate(text.splitlines(), 1) if ADDRESS.search(words)]
    return [f"line {line}: {words.strip()[:100]}" for line, words in found]


def allowed(path: Path) -> str | None:
    """The entry that lets a file name kinds."""
    return next((name for name in ALLOWED if str(path).startswith(name)), None)


def all_named() -> dict[Path, list[str]]:
    """Where each file names a kind."""
    found = {path: named(path.suffix, (ROOT / path).read_text(encoding="utf-8")) for path in sources()}
    return {path: lines for path, lines in found.items() if lines}


def test_no_code_outside_a_kinds_folders_and_the_registry_names_it() -> None:
    wrong = {str(path): lines for path, lines in all_named().items() if allowed(path) is None}
    assert wrong == {}, "Declare what is needed on the kind or its metrics (server/benchmarks/contract.py)."


def test_whoever_may_name_kinds_does() -> None:
    assert {allowed(path) for path in all_named()} == set(ALLOWED)


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".py", "column = 'zoned.outer_bandwidth|'"),
        (".py", "if kind == 'seeker': pass"),
        (".py", "address = f'/methods/skippy/#{name}'"),
        (".html", '<a href="/methods/zoned/">'),
        (".ts", 'if (kind === "access") {'),
    ],
)
def test_a_name_is_found(suffix: str, text: str) -> None:
    assert named(suffix, text)


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".py", "def peak():\n    'As `buffer.peak` has it.'"),
        (".py", "sys.stdin.buffer.read(1)"),
        (".ts", 'import { buffer } from "./buffer";'),
        (".html", "<p>The buffer.</p>"),
    ],
)
def test_a_word_that_is_no_name_is_left_alone(suffix: str, text: str) -> None:
    assert named(suffix, text) == []
