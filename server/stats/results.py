"""What a comparison gives: typed, with a decision and its reason in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Decision(StrEnum):
    """What the data say of two groups at the level that was asked for."""

    A_HIGHER = "a_higher"
    B_HIGHER = "b_higher"
    EQUIVALENT = "equivalent"
    """The difference is smaller than the margin that was given, shown by its interval."""
    UNDECIDED = "undecided"
    """Neither a difference nor its absence is shown. This is not the same as equal."""
    NOT_COMPARABLE = "not_comparable"
    """The data can't be compared in this way; `reason` says why."""

    @property
    def differs(self) -> bool:
        """Whether a difference is shown."""
        return self in (Decision.A_HIGHER, Decision.B_HIGHER)


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its confidence interval."""

    value: float
    low: float
    high: float
    level: float

    @property
    def half_width(self) -> float:
        """Half of the interval's width."""
        return (self.high - self.low) / 2

    def mirrored(self) -> Interval:
        """Return the same of the difference the other way round."""
        return Interval(-self.value, -self.high, -self.low, self.level)


@dataclass(frozen=True, slots=True)
class Needed:
    """How much more is needed for a decision, if the difference really is `difference`."""

    difference: float
    per_group: int | None
    """Units of each group, or pairs; None where it would be more than 10,000."""
    more_a: int | None
    more_b: int | None
    """None in a paired comparison: `more_a` is then the number of pairs."""
    power: float
    """How often a decision comes out at that number."""


@dataclass(frozen=True, slots=True)
class Paired:
    """Differences of two groups at the same positions, A minus B."""

    level: float
    n: int
    keys: tuple[str, ...]
    """Positions that both have, in the order of A."""
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    without_number: tuple[str, ...]
    """Positions at which neither has a finite number."""
    differences: tuple[float, ...]
    difference: Interval | None
    stdev: float | None
    t: float | None
    p: float | None
    effect: float | None
    """Hedges' g of the differences: their mean over their standard deviation, corrected for few pairs."""
    needed: Needed | None
    decision: Decision
    reason: str


@dataclass(frozen=True, slots=True)
class Ranks:
    """Mann-Whitney."""

    u: float
    """How often a value of A is above one of B; a tie counts half."""
    p: float
    exact: bool
    smallest_p: float
    """The least that groups so small can give."""
    shift: float
    """Hodges-Lehmann: median of all differences, A minus B."""
    shift_interval: Interval | None
    """None where groups are too small for one at this level."""
    delta: Interval
    """Cliff's delta: how much more often A is above B than below, from -1 to 1."""


@dataclass(frozen=True, slots=True)
class Unpaired:
    """Two groups of independent units, A minus B."""

    level: float
    n_a: int
    n_b: int
    mean_a: float | None
    mean_b: float | None
    stdev_a: float | None
    stdev_b: float | None
    difference: Interval | None
    """Welch's; None where the values carry none."""
    t: float | None
    degrees: float | None
    p: float | None
    """Of the test that decides: Welch's, or the ranks' where there is none."""
    ranks: Ranks | None
    effect: Interval | None
    """Hedges' g."""
    needed: Needed | None
    decision: Decision
    reason: str
