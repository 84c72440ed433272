"""What samples are recognised by when they come again under another run's name. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from server.plausibility.columns import Integers, timed

FIRST = 64
ENOUGH = 6
ENOUGH_NEAR = 20
NEAR_NS = 100.0


@dataclass(frozen=True, slots=True)
class Trace:
    """One benchmark's samples, in short."""

    kind: str
    times_digest: str
    places_digest: str
    first_times_ns: tuple[int, ...]

    def near_ns(self, other_times_ns: Iterable[int]) -> float | None:
        """Return the median difference from another trace's first times; None where too few can be
        compared."""
        mine, other = np.asarray(self.first_times_ns), np.asarray(list(other_times_ns))
        if mine.size < ENOUGH_NEAR or mine.size != other.size:
            return None
        return float(np.median(np.abs(mine - other)))


def trace_of(part: Mapping[str, Any]) -> Trace | None:
    """Return the trace of one benchmark; None where it holds fewer than ENOUGH times."""
    found = timed(part)
    times = [series.times_ns for series in found]
    if sum(column.size for column in times) < ENOUGH:
        return None
    places = [series.places for series in found if series.places is not None]
    first = np.concatenate(times)[:FIRST]
    return Trace(part["kind"], _digest(times), _digest(places), tuple(int(one) for one in first))


def _digest(columns: Iterable[Integers]) -> str:
    digest = hashlib.sha256()
    for values in columns:
        digest.update(np.int64(values.size).tobytes())
        digest.update(values.astype("<i8").tobytes())
    return digest.hexdigest()
