"""What a benchmark kind is to the server: samples in, measurements and charts out. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from server.benchmarks.challenge import Followed
from server.benchmarks.detail_tables import DetailTable


class Quality(StrEnum):
    """How far a measurement may be trusted."""

    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    NONE = "none"
    """The data do not carry the number: `value` is None and `reason` says why."""


class Topic(StrEnum):
    """What a kind is about: under which heading lists of methods have it, in this order."""

    MECHANICS = "Rotation, tracks and seeks"
    OVER_THE_DISK = "Bandwidth over the disk"
    OVER_TIME = "Bandwidth over time and temperature"
    CACHE = "Cache and writes"
    RANDOM = "Random access"
    OTHER = "Other"


class Direction(StrEnum):
    """Which way a metric improves."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


class Measurand(StrEnum):
    """A property of a drive that claims, exports and pages ask for by name, whichever kind measures it."""

    ROTATION_TIME = "rotation time"
    ROTATION_RATE = "rotation rate"
    MTM = "minimum time to media"
    BLOCK_TRANSFER_TIME = "transfer time of a block"
    SECTORS_PER_TRACK = "blocks per track"
    HEAD_SWITCH_GAP = "gap at a head switch"
    CYLINDER_SWITCH_GAP = "gap at a cylinder switch"
    SURFACES = "recording surfaces"
    OUTER_BANDWIDTH = "outer bandwidth"
    INNER_BANDWIDTH = "inner bandwidth"
    FULL_STROKE = "full stroke"
    AVERAGE_SEEK = "average seek"
    SHORTEST_SEEK = "shortest seek"
    SEEK_BASELINE = "access without a seek"
    ACCESS_TIME = "random access time"
    RANDOM_READS = "random reads one at a time"
    BURST_RATE = "burst rate"
    BUFFER_BANDWIDTH = "bandwidth of the buffer"
    BUFFER_SIZE = "buffer size"
    STREAM_BUFFER_SIZE = "buffer that one stream uses"


class ExportDetail(StrEnum):
    """A part of `Extraction.details` that exports read: a change of its shape is a change there."""

    LAYOUT = "layout"
    ZONES = "zones"
    SEEK_CURVE = "seek curve"
    BUFFER_CURVE = "buffer curve"


@dataclass(frozen=True, slots=True)
class Measures:
    """That a metric measures a measurand."""

    measurand: Measurand
    scope: str | None = None
    """The scope at which it does, which then is the whole drive's; None: at each, and scopes stay."""
    rank: int = 0
    """0 for the metric that defines the measurand, which claims and exports are about. A claim about it that
    this metric was not measured for is held against those with higher ranks, in their order."""
    extreme: bool = False
    """Whether it is the fastest or the slowest of several samples, which one disturbance moves."""


@dataclass(frozen=True, slots=True)
class ListColumn:
    """That lists of drives have a column of a metric."""

    key: str
    """What the address says."""
    label: str
    position: int
    """Where among all columns, as one counts lines with room between them."""
    scope: str = ""
    shown: bool = False
    """Whether lists show it without being asked."""


@dataclass(frozen=True, slots=True)
class Answer:
    """That a metric answers a question of drives' pages; comparisons say who `reads {by} faster`."""

    position: int
    question: str
    says: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class FingerprintFeature:
    """That drives with one mechanism share a metric's value."""

    title: str
    family: str
    """Features of one family tell of the same part and count once."""
    relative: float
    """Share by which units of one mechanism may differ."""
    absolute: float = 0.0
    """By how much they may differ however small the value, in the metric's unit."""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Metric:
    """An entry of the metric registry, with all that others do with it: they name no metric themselves."""

    key: str
    """`<kind>.<name>`, for example `zoned.zone_count`."""
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
    nominal: bool = False
    """Whether drives are built to have one value: a claim is missed on either side, whichever is better."""
    angular: bool = False
    """Whether it is a difference of the platter's angle: what a bridge adds to each command is not in it."""
    measures: tuple[Measures, ...] = ()
    columns: tuple[ListColumn, ...] = ()
    answers: tuple[Answer, ...] = ()
    fingerprint: tuple[FingerprintFeature, ...] = ()

    @property
    def kind(self) -> str:
        """The slug of its kind."""
        return self.key.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Measurement:
    """One number extracted from a run, or the reason why there is none."""

    metric: str
    scope: str
    """Where on the drive and in which variant, as `outer`, `outer/write`; empty for the whole drive."""
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

    def __post_init__(self) -> None:
        """Refuse an interval that runs backwards or leaves its own value out: no row may hold one, and here
        the kind that made it can still be named. What sums of floats miss by rounding is no reason to."""
        if self.value is None:
            return
        rounding = 1e-9 * abs(self.value)
        for name, beyond in (("low", 1), ("high", -1)):
            end = getattr(self, name)
            if end is None or (end - self.value) * beyond <= 0:
                continue
            if (end - self.value) * beyond > rounding:
                raise ValueError(
                    f"{self.metric} [{self.scope}]: {self.value} is not between {self.low} and {self.high}."
                )
            object.__setattr__(self, name, self.value)


@dataclass(frozen=True, slots=True)
class Facts:
    """What the run document says of the device, as far as extraction may use it."""

    block_bytes: int
    capacity_bytes: int
    rated_rpm: float | None = None
    simulated: bool = False
    imported: bool = False
    """Whether the samples were read from another tool's output."""
    write_cache: bool | None = None
    """Whether the write cache was on while the samples were taken; None where nobody could tell."""
    head_spread: float = 0.0
    """Standard deviation of heads' bandwidths as a share, told by another kind; for kinds of stretches."""
    arms: int = 1
    shingled: bool = False
    """As the device told: actuators with a part of the blocks each, and whether its tracks are shingled."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that one kind's samples carry."""

    measurements: tuple[Measurement, ...]
    details: Mapping[str, Any] = field(default_factory=dict)
    """JSON-safe intermediate results that the charts need: fitted lines, marks, zones."""

    def __post_init__(self) -> None:
        """Refuse two numbers for one metric and scope, of which a run can keep but one."""
        seen: set[MetricKey] = set()
        for one in self.measurements:
            if (one.metric, one.scope) in seen:
                raise ValueError(f"{one.metric} [{one.scope}] was extracted twice.")
            seen.add((one.metric, one.scope))


@dataclass(frozen=True, slots=True)
class Series:
    """One series of a chart: equally long columns. Columns that its role does not need are empty."""

    key: str
    label: str
    role: str
    """One of `ROLES`."""
    x: tuple[float, ...]
    """Numbers on the x axis; on an axis with categories their places, from 0."""
    y: tuple[float, ...]
    z: tuple[float, ...] = ()
    """What a cell's colour says, on the chart's z axis."""
    low: tuple[float, ...] = ()
    """Lower end of an error bar, a spread or a whisker."""
    high: tuple[float, ...] = ()
    q1: tuple[float, ...] = ()
    """First quartile: the lower edge of a box."""
    q3: tuple[float, ...] = ()
    axis: str = "y"
    """`y`, or `y2` for the axis on the right."""


ROLES: Mapping[str, tuple[str, ...]] = {
    "points": (),
    "line": (),
    "step": (),
    "band": (),
    "spread": ("low", "high"),
    "faint": (),
    "cells": ("z",),
    "box": ("low", "q1", "q3", "high"),
}
"""Roles of series, and the columns that each needs beside x and y.

`points` with `low` and `high` have error bars. A `step` holds its y from its x to the next. A `band` is an
outline that walks out along its upper edge and back along the lower one; a `spread` lies between `low` and
`high` around y. `faint` points are of others than the drive that the chart is about. `cells` are a heat
map. A `box` has its median as y.
"""

MetricKey = tuple[str, str]
"""A metric and the scope it was taken at: where a number of any run, drive or document belongs."""

SHAPES = (
    "sawtooth",
    "profile",
    "curve",
    "surface",
    "fluctuation",
    "temperature",
    "buffer",
    "sizes",
    "iops",
    "distribution",
    "comparison",
)
"""Shapes that the front end draws: one file below `frontend/src/charts/` each."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """A line, a stripe or a point that a chart is annotated with, and its words; `marks` in its JSON."""

    label: str
    x: float | None = None
    """A vertical line where only x is given, a horizontal one where only y is, a point where both are."""
    y: float | None = None
    low: float | None = None
    """How far a line's place may lie down, and up: the two together are drawn as a stripe."""
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    label: str
    unit: str
    scale: str = "linear"
    """`linear` or `log`."""
    categories: tuple[str, ...] = ()
    """Words of the places 0, 1, ... of an axis that has no numbers."""
    switchable: bool = False
    """Whether a reader may switch between `linear` and `log`: all numbers on it lie above nought."""


@dataclass(frozen=True, slots=True)
class View:
    """One way to look at a chart of several: which series, drawn how. What it leaves out is the chart's."""

    key: str
    label: str
    series: tuple[str, ...]
    """Keys of the series that it shows."""
    shape: str = ""
    x: Axis | None = None
    y: Axis | None = None
    y2: Axis | None = None
    marks: tuple[Annotation, ...] | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture as data. The front end has one renderer per `shape`."""

    id: str
    """Unique within the kind, a slug."""
    shape: str
    """One of `SHAPES`."""
    title: str
    summary: str
    """What the picture shows, in a sentence; also its text alternative."""
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    marks: tuple[Annotation, ...] = ()
    metrics: tuple[str, ...] = ()
    """Keys of the metrics that the picture explains."""
    y2: Axis | None = None
    """The axis on the right."""
    z: Axis | None = None
    """What the colours of cells say."""
    views: tuple[View, ...] = ()
    """Empty where all series stand in one picture; otherwise the first is shown until another is chosen."""
    points_total: int = 0
    """How many points the series had before they were thinned out; 0 where none was left out."""


ExtractFunction = Callable[[Mapping[str, Any], Facts], Extraction]
"""Takes one entry of the document's `benchmarks` (kind, params, samples, ...), validated against its
schema."""

SpreadFunction = Callable[[Mapping[str, Any], int], float]
"""Takes an entry of the document's `benchmarks` and the bytes of a block."""

ChartFunction = Callable[[Mapping[str, Any], Facts, Extraction], tuple[Chart, ...]]

FollowFunction = Callable[[Mapping[str, Any], Facts, int], Followed | None]
"""Takes an entry of a run under a challenge and the seed of its nonce, says how many of its places follow;
None where it has none that could."""


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
    topic: Topic = Topic.OTHER
    export_details: tuple[ExportDetail, ...] = ()
    """What exports take from its `Extraction.details`."""
    detail_tables: tuple[DetailTable, ...] = ()
    """What of its `Extraction.details` releases and the API give as rows."""
    follows: FollowFunction | None = None
    """What of its samples follows from a challenge; None where nothing does."""
    reads_stretches: bool = False
    """Whether its bandwidths are of stretches that a single head may have read."""
    head_spread: SpreadFunction | None = None
    """By what share of the bandwidth heads differ, as its samples show it; 0 where they show none."""
    chart_version: str = "1"
    """Raised whenever `charts` draws other pictures of the same extraction: stored ones are made anew."""
