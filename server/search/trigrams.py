"""Names as sets of three-letter pieces, so that a name with a mistake in it still shares most of its pieces.

PostgreSQL's own trigrams are an extension that the embedded server lacks; arrays of integers with a GIN
index are in its core.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from server.core.text import normalize_name

_LONGEST = 80
"""Letters of a name that are looked at; longer ones are device strings padded with something else."""


def trigrams(text: str, *, within: bool = False) -> frozenset[int]:
    """Return the pieces of one name, letters and digits alone.

    A name's beginning and end count as pieces of their own, but not where the text stands `within` a name.
    """
    plain = normalize_name(text)[:_LONGEST]
    padded = plain if within else f"  {plain} " if plain else ""
    return frozenset(_number(padded[place : place + 3]) for place in range(len(padded) - 2))


def trigrams_of_names(names: Iterable[str]) -> list[int]:
    """Return the pieces of all names of one drive model, each once and in order."""
    return sorted(frozenset().union(*(trigrams(name) for name in names)))


def mistakes(query: str, name: str, *, most: int = _LONGEST) -> int:
    """Return how many letters of `query` have to be changed, added, dropped or swapped with their neighbour
    to make a beginning of `name` of it; `most` + 1 where they are more. Both are normalised."""
    name = name[: len(query) + most]
    before: list[int] = []
    row = list(range(len(name) + 1))
    for place, letter in enumerate(query, start=1):
        after = [place]
        for other, there in enumerate(name, start=1):
            cost = min(row[other] + 1, after[other - 1] + 1, row[other - 1] + (letter != there))
            if place > 1 and other > 1 and letter == name[other - 2] and query[place - 2] == there:
                cost = min(cost, before[other - 2] + 1)
            after.append(cost)
        before, row = row, after
        # No row holds less than the lesser of the two before it.
        if most < min(row) and most < min(before):
            return most + 1
    return min(*row, most + 1)


def _number(piece: str) -> int:
    """Return a piece as a number that fits PostgreSQL's `integer`."""
    return zlib.crc32(piece.encode()) >> 1
