"""From an interval to a decision, and what a decision would still take."""

from __future__ import annotations

from server.stats.power import POWER, pairs_needed, units_needed
from server.stats.results import Decision, Interval, Needed


def decide(difference: Interval, margin: float | None = None) -> Decision:
    """Return what an interval of A minus B decides.

    Within the margin on both sides the two are equivalent (Schuirmann 1987, two one-sided tests, here with
    the interval of the full level, which is the stricter choice). Without a margin nothing is equivalent.
    """
    if margin is not None and -margin < difference.low and difference.high < margin:
        return Decision.EQUIVALENT
    if difference.low > 0:
        return Decision.A_HIGHER
    if difference.high < 0:
        return Decision.B_HIGHER
    return Decision.UNDECIDED


def needed_pairs(
    difference: Interval | None, stdev: float | None, n: int, margin: float | None
) -> Needed | None:
    """Return how many pairs would decide; the difference looked for is the margin, or the one found."""
    if difference is None or not stdev:
        return None
    wanted = margin or abs(difference.value)
    count = pairs_needed(wanted / stdev, difference.level)
    return Needed(wanted, count, None if count is None else max(0, count - n), None, POWER)


def needed_units(
    difference: float, stdev: float | None, sizes: tuple[int, int], level: float, margin: float | None
) -> Needed | None:
    """Return how many units of each group would decide."""
    if not stdev:
        return None
    wanted = margin or abs(difference)
    count = units_needed(wanted / stdev, level)
    if count is None:
        return Needed(wanted, None, None, None, POWER)
    return Needed(wanted, count, max(0, count - sizes[0]), max(0, count - sizes[1]), POWER)
