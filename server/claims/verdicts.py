"""A vendor's claim against numbers: met, exceeded, missed, inconclusive or not comparable. Pure.

The unit of replication is the physical drive: whoever calls averages a drive's runs first. Each bound of an
interval leaves 5 % on its side, so each test against a claim is one-sided at 95 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from server.benchmarks.contract import Direction
from server.core.numbers import decimals_for, unit_text, write
from server.stats.intervals import mean_interval, t_quantile
from server.stats.power import pairs_needed

LEVEL = 0.90
"""Of the two-sided interval: 5 % on each side."""
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
    """Return what values say: one per drive, or several of one drive."""
    array = np.asarray(values, dtype=np.float64)
    interval = mean_interval(array, LEVEL)
    spread = float(array.std(ddof=1)) if array.size > 1 else None
    return Evidence(
        centre=float(array.mean()),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        spread=spread,
        count=int(array.size),
        units=units,
        runs=runs,
    )


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
            "Nothing has been measured yet. Runs of two drives give a first interval.",
            needed=2,
        )
    worse, better = _bounds(terms)
    percent = _percent(terms, evidence)
    if evidence.low is None or evidence.high is None:
        return _without_interval(terms, evidence, worse, better, percent)
    outcome, edge = _place(terms, evidence.low, evidence.high, worse, better)
    if outcome == Outcome.INCONCLUSIVE:
        return _inconclusive(terms, evidence, edge, percent)
    return Verdict(outcome, f"{_sentence(outcome, terms, evidence, percent)}{_of_one(evidence)}", percent)


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
    # Half a unit of the last digit as printed: 152 may be anything from 151.5 to 152.5.
    digits = f"{value:.12f}".rstrip("0").partition(".")[2]
    return max(tolerance * abs(value), 0.5 * 10.0 ** -len(digits))


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
    if least <= evidence.centre <= greatest:
        words = f"{found}, as claimed. The number comes without an interval.{_of_one(evidence)}"
        return Verdict(Outcome.MET, words, percent)
    why = "one run of one drive" if evidence.runs == 1 else "a number without a spread"
    return Verdict(
        Outcome.INCONCLUSIVE,
        f"{found} is {_apart(percent)}, but {why} can't tell that from chance. "
        "Runs of two drives give a first interval.",
        percent,
        needed=max(1, 2 - evidence.units) if evidence.runs else None,
    )


def _inconclusive(terms: Terms, evidence: Evidence, edge: float, percent: float) -> Verdict:
    found = _measured(evidence, terms.unit)
    gap = abs(evidence.centre - edge)
    total = pairs_needed(gap / evidence.spread, LEVEL) if evidence.spread and gap else None
    more = max(total - evidence.count, 1) if total is not None else None
    what = "drive" if evidence.units > 1 else "run" if evidence.runs else "sample"
    if more is None:
        remedy = "The number lies so near to what is claimed that no number of drives is sure to decide."
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
    return " It is of one drive and says nothing of others." if evidence.units == 1 else ""


def _number(value: float) -> str:
    digits = f"{value:.12f}".rstrip("0").partition(".")[2]
    return write(value, min(len(digits), 6))
