"""The clock: how finely it runs, that it runs one way, and that no two requests of a real disk are alike."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from server.core.text import counted
from server.plausibility.check import Check, Result, judged, not_applicable, noted, passed
from server.plausibility.columns import Integers, Timed
from server.plausibility.evidence import Evidence

TICKS_NS = (10_000_000, 4_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10)
COARSE_NS = 1_000
ON_TICK = 0.99
ENOUGH_TIMES = 50
ALIKE = 0.3
ENOUGH_PAIRS = 5
FINE_NS = 100
NEAR_NS = 100.0
ENOUGH_REPEATED = 20
COMPARED = 256
SIMULATED = "A simulated drive without noise gives the same times again."


def tick_ns(times_ns: Integers) -> int:
    """Return the coarsest tick that nearly all times are multiples of; 1 where there is none."""
    # Each is a multiple of the finest: where that one has too few, the others have no more.
    if _on_tick(times_ns, TICKS_NS[-1]) < ON_TICK:
        return 1
    return next(tick for tick in TICKS_NS if _on_tick(times_ns, tick) >= ON_TICK)


def _on_tick(times_ns: Integers, tick: int) -> float:
    return float((times_ns % tick == 0).mean())


def clock_tick(evidence: Evidence) -> Result:
    """Look for a coarse clock."""
    times = [series.times_ns for series in evidence.series]
    together = np.concatenate(times) if times else np.empty(0, dtype=np.int64)
    if together.size < ENOUGH_TIMES:
        return not_applicable(f"Fewer than {ENOUGH_TIMES} times.")
    tick = tick_ns(together)
    if tick >= COARSE_NS:
        return noted(
            f"All times are multiples of {tick / 1e3:g} µs: the clock is coarse, or they were rounded.",
            tick_ns=tick,
        )
    return passed("The clock is finer than a microsecond.", tick_ns=tick)


def times_alike(evidence: Evidence) -> Result:
    """Look for times that are the same to the nanosecond from one request to the next."""
    if evidence.simulated:
        return not_applicable(SIMULATED)
    findings, shares = [], {}
    for kind in dict.fromkeys(series.kind for series in evidence.series):
        mine = [series.times_ns for series in evidence.series if series.kind == kind]
        if tick_ns(np.concatenate(mine)) > FINE_NS:
            continue
        alike = np.concatenate([np.diff(times) == 0 for times in mine])
        if alike.size < ENOUGH_PAIRS:
            continue
        shares[kind] = share = round(float(alike.mean()), 4)
        if share > ALIKE:
            findings.append(
                f"{kind}: {100 * share:.0f} % of the requests took as long as the one before, to the "
                "nanosecond."
            )
    if not shares:
        return not_applicable("The clock is too coarse, or there are too few times.")
    return judged(
        findings, "No two requests in a row are alike more often than by chance.", alike_share=shares
    )


def starts_in_order(evidence: Evidence) -> Result:
    """Look for requests that began before the one before them had ended."""
    looked, findings = 0, []
    for series in evidence.series:
        starts = series.columns.get("start_ns")
        if starts is None or starts.size < 2:
            continue
        looked += 1
        for lane in _lanes(series):
            overlaps = int((starts[lane][1:] < (starts + series.times_ns)[lane][:-1]).sum())
            backward = int((np.diff(starts[lane]) < 0).sum())
            if overlaps or backward:
                findings.append(
                    f"{series.name}: {counted(overlaps or backward, 'request')} began before the "
                    "previous one had ended."
                )
                break
    if not looked:
        return not_applicable("No series says when its requests began.")
    return judged(findings, "Every request began after the one before it had ended.", series=looked)


def _lanes(series: Timed) -> Iterator[Integers]:
    lanes = series.columns.get("lane")
    if lanes is None:
        yield np.arange(series.times_ns.size)
        return
    for lane in np.unique(lanes):
        yield np.flatnonzero(lanes == lane)


def repeats_differ(evidence: Evidence) -> Result:
    """Look for series whose times are another series' times, but for less than a clock or a system call
    varies."""
    if evidence.simulated:
        return not_applicable(SIMULATED)
    looked = 0
    findings: list[str] = []
    for kind in dict.fromkeys(series.kind for series in evidence.series):
        by_length: dict[int, list[Timed]] = {}
        for series in evidence.series:
            if series.kind == kind and series.times_ns.size >= ENOUGH_REPEATED:
                by_length.setdefault(series.times_ns.size, []).append(series)
        for siblings in by_length.values():
            looked += len(siblings)
            findings += _copies(siblings)
    if looked < 2:
        return not_applicable(f"No two series of {ENOUGH_REPEATED} times or more.")
    return judged(findings, "No series is a copy of another one.", series=looked)


def _copies(siblings: list[Timed]) -> Iterator[str]:
    """Name the first series that is within NEAR_NS of an earlier one."""
    table = np.array([series.times_ns[:COMPARED] for series in siblings], dtype=np.float64)
    for number in range(1, len(siblings)):
        nearest = np.median(np.abs(table[:number] - table[number]), axis=1)
        other = int(nearest.argmin())
        if nearest[other] < NEAR_NS and tick_ns(siblings[number].times_ns) <= FINE_NS:
            yield (
                f"{siblings[number].name} ({siblings[number].path}) has the times of {siblings[other].path}: "
                "half of them "
                f"differ by {nearest[other]:.0f} ns or less."
            )
            return


CLOCK_TICK = Check(
    key="clock_tick",
    title="The clock is fine",
    question="Are nearly all times multiples of a coarse tick?",
    limit="1 µs or coarser is noted.",
    because=(
        "Linux gives its monotonic clock in nanoseconds. A virtual machine or an old board may have a "
        "coarser one."
    ),
    remedy="Look at the machine's clock source; numbers below some hundred ticks carry its error.",
    judge=clock_tick,
)
TIMES_ALIKE = Check(
    key="times_alike",
    title="No two requests are alike",
    question="How often does a request take exactly as long as the one before?",
    limit=f"{100 * ALIKE:.0f} % of the pairs of a kind, where the clock is finer than {FINE_NS} ns.",
    because=(
        "A system call and an interrupt vary by tens of nanoseconds at least; at a nanosecond's resolution "
        "one pair in a "
        "hundred is alike by chance. Constant times are found here whatever the kind."
    ),
    remedy="None for a run on a real disk.",
    judge=times_alike,
)
STARTS_IN_ORDER = Check(
    key="starts_in_order",
    title="Requests follow each other",
    question="Where a series says when its requests began: did each begin after the one before it had ended?",
    limit="Any overlap, within one lane where several requests are under way.",
    because="One lane hands over one request at a time, and a monotonic clock never goes back.",
    remedy="None: the document contradicts itself.",
    judge=starts_in_order,
)
REPEATS_DIFFER = Check(
    key="repeats_differ",
    title="No series is another one's copy",
    question=(
        f"Do the first {COMPARED} times of two series of a kind differ by as much as a clock and a system "
        "call vary?"
    ),
    limit=f"A median difference of {NEAR_NS:.0f} ns, from {ENOUGH_REPEATED} times on.",
    because=(
        "A spindle varies by a ten-thousandth of a turn, some hundred nanoseconds, and each request by a "
        "system call more."
    ),
    remedy="None for a run on a real disk.",
    judge=repeats_differ,
)
CHECKS = (CLOCK_TICK, TIMES_ALIKE, STARTS_IN_ORDER, REPEATS_DIFFER)
