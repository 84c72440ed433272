"""Two groups at the same places of the device. Pure.

Nine positions of a disk, the offsets of fluctuation, the cells of a bandwidth surface: every metric whose
scopes end with a place on the device. Places of one drive are no sample of drives: which is better is decided
by each unit's mean over the common places. Where a group is one unit, the paired interval over places
(Maxtor, section 6) describes these two curves, and nothing is called better.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import fsum

from server.benchmarks.contract import Direction, Metric, MetricKey
from server.stats.intervals import holm
from server.stats.paired import compare_paired
from server.stats.results import Interval, Paired, Unpaired
from server.stats.unpaired import compare_unpaired

Profile = Mapping[str, float]
"""Unit to value, at one place."""


@dataclass(frozen=True, slots=True)
class Curves:
    """One metric of two groups at their common places."""

    metric: str
    scope: str
    """What the scopes begin with: `read`, `1s/write`; empty where they are places alone."""
    entry: Metric | None
    a: Mapping[str, float]
    """Place to the mean over the units, in the order of the places."""
    b: Mapping[str, float]
    by_position: Paired
    units: Unpaired
    """Of the units' means over the places."""
    adjusted_p: float | None
    higher: int | None
    """0 or 1: whose units are higher for certain, all curves of the comparison counted."""
    better: int | None

    @property
    def difference(self) -> Interval | None:
        """A less B: of the units where there are enough, else of the two curves over their places."""
        return self.units.difference or self.by_position.difference


def compare_positions(
    a: Mapping[MetricKey, Profile],
    b: Mapping[MetricKey, Profile],
    metrics: Mapping[str, Metric],
    *,
    level: float,
) -> tuple[Curves, ...]:
    """Compare two groups in every metric that both have at two places or more."""
    first, second = _families(a), _families(b)
    order = {key: index for index, key in enumerate(metrics)}
    families = sorted(
        (family for family in first if family in second and family[0] in order),
        key=lambda family: (order[family[0]], family[1]),
    )
    found = []
    for family in families:
        sides = first[family], second[family]
        by_position = compare_paired(*map(_means, sides), level=level)
        if by_position.n > 1:
            units = compare_unpaired(*(_of_units(side, by_position.keys) for side in sides), level=level)
            found.append((family, sides, by_position, units))
    adjusted = iter(holm([units.p for *_of, units in found if units.p is not None]))
    return tuple(
        _curves(
            family, sides, by_position, units, None if units.p is None else next(adjusted), metrics[family[0]]
        )
        for family, sides, by_position, units in found
    )


def _means(profiles: Mapping[str, Profile]) -> dict[str, float]:
    return {position: fsum(profile.values()) / len(profile) for position, profile in profiles.items()}


def _of_units(profiles: Mapping[str, Profile], positions: Collection[str]) -> list[float]:
    """Return the mean over some places of each unit that was measured at all of them."""
    whole = set.intersection(*(set(profiles[position]) for position in positions))
    return [
        fsum(profiles[position][unit] for position in positions) / len(positions) for unit in sorted(whole)
    ]


def _families(values: Mapping[MetricKey, Profile]) -> dict[MetricKey, dict[str, Profile]]:
    """Return the values by metric and beginning of the scope, each by its place in ascending order."""
    found: dict[MetricKey, dict[str, Profile]] = {}
    for (metric, scope), value in sorted(values.items(), key=lambda item: _order(item[0][1])):
        beginning, position = scope_split(scope)
        found.setdefault((metric, beginning), {})[position] = value
    return found


def scope_split(scope: str) -> tuple[str, str]:
    """Return what a scope begins with and the numbers that it ends with."""
    parts = scope.split("/")
    cut = len(parts)
    while cut and _numeric(parts[cut - 1]):
        cut -= 1
    return "/".join(parts[:cut]), "/".join(parts[cut:])


def _order(scope: str) -> tuple[float, ...]:
    return tuple(float(part) for part in scope_split(scope)[1].split("/") if part)


def _numeric(part: str) -> bool:
    return part.replace(".", "", 1).isdigit()


def _curves(
    family: MetricKey,
    sides: tuple[Mapping[str, Profile], Mapping[str, Profile]],
    by_position: Paired,
    units: Unpaired,
    adjusted_p: float | None,
    entry: Metric,
) -> Curves:
    higher = None
    if adjusted_p is not None and adjusted_p <= 1 - units.level and units.difference is not None:
        higher = 0 if units.difference.value > 0 else 1
    better = higher if entry.direction == Direction.HIGHER else None
    if entry.direction == Direction.LOWER and higher is not None:
        better = 1 - higher
    a, b = map(_means, sides)
    return Curves(family[0], family[1], entry, a, b, by_position, units, adjusted_p, higher, better)
