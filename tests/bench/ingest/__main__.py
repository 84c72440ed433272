"""`make bench-ingest`: what uploads cost, from the address to the published run, of one or two checkouts.

    python -m tests.bench.ingest [--sizes 10000] [--clients 1,4,16] [--kind small] [--base COMMIT] ...

Rounds of two checkouts take turns on the same machine. Archives are made once and kept in the folder.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.bench.checkouts import PRESENT, Checkout, checkout_of
from tests.bench.ingest.load import Figures, measure, median_of
from tests.bench.ingest.pool import SUITES, Upload, pool_make, pool_of_largest, size_words
from tests.bench.ingest.system import System
from tests.bench.web.machine import day_words

WARM = 8
KINDS = (*SUITES, "largest")
"""`largest` are runs of the archive's largest model, by the formulas that filled it."""
Row = tuple[str, int, str, int]
"""Checkout, archive, kind, clients."""


def main() -> int:
    """Measure, print the table, and write it where that was asked for."""
    options = _options()
    folder = Path(options.folder).resolve()
    checkouts = [PRESENT]
    if options.base:
        checkouts.insert(0, checkout_of(options.base, folder))
    found: dict[Row, list[Figures]] = defaultdict(list)
    words: dict[str, str] = {}
    for runs in map(int, options.sizes.split(",")):
        for number in range(options.rounds):
            # Whoever is first finds a colder machine: they change places.
            for checkout in checkouts if number % 2 == 0 else reversed(checkouts):
                for row, pool, figures in _round(checkout, runs, folder, options):
                    found[row].append(figures)
                    words[row[2]] = size_words(pool)
    rows = {row: median_of(figures) for row, figures in sorted(found.items(), key=lambda item: item[0][1:])}
    text = table(rows)
    sizes = "; ".join(f"{kind}: {size}" for kind, size in words.items())
    print(f"\n{text}\n\nEnvelopes: {sizes}")
    if options.table:
        Path(options.table).write_text(
            f"{day_words()} {options.rounds} rounds in turns, the middle one. Envelopes: {sizes}.\n\n{text}\n"
        )
    return 0


def _round(
    checkout: Checkout, runs: int, folder: Path, options: argparse.Namespace
) -> Iterator[tuple[Row, Sequence[Upload], Figures]]:
    with System(checkout, runs, folder).running() as system:
        for kind in options.kind.split(","):
            measure(system, _pool(kind, WARM, runs), 2)
            for clients in map(int, options.clients.split(",")):
                pool = _pool(kind, options.runs, runs)
                row = (checkout.name, runs, kind, clients)
                figures = measure(system, pool, clients)
                print(" | ".join(_cells(row, figures)), flush=True)
                yield row, pool, figures


def _pool(kind: str, count: int, runs: int) -> list[Upload]:
    return pool_of_largest(runs, count) if kind == "largest" else pool_make(kind, count)


def table(rows: dict[Row, Figures]) -> str:
    """Return the table in Markdown."""
    heads: tuple[str, ...] = (
        "checkout",
        "archive",
        "kind",
        "clients",
        "accepted/s",
        "p50, p95, p99 ms",
        "published/s",
    )
    heads += ("refreshed after s", "held", "CPU ms", "web, worker, beat, postgres, redis")
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    lines += [f"| {' | '.join(_cells(row, figures))} |" for row, figures in rows.items()]
    return "\n".join(lines)


def _cells(row: Row, figures: Figures) -> list[str]:
    name, runs, kind, clients = row
    return [
        name,
        f"{runs:,}",
        kind,
        str(clients),
        f"{figures.accepted_per_s:.1f}",
        ", ".join(f"{figures.percentile_ms(share):.0f}" for share in (0.5, 0.95, 0.99)),
        f"{figures.published_per_s:.2f}",
        f"{figures.refreshed_s:.1f}",
        str(figures.held),
        f"{figures.cpu_ms_of_all:.0f}",
        ", ".join(f"{figures.cpu_ms[part]:.1f}" for part in ("web", "worker", "beat", "postgres", "redis")),
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-ingest", description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", default="10000", help="runs in the archives")
    parser.add_argument("--clients", default="1,4,16")
    parser.add_argument("--kind", default="small", help=f"some of {', '.join(KINDS)}")
    parser.add_argument("--runs", type=int, default=100, help="uploads of each row and round")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--base", help="a commit or a folder to measure in turns with this checkout")
    parser.add_argument("--folder", default=".build/bench-ingest")
    parser.add_argument("--table", help="write it to a file")
    options = parser.parse_args()
    if unknown := set(options.kind.split(",")) - set(KINDS):
        parser.error(f"--kind: {', '.join(sorted(unknown))} is none of {', '.join(KINDS)}")
    return options


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    sys.exit(main())
