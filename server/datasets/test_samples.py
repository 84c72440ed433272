"""Rows of samples as Arrow keeps them are the rows that were given; their envelopes are read a few ahead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from server.core.envelope_store import EnvelopeLost
from server.datasets import samples
from server.datasets.columns import Column
from server.datasets.samples import SampledRun, envelopes_read, rows_batch

COLUMNS = (
    Column("run_id", "string", "", ""),
    Column("latency_ns", "integers", "", ""),
    Column("start_ns", "integers", "", ""),
    Column("repeat", "integer", "", ""),
)


def taken(*rows: dict[str, Any]) -> list[dict[str, Any]]:
    """Return rows as they come out of a batch of Arrow's."""
    schema = pa.schema([column.field() for column in COLUMNS])
    found: list[dict[str, Any]] = rows_batch(COLUMNS, schema, rows).to_pylist()
    return found


def test_a_list_that_a_row_lacks_is_none_and_an_empty_one_is_empty() -> None:
    assert taken(
        {"run_id": "a", "latency_ns": [5, 6], "repeat": 0},
        {"run_id": "b", "latency_ns": [], "start_ns": [2**62]},
    ) == [
        {"run_id": "a", "latency_ns": [5, 6], "start_ns": None, "repeat": 0},
        {"run_id": "b", "latency_ns": [], "start_ns": [2**62], "repeat": None},
    ]


def test_an_integer_that_is_written_with_a_point_is_that_integer() -> None:
    assert taken({"run_id": "a", "latency_ns": [5.0, 6]})[0]["latency_ns"] == [5, 6]


def test_envelopes_come_in_order_few_ahead_and_a_lost_one_is_told_of_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[str] = []

    def load(*, digest: str, name: str) -> bytes:
        if name == "3":
            raise EnvelopeLost("gone")
        return digest.encode()

    def runs() -> Iterator[SampledRun]:
        for number in range(40):
            begun.append(str(number))
            yield SampledRun(str(number), "model", None, "CC0-1.0", f"digest {number}", str(number))

    monkeypatch.setattr(samples, "envelope_load", load)
    found: list[Any] = []
    for index, (run, content) in enumerate(envelopes_read(runs())):
        assert len(begun) <= index + 1 + samples.AHEAD
        try:
            found.append((run.run_id, content()))
        except EnvelopeLost:
            found.append((run.run_id, None))
    assert found == [
        (str(number), None if number == 3 else f"digest {number}".encode()) for number in range(40)
    ]
