"""How a run stands among its model's other drives, ready for a template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from server.core.numbers import MAX_DIGITS, MINUS, Shown, show, show_deviation
from server.core.text import counted
from server.plausibility.peer_rank import NumberAmong, RunPeerRank
from server.web.rows import Name, metric_name

STRIP = 120.0
"""Width of the strip that shows the place, in pixels of its drawing."""
EDGE = 6.0
SHOWN = 12
"""More rows are folded."""


class Strip(NamedTuple):
    """Where numbers lie between the lowest and the highest, in pixels from the left."""

    low: float
    high: float
    median: float
    value: float


@dataclass(frozen=True, slots=True)
class AmongRow:
    """One number of a run among those of other drives."""

    name: Name
    mine: Shown | None
    median: Shown | None
    others: int
    range: str
    place: str
    """`lowest of 5`, `2nd of 5`, counted from the lowest."""
    percent: str
    strip: Strip


@dataclass(frozen=True, slots=True)
class PeerRankView:
    """The section of a run's page."""

    confirmed: str
    """Who else found the same, as a sentence."""
    unlike: str
    rows: tuple[AmongRow, ...]
    folded: tuple[AmongRow, ...]


def peer_rank_view(peer_rank: RunPeerRank | None) -> PeerRankView | None:
    """Return what the page shows; None for a run that is not published."""
    if peer_rank is None:
        return None
    unlike, rows = peer_rank.unlike_units, tuple(map(_row, peer_rank.numbers))
    were = f"{counted(unlike, 'other unit')} of this model {'was' if unlike == 1 else 'were'} measured"
    return PeerRankView(
        confirmed=confirmed_words(peer_rank),
        unlike=f"{were} under conditions that do not compare." if unlike else "",
        rows=rows[:SHOWN],
        folded=rows[SHOWN:],
    )


def confirmed_words(peer_rank: RunPeerRank) -> str:
    """Return by how many keys a run is confirmed, of how many that could."""
    if not peer_rank.other_keys:
        return "No other key has measured another unit of this model under like conditions."
    asked, found = peer_rank.other_keys, peer_rank.confirming
    if asked == 1:
        only = "by the one other key that measured units of this model"
        return f"Confirmed {only}." if found else f"Not confirmed {only}: its numbers differ."
    others = f"{asked} other keys that measured units of this model"
    if not found:
        return f"Confirmed by none of {others}: their numbers differ."
    keys = counted(found, "key")
    return f"Confirmed by {keys}, of {others}." if found != asked else f"Confirmed by {keys}: all {others}."


def _row(number: NumberAmong) -> AmongRow:
    # What lies between the drives says how many digits tell them apart: equal numbers look equal, others not.
    lowest, highest = min(number.minimum, number.value), max(number.maximum, number.value)
    mine, median, low, high = (
        show(value, number.unit, low=lowest, high=highest)
        for value in (number.value, number.median, number.minimum, number.maximum)
    )
    return AmongRow(
        name=metric_name(number.metric, number.scope),
        mine=mine,
        median=median,
        others=number.others,
        range="" if low is None or high is None or number.others < 2 else f"{low.value} to {high.value}",
        place=_place(number),
        percent="0 %" if _alike(number) else percent_text(number.percent_off),
        strip=_strip(number),
    )


def percent_text(percent: float | None) -> str:
    if percent is None:
        return ""
    if abs(percent) < 100 * 10.0**-MAX_DIGITS:
        return "0 %"
    return f"{'+' if percent > 0 else MINUS}{show_deviation(abs(percent))} %"


def _place(number: NumberAmong) -> str:
    """Return the place counted from the lowest; equal numbers share the lower one."""
    if _alike(number):
        return "the same"
    if number.below == number.others:
        return f"highest of {number.others + 1}"
    if number.below == 0:
        return f"lowest of {number.others + 1}"
    return f"{_ordinal(number.below + 1)} of {number.others + 1}"


def _alike(number: NumberAmong) -> bool:
    """Return whether all differ by less than any drive's number means."""
    apart = max(number.maximum, number.value) - min(number.minimum, number.value)
    return apart <= abs(number.value) * 10.0**-MAX_DIGITS


def _ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _strip(number: NumberAmong) -> Strip:
    low, high = min(number.minimum, number.value), max(number.maximum, number.value)
    values = (number.minimum, number.maximum, number.median, number.value)
    shares = (0.5 if high == low or _alike(number) else (value - low) / (high - low) for value in values)
    return Strip(*(round(EDGE + share * (STRIP - 2 * EDGE), 1) for share in shares))
