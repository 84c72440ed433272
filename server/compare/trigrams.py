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


def trigrams(text: str) -> frozenset[int]:
    """Return the pieces of one name, letters and digits alone; its beginning counts as a piece of its own."""
    plain = normalize_name(text)[:_LONGEST]
    padded = f"  {plain} " if plain else ""
    return frozenset(_number(padded[place : place + 3]) for place in range(len(padded) - 2))


def trigrams_of_names(names: Iterable[str]) -> list[int]:
    """Return the pieces of all names of one drive model, each once and in order."""
    return sorted(frozenset().union(*(trigrams(name) for name in names)))


def _number(piece: str) -> int:
    """Return a piece as a number that fits PostgreSQL's `integer`."""
    return zlib.crc32(piece.encode()) >> 1
