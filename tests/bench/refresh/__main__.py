"""`make bench-refresh`: what computing a model anew takes after one more run, by how many runs it has.

    python -m tests.bench.refresh [--sizes 1000,10000,100000] [--rounds 3] [--table FILE]

Sizes take turns on the same machine. Archives of one model are made once and kept in the folder.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path

from tests.bench.web.archive import ENVELOPE_EVERY, Archive
from tests.bench.web.machine import day_words
from tools.embedded.binaries import PROJECT

TOTAL = "CPU in all"
Phases = dict[str, float]
"""Step of a refresh to milliseconds, of the CPU of worker and database where it says no other."""


class OneModel(Archive):
    """A sample archive whose runs are all of one model, a tenth as many units."""

    def _fill(self) -> None:
        self.manage("migrate", "--verbosity", "0")
        if self.ask("SELECT EXISTS (SELECT FROM submissions_submission)") == [(False,)]:
            sizes = ["--models", 1, "--units", max(self.runs // 10, 1), "--runs", self.runs]
            self.manage("seed_archive", *sizes, "--envelope-every", ENVELOPE_EVERY, "--step", "runs")


def measured(archive: Archive, times: int) -> list[Phases]:
    """Return what so many refreshes took in one warm process, each after one more run."""
    command = [sys.executable, "-m", "tests.bench.refresh.once", str(times)]
    done = subprocess.run(
        command, cwd=PROJECT, env=archive.environment, stdout=subprocess.PIPE, text=True, check=True
    )
    found: list[Phases] = json.loads(done.stdout.splitlines()[-1])
    return found


def table(found: dict[int, list[Phases]]) -> str:
    """Return the medians in Markdown, steps in the order of their time at the largest size."""
    medians = {
        size: {name: statistics.median(one.get(name, 0.0) for one in rounds) for name in rounds[0]}
        for size, rounds in found.items()
    }
    names = sorted(medians[max(medians)], key=lambda name: -medians[max(medians)][name])
    lines = [
        f"| step, ms | {' | '.join(f'{size:,} runs' for size in medians)} |",
        "|---" * (len(medians) + 1) + "|",
    ]
    for name in names:
        lines.append(f"| {name} | {' | '.join(f'{medians[size].get(name, 0.0):,.0f}' for size in medians)} |")
    return "\n".join(lines)


def main() -> int:
    """Measure, print the table, and write it where that was asked for."""
    parser = argparse.ArgumentParser(prog="bench-refresh", description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", default="1000,10000,100000", help="runs of the model")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--times", type=int, default=2, help="refreshes in a round")
    parser.add_argument("--folder", type=Path, default=PROJECT / ".build" / "bench-refresh")
    parser.add_argument("--table", type=Path, help="write it to a file")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    found: dict[int, list[Phases]] = defaultdict(list)
    with ExitStack() as stack:
        archives = {size: OneModel(options.folder.resolve(), size) for size in sizes}
        for archive in archives.values():
            stack.enter_context(archive.running())
        for number in range(options.rounds):
            for size in sizes if number % 2 == 0 else reversed(sizes):
                found[size] += measured(archives[size], options.times)
                print(f"{size:,} runs: {found[size][-1][TOTAL]:,.0f} ms", flush=True)
    text = table({size: found[size] for size in sizes})
    print(f"\n{text}")
    if options.table:
        options.table.write_text(f"{day_words()}\n\n{text}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    sys.exit(main())
