"""The probe's own book-keeping: sums, bounds and rules that its columns keep among themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from server.core.text import counted
from server.plausibility.check import Check, Result, judged, not_applicable
from server.plausibility.columns import Integers
from server.plausibility.evidence import Evidence
from server.plausibility.transport import ELAPSED_TOLERANCE

ORDER = ("fastest_ns", "median_ns", "percentile_90_ns", "slowest_ns")


def buckets(evidence: Evidence) -> Result:
    """Compare latencies in buckets with their sums, their bounds, and the requests that stand one by one."""
    looked, findings = 0, []
    for part in evidence.parts:
        bits = part["params"].get("sub_bucket_bits")
        for node in _objects(part["samples"]):
            found = [(name, node[name]) for name in ("reads", "writes") if _is_histogram(node.get(name))]
            looked += len(found)
            wrong = [fault for name, histogram in found for fault in _faults(node, name, histogram, bits)]
            if found and not wrong:
                wrong = list(_crowded(node, [histogram for _name, histogram in found]))
            findings += [f"{part['kind']}: {fault}" for fault in wrong]
    if not looked:
        return not_applicable("No latencies in buckets.")
    return judged(
        findings[:5], "Buckets, sums and single requests agree.", histograms=looked, faults=len(findings)
    )


def _is_histogram(node: Any) -> bool:
    return isinstance(node, dict) and bool(node.get("low_ns"))


def _objects(node: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(node, dict):
        yield node
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for child in children:
        if isinstance(child, dict) or (isinstance(child, list) and child and isinstance(child[0], dict)):
            yield from _objects(child)


def _faults(
    node: Mapping[str, Any], name: str, histogram: Mapping[str, Any], bits: int | None
) -> Iterator[str]:
    low, counts = _column(histogram, "low_ns"), _column(histogram, "requests")
    wide = 1.0 + 2.0 ** -(bits if bits is not None else 0)
    least, most = float((low * counts).sum()), float((low * counts).sum()) * wide + float(counts.sum())
    if not least <= histogram["total_ns"] <= most:
        held_ns = f"{least:.0f} to {most:.0f}"
        yield f"the {name} add up to {histogram['total_ns']} ns; their buckets hold {held_ns}."
    if bits is not None and (off := int((low != _bucket_of(low, bits)).sum())):
        yield f"{counted(off, 'bucket')} of the {name} lie where no bucket begins."
    highest = float(low.max()) * wide + 1
    if not (low.min() <= histogram["minimum_ns"] <= histogram["maximum_ns"] <= highest):
        yield f"the shortest or the longest of the {name} lies in no bucket."
    first = node.get("first")
    if isinstance(first, dict) and bits is not None:
        is_write = np.asarray(first.get("is_write", []), dtype=np.int64)
        mine = _column(first, "latency_ns")[is_write == (name == "writes")]
        have = dict(zip(low.tolist(), counts.tolist(), strict=True))
        seen, times = np.unique(_bucket_of(mine, bits), return_counts=True)
        if missing := sum(max(int(n) - have.get(int(at), 0), 0) for at, n in zip(seen, times, strict=True)):
            yield f"{missing} of the first {mine.size} {name} are in no bucket."


def _crowded(node: Mapping[str, Any], histograms: list[Mapping[str, Any]]) -> Iterator[str]:
    """Little's law: the requests' times together are no longer than the time they took, times how many
    there were."""
    at_once, elapsed = node.get("concurrency"), node.get("elapsed_ns")
    total = sum(histogram["total_ns"] for histogram in histograms)
    if (
        isinstance(at_once, int)
        and isinstance(elapsed, int)
        and total > at_once * elapsed * ELAPSED_TOLERANCE
    ):
        yield f"{at_once} under way for {elapsed / 1e9:.2f} s can't have waited {total / 1e9:.2f} s together."


def _bucket_of(values: Integers, bits: int) -> Integers:
    """Return each value's bucket's lower bound: the value with its `bits` + 1 leading binary digits."""
    lengths = np.frexp(values.astype(np.float64))[1].astype(np.int64)
    shift = np.maximum(lengths - (bits + 1), 0)
    return np.asarray((values >> shift) << shift, dtype=np.int64)


def _column(node: Mapping[str, Any], name: str) -> Integers:
    return np.asarray(node.get(name, []), dtype=np.int64)


def sample_time(evidence: Evidence) -> Result:
    """Find samples that ended before the time for which the probe reads on."""
    if evidence.document["conditions"]["interrupted"]:
        return not_applicable("The run was cut off before it was through.")
    findings, looked, shortest = [], 0, float("inf")
    for part in evidence.parts:
        sample_ns, transfer = part["params"].get("sample_ns"), part["params"].get("transfer_blocks")
        if not sample_ns or not transfer:
            continue
        for series in evidence.series:
            if (
                series.kind != part["kind"]
                or series.positions is None
                or series.blocks is None
                or series.single
            ):
                continue
            ended = series.positions + series.blocks >= evidence.blocks
            mine = series.times_ns[(series.blocks > transfer) & ~ended]
            looked += mine.size
            if mine.size:
                shortest = min(shortest, float(mine.min()) / sample_ns)
            if early := int((mine < sample_ns).sum()):
                findings.append(
                    f"{series.name}: {counted(early, 'sample')} ended before their "
                    f"{sample_ns / 1e9:g} s, the first after {mine.min() / 1e9:.3f} s."
                )
    if not looked:
        return not_applicable("No samples that go on for a given time.")
    return judged(
        findings,
        "Every sample lasted as long as it had to.",
        samples=looked,
        shortest_share=round(shortest, 4),
    )


def order_statistics(evidence: Evidence) -> Result:
    """Compare the fastest, median, 90 % and slowest request with each other and with the time of all."""
    looked, findings = 0, []
    for series in evidence.series:
        if not all(name in series.columns for name in (*ORDER, "requests")):
            continue
        looked += 1
        table = np.array([series.columns[name] for name in ORDER])
        requests = series.columns["requests"]
        unordered = int((np.diff(table, axis=0) < 0).any(axis=0).sum())
        # The median is of some requests at equal distances: it bounds nothing where the burst was cut off.
        least = table[0] * (requests - 1) + table[3]
        short = int((series.times_ns * ELAPSED_TOLERANCE < least).sum())
        if unordered or short:
            findings.append(
                f"{series.name}: {counted(unordered + short, 'row')} whose latencies don't "
                "fit each other or their sum."
            )
    if not looked:
        return not_applicable("No latencies given by their median and bounds.")
    return judged(findings, "Medians, bounds and sums agree.", series=looked)


BUCKETS = Check(
    key="buckets",
    title="Buckets add up",
    question=(
        "Do latencies in buckets agree with their sum, their bounds, the time of all, and the first requests "
        "one by one?"
    ),
    limit="The buckets' width (params.sub_bucket_bits), and 1 % for the time of all.",
    because=(
        "The probe counts every request once and keeps the sum exactly. As many as are under way wait for as "
        "long as the "
        "clock runs, at most (Little's law)."
    ),
    remedy="None: the document contradicts itself.",
    judge=buckets,
)
SAMPLE_TIME = Check(
    key="sample_time",
    title="Timed samples last their time",
    question=(
        "Did every sample that reads on for a given time go on for that time, or to the end of the device?"
    ),
    limit="params.sample_ns.",
    because=(
        "The probe stops at the first request that ends after it. Times that were scaled or drawn lie below."
    ),
    remedy="None: the document contradicts itself.",
    judge=sample_time,
)
ORDER_STATISTICS = Check(
    key="order_statistics",
    title="Medians lie between their bounds",
    question="Is fastest <= median <= 90 % <= slowest, and the time of all no shorter than these need?",
    limit="1 % for the time of all.",
    because="That is what the words mean.",
    remedy="None: the document contradicts itself.",
    judge=order_statistics,
)
CHECKS = (BUCKETS, SAMPLE_TIME, ORDER_STATISTICS)
