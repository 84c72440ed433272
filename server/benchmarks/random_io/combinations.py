"""The combinations of a run: rates, their intervals, and how far they may be trusted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.benchmarks.contract import Facts, Quality
from server.core.robust import t_quantile

# ---- Latencies from buckets: order statistics and moments.

Z95 = 1.96


@dataclass(frozen=True, slots=True)
class Latencies:
    """Latencies of answered requests, ascending, in milliseconds."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    upto: NDArray[np.int64]
    """Requests up to and with each bucket."""
    mean: float
    minimum: float
    maximum: float

    @property
    def count(self) -> int:
        return int(self.upto[-1])

    @property
    def middle(self) -> NDArray[np.float64]:
        return (self.low + self.high) / 2

    def at_rank(self, rank: float) -> int:
        """The bucket of the request of that rank, counted from 0; ranks beyond the ends are the ends."""
        inside = min(max(rank, 0.0), float(self.count - 1))
        return int(np.searchsorted(self.upto, int(inside), side="right"))

    def quantile(self, share: float) -> tuple[float, float, float] | None:
        """The value below which `share` of the requests lie, and its 95 % interval from order statistics."""
        rank = share * (self.count - 1)
        reach = Z95 * (self.count * share * (1 - share)) ** 0.5
        value = float(self.middle[self.at_rank(rank)])
        low = float(self.low[self.at_rank(rank - reach)])
        high = float(self.high[self.at_rank(rank + reach)])
        return value, min(low, value), max(high, value)

    @property
    def deviation(self) -> float:
        """Standard deviation with n - 1, each request at the middle of its bucket."""
        if self.count < 2:
            return 0.0
        counts = np.diff(self.upto, prepend=0)
        square = float((counts * (self.middle - self.mean) ** 2).sum())
        return math.sqrt(square / (self.count - 1))


@dataclass(frozen=True, slots=True)
class LatencySummary:
    """What another tool says of latencies that it does not list, in milliseconds."""

    count: int
    mean: float
    deviation: float
    maximum: float
    shares: NDArray[np.float64]
    """Ascending, with 0 and 1 at the ends."""
    low: NDArray[np.float64]
    """The least that the quantile of each share can be."""
    high: NDArray[np.float64]

    @property
    def stated(self) -> bool:
        """Whether any quantile but the least and the most is."""
        return len(self.shares) > 2

    def quantile(self, share: float) -> tuple[float, float, float] | None:
        """The stated quantile, and what the stated ones on either side leave of its 95 % interval.

        Between two stated quantiles nothing is known but that they rise. None where this one is not stated.
        """
        index = int(np.searchsorted(self.shares, share - 1e-9))
        if abs(self.shares[index] - share) > 1e-6:
            return None
        reach = Z95 * (share * (1 - share) / self.count) ** 0.5
        before = int(np.searchsorted(self.shares, max(share - reach, 0.0), side="right")) - 1
        after = int(np.searchsorted(self.shares, min(share + reach, 1.0)))
        value = float(self.low[index] + self.high[index]) / 2
        return value, float(self.low[before]), float(self.high[after])


def summary_of(reads: Mapping[str, Any], bits: int) -> LatencySummary | None:
    """What `reads` or `writes` states without buckets; None where it contradicts itself."""
    stated = reads["summary"]
    shares = np.asarray(stated["per_million"], dtype=np.float64) / 1e6
    middle = np.asarray(stated["percentile_ns"], dtype=np.float64)
    minimum, maximum = float(reads["minimum_ns"]), float(reads["maximum_ns"])
    rising = bool((np.diff(shares) > 0).all() and (np.diff(middle) >= 0).all())
    if not rising or len(shares) != len(middle) or minimum > maximum:
        return None
    half = np.exp2(np.maximum(np.floor(np.log2(middle)) - bits, 0.0)) / 2
    ends = np.array([minimum, maximum])
    low, high = np.clip(middle - half, *ends), np.clip(middle + half, *ends)
    return LatencySummary(
        count=int(stated["requests"]),
        mean=float(reads["total_ns"]) / stated["requests"] / 1e6,
        deviation=float(stated["deviation_ns"]) / 1e6,
        maximum=maximum / 1e6,
        shares=np.concatenate([[0.0], shares, [1.0]]),
        low=np.concatenate([[minimum], low, [maximum]]) / 1e6,
        high=np.concatenate([[minimum], high, [maximum]]) / 1e6,
    )


def latencies_of(buckets: Mapping[str, Any] | None, bits: int) -> Latencies | LatencySummary | None:
    """The latencies of `reads` or `writes` of a series; None where there are none or they make no sense."""
    if buckets and "summary" in buckets:
        return summary_of(buckets, bits)
    if not buckets or not buckets["low_ns"]:
        return None
    low = np.asarray(buckets["low_ns"], dtype=np.float64)
    counts = np.asarray(buckets["requests"], dtype=np.int64)
    order = np.argsort(low, kind="stable")
    low, counts = low[order], counts[order]
    # The width that a bucket of this lower bound has.
    exponent = np.floor(np.log2(np.maximum(low, 1.0)))
    width = np.exp2(np.maximum(exponent - bits, 0.0))
    minimum, maximum = float(buckets["minimum_ns"]), float(buckets["maximum_ns"])
    if minimum > maximum:
        return None
    total = int(counts.sum())
    return Latencies(
        low=np.clip(low, minimum, maximum) / 1e6,
        high=np.clip(low + width, minimum, maximum) / 1e6,
        upto=np.cumsum(counts),
        mean=float(buckets["total_ns"]) / total / 1e6,
        minimum=minimum / 1e6,
        maximum=maximum / 1e6,
    )


LEVEL = 0.95
FEWEST_SLICES = 5
FEWEST_STEADY = 10
MANY = 1000
FEW = 100
MECHANICAL = 500.0
"""Random requests a second that no arm and no queue of at most 64 makes of a disk."""
LASTING_CACHE = "the write cache was off, and a cache that stays on, as shingled drives have on their medium,"
NARROW = 0.05
WIDE = 0.2
MOST_DISTURBED, HALF = 0.02, 0.5
"""Shares of disturbed requests: one in fifty is where the probe measures a piece again."""
DRIFT = 0.15
"""Between the first and the last third of the time: more than places drawn at random make."""


@dataclass(frozen=True, slots=True)
class Combination:
    """One series, with MB of 10^6 bytes and times in seconds or, of latencies, milliseconds."""

    variant: str
    pattern: str
    concurrency: int
    size: int
    asked: int
    requests: int
    failed: int
    elapsed_s: float
    rate: float
    error: float
    """Half of the rate's interval, as a share of it."""
    slices: NDArray[np.float64]
    """Requests a second, slice by slice."""
    latencies: Mapping[str, Latencies | LatencySummary]
    """By `read` and `write`."""
    write_cache: bool | None
    disturbed: float
    """Share of the requests in stretches of time that something disturbed: 0 to 1."""

    @property
    def letter(self) -> str:
        return "p" if self.pattern == "processes" else "q"

    @property
    def scope(self) -> str:
        return f"{self.variant}/{self.size}/{self.letter}{self.concurrency}"

    @property
    def drift(self) -> float:
        """Rate of the last third of the slices over that of the first, less one; 0 where chance can do it."""
        third = len(self.slices) // 3
        if third < 2:
            return 0.0
        first, last = self.slices[:third], self.slices[-third:]
        change = float(last.mean() - first.mean())
        chance = 3 * float(np.hypot(first.std(ddof=1), last.std(ddof=1))) / third**0.5
        share = change / float(first.mean())
        return share if abs(change) > chance and abs(share) > DRIFT else 0.0

    @property
    def cached(self) -> bool:
        """Whether these writes can't have been where they belong when they were answered."""
        return self.variant == "write" and self.rate > MECHANICAL

    def judge(self) -> tuple[Quality, str]:
        """How far the rate may be trusted."""
        if self.disturbed >= 1:
            return (
                Quality.POOR,
                "Something disturbed it all the time: what is timed is not the drive's alone.",
            )
        if self.drift:
            return Quality.POOR, (
                f"The rate changed by {self.drift:+.0%} while it was measured: a cache filled or emptied, "
                "or something else used the disk."
            )
        if self.cached:
            cache = LASTING_CACHE if self.write_cache is False else "the write cache"
            return Quality.POOR, (
                f"Answered faster than any disk writes: {cache} took in all or "
                f"most of the {self.requests} requests."
            )
        if self.error > WIDE or self.requests < FEW // 2:
            return (
                Quality.POOR,
                f"{self.requests} requests leave the rate open by {self.error:.0%} either way.",
            )
        if self.failed:
            return Quality.FAIR, f"The medium failed at {self.failed} requests, which took their time."
        if self.requests < self.asked:
            return Quality.FAIR, f"Ended early, after {self.requests} of {self.asked} requests."
        if self.variant != "read" and self.write_cache is not False:
            known = "was on" if self.write_cache else "may have been on"
            return Quality.FAIR, (
                f"The write cache {known}: so fast the drive takes writes in, for {self.requests} requests."
            )
        if self.requests < MANY or self.error > NARROW:
            return Quality.FAIR, f"From {self.requests} requests, which leave {self.error:.1%} either way."
        return Quality.GOOD, ""

    def judge_all(self) -> tuple[Quality, str]:
        """The same for what is known of all requests together, disturbed ones included."""
        quality, reason = self.judge()
        if self.disturbed <= MOST_DISTURBED or quality is Quality.POOR:
            return quality, reason
        words = (
            f"{self.disturbed:.0%} of the requests fell into stretches of time that something disturbed, and "
            "this is of all requests."
        )
        return Quality.POOR if self.disturbed > HALF else Quality.FAIR, words


def combinations_of(entry: Mapping[str, Any], facts: Facts) -> list[Combination]:
    """All series that took a measurable time, in the document's order."""
    found = (_combination(one, entry["params"], facts) for one in entry["samples"]["series"])
    return [one for one in found if one is not None]


def _combination(series: Mapping[str, Any], params: Mapping[str, Any], facts: Facts) -> Combination | None:
    if series["elapsed_ns"] <= 0:
        return None
    steady = series["steady_requests"] >= FEWEST_STEADY and series["steady_ns"] > 0
    requests, time_ns = (
        (series["steady_requests"], series["steady_ns"])
        if steady
        else (series["requests"], series["elapsed_ns"])
    )
    disturbed = 0.0
    if "disturbed" in series["slices"]:
        # Something disturbed the others.
        left, left_ns = (sum(series["slices"][column]) for column in ("requests", "elapsed_ns"))
        disturbed = 1 - left / max(series["steady_requests"], left, 1) if series["steady_requests"] else 0.0
        requests, time_ns = (left, left_ns) if left_ns > 0 else (requests, time_ns)
    latencies = {
        name: found
        for name, key in (("read", "reads"), ("write", "writes"))
        if (found := latencies_of(series[key], params["sub_bucket_bits"])) is not None
    }
    slices = _slices(series["slices"])
    return Combination(
        variant=series["variant"],
        pattern=series["pattern"],
        concurrency=series["concurrency"],
        size=series["request_blocks"] * facts.block_bytes,
        asked=params["requests"] or 0,
        requests=series["requests"],
        failed=series["failed_requests"],
        elapsed_s=series["elapsed_ns"] / 1e9,
        rate=requests / time_ns * 1e9,
        error=_error(slices, latencies, series["requests"]),
        slices=slices,
        latencies=latencies,
        write_cache=facts.write_cache,
        disturbed=disturbed,
    )


def _slices(slices: Mapping[str, Any]) -> NDArray[np.float64]:
    pairs = [(n, ns) for n, ns in zip(slices["requests"], slices["elapsed_ns"], strict=False) if ns > 0]
    return np.array([n / ns * 1e9 for n, ns in pairs], dtype=np.float64)


def _error(
    slices: NDArray[np.float64], latencies: Mapping[str, Latencies | LatencySummary], requests: int
) -> float:
    """Relative half width: Student's over the times of slices, or from latencies where slices are few."""
    count = len(slices)
    if count >= FEWEST_SLICES:
        times = 1 / slices
        spread = float(times.std(ddof=1) / times.mean())
        return t_quantile((1 + LEVEL) / 2, count - 1) * spread / math.sqrt(count)
    spreads = [one.deviation / one.mean for one in latencies.values() if one.mean > 0]
    return Z95 * max(spreads, default=1.0) / math.sqrt(max(requests, 1))
