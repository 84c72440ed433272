"""Reads of small pieces at places in no order all over the device, one after the other. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from server.core.robust import rank_correlation
from server.plausibility.columns import Integers
from server.plausibility.evidence import Evidence

ENOUGH = 30
SPAN = 0.25
LARGEST_BYTES = 65536
ORDERED = 0.5
FRESH = 0.9


@dataclass(frozen=True, slots=True)
class Scattered:
    """Such reads, of one series."""

    name: str
    times_ns: Integers
    distances: Integers
    """Blocks between where the head was and where it went."""


def scattered(evidence: Evidence) -> list[Scattered]:
    """Return the run's scattered reads by series; what is written, mixed or under way at once is left out."""
    found = []
    for series in evidence.series:
        before = series.origins()
        if series.writes or before is None or series.places is None or series.blocks is None:
            continue
        if "stream_blocks" in series.columns:
            continue
        told = before >= 0
        small = series.blocks * evidence.device["block_bytes"] <= LARGEST_BYTES
        places, times, origins = (
            series.places[told & small],
            series.times_ns[told & small],
            before[told & small],
        )
        if _in_no_order(places, evidence.blocks):
            found.append(Scattered(series.name, times, np.abs(places - origins)))
    return found


def _in_no_order(places: Integers, blocks: int) -> bool:
    if places.size < ENOUGH or np.unique(places).size < FRESH * places.size:
        return False
    low, high = np.percentile(places, [5, 95])
    return bool(high - low >= SPAN * blocks) and abs(rank_correlation(places[:-1], places[1:])) < ORDERED
