"""ACCESS's pictures: the rate over the disk as HD Tune draws it, and how access times are spread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from server.benchmarks.access.definitions import ACCESS, AVERAGE, MAXIMUM, MINIMUM, RATE_AT
from server.benchmarks.access.rates import columns_of
from server.benchmarks.contract import Annotation, Axis, Chart, Extraction, Facts, Series


def charts(entry: Mapping[str, Any], facts: Facts, extraction: Extraction) -> tuple[Chart, ...]:
    return tuple(chart for chart in (_rates(entry, facts), _times(entry)) if chart is not None)


def _rates(entry: Mapping[str, Any], facts: Facts) -> Chart | None:
    spread, positions = columns_of(entry, "spread"), columns_of(entry, "positions")
    rates = spread.mb_per_s(facts)
    if len(rates) < 2:
        return None
    average = float(rates.mean())
    return Chart(
        id="transfer",
        shape="profile",
        title="Transfer rate over the disk",
        summary=f"Between {rates.min():.1f} and {rates.max():.1f} MB/s, {average:.1f} on average.",
        x=Axis("Position", "%"),
        y=Axis("Transfer rate", "MB/s"),
        series=(
            _series("spread", "Evenly over the disk", "line", spread.share(facts), rates),
            _series(
                "positions",
                "Positions of Table 2",
                "points",
                positions.share(facts),
                positions.mb_per_s(facts),
            ),
        ),
        marks=(Annotation("average", y=average),),
        metrics=(AVERAGE.key, MINIMUM.key, MAXIMUM.key, RATE_AT.key),
    )


def _times(entry: Mapping[str, Any]) -> Chart | None:
    times = np.sort(columns_of(entry, "random").elapsed_ns) / 1e6
    if len(times) < 10:
        return None
    shares = 100 * np.arange(1, len(times) + 1) / len(times)
    mean = float(times.mean())
    return Chart(
        id="times",
        shape="curve",
        title="Random access times",
        summary=f"Share of the random reads that took less than a time; {mean:.2f} ms on average.",
        x=Axis("Access time", "ms"),
        y=Axis("Reads that took less", "%"),
        series=(_series("times", "Random reads", "line", times, shares),),
        marks=(Annotation("average", x=mean),),
        metrics=(ACCESS.key,),
    )


def _series(
    key: str,
    label: str,
    role: str,
    x: np.ndarray[Any, np.dtype[np.float64]],
    y: np.ndarray[Any, np.dtype[np.float64]],
) -> Series:
    order = np.argsort(x, kind="stable")
    return Series(key, label, role, tuple(float(v) for v in x[order]), tuple(float(v) for v in y[order]))
