"""Differences in per cent, and what is practically equal: a difference that is shown but too small for
anybody to notice makes nothing better. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from server.benchmarks.contract import Direction
from server.comparison.matrix import Cell, Pair, Row, Table, cells_compared
from server.core.numbers import write
from server.core.scopes import scope_text

MARGIN = 2.0
"""Per cent below which a difference makes nothing better."""
GREATEST_MARGIN = 50.0
_FEWEST_PERCENT = 0.1


class MarginError(ValueError):
    """A margin that can't be taken. The text says fact, limit and remedy."""


def margin_read(text: str) -> float:
    """Return a margin in per cent from text; raises MarginError."""
    if not text.strip():
        return MARGIN
    wrong = f"“{text[:20]}” is no margin. It lies between 0 and {GREATEST_MARGIN:g} per cent. Write 2."
    try:
        margin = float(text)
    except ValueError:
        raise MarginError(wrong) from None
    if not 0 <= margin <= GREATEST_MARGIN:
        raise MarginError(wrong)
    return margin


def percent(pair: Pair, cells: Sequence[Cell]) -> float | None:
    """Return by how many per cent A is above B, of the lower of the two; None where that means nothing."""
    a, b = cells[pair.a].mean, cells[pair.b].mean
    if a is None or b is None or min(a, b) <= 0:
        return None
    return 100 * (a - b) / min(a, b)


def percent_text(share: float) -> str:
    """Return a difference as people say it: `7 %`, `0.4 %`, `less than 0.1 %`."""
    size = abs(share)
    if size < _FEWEST_PERCENT:
        return f"less than {_FEWEST_PERCENT:g} %"
    return f"{write(size, 0 if size >= 9.5 else 1)} %".replace(".0 %", " %")


def with_margin(table: Table, margin: float) -> Table:
    """Return a table in which pairs that differ by less than `margin` per cent are practically equal, and
    nothing is better by so little."""
    return replace(table, rows=tuple(_row(row, margin) for row in table.rows))


def _row(row: Row, margin: float) -> Row:
    pairs = tuple(replace(_pair(pair, row, margin), percent=percent(pair, row.cells)) for pair in row.pairs)
    return replace(row, pairs=pairs, cells=cells_compared(row.cells, pairs))


def _pair(pair: Pair, row: Row, margin: float) -> Pair:
    """Return a pair as equal where a difference is shown and small, or where the interval of the difference
    leaves no larger one."""
    share = percent(pair, row.cells)
    if share is None or pair.p is None or pair.difference is None or abs(share) >= margin:
        return pair
    one, other = row.cells[pair.a].mean or 0.0, row.cells[pair.b].mean or 0.0
    bound = margin / 100 * min(one, other)
    surely = max(abs(pair.difference.low), abs(pair.difference.high)) < bound
    if pair.higher is None and not surely:
        return pair
    return replace(pair, higher=None, better=None, equal=True, needed=None)


# ---- The sentences that a comparison begins with.

Named = Sequence[str]


def opening(table: Table, names: Named) -> tuple[str, ...]:
    """Return what a comparison begins with: what differs, and what is equal or could not be decided.

    `names` are the groups as the sentences call them, `A` being the first.
    """
    answers = [row for row in table.rows if _said(row)]
    rest = [row for row in table.rows if not _said(row) and _directed(row)]
    if not answers and not rest:
        return ()
    return tuple(filter(None, (_differs([*answers, *rest], names), _alike([*answers, *rest]))))


def _said(row: Row) -> str:
    answers = row.entry.answers if row.entry else ()
    return next((answer.says for answer in answers if answer.scope == row.scope), "")


def _directed(row: Row) -> bool:
    return row.entry is not None and row.entry.direction != Direction.NEITHER and row.entry.headline


SAID = 3
"""Numbers that a sentence names; the table has them all."""


def _differs(rows: Sequence[Row], names: Named) -> str:
    """Say of each group in what it is better, the largest differences first."""
    found: dict[tuple[int, int], list[tuple[float, str]]] = {}
    for row in rows:
        for pair in row.pairs:
            if pair.better is None or pair.percent is None:
                continue
            other = pair.b if pair.better == pair.a else pair.a
            said = _better_words(row, percent_text(pair.percent))
            found.setdefault((pair.better, other), []).append((abs(pair.percent), said))
    if not found:
        tested = any(pair.p is not None for row in rows for pair in row.pairs)
        return "" if not tested else "In nothing that was tested is one shown to be better than another."
    largest = sorted(found.items(), key=lambda entry: -max(share for share, _said in entry[1]))
    parts = []
    for (better, other), entries in largest[:SAID]:
        than = "" if len(names) == 2 else f" than {names[other]}"
        several = [said for _share, said in sorted(entries, key=lambda entry: -entry[0])[:SAID]]
        parts.append(f"{names[better]} {_listed(several)}{than}")
    return "; ".join(parts) + "."


def _better_words(row: Row, by: str) -> str:
    if said := _said(row):
        return said.format(by=by)
    lower = row.entry is not None and row.entry.direction == Direction.LOWER
    return f"has {_article(by)} {by} {'lower' if lower else 'higher'} {_title(row)}"


def _article(number: str) -> str:
    return "an" if number.startswith("8") or number.split()[0] in {"11", "18"} else "a"


def _alike(rows: Sequence[Row]) -> str:
    """Say which numbers are practically equal, and which nobody can tell yet."""
    equal = [_title(row) for row in rows if row.pairs and all(pair.equal for pair in row.pairs)]
    open_rows = [
        _title(row)
        for row in rows
        if row.pairs and any(pair.better is None and not pair.equal for pair in row.pairs)
    ]
    parts = []
    if equal:
        parts.append(f"Practically equal: {_few(equal)}.")
    if open_rows:
        parts.append(f"Not decided: {_few(open_rows)}.")
    return " ".join(parts)


def _title(row: Row) -> str:
    """Return what a number is called within a sentence; names in capitals keep them."""
    title = row.entry.title if row.entry else row.metric
    title = title if title[:2].isupper() else title[:1].lower() + title[1:]
    return f"{title} ({scope_text(row.scope)})" if row.scope else title


def _few(titles: Sequence[str]) -> str:
    named = list(dict.fromkeys(titles))
    more = len(named) - 2 * SAID
    if more > 0:
        return f"{', '.join(named[: 2 * SAID])} and {more} more"
    return _listed(named)


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
