"""Strips: all values of a kind as lines on one axis, with one of them marked. Pure; drawn by a template."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

WIDTH = 1000
_MARGIN = 12
"""So that the lines at both ends are whole."""


@dataclass(frozen=True, slots=True)
class Strip:
    """What a strip draws, in units of its own width."""

    others: tuple[int, ...]
    own: int

    @property
    def path(self) -> str:
        """The other values' lines as one path."""
        return "".join(f"M{x} 6V22" for x in self.others)


def strip_of(values: Sequence[float], own: float) -> Strip | None:
    """Return the strip of some values with `own` marked; None where there is no second value."""
    if len(values) < 2:
        return None
    low, high = min(values), max(values)
    others = list(values)
    others.remove(own)
    return Strip(tuple(sorted(set(positions(others, low, high)))), next(positions([own], low, high)))


def positions(values: Iterable[float], low: float, high: float) -> Iterator[int]:
    """Give where values stand between the lowest and the highest."""
    span = high - low
    room = WIDTH - 2 * _MARGIN
    for value in values:
        yield _MARGIN + round(room * ((value - low) / span if span else 0.5))
