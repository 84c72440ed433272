"""Two groups at the same places of the device: the paired interval of Maxtor, section 6. Pure.

Nine positions of a disk, the offsets of fluctuation, the cells of a bandwidth surface: every metric whose
scopes end with a place on the device. Places are no drives: this compares curves as they were measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from server.benchmarks.contract import Direction, Metric, MetricKey
from server.stats.intervals import holm
from server.stats.paired import compare_paired
from server.stats.results import Paired


@dataclass(frozen=True, slots=True)
class Curves:
    """One metric of two groups at their common places."""

    metric: str
    scope: str
    """What the scopes begin with: `read`, `1s/write`; empty where they are places alone."""
    entry: Metric | None
    a: Mapping[str, float]
    """Place to value, in the order of the places."""
    b: Mapping[str, float]
    result: Paired
    adjusted_p: float | None
    higher: int | None
    """0 or 1: whose curve is higher for certain, all curves of the comparison counted."""
    better: int | None


def compare_positions(
    a: Mapping[MetricKey, float], b: Mapping[MetricKey, float], metrics: Mapping[str, Metric], *, level: float
) -> tuple[Curves, ...]:
    """Compare two groups in every metric that both have at two places or more."""
    first, second = _families(a), _families(b)
    order = {key: place for place, key in enumerate(metrics)}
    families = sorted(
        (family for family in first if family in second and family[0] in order),
        key=lambda family: (order[family[0]], family[1]),
    )
    results = [(family, compare_paired(first[family], second[family], level=level)) for family in families]
    results = [(family, result) for family, result in results if result.n > 1]
    adjusted = iter(holm([result.p for _family, result in results if result.p is not None]))
    return tuple(
        _curves(
            family,
            (first[family], second[family]),
            result,
            None if result.p is None else next(adjusted),
            metrics[family[0]],
        )
        for family, result in results
    )


def _families(values: Mapping[MetricKey, float]) -> dict[MetricKey, dict[str, float]]:
    """Return the values by metric and beginning of the scope, each by its place in ascending order."""
    found: dict[MetricKey, dict[str, float]] = {}
    for (metric, scope), value in sorted(values.items(), key=lambda item: _order(item[0][1])):
        beginning, place = _split(scope)
        found.setdefault((metric, beginning), {})[place] = value
    return found


def _split(scope: str) -> tuple[str, str]:
    """Return what a scope begins with and the numbers that it ends with."""
    parts = scope.split("/")
    cut = len(parts)
    while cut and _numeric(parts[cut - 1]):
        cut -= 1
    return "/".join(parts[:cut]), "/".join(parts[cut:])


def _order(scope: str) -> tuple[float, ...]:
    return tuple(float(part) for part in _split(scope)[1].split("/") if part)


def _numeric(part: str) -> bool:
    return part.replace(".", "", 1).isdigit()


def _curves(
    family: MetricKey,
    values: tuple[Mapping[str, float], Mapping[str, float]],
    result: Paired,
    adjusted_p: float | None,
    entry: Metric,
) -> Curves:
    shown = adjusted_p is not None and adjusted_p <= 1 - result.level and result.difference is not None
    higher = None
    if shown and result.difference is not None:
        higher = 0 if result.difference.value > 0 else 1
    better = higher if entry.direction == Direction.HIGHER else None
    if entry.direction == Direction.LOWER and higher is not None:
        better = 1 - higher
    return Curves(family[0], family[1], entry, values[0], values[1], result, adjusted_p, higher, better)
