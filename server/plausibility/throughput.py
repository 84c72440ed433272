"""Requests a second: what rotation, seek and the number under way let a disk answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from server.benchmarks.contract import Measurand
from server.plausibility.access_patterns import in_no_order
from server.plausibility.agreement import whole
from server.plausibility.check import Check, Result, judged, not_applicable
from server.plausibility.evidence import TURN_FASTEST_NS, Evidence
from server.plausibility.rotation import NO_TURN

ENOUGH_REQUESTS = 50


@dataclass(frozen=True, slots=True)
class Load:
    """Requests at random places, some of them under way at once."""

    name: str
    at_once: int
    requests: int
    elapsed_ns: float


def loads(evidence: Evidence) -> Iterator[Load]:
    """Return the run's random requests on the medium by combination: those that stand one by one, and the
    stretches that count all of a combination."""
    scattered_paths: set[tuple[str, str]] = set()
    for series in evidence.series:
        starts = series.columns.get("start_ns")
        if starts is None or series.positions is None or "lane" not in series.columns:
            continue
        if not evidence.on_medium(series) or not in_no_order(series.positions, evidence.blocks):
            continue
        scattered_paths.add((series.kind, series.path.rpartition("/")[0]))
        elapsed_ns = float((starts + series.times_ns).max() - starts.min())
        yield Load(series.name, series.at_once, series.times_ns.size, elapsed_ns)
    for series in evidence.series:
        if "requests" in series.columns and (series.kind, series.path.rpartition("/")[0]) in scattered_paths:
            requests = int(series.columns["requests"].sum())
            yield Load(series.name, series.at_once, requests, float(series.times_ns.sum()))


def request_rate(evidence: Evidence) -> Result:
    """Compare the rate of random requests with the fastest in which a head can come to them."""
    if not evidence.rotating:
        return not_applicable(NO_TURN)
    found = [load for load in loads(evidence) if load.requests >= ENOUGH_REQUESTS]
    if not found:
        return not_applicable(f"No {ENOUGH_REQUESTS} requests at random places past the caches.")
    turn_ns = evidence.turn.ns if evidence.turn else TURN_FASTEST_NS
    shortest = whole(evidence, Measurand.SHORTEST_SEEK)
    seek_ns = shortest.value * 1e6 if shortest else 0.0
    shares: dict[str, float] = {}
    findings = []
    for load in found:
        least_ns = seek_ns + turn_ns / (load.at_once + 1)
        most = 1e9 / least_ns / (1 - 4 / np.sqrt(load.requests))
        rate = load.requests / load.elapsed_ns * 1e9 if load.elapsed_ns > 0 else float("inf")
        name = f"{load.name} with {load.at_once} under way"
        shares[name] = round(max(rate * least_ns / 1e9, shares.get(name, 0.0)), 4)
        if rate > most:
            findings.append(
                f"{name}: {rate:.0f} requests a second; a disk can come to {most:.0f} at most, each after a "
                f"wait of {least_ns / 1e6:.3f} ms."
            )
    return judged(findings, "No load was answered faster than a head can come to it.", share_of_most=shares)


REQUEST_RATE = Check(
    key="request_rate",
    title="Random requests wait for the head",
    question=(
        "Are random requests answered no faster than the nearest of those under way comes under the head?"
    ),
    limit=(
        "One request in a turn over the number under way plus one, and the shortest seek where the run "
        f"measured it; four standard errors more, from {ENOUGH_REQUESTS} requests on."
    ),
    because=(
        "Of n places at random angles the nearest is 1/(n + 1) of a turn away in the mean, whichever order "
        "the drive chooses, and a seek comes before it. No queue is deeper than what is under way (Little's "
        "law). "
        "What is faster came out of a cache. Where nobody says how fast the disk turns, 15,000 rpm."
    ),
    remedy=(
        "Look for a caching controller or a cache of the machine between probe and disk, and for blocks that "
        "were discarded."
    ),
    judge=request_rate,
)
CHECKS = (REQUEST_RATE,)
