"""`make bench-extract`: CPU time of extraction per kind on its golden run, and how it grows with the samples.

A report for people: no test asserts a time.
"""

from __future__ import annotations

import time
from typing import Any

from server.benchmarks.contract import Facts, Kind
from server.benchmarks.registry import KINDS
from tests.contract.golden import FOLDER, facts_of, golden_of
from tests.support.probe import entry_of

SHARES = (0.25, 0.5, 1.0)
REPEATS = 3


def main() -> int:
    print(f"{'kind':12} {'samples':>8} {'CPU ms':>9} {'us per sample':>14}")
    for kind in KINDS:
        if not (FOLDER / f"{kind.slug}.json").is_file():
            continue
        document = golden_of(kind.slug).document()
        entry, facts = entry_of(document, kind.slug), facts_of(document)
        for share in SHARES:
            part = shortened(entry, share)
            count, seconds = samples_of(part), cpu_s(kind, part, facts)
            print(f"{kind.slug:12} {count:8} {1e3 * seconds:9.1f} {1e6 * seconds / max(count, 1):14.2f}")
    return 0


def shortened(entry: dict[str, Any], share: float) -> dict[str, Any]:
    """The entry with the first part of each series' columns."""
    series = [
        {name: column[: round(share * len(column))] if isinstance(column, list) else column
         for name, column in one.items()}
        for one in entry["samples"].get("series", ())
    ]  # fmt: skip
    return entry | {"samples": entry["samples"] | {"series": series}}


def samples_of(entry: dict[str, Any]) -> int:
    """Length of the longest column of each series, summed."""
    return sum(
        max((len(column) for column in series.values() if isinstance(column, list)), default=0)
        for series in entry["samples"].get("series", ())
    )


def cpu_s(kind: Kind, entry: dict[str, Any], facts: Facts) -> float:
    """The least CPU time of some calls: what other processes add is no part of it."""
    spent = []
    for _ in range(REPEATS):
        before = time.process_time()
        kind.extract(entry, facts)
        spent.append(time.process_time() - before)
    return min(spent)


if __name__ == "__main__":
    raise SystemExit(main())
