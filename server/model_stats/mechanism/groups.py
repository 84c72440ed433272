"""Drives of one model, grouped by what their fingerprints can't share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from server.model_stats.mechanism.features import BY_KEY, FEATURES, Feature, Fingerprint, differs

FAMILIES_APART = 2
"""Families that have to differ before two drives are of two mechanisms: one number may be wrong, a bus may
change bandwidths."""
FAMILIES_KNOWN = 3
"""Families by which a drive takes part in forming groups; one known by fewer joins the only group it fits."""


@dataclass(frozen=True, slots=True)
class Mechanism:
    """Drives that can be of one mechanism."""

    units: tuple[str, ...]
    runs: tuple[str, ...]
    typical: Mapping[str, float]
    """Median of each feature over the drives."""


@dataclass(frozen=True, slots=True)
class Separation:
    """A feature that tells two groups apart: typical values by group, in the groups' order."""

    feature: Feature
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Mechanisms:
    """What the fingerprints of a model's drives say."""

    groups: tuple[Mechanism, ...]
    """The largest first; one group where nothing tells drives apart."""
    separations: tuple[Separation, ...]
    left_out: tuple[str, ...]
    """Drives of which too little is known, or which fit more than one group."""

    @property
    def several(self) -> bool:
        """Whether one name stands for more than one mechanism."""
        return len(self.groups) > 1


def families_apart(one: Fingerprint, other: Fingerprint) -> frozenset[str]:
    """Return the families in which two drives differ: most of the features that both have do."""
    votes: dict[str, list[bool]] = {}
    for key in one.estimates.keys() & other.estimates.keys():
        feature = BY_KEY[key]
        votes.setdefault(feature.family, []).append(
            differs(feature, one.estimates[key], other.estimates[key])
        )
    return frozenset(family for family, found in votes.items() if 2 * sum(found) > len(found))


def may_be_one(one: Fingerprint, other: Fingerprint) -> bool:
    """Whether two drives may be of one mechanism, as far as anything is known of both."""
    return len(families_apart(one, other)) < FAMILIES_APART


def mechanisms(units: Sequence[Fingerprint]) -> Mechanisms:
    """Group the drives: connected are those that may be one, so a gradual change makes no second group."""
    core = [unit for unit in units if len(unit.families) >= FAMILIES_KNOWN]
    groups = _connected(core)
    left_out = []
    for unit in units:
        if len(unit.families) >= FAMILIES_KNOWN:
            continue
        fits = [group for group in groups if any(may_be_one(unit, member) for member in group)]
        shares = len(unit.families) >= FAMILIES_APART
        if len(fits) == 1 and shares:
            fits[0].append(unit)
        else:
            left_out.append(unit.unit)
    groups.sort(key=lambda group: (-len(group), group[0].unit))
    made = tuple(_mechanism(group) for group in groups)
    return Mechanisms(made, _separations(groups, made), tuple(left_out))


def _connected(units: Sequence[Fingerprint]) -> list[list[Fingerprint]]:
    groups: list[list[Fingerprint]] = []
    for unit in units:
        near: list[list[Fingerprint]] = []
        far: list[list[Fingerprint]] = []
        for group in groups:
            (near if any(may_be_one(unit, member) for member in group) else far).append(group)
        groups = [*far, [unit, *(member for group in near for member in group)]]
    return [sorted(group, key=lambda member: member.unit) for group in groups]


def _mechanism(group: list[Fingerprint]) -> Mechanism:
    keys = [feature.key for feature in FEATURES if any(feature.key in unit.estimates for unit in group)]
    typical = {
        key: median(unit.estimates[key].value for unit in group if key in unit.estimates) for key in keys
    }
    runs = sorted(run for unit in group for run in unit.runs)
    return Mechanism(tuple(unit.unit for unit in group), tuple(runs), typical)


def _separations(
    groups: Sequence[Sequence[Fingerprint]], made: Sequence[Mechanism]
) -> tuple[Separation, ...]:
    """Return the features in which all drives of some two groups differ."""
    return tuple(
        Separation(feature, tuple(group.typical.get(feature.key) for group in made))
        for feature in FEATURES
        if any(_apart(feature, one, other) for one, other in combinations(groups, 2))
    )


def _apart(feature: Feature, one: Sequence[Fingerprint], other: Sequence[Fingerprint]) -> bool:
    pairs = [
        (a.estimates[feature.key], b.estimates[feature.key])
        for a in one
        for b in other
        if feature.key in a.estimates and feature.key in b.estimates
    ]
    return bool(pairs) and all(differs(feature, *pair) for pair in pairs)
