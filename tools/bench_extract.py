"""`make bench-extract`: CPU time of extraction per kind on its golden run, and how it grows to 10^6 samples.

A report for people: no test asserts a time. A run grows by what a longer one would bring: series that know
repeats are repeated, the columns of others are tiled.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # As the workers have it, and before numpy is loaded.

from server.benchmarks.contract import Facts, Kind
from server.benchmarks.registry import KINDS
from tests.contract.golden import facts_of, golden_of
from tests.support.probe import entry_of

REPEATS = 3
LONGEST_S = 5.0
"""A call that took longer is not called again."""
BARS_MS = {"skippy": 150.0}
BAR_ALL_MS = 1000.0
SLACK = 1.15
"""What the clock and the caches may add to a ratio of times."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools.bench_extract", description="CPU time of extraction.")
    parser.add_argument("--most", type=int, default=1_000_000, help="samples up to which runs are grown")
    parser.add_argument("--kind", action="append", help="only this kind; may be given again")
    arguments = parser.parse_args()
    kinds = [kind for kind in KINDS if not arguments.kind or kind.slug in arguments.kind]
    spent_ms = [_first(kind) for kind in kinds]
    print(f"{'all':12} {'':>8} {sum(spent_ms):10.1f} ms, bar {BAR_ALL_MS:.0f} ms")
    print(f"\n{'kind':12} {'samples':>8} {'CPU ms':>10} {'t(2n)/t(n)':>11} {'n log n':>8}")
    for kind in kinds:
        for line in _growth(kind, arguments.most):
            print(line, flush=True)
    return 0


def _first(kind: Kind) -> float:
    """Print and return what the golden run costs, in ms."""
    document = golden_of(kind.slug).document()
    entry = entry_of(document, kind.slug)
    spent_ms = 1e3 * cpu_s(kind, entry, facts_of(document))
    bar = f", bar {BARS_MS[kind.slug]:.0f} ms" if kind.slug in BARS_MS else ""
    print(f"{kind.slug:12} {samples_of(entry):8} {spent_ms:10.1f} ms{bar}", flush=True)
    return spent_ms


def _growth(kind: Kind, most: int) -> Iterator[str]:
    """A line for each doubling but those of runs so small that calls alone cost all the time."""
    document = golden_of(kind.slug).document()
    entry, facts = entry_of(document, kind.slug), facts_of(document)
    before, count = None, max(samples_of(entry), 1)
    times = max(1, most // count)
    for doubling in range(3, -1, -1):
        grown = grown_by(entry, max(1, times >> doubling))
        samples, seconds = samples_of(grown), cpu_s(kind, grown, facts)
        ratio = f"{seconds / before:11.2f}" if before else f"{'':>11}"
        bar = 2 * math.log(max(samples, 4)) / math.log(max(samples / 2, 2))
        worse = " worse than n log n" if before and seconds / before > SLACK * bar else ""
        yield f"{kind.slug:12} {samples:8} {1e3 * seconds:10.1f} {ratio} {bar:8.2f}{worse}"
        before = seconds


def grown_by(entry: dict[str, Any], times: int) -> dict[str, Any]:
    """The entry with so many times its samples."""
    series = entry["samples"].get("series", ())
    if all("repeat" in one for one in series):
        repeats = 1 + max((one["repeat"] for one in series), default=0)
        grown = [one | {"repeat": one["repeat"] + repeats * k} for k in range(times) for one in series]
    else:
        grown = [_longer(one, times) for one in series]
    return entry | {"samples": entry["samples"] | {"series": grown}}


def _longer(series: dict[str, Any], times: int) -> dict[str, Any]:
    return {name: _more(name, value, times) for name, value in series.items()}


def _more(name: str, value: Any, times: int) -> Any:
    """A column, or a group of columns, so many times as long."""
    if isinstance(value, dict):
        return _longer(value, times)
    return _tiled(name, value, times) if isinstance(value, list) else value


def _tiled(name: str, column: list[Any], times: int) -> list[Any]:
    if name != "start_ns" or not column:
        return column * times
    span = max(column) - min(column) + (max(column) - min(column)) // max(len(column), 1) + 1
    return [value + k * span for k in range(times) for value in column]


def samples_of(entry: dict[str, Any]) -> int:
    """Length of the longest column of each series, or of each group of columns in it, summed."""
    return sum(_rows(series) for series in entry["samples"].get("series", ()))


def _rows(columns: dict[str, Any]) -> int:
    own = max((len(column) for column in columns.values() if isinstance(column, list)), default=0)
    return own + sum(_rows(group) for group in columns.values() if isinstance(group, dict))


def cpu_s(kind: Kind, entry: dict[str, Any], facts: Facts) -> float:
    """The least CPU time of some calls: what other processes add is no part of it."""
    spent: list[float] = []
    while len(spent) < REPEATS and sum(spent) < LONGEST_S:
        before = time.process_time()
        kind.extract(entry, facts)
        spent.append(time.process_time() - before)
    return min(spent)


if __name__ == "__main__":
    raise SystemExit(main())
