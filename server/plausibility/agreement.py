"""Agreement of kinds: what one kind measured bounds what another can have measured on the same disk."""

from __future__ import annotations

from itertools import combinations

from server.benchmarks.contract import Measurand, Measures
from server.benchmarks.registry import metrics_by_key
from server.plausibility.check import Check, Result, judged, not_applicable
from server.plausibility.evidence import USABLE, Evidence, Number

HEADS_DIFFER = 0.1
RATES_APART = 1.25
ACCESS_APART = 1.25
PLACES = ((Measurand.OUTER_BANDWIDTH, "outer"), (Measurand.INNER_BANDWIDTH, "inner"))


def measuring(evidence: Evidence, measurand: Measurand, place: str = "") -> list[tuple[Number, Measures]]:
    """Return the usable numbers that measure something, with how their metrics do; at `place` where a metric
    measures it at each of several."""
    found = []
    for number in evidence.numbers:
        metric = metrics_by_key().get(number.metric)
        for one in metric.measures if metric and number.quality in USABLE else ():
            if one.measurand is measurand and number.scope == (place if one.scope is None else one.scope):
                found.append((number, one))
    return sorted(found, key=lambda entry: entry[1].rank)


def whole(evidence: Evidence, measurand: Measurand) -> Number | None:
    """Return the number that measures something of the whole drive; None where nothing does."""
    return next((number for number, _how in measuring(evidence, measurand)), None)


def one_spindle(evidence: Evidence) -> Result:
    """Compare the turns by which the kinds of a run were planned: the probe looks once and hands it to
    all."""
    estimates = {
        part["kind"]: int(part["params"]["rotation_estimate_ns"])
        for part in evidence.parts
        if part["params"].get("rotation_estimate_ns")
    }
    if len(estimates) < 2:
        return not_applicable("Fewer than two kinds that were planned by a turn.")
    listed = ", ".join(f"{kind} by {turn_ns} ns" for kind, turn_ns in estimates.items())
    finding = f"The kinds were planned by different turns ({listed}), so they are not of one run."
    wrong = [finding] if len(set(estimates.values())) > 1 else []
    return judged(wrong, f"All kinds were planned by one turn: {listed}.", turns_ns=estimates)


def track_and_rate(evidence: Evidence) -> Result:
    """Compare sequential rates with what the tracks there can pass in a turn."""
    if (turn := evidence.turn) is None:
        return not_applicable("Nobody says how fast the disk turns.")
    findings, shares = [], {}
    for measurand, place in PLACES:
        tracks = [number.value for number, _one in measuring(evidence, Measurand.SECTORS_PER_TRACK, place)]
        if not tracks:
            continue
        most = max(tracks) * evidence.device["block_bytes"] / turn.ns * 1e3
        for number, _one in measuring(evidence, measurand):
            shares[f"{number.metric} {place}"] = round(number.value / most, 4)
            if number.value > most * (1 + HEADS_DIFFER):
                findings.append(
                    f"{number.metric} is {number.value:.1f} MB/s; the {place} tracks of {max(tracks):.0f} "
                    "blocks "
                    f"pass {most:.1f} MB/s in turns of {turn.words}, {100 * HEADS_DIFFER:.0f} % more at most "
                    "on another head."
                )
    if not shares:
        return not_applicable("No blocks per track beside a sequential rate at one place.")
    return judged(findings, "No rate is above what the tracks pass under the head.", share_of_track=shares)


def rates_agree(evidence: Evidence) -> Result:
    """Compare the sequential rates that several kinds measured at one place."""
    findings, ratios = [], {}
    for measurand, place in PLACES:
        for first, second in combinations(measuring(evidence, measurand), 2):
            (slow, slow_is), (fast, _fast_is) = sorted((first, second), key=lambda one: one[0].value)
            ratio = fast.value / slow.value if slow.value > 0 else float("inf")
            ratios[f"{fast.metric} {place} over {slow.metric}"] = round(ratio, 3)
            # The slowest and the fastest of several lie where one disturbance puts them.
            if ratio > RATES_APART and not slow_is.extreme:
                findings.append(
                    f"At the {place} edge {fast.metric} is {fast.value:.1f} MB/s and {slow.metric} "
                    f"{slow.value:.1f}: {ratio:.2f} times, of {RATES_APART} at most on one disk."
                )
    if not ratios:
        return not_applicable("No two kinds measured a sequential rate at one place.")
    return judged(findings, "Sequential rates of different kinds agree.", ratios=ratios)


def access_and_seek(evidence: Evidence) -> Result:
    """Compare the random access time with the seek and half a turn, and random reads with both."""
    expected: dict[str, float] = {}
    seek, access = whole(evidence, Measurand.AVERAGE_SEEK), whole(evidence, Measurand.ACCESS_TIME)
    reads = whole(evidence, Measurand.RANDOM_READS)
    if seek and evidence.turn:
        expected[f"{seek.metric} and half a turn"] = seek.value + evidence.turn.ns / 2e6
    if access:
        expected[access.metric] = access.value
    if reads and reads.value > 0:
        expected[f"{reads.metric}, one under way,"] = 1e3 / reads.value
    if len(expected) < 2:
        return not_applicable("No two of average seek, access time and random reads.")
    findings = [
        f"{slow} make {slow_ms:.2f} ms and {fast} {fast_ms:.2f} ms: {slow_ms / fast_ms:.2f} times, of "
        f"{ACCESS_APART} at most on one disk."
        for (slow, slow_ms), (fast, fast_ms) in combinations(
            sorted(expected.items(), key=lambda entry: -entry[1]), 2
        )
        if slow_ms > ACCESS_APART * fast_ms
    ]
    return judged(findings, "Seek, access time and random reads agree.", milliseconds=expected)


ONE_SPINDLE = Check(
    key="one_spindle",
    title="All kinds are of one run",
    question="Were all kinds that are planned by the length of a turn planned by the same one?",
    limit="Equal to the nanosecond.",
    because=(
        "The probe times the spindle once, before the first kind, and hands what it found to all. Two runs "
        "find turns that differ by a clock's noise at least, so parts of two runs show here."
    ),
    remedy="None: the parts are of different runs. Submit each run as it was measured.",
    judge=one_spindle,
)
TRACK_AND_RATE = Check(
    key="track_and_rate",
    title="No rate is above what the tracks pass",
    question="Is each sequential rate at most the blocks of a track there in one turn?",
    limit=f"{100 * HEADS_DIFFER:.0f} % above.",
    because=(
        "All bytes pass under a head, a track in a turn, and the time of head and cylinder switches comes on "
        "top. Heads of one drive may be formatted up to a tenth apart."
    ),
    remedy="Look for two actuators behind one device, and for parts of different drives in one document.",
    judge=track_and_rate,
)
RATES_AGREE = Check(
    key="rates_agree",
    title="Sequential rates agree",
    question="Where several kinds measured a sequential rate at one edge: are they of one disk?",
    limit=f"{RATES_APART} times; a slowest or fastest sample as the lower of two is no finding.",
    because=(
        "One place has one rate, whichever way it is asked for. Pieces of different lengths meet different "
        "shares of switches, a disturbed machine takes a tenth, and a zone may lie between two samples."
    ),
    remedy="Measure again on an idle machine; look for a cache that answered one of them.",
    judge=rates_agree,
)
ACCESS_AND_SEEK = Check(
    key="access_and_seek",
    title="Access time is seek and half a turn",
    question=(
        "Are the average seek plus half a turn, the random access time, and the inverse of random reads one "
        "at a time the same time?"
    ),
    limit=f"{ACCESS_APART} times.",
    because=(
        "A read at a random place seeks and then waits for any angle, half a turn in the mean; with one "
        "request "
        "under way its time is the inverse of the rate (Little's law). Transfers of 4 KiB, a command's "
        "overhead and the scatter of 100 reads take a tenth."
    ),
    remedy="Measure again on an idle machine; look for a cache that answered one of them.",
    judge=access_and_seek,
)
CHECKS = (ONE_SPINDLE, TRACK_AND_RATE, RATES_AGREE, ACCESS_AND_SEEK)
