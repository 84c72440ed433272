"""A vendor's claim against numbers: met, exceeded, missed, inconclusive or not comparable. Pure.

The unit of replication is the physical drive: whoever calls averages a drive's runs first. Each bound of an
interval leaves 5 % on its side, so each test against a claim is one-sided at 95 %. What runs say is looked at
after every run: their intervals hold for all of these looks together (`server/stats/sequences.py`).

A minimum or maximum is what every drive must reach. It is met where a tolerance bound says that at least
`MUST_REACH` of the drives do, and missed where more than the rest of them don't.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from server.benchmarks.contract import Direction
from server.core.numbers import decimals_for, unit_text, write
from server.stats.intervals import mean_interval, t_quantile
from server.stats.sequences import mean_factor, share_e_value, tolerance_factor

LEVEL = 0.90
"""Of the two-sided interval: 5 % on each side."""
ERROR = (1 - LEVEL) / 2
MEAN_ERROR = ERROR / 2
"""Of each bound of a mean that is looked at again and again: half is left for drives that scatter to one
side, whom the intervals of normal values miss more often (`make verdicts-simulated`)."""
MUST_REACH = 0.95
"""Share of all drives that reaches a minimum or maximum which is met."""
FIRST_INTERVAL = 4
"""So many values have a first interval that holds for all looks."""
MOST_NEEDED = 1000
"""More drives than these are not asked for."""
TYPICAL_TOLERANCE = 0.05
"""How far off a typical value may be where the claim does not say: no vendor prints what `typical` allows."""
NOMINAL_TOLERANCE = 0.01
"""The same for what a drive is built to have, such as its rotation rate."""


class Outcome(StrEnum):
    """What comes of a claim."""

    MET = "met"
    EXCEEDED = "exceeded"
    MISSED = "missed"
    INCONCLUSIVE = "inconclusive"
    NOT_COMPARABLE = "not comparable"


class Quantity(StrEnum):
    """What the vendor's number is, beside what the metric measures."""

    SAME = "same"
    RAW_MEDIA = "raw_media"
    INTERFACE = "interface"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Terms:
    """What a claim says, in the metric's unit."""

    form: str
    """`typical`, `minimum`, `maximum` or `range`."""
    low: float | None
    high: float | None
    unit: str
    direction: Direction
    """Which way the metric improves; `neither` where off either way is a miss."""
    quantity: Quantity = Quantity.SAME
    tolerance: float | None = None
    """How far off the number may be, as a fraction; None for the usual one."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The numbers that a claim is held against."""

    centre: float
    low: float | None
    """Bounds of the interval; None where none can be had."""
    high: float | None
    spread: float | None
    """Standard deviation behind the interval: between drives, or between runs or samples of the only one."""
    count: int
    """Values behind the interval: drives, or runs or samples of the only one."""
    units: int
    """Different drives."""
    runs: int = 0
    """Runs behind it; 0 for a published number."""
    values: tuple[float, ...] = ()
    """One of each drive, where there are several."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What comes of a claim, in words for a person."""

    outcome: Outcome
    words: str
    by_percent: float | None = None
    """How far the number is from the claim, in per cent of the claim; positive is above."""
    needed: int | None = None
    """How many more drives (or runs of the only one) would decide, where that can be said."""


def evidence_of_values(values: Sequence[float], *, units: int, runs: int = 0) -> Evidence:
    """Return what values say: one per drive, or several of one drive. Those of runs (`runs`) are looked at
    again and again, those of a document were once."""
    array = np.asarray(values, dtype=np.float64)
    centre = float(array.mean())
    spread = float(array.std(ddof=1)) if array.size > 1 else None
    low, high = None, None
    if runs:
        half = mean_factor(array.size, 2 * MEAN_ERROR) * spread if spread is not None else math.inf
        if math.isfinite(half):
            low, high = centre - half, centre + half
    elif interval := mean_interval(array, LEVEL):
        low, high = interval.low, interval.high
    by_unit = tuple(array.tolist()) if units > 1 else ()
    return Evidence(centre, low, high, spread, int(array.size), units, runs, by_unit)


def evidence_of_summary(mean: float, deviation: float, *, count: int, units: int, runs: int = 0) -> Evidence:
    """Return what a printed mean and standard deviation of `count` values say."""
    half = t_quantile(LEVEL, count - 1) * deviation / math.sqrt(count) if count > 1 else None
    low, high = (mean - half, mean + half) if half is not None else (None, None)
    return Evidence(mean, low, high, deviation, count, units, runs)


def judge(terms: Terms, evidence: Evidence | None) -> Verdict:
    """Return what comes of a claim; `evidence` is None where nothing was measured."""
    other = _other_quantity(terms, evidence)
    if other is not None:
        return other
    if evidence is None:
        return Verdict(
            Outcome.INCONCLUSIVE,
            f"Nothing has been measured yet. Runs of {FIRST_INTERVAL} units give a first interval.",
            needed=FIRST_INTERVAL,
        )
    worse, better = _bounds(terms)
    percent = _percent(terms, evidence)
    if _every_drive(terms, evidence):
        return _of_every_drive(terms, evidence, worse, better, percent)
    if evidence.low is None or evidence.high is None:
        return _without_interval(terms, evidence, worse, better, percent)
    outcome, edge = _place(terms, evidence.low, evidence.high, worse, better)
    if outcome == Outcome.INCONCLUSIVE:
        return _inconclusive(terms, evidence, edge, percent)
    return Verdict(outcome, f"{_sentence(outcome, terms, evidence, percent)}{_of_one(evidence)}", percent)


def _every_drive(terms: Terms, evidence: Evidence) -> bool:
    """Return whether the claim speaks of each drive, and there are several."""
    return terms.form in ("minimum", "maximum") and evidence.units > 1 and evidence.spread is not None


def _of_every_drive(
    terms: Terms, evidence: Evidence, least: float, greatest: float, percent: float
) -> Verdict:
    """Return what comes of a claim that each drive must reach, by the share of drives that does."""
    up = terms.direction == Direction.HIGHER or math.isinf(greatest)
    sign, edge, beyond = (1, least, greatest) if up else (-1, greatest, least)
    failed = sum(sign * value < sign * edge for value in evidence.values)
    far = evidence.high if up else evidence.low
    missed = far is not None and sign * far < sign * edge
    missed |= share_e_value(failed, evidence.count, 1 - MUST_REACH) >= 1 / ERROR
    counted = f" {failed} of {evidence.count} units do not reach it." if failed else ""
    if missed:
        return Verdict(
            Outcome.MISSED, f"{_sentence(Outcome.MISSED, terms, evidence, percent)}{counted}", percent
        )
    reach = tolerance_factor(evidence.count, MUST_REACH, ERROR) * evidence.spread if evidence.spread else 0.0
    bound = evidence.centre - sign * reach if far is not None else -sign * math.inf
    few_fail = failed <= (1 - MUST_REACH) * evidence.count
    if few_fail and sign * bound >= sign * edge:
        better = terms.direction != Direction.NEITHER and sign * bound > sign * beyond
        outcome = Outcome.EXCEEDED if better else Outcome.MET
        return Verdict(outcome, _sentence(outcome, terms, evidence, percent), percent)
    return _undecided_share(terms, evidence, sign * (evidence.centre - edge), edge, counted, percent)


def _undecided_share(
    terms: Terms, evidence: Evidence, gap: float, edge: float, counted: str, percent: float
) -> Verdict:
    """Return the words where it is open how many drives reach a claim; `gap` is how far their mean does."""
    more = None if counted else _more(evidence, gap, lambda n: tolerance_factor(n, MUST_REACH, ERROR))
    remedy = (
        f" About {more} more unit{'' if more == 1 else 's'} would decide."
        if more
        else " How many units would decide can't be said."
    )
    words = (
        f"{_measured(evidence, terms.unit)} in the mean, but whether {MUST_REACH:.0%} of all units reach "
        f"{_number(edge)} is open.".replace("%", " %")
    )
    return Verdict(Outcome.INCONCLUSIVE, f"{words}{counted}{remedy}", percent, needed=more)


def _more(evidence: Evidence, gap: float, factor: Callable[[int], float]) -> int | None:
    """Return how many more values bring the bound within the gap, were they to scatter as those there are;
    None where that takes too many."""
    if not evidence.spread or gap <= 0:
        return None
    wanted = gap / evidence.spread
    found = next((n for n in range(FIRST_INTERVAL, MOST_NEEDED) if factor(n) < wanted), None)
    return None if found is None else max(found - evidence.count, 1)


def _other_quantity(terms: Terms, evidence: Evidence | None) -> Verdict | None:
    """Return the verdict on a claim about something that the metric does not measure, or None."""
    if terms.quantity == Quantity.SAME:
        return None
    if terms.quantity == Quantity.OTHER:
        return Verdict(Outcome.NOT_COMPARABLE, "No benchmark of this archive measures it.")
    claim = terms.high if terms.high is not None else terms.low
    stated = f"{_number(claim or 0.0)} {unit_text(terms.unit)}".strip()
    found = f"{_measured(evidence, terms.unit)}" if evidence else ""
    if terms.quantity == Quantity.RAW_MEDIA:
        words = f"{stated} is the rate at the head, between medium and buffer"
        words += f"; {found} is what a host gets over a stretch. " if found else ". "
        return Verdict(
            Outcome.NOT_COMPARABLE,
            f"{words}Gaps, servo, error correction and track changes lie between the two.",
        )
    words = f"{stated} is what the interface can pass: a limit, not a promise."
    if evidence and claim:
        words += f" {found} is {evidence.centre / claim * 100:.0f} % of it"
        words += (
            "." if evidence.centre <= claim else ": above a limit nothing can be, so one of the two is wrong."
        )
    return Verdict(Outcome.NOT_COMPARABLE, words)


def _bounds(terms: Terms) -> tuple[float, float]:
    """Return the least and the greatest value that meets the claim, however it improves."""
    low = terms.low if terms.low is not None else terms.high
    high = terms.high if terms.high is not None else terms.low
    if low is None or high is None:
        raise ValueError("A claim without a number. It needs low, high or both. Give one.")
    least, greatest = low - _margin(terms, low), high + _margin(terms, high)
    if terms.direction == Direction.NEITHER and terms.form == "minimum":
        return least, math.inf
    if terms.direction == Direction.NEITHER and terms.form == "maximum":
        return -math.inf, greatest
    return least, greatest


def _margin(terms: Terms, value: float) -> float:
    """Return how far from a number still counts as the number: its tolerance, at least its rounding."""
    usual = 0.0
    if terms.form == "typical":
        usual = NOMINAL_TOLERANCE if terms.direction == Direction.NEITHER else TYPICAL_TOLERANCE
    tolerance = usual if terms.tolerance is None else terms.tolerance
    return max(tolerance * abs(value), _rounding(value))


def _rounding(value: float) -> float:
    """Return half a unit of the last digit as printed: 152 may be anything from 151.5 to 152.5."""
    digits = f"{value:.12f}".rstrip("0").partition(".")[2]
    return float(0.5 * 10.0 ** -len(digits))


def _place(terms: Terms, low: float, high: float, least: float, greatest: float) -> tuple[Outcome, float]:
    """Return the outcome for an interval, and the edge that it lies across where it is inconclusive."""
    if terms.direction == Direction.NEITHER:
        if high < least or low > greatest:
            return Outcome.MISSED, 0.0
        if low >= least and high <= greatest:
            return Outcome.MET, 0.0
        return Outcome.INCONCLUSIVE, least if low < least else greatest
    if terms.direction == Direction.LOWER:
        low, high, least, greatest = -high, -low, -greatest, -least
    if high < least:
        return Outcome.MISSED, 0.0
    if low > greatest:
        return Outcome.EXCEEDED, 0.0
    if low >= least:
        return Outcome.MET, 0.0
    return Outcome.INCONCLUSIVE, -least if terms.direction == Direction.LOWER else least


def _without_interval(
    terms: Terms, evidence: Evidence, least: float, greatest: float, percent: float
) -> Verdict:
    found = _measured(evidence, terms.unit)
    rounding = _rounding(evidence.centre)
    inside = least <= evidence.centre - rounding and evidence.centre + rounding <= greatest
    if inside and not evidence.runs:
        words = f"{found}, as claimed to its last digit. The number comes without an interval."
        return Verdict(Outcome.MET, f"{words}{_of_one(evidence)}", percent)
    why = f"{_few(evidence)} can't tell that from chance" if evidence.runs else "it comes without a spread"
    return Verdict(
        Outcome.INCONCLUSIVE,
        f"{found} is {_apart(percent)}, but {why}. Runs of {FIRST_INTERVAL} units give a first interval.",
        percent,
        needed=max(1, FIRST_INTERVAL - evidence.units) if evidence.runs else None,
    )


def _few(evidence: Evidence) -> str:
    if evidence.units > 1:
        return f"{evidence.units} units"
    return "one run of one unit" if evidence.runs == 1 else f"{evidence.runs} runs of one unit"


def _inconclusive(terms: Terms, evidence: Evidence, edge: float, percent: float) -> Verdict:
    found = _measured(evidence, terms.unit)
    gap = abs(evidence.centre - edge)
    more = _more(evidence, gap, lambda n: mean_factor(n, 2 * MEAN_ERROR))
    what = "unit" if evidence.units > 1 else "run" if evidence.runs else "sample"
    if more is None:
        remedy = "The number lies so near to what is claimed that no number of units is sure to decide."
    else:
        remedy = f"About {more} more {what}{'' if more == 1 else 's'} would decide."
    interval = f"the interval {_interval(evidence, terms.unit)} reaches across {_number(edge)}"
    return Verdict(
        Outcome.INCONCLUSIVE, f"{found}, but {interval}. {remedy}{_of_one(evidence)}", percent, needed=more
    )


def _percent(terms: Terms, evidence: Evidence) -> float:
    """Return how far the number is from the nearest number of the claim, in per cent of it."""
    stated = [value for value in (terms.low, terms.high) if value is not None]
    nearest = min(stated, key=lambda value: abs(value - evidence.centre))
    inside = len(stated) == 2 and stated[0] < evidence.centre < stated[1]
    return 0.0 if inside or not nearest else (evidence.centre / nearest - 1) * 100


def _sentence(outcome: Outcome, terms: Terms, evidence: Evidence, percent: float) -> str:
    found, bounds = _measured(evidence, terms.unit), _interval(evidence, terms.unit)
    # Runs that agree to the last digit have no interval worth a word.
    found += f" ({bounds})" if " to " in bounds else ""
    if outcome == Outcome.MET:
        return f"{found}, as claimed."
    word = "better than claimed: " if outcome == Outcome.EXCEEDED else ""
    spread = _percent_interval(terms, evidence)
    return f"{found}, {word}{_apart(percent)}{spread}."


def _percent_interval(terms: Terms, evidence: Evidence) -> str:
    """Return the interval of the distance in words: ` (4.1 to 5.2 %)`."""
    if evidence.low is None or evidence.high is None:
        return ""
    stated = [value for value in (terms.low, terms.high) if value is not None]
    nearest = min(stated, key=lambda value: abs(value - evidence.centre))
    if not nearest:
        return ""
    ends = sorted(abs((value / nearest - 1) * 100) for value in (evidence.low, evidence.high))
    low, high = (f"{end:.1f}" for end in ends)
    return f" ({low} to {high} %)" if low != high else ""


def _apart(percent: float) -> str:
    return f"{abs(percent):.1f} % {'above' if percent > 0 else 'below'} the claim"


def _measured(evidence: Evidence, unit: str) -> str:
    spread = (
        (evidence.high - evidence.low) / 2 if evidence.low is not None and evidence.high is not None else None
    )
    text = write(evidence.centre, max(decimals_for(evidence.centre, spread), 0))
    return f"{text} {unit_text(unit)}".strip()


def _interval(evidence: Evidence, unit: str) -> str:
    if evidence.low is None or evidence.high is None:
        return "no interval"
    decimals = max(decimals_for(evidence.centre, (evidence.high - evidence.low) / 2), 0)
    low, high = write(evidence.low, decimals), write(evidence.high, decimals)
    return f"{low} to {high}" if low != high else low


def _of_one(evidence: Evidence) -> str:
    return " It is of one unit and says nothing of others." if evidence.units == 1 else ""


def _number(value: float) -> str:
    digits = f"{value:.12f}".rstrip("0").partition(".")[2]
    return write(value, min(len(digits), 6))
