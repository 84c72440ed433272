"""The rows of the lists, with the fields that come unasked. `docs/reference/openapi.yaml` has their words."""

from __future__ import annotations

from typing import Any, TypedDict

from diskatlas_client.comparison_rows import (
    Cell,
    ComparedGroup,
    ComparedNumber,
    Comparison,
    Curves,
    Differing,
    Interval,
    Needed,
    Pair,
)
from diskatlas_client.detail_rows import Release, SeekCurves, SeekPoints, Tracks, Zones

__all__ = [
    "Cell",
    "ComparedGroup",
    "ComparedNumber",
    "Comparison",
    "Curves",
    "Differing",
    "Interval",
    "Needed",
    "Pair",
    "Release",
    "SeekCurves",
    "SeekPoints",
    "Tracks",
    "Zones",
]


class DriveName(TypedDict):
    slug: str
    vendor: str
    number: str


class Vendor(TypedDict):
    slug: str
    vendor_slug: str
    name: str
    aliases: list[str]
    updated_at: str


class Drive(TypedDict):
    slug: str
    drive_model: str
    vendor: str
    vendor_slug: str
    vendor_name: str
    number: str
    name: str
    title: str
    aliases: list[str]
    year: int | None
    interface: str
    form_factor: str
    capacity_bytes: int | None
    rated_rpm: float | None
    rated_surfaces: int | None
    simulated: bool
    curated: bool
    notes: str
    url: str
    updated_at: str


class Unit(TypedDict):
    drive: DriveName
    drive_model: str
    digest: str
    unit_digest: str
    group: str
    first_seen_at: str


class Batch(TypedDict):
    drive: DriveName
    drive_model: str
    year: int | None
    week: int | None
    label: str
    group: str


class Firmware(TypedDict):
    drive: DriveName
    drive_model: str
    revision: str
    group: str


class Division(TypedDict):
    group: str
    form: str
    drive: DriveName
    part: str
    title: str
    provenance: str
    runs: int
    units: int
    runs_url: str
    url: str
    statistics: dict[str, Any] | None


class DriveOverview(TypedDict):
    drive: str
    overviews: list[dict[str, Any]]
    wanted: str
    missing: list[dict[str, Any]]
    similar_rule: str
    similar: list[dict[str, Any]]


class Standing(TypedDict):
    run: str
    confirming_keys: int
    other_keys: int
    other_units: int
    unlike_units: int
    numbers: list[dict[str, Any]]


class Counts(TypedDict):
    models_listed: int
    models_measured: int
    units: int
    measured_runs: int
    simulated_runs: int
    samples: int
    measurements: int
    claims: int
    updated_at: str | None


class Wanted(TypedDict):
    drive: str
    title: str
    rank: int
    words: str
    measured_runs: int
    units: int
    url: str


class ArchiveEvent(TypedDict):
    id: int
    type: str
    at: str
    listed_at: str
    run_id: str | None
    claim_id: int | None
    release: int | None
    drive_model: str | None
    kind: str | None
    extractor_version: str | None
    changes: int | None
    verdict_before: str | None
    verdict_after: str | None
    url: str | None


class Follow(TypedDict):
    id: str
    drive: str | None
    url: str
    simulated: bool
    events: list[str]
    state: str
    reason: str
    created_at: str
    active_since: str
    api_url: str


class Run(TypedDict):
    id: str
    run_id: str
    drive: DriveName
    drive_model: str
    unit_digest: str | None
    unit: str | None
    batch: str | None
    firmware: str
    provenance: str
    measured_on_request: bool
    in_browser: bool
    after_revocation: bool
    beyond_share: bool
    standing: str
    license: str
    capacity_bytes: int
    block_bytes: int
    key: dict[str, str]
    submission: str
    benchmarks: list[dict[str, Any]]
    created_at: str
    published_at: str
    updated_at: str
    url: str


class Benchmark(TypedDict):
    run: str
    run_id: str
    drive: DriveName
    drive_model: str
    provenance: str
    kind: str
    state: str
    reason: str
    elapsed_ns: int | None
    medium_errors: int
    extractor_version: str
    extracted_at: str | None


class Measurement(TypedDict):
    id: int
    run: str
    run_id: str
    drive: DriveName
    drive_model: str
    drive_unit: str | None
    unit_digest: str | None
    unit_of_measure: str
    provenance: str
    kind: str
    unit: str
    extractor_version: str
    metric: str
    scope: str
    value: float | None
    low: float | None
    high: float | None
    level: float
    count: int
    quality: str
    reason: str


class Aggregate(TypedDict):
    drive: DriveName
    drive_model: str
    unit_of_measure: str
    provenance: str
    metric: str
    scope: str
    unit: str
    n: int
    units: int
    excluded: int
    conditions: dict[str, str]
    strata: list[dict[str, Any]]
    mean: float
    stdev: float | None
    median: float
    q1: float
    q3: float
    minimum: float
    maximum: float
    low: float | None
    high: float | None
    differing: dict[str, dict[str, int]]
    updated_at: str


class _Stated(TypedDict):
    id: int
    drive: DriveName
    drive_model: str
    unit_of_measure: str
    metric: str
    scope: str
    unit: str
    printed: str
    conditions: str
    note: str
    citation: dict[str, Any]
    locator: str
    updated_at: str


class Claim(_Stated):
    claim_id: int
    form: str
    quantity: str
    low: float | None
    high: float | None
    tolerance: float | None
    write_cache: str
    stated_on: str
    verdict: dict[str, Any] | None


class LiteratureValue(_Stated):
    literature_id: int
    provenance: str
    relation: str
    value: float
    basis: str
    deviation: float | None
    samples: list[float]
    count: int | None
    units: int | None


class Metric(TypedDict):
    key: str
    metric: str
    unit_of_measure: str
    kind: str
    title: str
    unit: str
    direction: str
    definition: str
    method: str
    source: str
    headline: bool
    url: str


class ChartInList(TypedDict):
    kind: str
    id: str
    shape: str
    title: str
    summary: str
    url: str


class DriveChartInList(ChartInList):
    provenance: str
    run: str
    units: int
