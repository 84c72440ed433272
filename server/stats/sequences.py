"""Statements about a growing sample that hold however often somebody looks (anytime-valid inference).

An e-process is what a fair game against the hypothesis has won so far: were the hypothesis true, it would
ever reach 1/alpha with a probability of alpha at most (Ville 1939; Ramdas, Grünwald, Vovk and Shafer 2023,
"Game-theoretic statistics and safe anytime-valid inference", Statistical Science 38(4)). An interval of a
fixed size of sample, looked at after every value, leaves the truth out several times as often as it says.
"""

from __future__ import annotations

import math
from functools import lru_cache

from scipy import special

EFFECT = 2.0
"""Standard deviation of the effects that the mean's game bets on, in those of the values: vendors' numbers
are off by some of these, or not at all."""
SHAPE, RATE = 1.0, 0.15
"""Of the gamma distribution of precisions that the deviation's game bets with: samples of few values seem far
more alike than their population is."""


@lru_cache(4096)
def mean_factor(count: int, alpha: float) -> float:
    """Return how many standard deviations of the sample the mean's bounds lie from it, at all sizes at once;
    infinite while there are too few values.

    The t test with a normal mixture of effects (Lai 1976; Wang and Ramdas 2024, "Anytime-valid t-tests and
    confidence sequences for Gaussian means with unknown variance", theorem 4.9), solved for t.
    """
    if count < 2:
        return math.inf
    degrees, ratio = count - 1, 1 + count * EFFECT**2
    limit = (math.sqrt(ratio) / alpha) ** (2 / count)
    if limit >= ratio:
        return math.inf
    return math.sqrt(degrees * (limit - 1) / (1 - limit / ratio) / count)


@lru_cache(4096)
def deviation_factor(count: int, alpha: float) -> float:
    """Return how many times the sample's standard deviation the true one is at most, at all sizes at once.

    The same with a gamma mixture of precisions: the game's value depends on the sum of squares alone.
    """
    degrees = count - 1
    if degrees < 1:
        return math.inf

    def won(squares: float) -> float:
        """The logarithm of what was won against a deviation of which the sum of squares is so many."""
        return float(
            squares / 2
            + SHAPE * math.log(RATE)
            + special.gammaln(SHAPE + degrees / 2)
            - special.gammaln(SHAPE)
            - (SHAPE + degrees / 2) * math.log(RATE + squares / 2)
        )

    low, high = 0.0, float(degrees)
    if won(low) < -math.log(alpha):
        return math.inf
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if won(middle) >= -math.log(alpha) else (low, middle)
    return math.sqrt(degrees / low) if low else math.inf


@lru_cache(4096)
def tolerance_factor(count: int, share: float, alpha: float) -> float:
    """Return how many standard deviations from the mean, to one side, the bound lies that at least `share` of
    all values keep to, normal ones, at all sizes at once: bounds of mean and deviation share the error."""
    return mean_factor(count, alpha) + float(special.ndtri(share)) * deviation_factor(count, alpha / 2)


def share_e_value(failed: int, count: int, share: float) -> float:
    """Return what was won against the hypothesis that at most `share` of all fail, of whom `failed` among
    `count` did: a bet spread evenly over all greater shares. It takes no form of the values for granted."""
    above = special.betaincc(failed + 1, count - failed + 1, share)
    bet = special.betaln(failed + 1, count - failed + 1) + math.log(max(above, 1e-300)) - math.log(1 - share)
    return math.exp(min(bet - failed * math.log(share) - (count - failed) * math.log1p(-share), 700.0))
