"""Rows of samples gathered as columns: numbers stand one behind the other as Arrow keeps them, so that none
of them is looked at again when a file is written."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from server.core.envelope_store import envelope_load
from server.datasets.columns import ARROW, Column

# ---- Envelopes of a release's runs, read ahead: the storage and the unpacking need no interpreter.

AHEAD = 8
"""Envelopes that are held before they are wanted: a large one has tens of MiB."""
_READERS = 2


@dataclass(frozen=True, slots=True)
class SampledRun:
    """A run whose samples are written."""

    run_id: str
    drive_model: str
    unit: str | None
    license: str
    digest: str
    storage_name: str


def envelopes_read(runs: Iterable[SampledRun]) -> Iterator[tuple[SampledRun, Callable[[], bytes]]]:
    """Give each run, in order, with what gives its envelope's bytes or raises EnvelopeLost."""
    with ThreadPoolExecutor(_READERS, "envelopes") as readers:
        waiting: deque[tuple[SampledRun, Future[bytes]]] = deque()
        for run in runs:
            waiting.append((run, readers.submit(envelope_load, digest=run.digest, name=run.storage_name)))
            if len(waiting) > AHEAD:
                yield _given(waiting)
        while waiting:
            yield _given(waiting)


def _given(waiting: deque[tuple[SampledRun, Future[bytes]]]) -> tuple[SampledRun, Callable[[], bytes]]:
    run, future = waiting.popleft()
    return run, future.result


class Gathered:
    """Rows of one table until they are taken."""

    def __init__(self, columns: Sequence[Column]) -> None:
        """Take the columns, which a row may lack."""
        self._schema = pa.schema([column.field() for column in columns])
        self._columns = columns
        self._clear()

    def add(self, row: Mapping[str, Any]) -> None:
        """Gather a row; values of columns of JSON are its text already."""
        get = row.get
        self.rows += 1
        for name, column in self._lists.items():
            self.numbers += column.add(get(name))
        for name, values in self._values.items():
            values.append(get(name))

    def taken(self) -> pa.Table:
        """Return the rows, and forget them."""
        arrays = [
            self._lists[one.name].array()
            if one.name in self._lists
            else pa.array(self._values[one.name], ARROW[one.type])
            for one in self._columns
        ]
        self._clear()
        return pa.Table.from_arrays(arrays, schema=self._schema)

    def _clear(self) -> None:
        self.rows = 0
        self.numbers = 0
        self._lists = {one.name: _Lists() for one in self._columns if one.type == "integers"}
        self._values: dict[str, list[Any]] = {
            one.name: [] for one in self._columns if one.name not in self._lists
        }


class _Lists:
    """A column of lists of integers."""

    def __init__(self) -> None:
        self._numbers = array("q")
        self._ends = array("i", [0])
        self._absent = array("B")

    def add(self, value: list[int] | None) -> int:
        """Add a list; return its length."""
        if value:
            self._numbers.extend(_packed(value))
        self._ends.append(len(self._numbers))
        self._absent.append(value is None)
        return len(value) if value else 0

    def array(self) -> pa.Array:
        return pa.ListArray.from_arrays(
            np.frombuffer(self._ends, dtype=np.int32),
            np.frombuffer(self._numbers, dtype=np.int64) if self._numbers else pa.array([], pa.int64()),
            mask=pa.array(np.frombuffer(self._absent, dtype=np.bool_)),
        )


def _packed(value: list[int]) -> array[int]:
    try:
        return array("q", value)
    except TypeError:
        # JSON Schema takes 3.0 for an integer.
        return array("q", map(int, value))
