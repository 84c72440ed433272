"""Raw samples of a published run's benchmark, as the probe wrote them, whole or a window of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from server.core.lifecycle import State
from server.measurements.documents import document_load
from server.measurements.models import Benchmark

Columns = dict[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Table:
    """Equally long columns of one series; `name` is that of the object they stand in, or empty."""

    series: int
    name: str
    labels: Mapping[str, Any]
    """What the series says of itself: variant, region, repeat."""
    columns: Columns
    rows: int
    """All there are, also outside the window."""
    start: int

    @property
    def given(self) -> int:
        """How many samples the window has."""
        return len(next(iter(self.columns.values())))

    def records(self) -> Iterator[dict[str, Any]]:
        """Give the samples one by one, each with its series' labels and its number."""
        names = list(self.columns)
        for index, values in enumerate(zip(*self.columns.values(), strict=True)):
            numbered = {"series": self.series, **self.labels, "sample": self.start + index}
            yield numbered | dict(zip(names, values, strict=True))


@dataclass(frozen=True, slots=True)
class Samples:
    """What a benchmark's entry of the run document holds."""

    params: Mapping[str, Any]
    tables: tuple[Table, ...]


def samples_read(
    *, run_id: UUID, kind: str, start: int = 0, stop: int | None = None, series: int | None = None
) -> Samples:
    """Return a published benchmark's samples from `start` up to `stop` of each series, or of one.

    Raises Benchmark.DoesNotExist and EnvelopeLost.
    """
    benchmark = Benchmark.objects.select_related("run__submission").get(
        run_id=run_id, kind=kind, run__submission__state=State.PUBLISHED
    )
    return samples_of(benchmark, start=start, stop=stop, series=series)


def samples_of(
    benchmark: Benchmark, *, start: int = 0, stop: int | None = None, series: int | None = None
) -> Samples:
    """Return the samples of a benchmark that was read with its run and submission; raises EnvelopeLost."""
    part = document_load(benchmark.run.submission)["benchmarks"][benchmark.position]
    found = (part.get("samples") or {}).get("series", [])
    tables = tuple(
        table
        for number, entry in enumerate(found)
        if series is None or series == number
        for table in _tables(number, entry, start, stop)
    )
    return Samples(part.get("params") or {}, tables)


def _tables(number: int, entry: Mapping[str, Any], start: int, stop: int | None) -> Iterator[Table]:
    labels = {name: value for name, value in entry.items() if not isinstance(value, list | dict)}
    for name, held in (
        ("", entry),
        *((name, value) for name, value in entry.items() if isinstance(value, dict)),
    ):
        columns = {key: value for key, value in held.items() if isinstance(value, list)}
        if columns:
            rows = len(next(iter(columns.values())))
            window = {key: value[start:stop] for key, value in columns.items()}
            yield Table(number, name, labels, window, rows, start)
