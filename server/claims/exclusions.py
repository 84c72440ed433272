"""Which runs can't be held against a claim: other conditions, or a way to the drive that can't show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from server.benchmarks.contract import Metric
from server.catalog.models import Claim
from server.core.numbers import write
from server.core.text import counted

RATE = "MB/s"
"""The unit of what a bridge or a slow link limits."""
COMMANDS = ("ms", "1/s")
"""Units of what a command takes, to which a bridge adds its own time."""
SLACK = 1e-6
"""A link that is as fast as the claim is not slower than it."""


class Measured(Protocol):
    """A number with what stood between the host and the medium."""

    @property
    def cache(self) -> object: ...
    @property
    def bridged(self) -> bool: ...
    @property
    def link_mb_per_s(self) -> float | None: ...


Number = TypeVar("Number", bound=Measured)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many runs were left out, and for what."""

    reasons: Counter[str]

    @property
    def runs(self) -> int:
        """All of them."""
        return sum(self.reasons.values())

    @property
    def words_alone(self) -> str:
        """What is said where no run is left: fact and remedy."""
        return (
            f"No run compares: {self._listed}. "
            "A run with the drive's caches as claimed, straight on a host adapter that is fast enough, would."
        )

    @property
    def words_beside(self) -> str:
        """What is said beside the verdict of the others; nothing where none was left out."""
        return f" Left out: {self._listed}." if self.runs else ""

    @property
    def _listed(self) -> str:
        return "; ".join(f"{counted(count, 'run')} {reason}" for reason, count in self.reasons.items())


def fitting_of(
    claim: Claim, metric: Metric | None, numbers: Sequence[Number]
) -> tuple[list[Number], LeftOut]:
    """Return the numbers that a claim may be held against, and why the others may not be."""
    fitting, reasons = [], Counter[str]()
    for number in numbers:
        reason = _why_not(claim, metric, number)
        if reason:
            reasons[reason] += 1
        else:
            fitting.append(number)
    return fitting, LeftOut(reasons)


def _why_not(claim: Claim, metric: Metric | None, number: Measured) -> str:
    """Return why a number says nothing of the claim, to be read behind `2 runs`; nothing where it does."""
    if claim.write_cache and number.cache is not (claim.write_cache == Claim.WriteCache.ON):
        return f"that did not tell the write cache to be {claim.write_cache}, as claimed"
    if metric is None:
        return ""
    if number.bridged and metric.unit in COMMANDS and not metric.angular:
        return "behind a USB bridge, which adds to the time of each command"
    if metric.unit != RATE:
        return ""
    if number.bridged:
        return "behind a USB bridge"
    claimed = max(value for value in (claim.low, claim.high, 0.0) if value is not None)
    limit = number.link_mb_per_s
    if limit is not None and limit < claimed * (1 - SLACK):
        return f"over a link of {write(limit, 0)} MB/s, slower than what is claimed"
    return ""
