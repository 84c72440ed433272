"""What the device is said to be, against the catalogue and against where its samples lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from server.plausibility.check import Check, Result, judged, not_applicable, passed, quarantined
from server.plausibility.evidence import RATED_TOLERANCE, Evidence, known_rating

COVERED = 0.9
SPAN = 0.25
ENOUGH_PLACES = 16


def capacity(evidence: Evidence) -> Result:
    """Compare the device's capacity with the model's."""
    model = evidence.model
    if not model.curated or model.capacity_bytes is None:
        return not_applicable("The catalogue has no checked capacity of this model.")
    has = evidence.device["capacity_bytes"]
    off = (has - model.capacity_bytes) / model.capacity_bytes
    words = (
        f"The device has {has / 1e9:.2f} GB; the model {model.title} has {model.capacity_bytes / 1e9:.2f} "
        "GB, which "
        f"allows {100 * model.capacity_tolerance:.0f} % either way."
    )
    wrong = abs(off) > model.capacity_tolerance
    return (quarantined if wrong else passed)(words, off_percent=round(100 * off, 3))


def device_kind(evidence: Evidence) -> Result:
    """Compare whether the device turns with whether the model does."""
    if not evidence.model.rated_rpm:
        return not_applicable("The catalogue does not say that this model turns.")
    if evidence.device["rotational"]["value"]:
        return passed(f"Device and catalogue ({evidence.model.rated_rpm:.0f} rpm) say that it turns.")
    return quarantined(
        f"The device is said not to turn; the catalogue rates the model at {evidence.model.rated_rpm:.0f} "
        "rpm."
    )


def rated_rotation(evidence: Evidence) -> Result:
    """Compare the rate that the device says it is rated at with the catalogue's."""
    said = evidence.device["rotation_rate_rpm"]
    if not said:
        return not_applicable("The device does not say what it is rated at.")
    if model_rpm := evidence.model.rated_rpm:
        words = f"The device says {said} rpm; the catalogue rates the model at {model_rpm:.0f} rpm."
        return (quarantined if abs(said - model_rpm) > RATED_TOLERANCE * model_rpm else passed)(
            words, said_rpm=said
        )
    if known_rating(float(said)) is None:
        return quarantined(
            f"The device says {said} rpm; no drive that the catalogue knows is rated within "
            f"{100 * RATED_TOLERANCE:g} % of that.",
            said_rpm=said,
        )
    return passed(f"Drives are rated at the {said} rpm that the device says.", said_rpm=said)


def coverage(evidence: Evidence) -> Result:
    """Find kinds that walked over the disk and stopped where another disk ends."""
    if evidence.document["conditions"]["interrupted"]:
        return not_applicable("The run was cut off before it was through.")
    findings, reached = [], {}
    for part in evidence.parts:
        positions = [
            series.positions
            for series in evidence.series
            if series.kind == part["kind"] and series.positions is not None
        ]
        if not positions:
            continue
        together = np.concatenate(positions)
        first, last = int(together.min()), int(together.max())
        if last - first < SPAN * evidence.blocks or np.unique(together).size < ENOUGH_PLACES:
            continue
        reached[part["kind"]] = share = round(last / evidence.blocks, 4)
        if share < _least(part["params"].get("positions")):
            findings.append(f"{part['kind']}: the last sample lies at {100 * share:.1f} % of the device.")
    if not reached:
        return not_applicable("No benchmark went over the disk.")
    return judged(findings, "Every benchmark that goes over the disk reached its end.", reached_share=reached)


def _least(positions: Any) -> float:
    """Where the last of some positions lies at least, as a share: position k of n stands at k / n."""
    return min(COVERED, 1 - 1 / positions - 0.01) if isinstance(positions, int) and positions > 0 else COVERED


CAPACITY = Check(
    key="capacity",
    title="The capacity is the model's",
    question="Has the device the capacity that the catalogue has for the model?",
    limit="The model's own tolerance, 1 % unless a person set another one.",
    because="A model number names one capacity; hidden areas and formatting take less than a hundredth.",
    remedy=(
        "Look for a clipped capacity (host protected area), or for a model that is sold in several sizes "
        "under one name."
    ),
    judge=capacity,
)
DEVICE_KIND = Check(
    key="device_kind",
    title="What turns is said to turn",
    question="Does a device of a model with a rated rotation say that it is rotational?",
    limit="Yes or no.",
    because="The device's word and the catalogue's are about one mechanism.",
    remedy=(
        "Some USB bridges hide the rotation: let the probe test it (it does unless told otherwise), and "
        "measure again."
    ),
    judge=device_kind,
)
RATED_ROTATION = Check(
    key="rated_rotation",
    title="The rated rotation is one of a drive",
    question=(
        "Is the rate that the device states the catalogue's for the model, or else one that drives have?"
    ),
    limit=f"{100 * RATED_TOLERANCE:g} % either way.",
    because=(
        "All that a run says of turns is held against this rate, and a document may state any. Drives are "
        "built for a few rates, the odd ones among them (5425, 5526, 5640, 5980) in server/catalog/data/"
        "rotation_ratings.json with where they were seen."
    ),
    remedy=(
        "Where the drive's own page or label says so, add the rating to that file with its source, and "
        "accept."
    ),
    judge=rated_rotation,
)
COVERAGE = Check(
    key="coverage",
    title="The samples reach the device's end",
    question="Where a benchmark's places span a quarter of the device, does the last one lie near its end?",
    limit=f"{100 * COVERED:.0f} % of the capacity, or its last position; from {ENOUGH_PLACES} places on.",
    because=(
        "A benchmark that goes over the disk divides all of it, by `positions` of its parameters where it "
        "has them (the "
        "last of n lies at 1 - 1/n). Samples of a smaller disk under a larger one's name end early."
    ),
    remedy="None for a whole run: measure again, and look whether the device's size is what its label says.",
    judge=coverage,
)
CHECKS = (CAPACITY, DEVICE_KIND, RATED_ROTATION, COVERAGE)
