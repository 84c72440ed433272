"""What a run of the sample archive says of one kind: samples, and what extraction makes of just those."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from server.benchmarks.contract import Facts
from server.benchmarks.registry import kinds_by_slug
from server.core.numbers import finite_json
from server.measurements.documents import timings_count
from server.measurements.extraction import measurement_rows
from server.measurements.models import Benchmark
from tools.sample_archive.samples import ARCHETYPES, BLOCK_BYTES, FORMULAS, TURN_STEPS

MEASUREMENT_COLUMNS = (
    "extractor_version",
    "metric",
    "scope",
    "value",
    "low",
    "high",
    "level",
    "count",
    "quality",
    "reason",
)
_BY_TURN = frozenset({"skippy", "seeker"})
"""Kinds whose samples depend on the speed of rotation alone."""


@dataclass(frozen=True, slots=True)
class KindPart:
    """One kind at one level of one imaginary drive."""

    document: str
    """Its entry of the document's `benchmarks`, as JSON."""
    elapsed_ns: int
    samples: int
    """Timings among its samples."""
    extractor_version: str
    details: str
    """As JSON."""
    measurements: tuple[tuple[Any, ...], ...]
    """The values of `MEASUREMENT_COLUMNS` of each."""


def kind_part(kind: str, archetype: int, level: int, *, simulated: bool) -> KindPart:
    """Return a kind's part; equal ones are extracted once in a process."""
    return _part(kind, archetype, level // TURN_STEPS * TURN_STEPS if kind in _BY_TURN else level, simulated)


@cache
def _part(slug: str, archetype: int, level: int, simulated: bool) -> KindPart:
    kind, drive = kinds_by_slug()[slug], ARCHETYPES[archetype]
    entry = FORMULAS[slug](drive, level)
    facts = Facts(BLOCK_BYTES, drive.blocks * BLOCK_BYTES, float(drive.rpm), simulated, False)
    extraction = kind.extract(entry, facts)
    rows = measurement_rows(Benchmark(), kind, extraction)
    return KindPart(
        document=json.dumps(entry, separators=(",", ":")),
        elapsed_ns=entry["elapsed_ns"],
        samples=timings_count(entry["samples"]),
        extractor_version=kind.extractor_version,
        details=json.dumps(finite_json(extraction.details), separators=(",", ":")),
        measurements=tuple(tuple(getattr(row, name) for name in MEASUREMENT_COLUMNS) for row in rows),
    )
