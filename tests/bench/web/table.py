"""The figures as a table: a row for each address, a column for each size."""

from __future__ import annotations

from tests.bench.web.machine import day_words
from tests.bench.web.measuring import CLIENTS, Times
from tests.bench.web.pages import Page

Figures = dict[int, list[tuple[Page, Times]]]
"""Runs in the archive to what its addresses took."""

NOT_ANSWERED = "| status "
"""How a cell begins whose address was answered with an error."""


def table(figures: Figures) -> str:
    """Return the table in Markdown."""
    sizes = sorted(figures)
    heads = [f"{size:,} runs" for size in sizes]
    lines = [
        f"| address | {' | '.join(heads)} | growth | bar |",
        f"|---|{'---|' * len(sizes)}---|---|",
    ]
    for name in dict.fromkeys(page.name for size in sizes for page, _times in figures[size]):
        found = {size: _of(figures[size], name) for size in sizes}
        cells = [_cell(times[1]) if times else "" for times in found.values()]
        page = next(pair[0] for pair in found.values() if pair)
        lines.append(f"| {name} | {' | '.join(cells)} | {_growth(found)} | {_bar(page, found)} |")
    return "\n".join(lines)


def document(title: str, what: str, figures: Figures, note: str) -> str:
    """Return the whole page of the reference."""
    return (
        f"# {title}\n\n{what}\n\n"
        f"Milliseconds until the last byte: median of first visits, which are asked of a server that caches "
        f"no page; then of further visits, median (95th percentile) with one client, then with {CLIENTS} at "
        f"once. Growth is from the smallest archive to the largest, by the first visits; both medians of one "
        f"client are held against the bar.\n\n"
        f"{day_words()} {note}\n\n"
        f"{table(figures)}\n"
    )


def _of(rows: list[tuple[Page, Times]], name: str) -> tuple[Page, Times] | None:
    return next(((page, times) for page, times in rows if page.name == name), None)


def _cell(times: Times) -> str:
    if times.status != 200:
        return f"status {times.status}"
    alone = f"{times.first_ms:.0f}; {times.median_ms:.0f} ({times.p95_ms:.0f})"
    return f"{alone}; {times.median_of_eight_ms:.0f} ({times.p95_of_eight_ms:.0f})"


def _growth(found: dict[int, tuple[Page, Times] | None]) -> str:
    medians = [pair[1].first_ms for pair in found.values() if pair and pair[1].status == 200]
    return f"{medians[-1] / medians[0]:.1f}" if len(medians) > 1 else ""


def _bar(page: Page, found: dict[int, tuple[Page, Times] | None]) -> str:
    if page.bar_ms is None:
        return ""
    largest = next((pair for pair in reversed(found.values()) if pair), None)
    if largest is None or largest[1].status != 200 or largest[1].median_ms > page.bar_ms:
        return f"{page.bar_ms:.0f}: missed"
    return f"{page.bar_ms:.0f}: held" + (
        "" if largest[1].first_ms <= page.bar_ms else ", first visits missed"
    )
