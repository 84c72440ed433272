"""The one number that stands for a model in one metric: the median of its units, with the interval that its
digits follow. Lists, the first page, the explorer, a model's page, its badge and the API all take it
from here. Pure.

Of several units the interval reaches from quartile to quartile; a single unit has that of its own runs. Where
documents alone have numbers it is the median of their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from server.core.numbers import Shown, show, show_stated
from server.core.text import counted
from server.measurements.models import Aggregate


@dataclass(frozen=True, slots=True)
class Typical:
    """A model's number in one metric."""

    median: float
    low: float | None
    high: float | None
    runs: int
    units: int

    def shown(self, unit: str) -> Shown | None:
        """Return the number with the digits that its interval carries; `unit` is the metric's."""
        return show(self.median, unit, low=self.low, high=self.high)

    @property
    def words(self) -> str:
        """What it is of: `median of 12 units`, `one unit, 3 runs`, `one run`."""
        if self.units > 1:
            return f"median of {counted(self.units, 'unit')}"
        return f"one unit, {counted(self.runs, 'run')}" if self.runs > 1 else "one run"

    @property
    def interval_words(self) -> str:
        """What its interval is; empty where there is none."""
        if self.low is None:
            return ""
        return "quartiles" if self.units > 1 else "95 % interval"


def typical_of(row: Aggregate) -> Typical:
    """Return an aggregate's number; a row that an older release wrote has its quartiles alone."""
    low, high = row.low, row.high
    if low is None and row.units > 1:
        low, high = row.q1, row.q3
    return Typical(row.median, low, high, row.n, row.units)


def typical_of_spread(spread: Sequence[Any]) -> Typical:
    """Return a summary's number: median, quartiles, runs and units, low and high. One that an older release
    wrote ends behind the units."""
    median, q1, q3, runs, units, *interval = spread
    low, high = interval or ((q1, q3) if (units or 0) > 1 else (None, None))
    return Typical(median, low, high, runs, units or 0)


def spread_shown(spread: Sequence[Any], unit: str) -> tuple[Shown | None, str]:
    """Return a summary's number with the digits that it deserves, and what it is of in words."""
    if spread[4] is None:
        return published_shown(spread[0], spread[3], unit), counted(spread[3], "published value")
    typical = typical_of_spread(spread)
    return typical.shown(unit), typical.words


def published_shown(median: float, values: int, unit: str) -> Shown | None:
    """Return the median of what documents state: one value as it is printed, of several four digits."""
    return (show_stated if values == 1 else show)(median, unit)
