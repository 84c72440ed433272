"""Samples of any kind as timed requests, by the column names that mean the same in every kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
TIMES = ("latency_ns", "elapsed_ns")
INHERITED = (
    "variant",
    "pattern",
    "repeat",
    "write_cache",
    "concurrency",
    "request_blocks",
    "region",
    "position",
)
"""What an object says of its requests and of those of the objects in it."""


@dataclass(frozen=True, slots=True)
class Timed:
    """One object of the samples that holds a column of times: what was asked for, where, and what it took."""

    kind: str
    path: str
    """Where it stands below `samples`, for example `series/3/first`."""
    words: Mapping[str, Any]
    """Its own and inherited fields that are no columns: `variant`, `pattern`, `repeat`, `concurrency`..."""
    single: bool
    """Whether each time is one request's (`latency_ns`); an `elapsed_ns` may be of many."""
    times_ns: Integers
    blocks: Integers | None
    """How many blocks each entry moved; None where nobody says."""
    positions: Integers | None
    """First block of each entry."""
    columns: Mapping[str, Integers]
    """All columns of integers by name."""

    @property
    def at_once(self) -> int:
        """Requests under way at the same time."""
        return max(int(self.words.get("concurrency") or 1), 1)

    @property
    def writes(self) -> bool:
        """Whether any of it writes."""
        return self.words.get("variant") in ("write", "mixed")

    @property
    def name(self) -> str:
        """The kind and what tells this series from its siblings, for a sentence."""
        labels = [
            str(self.words[key]) for key in ("region", "position", "variant", "pattern") if key in self.words
        ]
        return " ".join([self.kind, *labels])

    def origins(self) -> Integers | None:
        """Return where the head stood before each entry; -1 where nobody says."""
        if "from_blocks" in self.columns:
            return self.columns["from_blocks"]
        if self.positions is None or self.at_once > 1:
            return None
        before = np.empty_like(self.positions)
        before[1:] = self.positions[:-1]
        if before.size:
            start = self.words.get("start_block")
            before[0] = start if isinstance(start, int) else -1
        return before


def timed(part: Mapping[str, Any]) -> list[Timed]:
    """Return every timed object of one benchmark's samples, in the document's order."""
    return list(_walk(part["kind"], part["samples"], "", {}))


def _walk(kind: str, node: Any, path: str, inherited: Mapping[str, Any]) -> Iterator[Timed]:
    if isinstance(node, list):
        for number, child in enumerate(node):
            if isinstance(child, dict):
                yield from _walk(kind, child, f"{path}/{number}", inherited)
        return
    words = {
        **inherited,
        **{key: node[key] for key in (*INHERITED, "start_block") if _is_word(node.get(key))},
    }
    columns = {key: _integers(value) for key, value in node.items() if _is_column(value)}
    for name in TIMES:
        if name in columns and columns[name].size:
            yield _timed(kind, path.lstrip("/"), words, name, columns)
    below = {key: value for key, value in words.items() if key in INHERITED}
    for key, value in node.items():
        if isinstance(value, dict | list) and key not in columns:
            yield from _walk(kind, value, f"{path}/{key}", below)


def _timed(
    kind: str, path: str, words: Mapping[str, Any], name: str, columns: Mapping[str, Integers]
) -> Timed:
    positions = columns.get("offset_blocks", columns.get("to_blocks"))
    blocks = columns.get("length_blocks", columns.get("request_blocks"))
    if blocks is None and isinstance(words.get("request_blocks"), int):
        blocks = np.full(columns[name].size, words["request_blocks"], dtype=np.int64)
    elif blocks is None and name == "latency_ns":
        blocks = np.ones(columns[name].size, dtype=np.int64)
    if blocks is not None and "requests" in columns:
        blocks = blocks * columns["requests"]
    return Timed(kind, path, words, name == "latency_ns", columns[name], blocks, positions, columns)


def _is_word(value: Any) -> bool:
    return value is not None and not isinstance(value, dict | list)


def _is_column(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], int)


def _integers(values: list[int]) -> Integers:
    return np.asarray(values, dtype=np.int64)
