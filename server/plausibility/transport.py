"""What the way to the device allows: the time of its bytes on the link, and the time that passed."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import numpy as np

from server.core.text import counted
from server.core.units import link_bytes_per_s
from server.plausibility.check import Check, Result, judged, not_applicable, noted, passed
from server.plausibility.columns import Timed
from server.plausibility.evidence import Evidence

LINK_TOLERANCE = 1.05
ELAPSED_TOLERANCE = 1.01
CLOCK_ALLOWANCE = timedelta(hours=26)
FASTEST_LINK_BITS_PER_S = {"ata": 6e9, "scsi": 48e9, "usb": 80e9, "nvme": 256e9}


def no_time(evidence: Evidence) -> Result:
    """Find requests that took no time."""
    findings = [
        f"{series.name}: {counted(wrong, 'request')} took no time at all."
        for series in evidence.series
        if (wrong := int((series.times_ns <= 0).sum()))
    ]
    shortest = min((int(series.times_ns.min()) for series in evidence.series), default=0)
    return judged(findings, f"The shortest time is {shortest / 1e3:.1f} µs.", shortest_ns=shortest)


def link_rate(evidence: Evidence) -> Result:
    """Find requests whose bytes can't have passed the link in the time."""
    limit = _link_bytes_per_ns(evidence)
    if limit is None:
        return not_applicable("Neither the link's speed nor an interface with a fastest one is known.")
    bytes_per_ns, source = limit
    fastest, findings = 0.0, []
    for series in evidence.series:
        rates = _rates(series, evidence.device["block_bytes"])
        if rates is None:
            continue
        fastest = max(fastest, float(rates.max()))
        if wrong := int((rates > bytes_per_ns * LINK_TOLERANCE).sum()):
            findings.append(
                f"{series.name}: {counted(wrong, 'request')} moved bytes faster than the link's "
                f"{bytes_per_ns * 1e3:.0f} MB/s ({source}), up to {rates.max() * 1e3:.0f} MB/s."
            )
    fine = (
        f"The fastest request moved {fastest * 1e3:.1f} MB/s; the link takes {bytes_per_ns * 1e3:.0f} "
        f"({source})."
    )
    return judged(findings, fine, fastest_mb_per_s=fastest * 1e3, link_mb_per_s=bytes_per_ns * 1e3)


def _link_bytes_per_ns(evidence: Evidence) -> tuple[float, str] | None:
    device = evidence.device
    interface, bridged = device["interface"], bool(device.get("bridge"))
    speed, source = device["link_speed_bits_per_s"], "as negotiated"
    if not speed and interface in FASTEST_LINK_BITS_PER_S:
        speed, source = FASTEST_LINK_BITS_PER_S[interface], f"the fastest {interface} there is"
    if not speed:
        return None
    return link_bytes_per_s(interface=interface, bridged=bridged, bits_per_s=speed) / 1e9, source


def _rates(series: Timed, block_bytes: int) -> Any:
    if series.blocks is None or int(series.times_ns.min()) <= 0:
        return None
    return np.asarray(series.blocks * block_bytes / series.times_ns, dtype=np.float64)


def sample_sum(evidence: Evidence) -> Result:
    """Find benchmarks whose samples took longer than the benchmark."""
    findings, shares = [], {}
    for part in evidence.parts:
        total_ns = taken_ns(part["samples"], 1)
        shares[part["kind"]] = round(total_ns / part["elapsed_ns"], 4) if part["elapsed_ns"] else None
        if total_ns > part["elapsed_ns"] * ELAPSED_TOLERANCE:
            findings.append(
                f"{part['kind']}: the samples add up to {total_ns / 1e9:.3f} s, more than the "
                f"{part['elapsed_ns'] / 1e9:.3f} s in which they were taken."
            )
    return judged(findings, "The samples of every benchmark fit into its time.", share_of_elapsed=shares)


def taken_ns(node: Any, at_once: int) -> float:
    """Return how long the samples of a part took at least.

    `concurrency` requests were under way at once where an object says so. An object's own times and those of
    what it holds tell of the same requests, so the longest of them counts; those of a list's objects follow
    each other.
    """
    if isinstance(node, list):
        return sum(taken_ns(child, at_once) for child in node) if node and isinstance(node[0], dict) else 0.0
    if not isinstance(node, dict):
        return 0.0
    at_once = max(int(node.get("concurrency") or at_once), 1)
    latencies, elapsed = node.get("latency_ns"), node.get("elapsed_ns")
    own = [0.0]
    if isinstance(latencies, list):
        own.append(sum(latencies) / at_once)
    if elapsed is not None:
        own.append(float(sum(elapsed) if isinstance(elapsed, list) else elapsed))
    return max(*own, *(taken_ns(child, at_once) for child in node.values()), 0.0)


def wall_clock(evidence: Evidence) -> Result:
    """Compare when the run began and how long it took with when it came in."""
    if evidence.simulated:
        return not_applicable("A simulated drive's time is not the clock's.")
    if evidence.imported:
        return not_applicable("An import says when it was made; what it was read from is older.")
    if evidence.received_at is None:
        return not_applicable("When the run came in is not known.")
    began = datetime.fromisoformat(evidence.document["created_at"])
    taken = timedelta(seconds=sum(part["elapsed_ns"] for part in evidence.parts) / 1e9)
    late = began + taken - evidence.received_at
    figures = {"hours_after_receipt": round(late.total_seconds() / 3600, 2)}
    if late > CLOCK_ALLOWANCE:
        return noted(
            f"The run began at {began:%Y-%m-%d %H:%M} UTC and took {taken}: it ended {late} after it came "
            "in.",
            **figures,
        )
    return passed("The run ended before it came in.", **figures)


NO_TIME = Check(
    key="no_time",
    title="Every request took time",
    question="Is every latency and every elapsed time above zero?",
    limit="0 ns.",
    because=(
        "A request is a system call, a transfer and an interrupt. A clock too coarse to see that can't time "
        "disks."
    ),
    remedy="Measure again with the present probe on a machine whose monotonic clock has a fine resolution.",
    judge=no_time,
)
LINK_RATE = Check(
    key="link_rate",
    title="Nothing is faster than the link",
    question="Did the bytes of every request and of every stretch fit through the link in the time it took?",
    limit=(
        f"{LINK_TOLERANCE} times the link's rate: the negotiated one, or the fastest that the interface has. "
        "For SATA eight "
        "of ten bits are data (8b/10b coding), for the others all bits are taken for data."
    ),
    because=(
        "All bytes pass the link, whichever cache they come from. Fastest taken: SATA 6 Gbit/s, SCSI two "
        "ports of "
        "24 Gbit/s, USB 80 Gbit/s, NVMe four lanes of 64 GT/s."
    ),
    remedy=(
        "Look at the link's speed in the document: a wrong one (a bridge that lies) is a reason to accept "
        "the run."
    ),
    judge=link_rate,
)
SAMPLE_SUM = Check(
    key="sample_sum",
    title="The samples fit into their benchmark's time",
    question=(
        "Is the sum of the samples' times, those under way at once shared, within the benchmark's elapsed "
        "time?"
    ),
    limit=f"{ELAPSED_TOLERANCE} times the elapsed time.",
    because=(
        "The probe takes both from one monotonic clock, and samples that follow each other can't overlap."
    ),
    remedy="None: the document contradicts itself. Measure again.",
    judge=sample_sum,
)
WALL_CLOCK = Check(
    key="wall_clock",
    title="The run ended before it came in",
    question=(
        "Is the time at which the run began plus the time it took before the time at which it was received?"
    ),
    limit="26 hours after receipt are allowed: clocks set to local time, in whatever zone.",
    because=(
        "A run can't be sent before it ends. But a machine's clock may be wrong, which touches no number: "
        "noted only."
    ),
    remedy="Set the machine's clock.",
    judge=wall_clock,
)
CHECKS = (NO_TIME, LINK_RATE, SAMPLE_SUM, WALL_CLOCK)
