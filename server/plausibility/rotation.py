"""The turn: what waits for a place on a turning disk shows how fast it turns, and can't hide that it does."""

from __future__ import annotations

import numpy as np

from server.core.robust import concentration, quartile_range
from server.plausibility.access_patterns import SLOW_SHARE, Walk, scattered, tooth_of, walks
from server.plausibility.check import Check, Result, judged, not_applicable, noted, passed, quarantined
from server.plausibility.columns import Timed
from server.plausibility.evidence import (
    PEERS_TOLERANCE,
    RATED_TOLERANCE,
    TURN_FASTEST_NS,
    Evidence,
    Number,
)

ORDER = 0.3
MOVES = 0.1
SHORTEST_TRACK_BYTES = 16 * 1024
"""Of disks that take SCSI or ATA commands: a track of 32 sectors."""
ENOUGH_TEETH = 8
ENOUGH_WRITES = 20
WRITE_ORDER = 0.5
LARGEST_WRITE_BYTES = 4096
HARDLY = 0.05
NO_TURN = "The device does not turn, or nobody who can know says that it does."
NO_RATE = "Neither the device, nor the catalogue, nor three other units say how fast it turns."


def rotation_rate(evidence: Evidence) -> Result:
    """Compare every whole-drive rate in rpm, of whatever kind, with what the disk is rated."""
    if (turn := evidence.turn) is None:
        return not_applicable(NO_RATE if evidence.rotating else NO_TURN)
    rated = 60e9 / turn.ns
    if not (rates := evidence.rotation_rates):
        return not_applicable("The samples gave no rotation rate.")
    findings = [
        f"{number.metric} is {number.value:.0f} rpm; the drive is rated {rated:.0f} rpm ({turn.source}), "
        f"{100 * turn.tolerance:g} % either way."
        for number in rates
        if abs(number.value - rated) > turn.tolerance * rated + _half_interval(number)
    ]
    measured = {number.metric: number.value for number in rates}
    told = ", ".join(f"{value:.1f}" for value in measured.values())
    return judged(
        findings, f"Measured {told} rpm, rated {rated:.0f} rpm ({turn.source}).", rated_rpm=rated, **measured
    )


def _half_interval(number: Number) -> float:
    """Return by how much a number says that it may be wrong itself; no more than the tolerance of a
    rating."""
    if number.low is None or number.high is None:
        return 0.0
    return min((number.high - number.low) / 2, RATED_TOLERANCE * number.value)


def turn_in_walks(evidence: Evidence) -> Result:
    """Look for the platter's phase in series of growing distances."""
    if not evidence.rotating:
        return not_applicable(NO_TURN)
    if (turn := evidence.turn) is None:
        return not_applicable(NO_RATE)
    found = walks(evidence, turn.ns)
    if not found:
        return not_applicable("No series goes through growing distances on the medium.")
    findings: list[str] = []
    words: list[str] = []
    figures: dict[str, dict[str, float]] = {}
    for kind in dict.fromkeys(walk.series.kind for walk in found):
        mine = [walk for walk in found if walk.series.kind == kind]
        finding, told, figures[kind] = _phase(kind, mine, turn.ns)
        (findings if finding else words).append(told)
    return judged(findings, " ".join(words), **figures)


def _phase(kind: str, found: list[Walk], turn_ns: float) -> tuple[bool, str, dict[str, float]]:
    slow = max(walk.slow_share for walk in found)
    medium = [walk for walk in found if walk.slow_share >= SLOW_SHARE]
    if not medium:
        finding = slow < HARDLY
        told = (
            f"{kind}: {100 * slow:.1f} % of the requests at most took a quarter of a turn, which a disk "
            "needs to bring "
            "places under its head that it was never at before."
            if finding
            else f"{kind}: a cache answered too many requests to see the turn."
        )
        return finding, told, {"slow_share": round(slow, 4)}
    orders = [(walk.order(turn_ns), walk.steps_ns.size) for walk in medium]
    pairs = sum(count for _order, count in orders)
    order = sum(order * count for order, count in orders) / pairs
    moved = max(walk.moved(turn_ns) for walk in medium)
    figures = {"order": round(order, 3), "pairs": float(pairs), "turns_moved": round(moved, 2)}
    if order < ORDER:
        told = (
            f"{kind}: from step to step the latencies agree by {order:.2f} with a platter's phase, of at "
            f"least {ORDER}."
        )
        return (
            True,
            f"{told} {pairs} pairs without any order give {0.9 / np.sqrt(pairs / len(orders)):.2f}.",
            figures,
        )
    if moved < MOVES:
        return (
            True,
            f"{kind}: the latencies stay where they are while the distance grows ({moved:.2f} turns).",
            figures,
        )
    return False, f"{kind}: the phase agrees by {order:.2f} over {pairs} pairs.", figures


def turn_in_teeth(evidence: Evidence) -> Result:
    """Measure the turn from the jumps of accesses that all start from the same place."""
    if (turn := evidence.turn) is None:
        return not_applicable(NO_RATE if evidence.rotating else NO_TURN)
    found = [
        walk
        for walk in walks(evidence, turn.ns)
        if "from_blocks" in walk.series.columns and walk.slow_share >= SLOW_SHARE
    ]
    tooth = tooth_of(found, turn.ns)
    if tooth.count < ENOUGH_TEETH:
        return not_applicable("No series approaches places in a row from one and the same place.")
    most = min(turn.tolerance + tooth.spread_ns / turn.ns, max(PEERS_TOLERANCE, turn.tolerance))
    words = (
        f"A tooth of the sawtooth is {tooth.height_ns / 1e6:.3f} ms high ({tooth.count} teeth that differ by "
        f"{tooth.spread_ns / 1e6:.3f}); a turn takes {turn.words}, {100 * most:.1f} % either way."
    )
    wrong = abs(tooth.height_ns / turn.ns - 1) > most
    return (quarantined if wrong else passed)(
        words, tooth_ms=tooth.height_ns / 1e6, turn_ms=turn.ns / 1e6, teeth=tooth.count, tolerance=most
    )


def turn_in_writes(evidence: Evidence) -> Result:
    """Compare writes in a row, each after the one before, with whole turns."""
    if (turn := evidence.turn) is None:
        return not_applicable(NO_RATE if evidence.rotating else NO_TURN)
    rows = [series for series in evidence.series if _in_a_row(evidence, series)]
    if not rows:
        return not_applicable("No writes in a row past the write cache.")
    smallest = min(_size(series) for series in rows)
    waits = [float(np.median(series.times_ns)) / turn.ns for series in rows if _size(series) == smallest]
    turns = float(np.median(waits))
    times = np.concatenate([series.times_ns for series in rows if _size(series) == smallest])
    order, _angle = concentration(times / turn.ns)
    figures = {"turns": round(turns, 4), "order": round(order, 3), "blocks": smallest, "series": len(waits)}
    if turns < 0.5:
        return noted(
            f"A write past the cache took {turns:.3f} turns: a cache took it, whatever the device says.",
            **figures,
        )
    if order < WRITE_ORDER:
        told = (
            f"Writes in a row agree by {order:.2f} with whole turns of {turn.words}, of at least "
            f"{WRITE_ORDER}."
        )
        return quarantined(told, **figures)
    off = turns - round(turns)
    words = f"A write that follows the one before takes {turns:.3f} turns of {turn.words}."
    # The place of a write lies its own length behind the one before: it comes by that much later.
    length = min(smallest * evidence.device["block_bytes"] / SHORTEST_TRACK_BYTES, PEERS_TOLERANCE)
    either_way = turn.tolerance * round(turns)
    wrong = not -either_way <= off <= either_way + length
    return (quarantined if wrong else passed)(words, **figures)


def _size(series: Timed) -> int:
    return int(series.blocks.max()) if series.blocks is not None else 0


def _in_a_row(evidence: Evidence, series: Timed) -> bool:
    """Whether a series writes pieces of a few kilobytes one behind the other, past the cache."""
    before = series.origins()
    if (
        not (series.writes and series.single)
        or before is None
        or series.blocks is None
        or series.positions is None
    ):
        return False
    if (
        evidence.write_cache(series) is not False
        or series.times_ns.size < ENOUGH_WRITES
        or series.at_once > 1
    ):
        return False
    small = _size(series) * evidence.device["block_bytes"] <= LARGEST_WRITE_BYTES
    follows = (series.positions - before)[1:] == series.blocks[:-1]
    return small and bool(follows.mean() > 0.9)


def wait_of_scattered(evidence: Evidence) -> Result:
    """Compare how fast and how differently scattered reads were answered with the wait for a turning disk."""
    if not evidence.rotating:
        return not_applicable(NO_TURN)
    rows = scattered(evidence)
    if not rows:
        return not_applicable("No reads of single places all over the device, one after the other.")
    turn_ns, source = (
        (evidence.turn.ns, evidence.turn.source) if evidence.turn else (TURN_FASTEST_NS, "no disk is faster")
    )
    findings, figures = [], {}
    for row in rows:
        quarter = float((row.times_ns < turn_ns / 4).mean())
        most = 0.3 + 4 * np.sqrt(0.25 * 0.75 / row.times_ns.size)
        spread = quartile_range(row.times_ns) / turn_ns
        figures[row.name] = {"fast_share": round(quarter, 3), "quartiles_apart_turns": round(spread, 3)}
        if quarter > most:
            findings.append(
                f"{row.name}: {100 * quarter:.0f} % of the reads took less than a quarter of a turn "
                f"({turn_ns / 4e6:.2f} ms, {source}); on a disk at most {100 * most:.0f} % can."
            )
        elif spread < 0.25:
            findings.append(
                f"{row.name}: half of the reads lie within {spread:.2f} turns; the wait alone spreads them "
                "over 0.5."
            )
    return judged(findings, "Scattered reads wait as for a turning disk.", **figures)


EITHER_WAY = (
    f"{100 * RATED_TOLERANCE:g} % either way where the device or the catalogue rates it, "
    f"{100 * PEERS_TOLERANCE:g} % where only other units tell"
)
ROTATION_RATE_CHECK = Check(
    key="rotation_rate",
    title="The measured rotation is the rated one",
    question=(
        "Does every rotation rate that was extracted agree with what the device, the catalogue or other "
        "units say?"
    ),
    limit=f"{EITHER_WAY}; the number's own interval on top.",
    because=(
        "A spindle is locked to a crystal and held to its rate within some tenths of a per cent, whatever "
        "the "
        "load; ratings are rounded by as much. A rating that is sold as a class counts as the nearest of the "
        "rates that such drives turn at (server/catalog/data/rotation_ratings.json)."
    ),
    remedy=(
        "Look whether the rated rate is right: some models name a range, and some bridges report a rate of "
        "their own."
    ),
    judge=rotation_rate,
)
TURN_IN_WALKS = Check(
    key="turn_in_walks",
    title="Walks show the platter's phase",
    question=(
        "Where the distance from request to request grows by equal steps on the medium: do the latencies "
        "change by equal "
        "angles of a turn, and does the angle move?"
    ),
    limit=(
        f"The mean unit vector of the changes is at least {ORDER} long, over {SLOW_SHARE:.0%} slow requests; "
        "the phase "
        f"moves by {MOVES} turns or more."
    ),
    because=(
        "A block one further on passes the head one block's time later, modulo a turn. Drawn, shuffled and "
        "constant "
        "latencies have no such order (0.9 over the square root of the pairs) or no movement. Boundaries "
        "between tracks "
        "disturb some pairs, disturbances others, a half at most."
    ),
    remedy="Measure on an idle machine, with caches switched off where the disk lets the probe do it.",
    judge=turn_in_walks,
)
TURN_IN_TEETH = Check(
    key="turn_in_teeth",
    title="The sawtooth's teeth are one turn high",
    question="Where neighbouring places are approached from one place: is the usual jump back one turn?",
    limit=(
        f"{EITHER_WAY}; the robust standard deviation of the teeth on top, to {100 * PEERS_TOLERANCE:.0f} % "
        f"at most; from {ENOUGH_TEETH} teeth on."
    ),
    because=(
        "The head comes from the same place each time, so the wait falls by exactly one turn where the place "
        "is just "
        "missed no longer. Times that were all scaled are found here without a rotation having been "
        "extracted."
    ),
    remedy="As for the rotation rate.",
    judge=turn_in_teeth,
)
TURN_IN_WRITES = Check(
    key="turn_in_writes",
    title="Writes in a row wait whole turns",
    question=(
        "With the write cache off: does a small write behind the one before take a whole number of turns?"
    ),
    limit=(
        f"{EITHER_WAY}, for each turn, and up to {100 * PEERS_TOLERANCE:.0f} % more by the write's own "
        "length on the track. Less than half a turn is noted: a cache took the writes."
    ),
    because=(
        "The next block passes the head right after the write; by when the next request arrives it is gone, "
        "and comes "
        "by again after one turn (OLP: 8.33 ms at 7200 rpm), or after two where a larger physical block is "
        "read first."
    ),
    remedy="Look at the rated rotation and at what the bridge does with writes.",
    judge=turn_in_writes,
)
WAIT_OF_SCATTERED = Check(
    key="wait_of_scattered",
    title="Scattered reads wait for the platter",
    question="Are scattered reads slow enough, and different enough from each other, for a turning disk?",
    limit=(
        "A quarter of the reads, 5 % and four standard errors more, may take less than a quarter of a turn; "
        "the quartiles "
        "are a quarter of a turn apart or more. Where nobody says how fast it turns, 15,000 rpm."
    ),
    because=(
        "Where a read comes upon the disk the angle to its block is any: the wait is spread evenly over a "
        "turn, and the "
        "seek comes on top. Solid-state samples under a disk's name are too fast, constant latencies too "
        "alike."
    ),
    remedy=(
        "Look for a disk whose blocks were discarded (shingled disks answer those without the medium) or a "
        "caching controller; a disk that was written once in full and measured again is free of the first."
    ),
    judge=wait_of_scattered,
)
CHECKS = (ROTATION_RATE_CHECK, TURN_IN_WALKS, TURN_IN_TEETH, TURN_IN_WRITES, WAIT_OF_SCATTERED)
