"""What a benchmark kind is to the server: samples in, measurements and charts out. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any


class Quality(StrEnum):
    """How far a measurement may be trusted."""

    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    NONE = "none"
    """The data do not carry the number: `value` is None and `reason` says why."""


class Direction(StrEnum):
    """Which way a metric improves."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Metric:
    """An entry of the metric registry."""

    key: str
    """`<kind>.<name>`, for example `skippy.rotation_time`."""
    title: str
    unit: str
    """`ms`, `s`, `rpm`, `blocks`, `KiB`, `MB`, `MB/s` (MB: 10^6 bytes), `1/s`, `%` or `1` (plain number)."""
    direction: Direction
    definition: str
    """One or two sentences: what the number is."""
    method: str
    """How it is extracted from the samples."""
    source: str
    """Document and section, for example `Skippy 4.1.2`."""
    headline: bool = False
    """Whether lists and cards show it."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One number extracted from a run, or the reason why there is none."""

    metric: str
    scope: str
    """Where on the drive and in which variant, for example `outer`, `outer/write`; empty for the whole
    drive."""
    value: float | None
    low: float | None
    """Lower bound of the confidence interval, in the metric's unit."""
    high: float | None
    count: int
    """Samples behind the number."""
    quality: Quality
    reason: str = ""
    """Why there is no number, or why the quality is not good. A sentence for a person."""
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class Facts:
    """What the run document says of the device, as far as extraction may use it."""

    block_bytes: int
    capacity_bytes: int
    rated_rpm: float | None = None
    simulated: bool = False
    write_cache: bool | None = None
    """Whether the write cache was on while the samples were taken; None where nobody could tell."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that one kind's samples carry."""

    measurements: tuple[Measurement, ...]
    details: Mapping[str, Any] = field(default_factory=dict)
    """JSON-safe intermediate results that the charts need: fitted lines, marks, zones."""


@dataclass(frozen=True, slots=True)
class Series:
    """One series of a chart: equally long columns."""

    key: str
    label: str
    role: str
    """`points`, `line`, `step` or `band`."""
    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of interest of a chart, with its words."""

    label: str
    x: float | None = None
    """A vertical line where only x is given, a horizontal one where only y is, a point where both are."""
    y: float | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    label: str
    unit: str
    scale: str = "linear"


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture as data. The front end has one renderer per `shape`."""

    id: str
    """Unique within the kind, a slug."""
    shape: str
    """`sawtooth`, `profile` or `curve`."""
    title: str
    summary: str
    """What the picture shows, in a sentence; also its text alternative."""
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()
    metrics: tuple[str, ...] = ()
    """Keys of the metrics that the picture explains."""


ExtractFunction = Callable[[Mapping[str, Any], Facts], Extraction]
"""Takes one entry of the document's `benchmarks` (kind, params, samples, ...), validated against its
schema."""

ChartFunction = Callable[[Mapping[str, Any], Facts, Extraction], tuple[Chart, ...]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A benchmark kind, as `registry.KINDS` lists it."""

    slug: str
    title: str
    extractor_version: str
    """Raised whenever extraction changes a number; stored with each measurement."""
    metrics: tuple[Metric, ...]
    extract: ExtractFunction
    charts: ChartFunction
    folder: Path
    """Holds `schema/v1.json` and `about.md`."""
