"""Several groups of units (batches, firmware revisions, bridges): do they differ, and which of them?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from server.stats.intervals import Values, check_level, holm, usable, varies

ENOUGH_FOR_CHI_SQUARE = 5
"""Units of the smallest group from which the chi-square approximation serves (Kruskal and Wallis 1952)."""
RESAMPLES = 4_999
VALUES_AT_ONCE = 2_000_000
"""Ranks that a round of resampling holds: thousands of units must not cost gigabytes."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """One group."""

    name: str
    n: int
    mean: float
    median: float
    stdev: float | None


@dataclass(frozen=True, slots=True)
class PairOfStrata:
    """Dunn's comparison of two groups after the test over all."""

    a: str
    b: str
    difference: float
    """Of the medians, A minus B."""
    adjusted_p: float
    differs: bool


@dataclass(frozen=True, slots=True)
class Strata:
    """Kruskal-Wallis over the groups, then Dunn with Holm's correction."""

    level: float
    strata: tuple[Stratum, ...]
    h: float | None
    p: float | None
    method: str
    """`chi-square` or `permutation`."""
    smallest_p: float
    """The least that groups so small can give."""
    share: float | None
    """Eta squared of H: the share of the ranks' variance that the groups explain, not below nought."""
    pairs: tuple[PairOfStrata, ...]
    """Filled where the groups differ."""
    differs: bool | None
    """None where nothing can be said; `reason` says why."""
    reason: str


def compare_strata(groups: Mapping[str, Sequence[float | None]], *, level: float) -> Strata:
    """Test whether the groups differ: one value for each unit; groups without any value do not take part."""
    alpha = 1 - check_level(level)
    samples = {name: values for name, given in groups.items() if (values := usable(given)).size}
    described = tuple(_stratum(name, values) for name, values in samples.items())
    smallest = _smallest_p([values.size for values in samples.values()])
    missing = _missing_reason(samples, smallest, alpha)
    if missing:
        return Strata(level, described, None, None, "", smallest, None, (), None, missing)
    h, p, method = _kruskal_wallis(list(samples.values()))
    differs = p <= alpha
    pairs = _dunn(samples, alpha) if differs else ()
    share = _share(h, len(samples), sum(values.size for values in samples.values()))
    return Strata(level, described, h, p, method, smallest, share, pairs, differs, "")


def _stratum(name: str, values: Values) -> Stratum:
    stdev = float(values.std(ddof=1)) if values.size > 1 else None
    return Stratum(name, values.size, float(values.mean()), float(np.median(values)), stdev)


def _missing_reason(samples: Mapping[str, Values], smallest_p: float, alpha: float) -> str:
    """Return why nothing can be said, or nothing."""
    if len(samples) < 2:
        return "There is one group only, so nothing can be compared."
    if not varies(np.concatenate(list(samples.values()))):
        return "All units have the same value."
    if smallest_p > alpha:
        sizes = " and ".join(str(values.size) for values in samples.values())
        return (
            f"With {sizes} units no result could be told from chance at {100 * (1 - alpha):g} %; "
            "more units are needed."
        )
    return ""


def _smallest_p(sizes: list[int]) -> float:
    """Return the p of the most separated groups of these sizes; sizes that are alike can be swapped."""
    ways = _ways(sizes)
    swaps = math.prod(math.factorial(count) for count in Counter(sizes).values())
    return min(1.0, swaps * math.exp(-min(ways, 700.0))) if len(sizes) > 1 else 1.0


def _ways(sizes: list[int]) -> float:
    """Return the logarithm of the number of ways to deal units out to groups of these sizes."""
    return math.lgamma(sum(sizes) + 1) - sum(math.lgamma(size + 1) for size in sizes)


def _kruskal_wallis(samples: list[Values]) -> tuple[float, float, str]:
    """Return H corrected for ties, its p and how that was found."""
    # The order of groups and units must not matter to the resampling.
    ordered = sorted((np.sort(values) for values in samples), key=lambda values: (values.size, *values))
    h, chi_square_p = (float(number) for number in stats.kruskal(*ordered))
    if min(values.size for values in ordered) >= ENOUGH_FOR_CHI_SQUARE:
        return h, chi_square_p, "chi-square"
    ranks = stats.rankdata(np.concatenate(ordered))
    ends = np.cumsum([values.size for values in ordered])[:-1]
    sizes = [values.size for values in ordered]
    if min(sizes) == 1 or _ways(sizes) > math.log(RESAMPLES):
        return h, _drawn_p(ranks, ends), "permutation"
    return h, _exact_p(ranks, tuple(sizes)), "permutation"


def _exact_p(ranks: Values, sizes: tuple[int, ...]) -> float:
    """Return the share of all ways to deal the units out to the groups that are as far apart as these."""
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    drawn = (np.add.reduceat(ranks[_ways_of(sizes)], starts, axis=1) ** 2 / sizes).sum(axis=1)
    return float((drawn >= drawn[0] * (1 - 1e-12)).mean())


@lru_cache(maxsize=64)
def _ways_of(sizes: tuple[int, ...]) -> NDArray[np.int16]:
    """Return all ways to deal units out to groups of these sizes, a row for each: first as they stand. The
    numbers of one model are dealt out in the same ways."""

    def dealt(left: tuple[int, ...], group: int) -> Iterator[tuple[int, ...]]:
        if group == len(sizes) - 1:
            yield left
            return
        for chosen in combinations(left, sizes[group]):
            rest = tuple(unit for unit in left if unit not in chosen)
            for more in dealt(rest, group + 1):
                yield chosen + more

    return np.asarray(list(dealt(tuple(range(sum(sizes))), 0)), dtype=np.int16)


def _drawn_p(ranks: Values, ends: Values) -> float:
    """Return how often units dealt out anew to the groups are as far apart as these, the units among them.

    For where there are too many ways for all of them, and for groups of one.
    """
    rng, starts = np.random.default_rng(1952), np.concatenate([[0], ends]).astype(np.int64)
    sizes = np.diff(np.append(starts, ranks.size))
    apart = (np.add.reduceat(ranks, starts) ** 2 / sizes).sum() * (1 - 1e-12)
    at_once = max(1, VALUES_AT_ONCE // ranks.size)
    as_far = 0
    for first in range(0, RESAMPLES, at_once):
        dealt = rng.permuted(np.tile(ranks, (min(at_once, RESAMPLES - first), 1)), axis=1)
        drawn = (np.add.reduceat(dealt, starts, axis=1) ** 2 / sizes).sum(axis=1)
        as_far += int((drawn >= apart).sum())
    return (1 + as_far) / (1 + RESAMPLES)


def _share(h: float, groups: int, n: int) -> float:
    """Return eta squared of H (Tomczak and Tomczak 2014): (H - k + 1) / (n - k), not below nought."""
    return max(0.0, (h - groups + 1) / (n - groups)) if n > groups else 0.0


def _dunn(samples: Mapping[str, Values], alpha: float) -> tuple[PairOfStrata, ...]:
    """Compare all pairs by their mean ranks among all units (Dunn 1964), with Holm's correction."""
    together = np.concatenate(list(samples.values()))
    n = together.size
    ranks = stats.rankdata(together)
    ends = np.cumsum([values.size for values in samples.values()])[:-1]
    means = dict(zip(samples, (part.mean() for part in np.split(ranks, ends)), strict=True))
    _values, ties = np.unique(together, return_counts=True)
    variance = n * (n + 1) / 12 - float((ties**3 - ties).sum()) / (12 * (n - 1))
    pairs = list(combinations(samples, 2))
    p_values = []
    for a, b in pairs:
        error = math.sqrt(variance * (1 / samples[a].size + 1 / samples[b].size))
        p_values.append(2 * float(stats.norm.sf(abs(means[a] - means[b]) / error)))
    return tuple(
        PairOfStrata(a, b, float(np.median(samples[a]) - np.median(samples[b])), p, p <= alpha)
        for (a, b), p in zip(pairs, holm(p_values), strict=True)
    )
