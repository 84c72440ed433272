"""Compares programs that take turns, in an order that chance chooses for each round.

What disturbs the machine meets all of them, and each round gives one ratio of two turns close together.
The median of these ratios comes with an interval that needs no assumption about how they are spread.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.bench.peers import PeerError, Speed

Contender = Callable[[], Speed]
PROBE = "probe"
CONFIDENCE = 0.95
SEED = 20
"""Of the orders: two runs of the same length let the programs take the same turns."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """The probe's figure over a peer's: the median of the rounds' ratios and its interval."""

    peer: str
    median: float
    low: float
    high: float
    rounds: int

    def __str__(self) -> str:
        return f"{self.median:.3f} of {self.peer} ({self.low:.3f} to {self.high:.3f})"


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
                found.append(Ratio(peer, statistics.median(each), *median_interval(each), len(each)))
        return found

    def typical(self, name: str, figure: Callable[[Speed], float | None]) -> float | None:
        """The median of one contender's figure."""
        values = [value for speed in self.speeds.get(name, []) if (value := figure(speed)) is not None]
        return statistics.median(values) if values else None


def median_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the bounds between which the median of what the values are drawn from lies.

    Each value falls below that median with the chance of a coin (the sign test turned round), so the k-th
    smallest and the k-th largest hold it between them with a probability that only the number of values
    decides. With fewer than six values no pair reaches 95 %: the smallest and the largest are given.
    """
    ordered, count = sorted(values), len(values)
    below, rank = 0.0, 0
    for index in range(count // 2):
        below += math.comb(count, index) / 2**count
        if 2 * below > 1 - confidence:
            break
        rank = index
    return ordered[rank], ordered[count - 1 - rank]


def take_turns(contenders: Mapping[str, Contender], rounds: int, seed: int = SEED) -> Rounds:
    """Let all contenders run once in each round, in an order that is drawn for each.

    The first round is thrown away: it finds caches cold that the others find warm.
    """
    names = list(contenders)
    dice = random.Random(seed)
    result = Rounds({name: [] for name in names}, {})
    for number in range(rounds + 1):
        for name in dice.sample(names, len(names)):
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
