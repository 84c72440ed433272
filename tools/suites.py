"""Runs every test suite, each to its end, and closes with one summary.

`make test` calls this. A suite that fails does not stop the next one: one run tells everything that is wrong.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
PYTEST_NO_TESTS = 5
MOST_WORKERS = 4
FUZZ = "tests/server/api/test_fuzz.py"
OUTAGES = ("tests/faults/test_redis_away.py", "tests/faults/test_upgrade.py")


@dataclass(frozen=True, slots=True)
class Counts:
    """Tests of one suite by outcome."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.skipped


@dataclass(frozen=True, slots=True)
class Suite:
    """A command that runs tests, and how its closing lines are read."""

    name: str
    command: tuple[str, ...]
    folder: Path
    count: Callable[[Iterable[str]], Counts]
    beside: str = ""
    """The suite that it runs beside, where both are asked for: each takes one processor."""


@dataclass(frozen=True, slots=True)
class Outcome:
    suite: str
    counts: Counts
    exit_code: int
    seconds: float
    problem: str

    @property
    def ok(self) -> bool:
        return not self.problem


def count_cargo(lines: Iterable[str]) -> Counts:
    """Adds up libtest's `test result:` lines.

    A test that can't run here passes, and says `skipped: <reason>` on a line that libtest does not capture.
    """
    total = Counts()
    skips = 0
    result = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored")
    for line in lines:
        if match := result.match(line):
            passed, failed, ignored = (int(group) for group in match.groups())
            total += Counts(passed, failed, ignored)
        elif "skipped: " in line:
            skips += 1
    return Counts(max(total.passed - skips, 0), total.failed, total.skipped + skips)


def count_pytest(lines: Iterable[str]) -> Counts:
    """Reads pytest's last line, `=== 3 passed, 1 skipped in 0.12s ===`."""
    closing = ""
    for line in lines:
        if re.match(r"^(=+ )?\d+ \w+\b.* in [\d.]+s( \([\d:]+\))?( =+)?$", line):
            closing = line
    return _count_words(closing)


def count_vitest(lines: Iterable[str]) -> Counts:
    """Reads vitest's `Tests  3 failed | 12 passed | 1 skipped (16)`."""
    closing = ""
    for line in lines:
        if re.match(r"^\s*Tests\s+\d", line):
            closing = line
    return _count_words(closing)


def _count_words(closing: str) -> Counts:
    numbers = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", closing)}
    return Counts(
        passed=numbers.get("passed", 0) + numbers.get("xfailed", 0),
        failed=sum(numbers.get(word, 0) for word in ("failed", "error", "errors", "xpassed")),
        skipped=numbers.get("skipped", 0) + numbers.get("todo", 0),
    )


def suites(*, strict: bool) -> tuple[Suite, ...]:
    """All suites, in the order in which a defect is cheapest to find."""
    python = sys.executable

    def pytest(name: str, *paths: str, workers: int = 1, beside: str = "") -> Suite:
        options: tuple[str, ...] = ("-p", "tools.pytest_strict", "-rs", "--no-header", "--durations=5")
        if workers > 1:
            # A file's tests stay together: they share what its fixtures made.
            options += ("--numprocesses", str(workers), "--dist", "loadfile")
        strictly = ("--strict-skips",) if strict else ()
        command = (python, "-m", "pytest", *options, *strictly, *paths)
        return Suite(name, command, ROOT, count_pytest, beside)

    own = (*(f"tests/{name}" for name in ("tools", "contract", "faults", "e2e", "vm")), FUZZ)
    cargo = ("cargo", "test", "--quiet", "--locked", "--all-features", "--no-fail-fast")
    return (
        Suite("cargo", (*cargo, "--manifest-path", "client/probe/Cargo.toml"), ROOT, count_cargo),
        Suite("vitest", ("npm", "run", "--silent", "test"), ROOT / "frontend", count_vitest),
        pytest("tools", "tests/tools"),
        pytest("contract", "tests/contract"),
        # They wait more than they compute, and leave the disks of `faults`, which turn in real time, alone.
        pytest("outages", *OUTAGES, beside="contract"),
        # Whatever has no suite of its own, so that a new folder is never left out.
        pytest("server", "server", "tests", *(f"--ignore={path}" for path in own), workers=_workers()),
        # Schemathesis gives all operations one id, and of one id processes that share tests run one test.
        pytest("fuzz", FUZZ),
        pytest("faults", "tests/faults", *(f"--ignore={path}" for path in OUTAGES)),
        # An emulated processor, which waits for nobody and asserts no time.
        pytest("vm", "tests/vm", beside="tools"),
        pytest("e2e", "tests/e2e"),
    )


def _workers() -> int:
    """How many processes share the server's tests: each starts services of its own, so never many."""
    return min(len(os.sched_getaffinity(0)), MOST_WORKERS)


def _stream(command: Sequence[str], folder: Path) -> Iterator[str | int]:
    """Yields the command's lines as they come, and its exit code at the end."""
    environment = os.environ | {"NO_COLOR": "1", "CARGO_TERM_COLOR": "never", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None
    yield from process.stdout
    yield process.wait()


def _show(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def run(suite: Suite, *, strict: bool, show: Callable[[str], object] = _show) -> Outcome:
    """Runs one suite to its end and judges it; its lines are shown as they come."""
    show(f"\n---- {suite.name} " + "-" * (72 - len(suite.name)) + "\n")
    started = time.monotonic()
    lines: list[str] = []
    exit_code = 0
    for item in _stream(suite.command, suite.folder):
        if isinstance(item, int):
            exit_code = item
        else:
            show(item)
            lines.append(ANSI.sub("", item.rstrip("\n")))
    counts = suite.count(lines)
    return Outcome(
        suite.name, counts, exit_code, time.monotonic() - started, judge(counts, exit_code, strict=strict)
    )


def groups(chosen: Sequence[Suite]) -> list[list[Suite]]:
    """The suites that run at one time, in order; each but the first of a group runs beside it."""
    names = {suite.name for suite in chosen}
    leading = [suite for suite in chosen if suite.beside not in names]
    return [[suite, *(one for one in chosen if one.beside == suite.name)] for suite in leading]


def run_group(group: Sequence[Suite], *, strict: bool) -> list[Outcome]:
    """Runs suites at one time. The first is shown as it goes, the others' lines follow its own."""
    first, *others = group
    said: list[list[str]] = [[] for _ in others]
    with ThreadPoolExecutor(max_workers=len(group)) as pool:
        beside = [
            pool.submit(run, suite, strict=strict, show=lines.append)
            for suite, lines in zip(others, said, strict=True)
        ]
        outcomes = [run(first, strict=strict)]
        for outcome, lines in zip(beside, said, strict=True):
            outcomes.append(outcome.result())
            _show("".join(lines))
    return outcomes


def judge(counts: Counts, exit_code: int, *, strict: bool) -> str:
    """Why the suite does not count as passed; empty where it does."""
    if counts.total == 0 and exit_code in (0, PYTEST_NO_TESTS):
        return "ran no test"
    if counts.failed:
        return f"{counts.failed} failed"
    if exit_code != 0:
        return f"exit code {exit_code}"
    if strict and counts.skipped:
        return f"{counts.skipped} skipped, and STRICT=1 allows none"
    return ""


def summary(outcomes: Sequence[Outcome]) -> str:
    """One line per suite and a closing line with the totals."""
    lines = ["", "---- summary " + "-" * 65]
    for outcome in outcomes:
        counts = outcome.counts
        verdict = "ok" if outcome.ok else f"FAILED: {outcome.problem}"
        lines.append(
            f"{outcome.suite:<10}{counts.passed:>6} passed {counts.failed:>4} failed "
            f"{counts.skipped:>4} skipped {outcome.seconds:>7.1f} s  {verdict}"
        )
    total = sum((outcome.counts for outcome in outcomes), Counts())
    lines.append(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--strict", action="store_true", help="a skipped test fails its suite")
    parser.add_argument("names", nargs="*", help="suites to run; all where none is named")
    options = parser.parse_args(arguments)
    known = {suite.name: suite for suite in suites(strict=options.strict)}
    if unknown := sorted(set(options.names) - set(known)):
        parser.error(f"no suite is called {', '.join(unknown)}; there are {', '.join(known)}")
    chosen = [suite for suite in known.values() if not options.names or suite.name in options.names]
    outcomes = [one for group in groups(chosen) for one in run_group(group, strict=options.strict)]
    print(summary(outcomes), flush=True)
    return 0 if all(outcome.ok for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
