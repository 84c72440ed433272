"""Envelopes of a release's runs, read ahead: the storage and the unpacking need no interpreter."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from server.core.envelope_store import envelope_load

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
