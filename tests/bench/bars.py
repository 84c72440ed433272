"""Bars, and whether a figure keeps them: said only where chance would not say otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.bench.rounds import Ratio

KEPT, MISSED, UNDECIDED = "kept", "MISSED", "undecided"


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure is to be at least, or at most, this."""

    value: float
    least: bool

    def __str__(self) -> str:
        return f"{'at least' if self.least else 'at most'} {self.value:g}"

    def verdict(self, low: float, high: float) -> str:
        """Say of a figure that lies between the two whether it keeps the bar."""
        worst, best = (low, high) if self.least else (high, low)
        if self._keeps(worst):
            return KEPT
        return UNDECIDED if self._keeps(best) else MISSED

    def of(self, value: float | None) -> str:
        """Say in brackets whether a figure that is counted, not drawn, keeps the bar."""
        return "" if value is None else f"  [{self.verdict(value, value)}: {self}]"

    def of_all(self, ratios: Sequence[Ratio]) -> str:
        """Say whether the figure keeps the bar against all peers: against the best of them, that is."""
        verdicts = [self.verdict(ratio.low, ratio.high) for ratio in ratios]
        for worst in (MISSED, UNDECIDED, KEPT):
            if worst in verdicts:
                return worst
        return ""

    def _keeps(self, value: float) -> bool:
        return value >= self.value if self.least else value <= self.value


RATE = Bar(0.98, least=True)
CPU = Bar(1.1, least=False)
GAP_NS = Bar(1000, least=False)
MEMORY_MIB = Bar(32, least=False)
SIZE_MIB = Bar(6, least=False)
