"""`make bench-web`, `bench-api` and `bench-release`: what pages, API and releases take on sample archives of
growing size.

    python -m tests.bench.web [pages|api|release] [--sizes 1000,10000] [--folder DIR] [--table FILE]
    python -m tests.bench.web [pages|api] --base COMMIT [--rounds 3] ...   # both commits in turns

Archives are made once and kept in the folder; a million runs take about 15 GB and half an hour to fill.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.bench.checkouts import PRESENT, checkout_of
from tests.bench.web.archive import Archive
from tests.bench.web.exporting import ROWS, Export, export, exports_table, processes_below
from tests.bench.web.measuring import measure
from tests.bench.web.pages import Page, api_of, pages_of
from tests.bench.web.releasing import release_document, release_measure, release_table
from tests.bench.web.serving import UNCACHED, web_server
from tests.bench.web.side_by_side import compare
from tests.bench.web.table import NOT_ANSWERED, Figures, document, table

EXPORTS = [
    f"/api/v1/runs.ndjson?limit={ROWS}",
    f"/api/v1/runs.ndjson?limit={ROWS}&expand=measurements",
    f"/api/v1/runs.csv?limit={ROWS}",
    f"/api/v1/measurements.ndjson?limit={ROWS}",
]
EXPORTED = (
    "Lists read whole, one reader, from the largest archive; the bar for runs as NDJSON is 20,000 a minute in"
    " constant memory. Memory is that of the server's largest process."
)
TITLES = {
    "pages": (
        "How fast pages are",
        "Written by `make bench-web` on sample archives (`manage.py seed_archive`).",
    ),
    "api": (
        "How fast the API is",
        "Written by `make bench-api` on sample archives (`manage.py seed_archive`).",
    ),
}


def main() -> int:
    """Measure, print the table, and write it where that was asked for."""
    options = _options()
    sizes = sorted(int(text) for text in options.sizes.split(","))
    folder = Path(options.folder).resolve()
    archives = [Archive(folder, size) for size in sizes]
    if options.base:
        checkouts = [checkout_of(options.base, folder), PRESENT]
        text = compare(checkouts, options.what, sizes, folder, options.rounds)
    elif options.what == "release":
        text = _releases(archives, options.note)
    else:
        text = _addresses(archives, options)
    if options.table:
        Path(options.table).write_text(text)
    if NOT_ANSWERED in text:
        print("bench-web: an address was answered with an error, so that nothing of it was measured.")
        return 1
    return 0


def _releases(archives: list[Archive], note: str) -> str:
    """Make a release of each archive; print the table and return the page."""
    figures = []
    for archive in archives:
        with archive.running():
            figures.append(release_measure(archive))
        print(release_table(figures[-1:]), flush=True)
    print("\n" + release_table(figures))
    return release_document(figures, note)


def _addresses(archives: list[Archive], options: argparse.Namespace) -> str:
    """Ask each archive for the addresses; print the table and return the page."""
    figures: Figures = {}
    exports: list[Export] = []
    for archive in archives:
        size = archive.runs
        with (
            archive.running() as environment,
            web_server(environment) as (host, port, server),
            web_server(environment | UNCACHED) as (_, uncached, _),
        ):
            archive.warm()
            wanted: list[Page] = (pages_of if options.what == "pages" else api_of)(archive)
            figures[size] = []
            for page in wanted:
                times = measure(host, port, page.address, uncached if options.what == "pages" else None)
                figures[size].append((page, times))
                print(
                    f"{size:>9,}  {page.name:34} {times.status}"
                    f" {times.first_ms:8.1f} ms first {times.median_ms:8.1f} ms"
                    f" {times.median_of_eight_ms:8.1f} ms of eight {times.size_bytes:>9,} B",
                    flush=True,
                )
            if options.what == "api":
                exports = [export(host, port, address, processes_below(server)) for address in EXPORTS]
    more = f"\n{EXPORTED}\n\n{exports_table(exports)}\n" if exports else ""
    print("\n" + table(figures) + "\n" + more)
    return document(*TITLES[options.what], figures, options.note) + more


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-web", description=__doc__.partition("\n")[0])
    parser.add_argument("what", nargs="?", choices=[*TITLES, "release"], default="pages")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--folder", default=".build/bench-web")
    parser.add_argument("--table")
    parser.add_argument("--base", help="a commit or a folder: measure pages or api in turns with it")
    parser.add_argument("--rounds", type=int, default=3, help="rounds with --base")
    parser.add_argument("--note", default="", help="what a reader of the table should know of this time")
    options = parser.parse_args()
    if options.base and options.what == "release":
        parser.error("--base goes with pages and api; a release is measured alone")
    return options


if __name__ == "__main__":
    sys.exit(main())
