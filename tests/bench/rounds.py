"""Compares programs that take turns: A B C, then B C A. What disturbs the machine meets all of them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.bench.peers import PeerError, Speed

Contender = Callable[[], Speed]
PROBE = "probe"


@dataclass(frozen=True, slots=True)
class Ratio:
    """The probe's figure over a peer's, from rounds that both took part in."""

    peer: str
    median: float
    least: float
    most: float

    def __str__(self) -> str:
        return f"{self.median:.3f} of {self.peer} ({self.least:.3f} to {self.most:.3f})"


@dataclass(slots=True)
class Rounds:
    """What each contender did in each round, and who could not take part."""

    speeds: dict[str, list[Speed]]
    absent: dict[str, str]

    def ratios(self, figure: Callable[[Speed], float | None]) -> list[Ratio]:
        """The probe against each peer by one figure; peers without that figure are left out."""
        found = []
        for peer, speeds in self.speeds.items():
            if peer == PROBE:
                continue
            pairs = zip(self.speeds[PROBE], speeds, strict=True)
            both = [(figure(own), figure(other)) for own, other in pairs]
            each = [own / other for own, other in both if own is not None and other]
            if each:
                found.append(Ratio(peer, statistics.median(each), min(each), max(each)))
        return found

    def typical(self, name: str, figure: Callable[[Speed], float | None]) -> float | None:
        """The median of one contender's figure."""
        values = [value for speed in self.speeds.get(name, []) if (value := figure(speed)) is not None]
        return statistics.median(values) if values else None


def take_turns(contenders: Mapping[str, Contender], rounds: int) -> Rounds:
    """Let all contenders run once in each round, each round beginning with another one.

    The first round is thrown away: it finds caches cold that the others find warm.
    """
    names = list(contenders)
    result = Rounds({name: [] for name in names}, {})
    for number in range(rounds + 1):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            if name in result.absent:
                continue
            try:
                speed = contenders[name]()
            except (PeerError, FileNotFoundError) as error:
                if name == PROBE:
                    raise
                result.absent[name] = (
                    str(error) if isinstance(error, PeerError) else f"{name} is not installed"
                )
                continue
            if number:
                result.speeds[name].append(speed)
    for name in result.absent:
        del result.speeds[name]
    return result
