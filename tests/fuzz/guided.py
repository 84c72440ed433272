"""The targets of `test_parsers.py`, guided by the code that they reach: a draw that reaches more of it is
kept, and the next ones are made of it. `make fuzz-parsers ENGINE=atheris` has each target in a process of its
own.

Draws that reached something are kept in `.build/fuzz/<target>` and are where the next run begins. A draw that
breaks a parser is written beside them, as `crash-...`, and what it stands for belongs into the corpus.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".build" / "fuzz"
SHORTEST, LONGEST = 8, 122
"""Bytes of a draw: one change of a corpus's member, or twenty."""
Check = Callable[[bytes], None]


class _Captured(Exception):
    """A target that was about to begin."""

    def __init__(self, name: str, check: Check) -> None:
        super().__init__(name)
        self.name, self.check = name, check


def targets(tests: ModuleType) -> dict[str, Check]:
    """Return what each test of the parsers checks a draw by, by the target's name."""
    calls: list[Callable[[], None]] = []
    for name, test in vars(tests).items():
        if not name.startswith("test_"):
            continue
        marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
        arguments: list[tuple[Any, ...]] = [(value,) for value in marks[0].args[1]] if marks else [()]
        calls += [lambda test=test, given=given: test(*given) for given in arguments]  # type: ignore[misc]
    found: dict[str, Check] = {}
    usual = tests.fuzz

    def capture(name: str, check: Check) -> None:
        raise _Captured(name, check)

    tests.fuzz = capture  # type: ignore[attr-defined]
    try:
        for call in calls:
            try:
                call()
            except _Captured as captured:
                found[captured.name] = captured.check
    finally:
        tests.fuzz = usual  # type: ignore[attr-defined]
    return found


def imported() -> ModuleType:
    """Return the tests of the parsers, once Django is set up for them."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    from tests.fuzz import test_parsers

    return test_parsers


def fuzz_guided(name: str, inputs: int) -> None:
    """Give one target so many inputs; ends the process."""
    import atheris  # type: ignore[import-not-found]  # of requirements/fuzz.txt

    with atheris.instrument_imports(include=["server"]):
        check = targets(imported())[name]

    def one(draw: bytes) -> None:
        if len(draw) >= SHORTEST:
            check(draw)

    folder = KEPT / name.replace(" ", "-").replace("'", "")
    folder.mkdir(parents=True, exist_ok=True)
    options = [f"-runs={inputs}", f"-max_len={LONGEST}", "-timeout=60", "-rss_limit_mb=2048"]
    atheris.Setup([name, *options, f"-artifact_prefix={folder}/", "-print_final_stats=1", str(folder)], one)
    atheris.Fuzz()


def main() -> int:
    """Run the targets that are asked for, or all of them; return how many broke."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--target", help="one of those that --list gives, in this process")
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    if find_spec("atheris") is None:
        sys.stderr.write("atheris is not installed: pip install -r requirements/fuzz.txt\n")
        return 2
    if given.target:
        fuzz_guided(given.target, given.inputs)
    names = list(targets(imported()))
    if given.list:
        sys.stdout.write("".join(f"{name}\n" for name in names))
        return 0
    command = [sys.executable, "-m", "tests.fuzz.guided", "--inputs", str(given.inputs), "--target"]
    return sum(subprocess.run([*command, name], cwd=ROOT, check=False).returncode != 0 for name in names)


if __name__ == "__main__":
    sys.exit(main())
