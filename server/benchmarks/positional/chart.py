"""POSITIONAL's picture: every sample of the three positions, and their means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.benchmarks.contract import Axis, Chart, Extraction, Facts, Series
from server.benchmarks.positional.definitions import DEVIATION, MEAN, RATIO, VARIATION


def charts(entry: Mapping[str, Any], facts: Facts, extraction: Extraction) -> tuple[Chart, ...]:
    positions = extraction.details["positions"]
    if not positions:
        return ()
    samples = [(one["start_gb"], rate) for one in positions for rate in one["mb_per_s"]]
    means = [(one["start_gb"], one["mean_mb_per_s"]) for one in positions]
    return (
        Chart(
            id="positions",
            shape="profile",
            title="Bandwidth at three positions",
            summary=_summary(positions),
            x=Axis("Position", "GB"),
            y=Axis("Bandwidth", "MB/s"),
            series=(
                _series("samples", "Samples", "points", samples),
                _series("means", "Means", "line", means),
            ),
            metrics=(MEAN.key, DEVIATION.key, VARIATION.key, RATIO.key),
        ),
    )


def _series(key: str, label: str, role: str, points: list[tuple[float, float]]) -> Series:
    return Series(key, label, role, tuple(x for x, _ in points), tuple(y for _, y in points))


def _summary(positions: list[Mapping[str, Any]]) -> str:
    means = ", ".join(f"{one['mean_mb_per_s']:.1f} MB/s at {one['start_gb']:.0f} GB" for one in positions)
    return f"Mean of the samples: {means}."
