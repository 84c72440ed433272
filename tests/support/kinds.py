"""Stand-ins for the registered kinds: the real schemas, an extraction that a test can steer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from server.benchmarks import contract

FOLDER = Path(contract.__file__).parent


def metric(key: str, unit: str = "ms") -> contract.Metric:
    """Return a metric's entry with words that nobody reads."""
    return contract.Metric(
        key, key, unit, contract.Direction.LOWER, "A definition.", "A method.", "A source.", headline=True
    )


def measurement(key: str, value: float | None, **fields: Any) -> contract.Measurement:
    """Return a good measurement."""
    quality = contract.Quality.GOOD if value is not None else contract.Quality.NONE
    defaults: dict[str, Any] = {"scope": "", "low": value, "high": value, "count": 10, "quality": quality}
    return contract.Measurement(metric=key, value=value, **{**defaults, **fields})


def longest_latency(part: Mapping[str, Any], _facts: contract.Facts) -> contract.Extraction:
    """Extract the greatest time of the first series, in ms, and its rate as turns per minute."""
    series = part["samples"]["series"][0]
    greatest_ns = max(series.get("latency_ns") or series["elapsed_ns"])
    kind = part["kind"]
    found = [measurement(f"{kind}.longest", greatest_ns / 1e6)]
    if "latency_ns" in series:
        found.append(measurement(f"{kind}.rotation_rate", 60e9 / (greatest_ns - 2_000_000)))
    return contract.Extraction(tuple(found), {"greatest_ns": greatest_ns})


def one_chart(
    part: Mapping[str, Any], _facts: contract.Facts, extraction: contract.Extraction
) -> tuple[contract.Chart, ...]:
    """Return a chart of the first series."""
    series = part["samples"]["series"][0]
    times = tuple(float(value) for value in series.get("latency_ns") or series["elapsed_ns"])
    columns = contract.Series("all", "All", "points", tuple(map(float, range(len(times)))), times)
    greatest = contract.Annotation("greatest", y=float(extraction.details["greatest_ns"]))
    axis = contract.Axis("Index", "1")
    return (
        contract.Chart(
            "all", "curve", "All", "All times.", axis, contract.Axis("Time", "ns"), (columns,), (greatest,)
        ),
    )


def kind(
    slug: str,
    extract: contract.ExtractFunction = longest_latency,
    version: str = "1",
    charts: contract.ChartFunction = one_chart,
) -> contract.Kind:
    """Return a kind with a real kind's slug and schemas."""
    metrics = (metric(f"{slug}.longest"), metric(f"{slug}.rotation_rate", "rpm"))
    return contract.Kind(slug, slug.title(), version, metrics, extract, charts, FOLDER / slug)
