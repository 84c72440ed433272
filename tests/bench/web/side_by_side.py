"""Two checkouts' pages in turns: each serves its own sample archive, and every address is asked of both.

A checkout is served by its own code, of which only `Archive`, `web_server` and the lists of addresses are
called, as they have been since the first of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.bench.checkouts import Checkout
from tests.bench.web.machine import day_words
from tests.bench.web.measuring import Answer, first_visits

_SERVE = """
import json, sys
from pathlib import Path
from tests.bench.web.archive import Archive
from tests.bench.web.pages import api_of, pages_of
from tests.bench.web.serving import web_server
what, folder, runs = sys.argv[1:]
archive = Archive(Path(folder), int(runs))
uncached = {"PAGE_CACHE_S": "0", "PAGES_KEPT_S": "0"}
with archive.running() as environment, web_server(environment | uncached) as served:
    archive.warm()
    pages = {"pages": pages_of, "api": api_of}[what](archive)
    print(json.dumps([*served[:2], [[page.name, page.address, page.bar_ms] for page in pages]]), flush=True)
    sys.stdin.read()
"""
STOP_S = 60.0


@dataclass(frozen=True, slots=True)
class Served:
    """A running checkout, and its addresses by what they show."""

    host: str
    port: int
    addresses: dict[str, str]
    bars_ms: dict[str, float | None]


@contextmanager
def served(checkout: Checkout, what: str, runs: int, root: Path) -> Iterator[Served]:
    """Serve a checkout's archive, which is filled where that is not done yet; raises SystemExit."""
    command = [sys.executable, "-c", _SERVE, what, str(root / checkout.name), str(runs)]
    child = subprocess.Popen(
        command, cwd=checkout.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdin is not None and child.stdout is not None
    try:
        # Filling the archive may print, too.
        line = next((text for text in child.stdout if text.startswith("[")), None)
        if line is None:
            raise SystemExit(f"bench-web: {checkout.name} did not start; what it said stands above.")
        host, port, pages = json.loads(line)
        yield Served(host, port, {one[0]: one[1] for one in pages}, {one[0]: one[2] for one in pages})
    finally:
        child.stdin.close()
        child.wait(timeout=STOP_S)


Rounds = list[list[Answer]]
Row = tuple[int, str, float | None, Rounds, Rounds]
"""Runs in the archive, what is shown, its bar, and the rounds of the commit before and of the present one."""


def compare(checkouts: Sequence[Checkout], what: str, sizes: Sequence[int], root: Path, rounds: int) -> str:
    """Measure two checkouts in turns, address by address; print and return the table in Markdown."""
    rows: list[Row] = []
    for runs in sizes:
        with ExitStack() as stack:
            both = [stack.enter_context(served(one, what, runs, root)) for one in checkouts]
            for name in (name for name in both[1].addresses if name in both[0].addresses):
                rows.append((runs, name, both[1].bars_ms[name], *_in_turns(both, name, rounds)))
                print(_line(rows[-1]), flush=True)
    heads = f"| runs | address | {checkouts[0].name} | {checkouts[1].name} | ratio | bar |"
    table = "\n".join([heads, "|---:|---|---:|---:|---:|---|", *map(_line, rows)])
    words = f"Milliseconds of a visit, as no page is cached: the least median of {rounds} rounds in turns."
    return f"{day_words()} {words}\n\n{table}\n\n{_summary(rows)}\n"


def _in_turns(both: Sequence[Served], name: str, rounds: int) -> tuple[Rounds, Rounds]:
    found: tuple[Rounds, Rounds] = ([], [])
    for number in range(rounds):
        # Whoever is second finds a warmer machine: they change places.
        for place in (0, 1) if number % 2 == 0 else (1, 0):
            one = both[place]
            found[place].append(first_visits(one.host, one.port, one.addresses[name]))
    return found


def _line(row: Row) -> str:
    runs, name, bar_ms, before, present = row
    bar = "" if bar_ms is None else f"{bar_ms:.0f}: {'held' if _least(present) <= bar_ms else 'missed'}"
    return f"| {runs:,} | {name} | {_cell(before)} | {_cell(present)} | {_ratio(row):.2f} | {bar} |"


def _cell(rounds: Rounds) -> str:
    refused = next((status for answers in rounds for status, _ms in answers if status != 200), None)
    return f"{_least(rounds):.1f}" if refused is None else f"status {refused}"


def _least(rounds: Rounds) -> float:
    """The least of the rounds' medians is what other work on the machine disturbed least."""
    return min(median(ms for _status, ms in answers) for answers in rounds)


def _ratio(row: Row) -> float:
    return _least(row[4]) / _least(row[3])


def _summary(rows: Sequence[Row]) -> str:
    answered = [row for row in rows if "status" not in _cell(row[3]) + _cell(row[4])]
    ratios = sorted(map(_ratio, answered))
    ends = f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
    return f"Ratios of {len(ratios)} rows: {ends}, in the middle {median(ratios):.2f}."
