"""The archive: the same samples in another run, and the model's other units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from server.core.robust import median, median_deviation
from server.core.text import counted
from server.plausibility.check import Check, Result, listed, not_applicable, noted, passed, quarantined
from server.plausibility.evidence import PEERS_TOLERANCE, USABLE, Evidence, Number, PeerUnit

ENOUGH_UNITS = 3
NOTED_AT = 5.0
FLOOR = 0.03
QUARANTINE_FACTOR = 2.0
ROTATION_UNITS = 2
AGREEING_WITHIN = NOTED_AT * FLOOR
AGREEING_SHARE = 0.8
"""Two units have the same numbers where that share of those in common lies that near."""
NO_REPUTATION = "No key behind the other units has a reputation, so they hold nothing."
FIRST = "First unit of this model: nothing to compare with."


def samples_new(evidence: Evidence) -> Result:
    """Report samples that another run has."""
    if evidence.simulated:
        return not_applicable("A simulated drive gives the same samples again.")
    if not evidence.copies:
        return passed("No other run has these samples.")
    sentences = [
        f"{copy.kind}: the samples are those of run {copy.run_id}"
        + (
            "."
            if copy.exact
            else f"; half of the times differ by {copy.median_difference_ns:.0f} ns or less."
        )
        for copy in evidence.copies
    ]
    return quarantined(listed(sentences), runs=sorted({copy.run_id for copy in evidence.copies}))


@dataclass(frozen=True, slots=True)
class Compared:
    """One number beside those of other units."""

    number: Number
    values: tuple[float, ...]
    distance: float
    """From their median, in robust standard deviations."""

    @property
    def median(self) -> float:
        """The middle of the other units."""
        return median(self.values)

    @property
    def far(self) -> bool:
        """Whether it lies beyond a factor of all of them; never for numbers around zero."""
        low, high = min(self.values), max(self.values)
        return low > 0 and not low / QUARANTINE_FACTOR <= self.number.value <= high * QUARANTINE_FACTOR

    @property
    def words(self) -> str:
        """The number and the others' for a sentence."""
        where = f" ({self.number.scope})" if self.number.scope else ""
        unit = "" if self.number.unit == "1" else f" {self.number.unit}"
        return (
            f"{self.number.title or self.number.metric}{where} is {self.number.value:.4g}{unit}; the other "
            f"{len(self.values)} units have {min(self.values):.4g} to {max(self.values):.4g}, median "
            f"{self.median:.4g}."
        )


def compared(evidence: Evidence, units: Sequence[PeerUnit]) -> Iterator[Compared]:
    """Return the run's headline numbers that enough of some other units have too."""
    for number in evidence.numbers:
        if not number.headline or number.quality not in USABLE:
            continue
        key = (number.metric, number.scope)
        values = tuple(peer.values[key] for peer in units if key in peer.values)
        if len(values) < ENOUGH_UNITS:
            continue
        middle = median(values)
        half = (number.high - number.low) / 4 if number.low is not None and number.high is not None else 0.0
        scale = max(median_deviation(values), FLOOR * abs(middle), half)
        distance = abs(number.value - middle) / scale if scale > 0 else 0.0
        yield Compared(number, values, distance)


def other_units(evidence: Evidence) -> Result:
    """Compare the headline numbers with those of the model's other units."""
    if not evidence.peers:
        unlike = (
            f" Measured under other conditions: {counted(evidence.unlike_peers, 'unit')}."
            if evidence.unlike_peers
            else ""
        )
        return not_applicable(FIRST + unlike)
    found = list(compared(evidence, evidence.peers))
    if not found:
        return not_applicable(
            f"{counted(len(evidence.peers), 'other unit')}, of {ENOUGH_UNITS} that a number needs "
            "before it is compared."
        )
    figures = {f"{one.number.metric} {one.number.scope}".strip(): round(one.distance, 2) for one in found}
    off = [one for one in found if one.distance > NOTED_AT]
    if any(one.far for one in off):
        far = [one for one in compared(evidence, evidence.witnesses) if one.far and one.distance > NOTED_AT]
        if far:
            return quarantined(listed([one.words for one in far]), distances=figures)
    if off:
        return noted(listed([one.words for one in off]), distances=figures)
    return passed(
        f"Among those of {counted(len(evidence.peers), 'other unit')}: {counted(len(found), 'number')}.",
        distances=figures,
    )


def same_rotation(evidence: Evidence) -> Result:
    """Compare the rotation with that of the other units, which one mechanism has in common."""
    if not evidence.rotation_rates:
        return not_applicable("The samples gave no rotation rate.")
    for number in evidence.rotation_rates:
        key = (number.metric, "")
        values = [peer.values[key] for peer in evidence.peers if key in peer.values]
        if len(values) < ROTATION_UNITS:
            continue
        middle = median(values)
        figures = {"rpm": number.value, "others_rpm": middle, "units": len(values)}
        words = (
            f"{number.metric} is {number.value:.1f} rpm; the median of {len(values)} other units is "
            f"{middle:.1f}."
        )
        if abs(number.value - middle) <= PEERS_TOLERANCE * middle:
            return passed(words, **figures)
        theirs = [peer.values[key] for peer in evidence.witnesses if key in peer.values]
        if len(theirs) < ROTATION_UNITS:
            return noted(f"{words} {NO_REPUTATION}", **figures)
        middle = median(theirs)
        off = abs(number.value - middle) > PEERS_TOLERANCE * middle
        return (quarantined if off else noted)(words, **figures)
    return not_applicable(
        f"Fewer than {ROTATION_UNITS} other units with a rotation rate." if evidence.peers else FIRST
    )


def keys_agreeing(numbers: Iterable[Number], peers: Iterable[PeerUnit], keyid: str) -> frozenset[str]:
    """Return the keys other than `keyid` that measured a unit with the same numbers: four fifths of those in
    common within 15 %."""
    mine = {(number.metric, number.scope): number.value for number in numbers}
    agreeing: set[str] = set()
    for peer in peers:
        common = [(value, peer.values[key]) for key, value in mine.items() if key in peer.values]
        near = [abs(value - other) <= AGREEING_WITHIN * abs(other) for value, other in common]
        if near and sum(near) >= AGREEING_SHARE * len(near):
            agreeing |= set(peer.keyids)
    return frozenset(agreeing - {keyid})


def confirmed(evidence: Evidence) -> Result:
    """Count the keys whose units have the same numbers."""
    keys = {keyid for peer in evidence.peers for keyid in peer.keyids} - {evidence.keyid}
    if not evidence.peers:
        return not_applicable(FIRST)
    mine = [number for number in evidence.numbers if number.headline and number.quality in USABLE]
    agreeing = keys_agreeing(mine, evidence.peers, evidence.keyid)
    by = counted(len(agreeing), "key")
    words = f"Confirmed by {by}, of {len(keys)} that measured other units of this model."
    return (passed if agreeing else noted)(words, keys=len(agreeing), of_keys=len(keys))


SAMPLES_NEW = Check(
    key="samples_new",
    title="The samples are new",
    question="Has an earlier run the same samples of a kind, or the same places with nearly the same times?",
    limit=(
        "The same digest of the times; or the same places and a median difference of 100 ns over the first "
        "64 times."
    ),
    because=(
        "No two measurements of a real disk are alike to the nanosecond, however carefully they are repeated."
    ),
    remedy="Look at the other run: the same file sent twice under two run ids is one measurement.",
    judge=samples_new,
)
OTHER_UNITS = Check(
    key="other_units",
    title="The numbers lie among other units'",
    question=(
        "How far are the headline numbers from the median of the model's other units, one value for each "
        "unit?"
    ),
    limit=(
        f"{NOTED_AT:g} robust standard deviations (median absolute deviation, {100 * FLOOR:g} % of the "
        "median at least) are "
        f"noted; held only where it is also beyond {QUARANTINE_FACTOR:g} times the highest or below half of "
        "the lowest. "
        f"{ENOUGH_UNITS} other units or more, of the same provenance, block size, write cache and bridge; "
        "only units that reputable keys measured can hold a run."
    ),
    because=(
        "Units of one model differ by some per cent (Eridano: below 7 % over 96 units), batches and quietly "
        "changed "
        "mechanisms by tens of per cent: those are results, not faults. Twice is another product. A unit's "
        "digest is its sender's word, so one key can invent any number of units: a key is reputable where "
        "more of its published runs, of other models, were confirmed by other keys than moderators rejected "
        "of its runs."
    ),
    remedy="Look at batch, firmware and conditions beside the other units' before deciding.",
    judge=other_units,
)
SAME_ROTATION = Check(
    key="same_rotation",
    title="All units turn alike",
    question="Is the measured rotation that of the model's other units?",
    limit=(
        f"{100 * PEERS_TOLERANCE:.0f} % either way of the median of {ROTATION_UNITS} units or more; only "
        "units that reputable keys measured can hold a run."
    ),
    because="Batches differ in many things; a model's rate is held by its spindle's control.",
    remedy="Two rates under one name are worth a note in the catalogue: accept, and add it there.",
    judge=same_rotation,
)
CONFIRMED = Check(
    key="confirmed",
    title="Others measured the same",
    question="How many other keys measured units of this model with the same headline numbers?",
    limit=f"Four fifths of the numbers in common within {100 * AGREEING_WITHIN:.0f} %.",
    because="Two contributors who don't know each other seldom invent the same numbers.",
    remedy="None is needed: the first unit of a model can't be corroborated.",
    judge=confirmed,
)
CHECKS = (SAMPLES_NEW, OTHER_UNITS, SAME_ROTATION, CONFIRMED)
