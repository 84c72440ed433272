"""Temperature: a drive's mass warms and cools slowly, and one sensor says one thing at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from server.plausibility.check import Check, Result, judged, not_applicable
from server.plausibility.columns import Timed
from server.plausibility.evidence import Evidence

COLUMN = "temperature_celsius"
KELVIN_PER_S = 0.03
READ_TO_KELVIN = 2.0
ENOUGH_READINGS = 24
WIDE_KELVIN = 4
ROUGH = 1.0


def warms_slowly(evidence: Evidence) -> Result:
    """Look for temperatures that a drive's mass can't have had one after the other."""
    found = [
        series
        for series in evidence.series
        if COLUMN in series.columns and "start_ns" in series.columns and series.times_ns.size
    ]
    if not found:
        return not_applicable("No series holds temperatures.")
    findings = [*_two_words(found), *_ends(evidence, found)]
    roughness = {series.name: _roughness(series) for series in found}
    findings += [
        f"{name}: from reading to reading the temperature differs by as much as over the whole run (ratio "
        f"{rough:.2f} of mean squares, of {ROUGH:g} at most; readings without any order give 2)."
        for name, rough in roughness.items()
        if rough > ROUGH
    ]
    return judged(findings, "Temperatures follow each other as a drive's do.", roughness=roughness)


def _two_words(found: list[Timed]) -> Iterator[str]:
    """Readings of one sensor, of whatever series, that follow each other faster than a drive warms."""
    times = np.concatenate([series.columns["start_ns"] for series in found])
    kelvin = np.concatenate([series.columns[COLUMN] for series in found])
    order = np.argsort(times, kind="stable")
    most = READ_TO_KELVIN + KELVIN_PER_S * np.diff(times[order]) / 1e9
    jumps = np.abs(np.diff(kelvin[order]))
    if wrong := int((jumps > most).sum()):
        yield (
            f"{wrong} of {jumps.size} times the temperature changed faster than by {READ_TO_KELVIN:g} K and "
            f"{60 * KELVIN_PER_S:g} K a minute, by up to {jumps[jumps > most].max()} K."
        )


def _ends(evidence: Evidence, found: list[Timed]) -> Iterator[str]:
    """The first and the last reading beside those before and after the run."""
    conditions = evidence.document["conditions"]
    kinds = [part["kind"] for part in evidence.parts]
    index = kinds.index(found[0].kind)
    elapsed = [part["elapsed_ns"] for part in evidence.parts]
    first = min(found, key=lambda series: int(series.columns["start_ns"][0]))
    last = max(found, key=lambda series: int(series.columns["start_ns"][-1]))
    ends = (
        (
            "first",
            "before",
            first.columns[COLUMN][0],
            sum(elapsed[:index]) + int(first.columns["start_ns"][0]),
        ),
        ("last", "after", last.columns[COLUMN][-1], sum(elapsed[index:]) - int(last.columns["start_ns"][-1])),
    )
    for which, when, kelvin, gap_ns in ends:
        noted = conditions.get(f"temperature_{when}_celsius")
        most = READ_TO_KELVIN + KELVIN_PER_S * max(gap_ns, 0) / 1e9
        if noted is not None and abs(int(kelvin) - noted) > most and not conditions["interrupted"]:
            yield (
                f"The {which} temperature is {kelvin} °C and that {when} the run {noted} °C, within "
                f"{max(gap_ns, 0) / 6e10:.0f} minutes."
            )


def _roughness(series: Timed) -> float:
    """Return the mean square of successive differences over the variance (von Neumann's ratio): 2 where
    readings have no order, near 0 where they follow each other; 0 where there is too little to tell."""
    kelvin = series.columns[COLUMN].astype(np.float64)
    if kelvin.size < ENOUGH_READINGS or np.ptp(kelvin) < WIDE_KELVIN:
        return 0.0
    return round(float((np.diff(kelvin) ** 2).mean() / kelvin.var()), 3)


WARMS_SLOWLY = Check(
    key="warms_slowly",
    title="Temperatures follow each other",
    question=(
        "Where readings of the sensor stand beside the samples: do they agree with each other, with those "
        "before and after the run, and do they follow each other?"
    ),
    limit=(
        f"{READ_TO_KELVIN:g} K and {60 * KELVIN_PER_S:g} K a minute; and over {WIDE_KELVIN} K or more, from "
        f"{ENOUGH_READINGS} readings on, a mean square from one to the next of at most {ROUGH:g} times the "
        "variance."
    ),
    because=(
        "A drive is 0.4 kg of metal or more, 360 J/K, and its motors give off about 10 W: it warms by 1.7 K "
        "a minute at most, and sensors read whole degrees. A column that was invented to put slow samples "
        "above a threshold changes with the samples and not with the room."
    ),
    remedy="Look at the sensor: some bridges answer with another device's or with an old reading.",
    judge=warms_slowly,
)
CHECKS = (WARMS_SLOWLY,)
