"""From findings to measurements: regions and variants are measured apart, then compared.

Disagreement lowers the quality; what no series carries gets a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from server.benchmarks.contract import Measurement, Quality
from server.benchmarks.skippy import definitions as metric
from server.benchmarks.skippy.findings import Finding, contradicted
from server.benchmarks.skippy.media import FEWEST_MISSES
from server.benchmarks.skippy.model import Model
from server.benchmarks.skippy.series import Estimate, none, pooled
from server.core.robust import median

REGIONS = ("outer", "middle", "inner")


OFF_TURN = "The turn that these series show is not the one of the other series: something bends their lines."


def missing(findings: list[Finding]) -> str:
    """Why these series carry no geometry."""
    if not findings:
        return "This region was not measured."
    if all(finding.lines is None for finding in findings):
        return (
            "The latencies do not rise in a line with the step: a cache answers, or the device does not turn."
        )
    if all(finding.off_turn for finding in findings):
        return OFF_TURN
    if bool(any(serpentine(finding) for finding in findings)):
        return (
            "The distance between track boundaries changes within the region: the layout looks like a "
            "serpentine by surface, where SKIPPY cannot tell heads and tracks apart."
        )
    return "No single track length explains where the spikes lie: too few steps, much noise or uneven tracks."


def serpentine(finding: Finding) -> bool:
    """Whether the lines are clear but tracks of one length are not."""
    model, lines = finding.model, finding.lines
    return (
        not finding.trusted
        and lines is not None
        and lines.height_seen
        and lines.concentration > 0.6
        and model is not None
        and model.period is not None
        and model.period.steps > 60
        and model.period.agreement < 0.9
    )


def surfaces(findings: tuple[Finding, ...]) -> list[Measurement]:
    counted = [
        f.model.gaps for f in findings if f.two_gaps and f.model is not None and f.model.gaps is not None
    ]
    layout_reason = layout_of(findings)
    heads = [gaps.shape.heads for gaps in counted]
    verdict = Measurement(
        metric.LAYOUT.key, "", None, None, None, len(heads), Quality.NONE, LAYOUT_SENTENCES[layout_reason]
    )
    if not heads or layout_reason in NO_CYLINDERS:
        return [none(metric.SURFACES, "", LAYOUT_SENTENCES[layout_reason]), verdict]
    values, counts = np.unique(heads, return_counts=True)
    best = int(values[int(counts.argmax())])
    quality, reason = Quality.GOOD, ""
    if len(values) > 1:
        agree = float(counts.max()) / len(heads)
        quality = Quality.FAIR if agree >= 0.66 else Quality.POOR
        reason = (
            "The series of this run count different numbers: " + ", ".join(str(int(v)) for v in values) + "."
        )
    cylinders = sum(int((gaps.cylinders != 0).sum()) for gaps in counted if gaps.shape.heads == best)
    if cylinders < 4 and quality is Quality.GOOD:
        quality, reason = Quality.FAIR, "Few cylinder boundaries were crossed."
    found = Measurement(
        metric.SURFACES.key,
        "",
        float(best),
        float(values.min()),
        float(values.max()),
        cylinders,
        quality,
        reason,
    )
    return [found, verdict]


LAYOUT_SENTENCES = {
    "cylinder": "Addresses run through all tracks of a cylinder before the next cylinder.",
    "surface_serpentine": (
        "Not obtainable by SKIPPY: the layout looks like a serpentine by surface, where nearly all "
        "boundaries are moves to the next track of the same surface."
    ),
    "contradictory": (
        "Some series show a second sort of track boundary, and more do not, though they crossed as many: "
        "so looks the last band of a serpentine by surface. The layout stays open."
    ),
    "unknown": "The samples do not clearly show two sorts of track boundaries, so the layout stays open.",
}


NO_CYLINDERS = ("surface_serpentine", "contradictory")


def layout_of(findings: tuple[Finding, ...]) -> str:
    banded = sum(finding.banded for finding in findings)
    if sum(finding.two_gaps for finding in findings) > banded:
        return "contradictory" if contradicted(findings) else "cylinder"
    uneven = any(serpentine(finding) for finding in findings)
    return "surface_serpentine" if banded or uneven else "unknown"


def transfer(findings: tuple[Finding, ...], turns: Sequence[Estimate]) -> Measurement:
    """The slope in the outermost region that carries it; `turns` of the whole run check each fit."""
    turn_ms = median([turn.value for turn in turns]) if turns else None
    for region in REGIONS:
        estimates = [
            Estimate(
                f.model.lines.block_ms,
                max(f.model.errors_ms[1], 1e-6 * f.model.lines.block_ms) * _errors_off(f.model, turn_ms),
                int(f.model.inliers.sum()),
            )
            for f in findings
            if f.trace.region == region
            and f.trusted
            and f.model is not None
            and np.isfinite(f.model.errors_ms[1])
        ]
        if estimates:
            found = pooled(metric.TRANSFER_TIME, "", estimates, 0.01 * estimates[0].value)
            if region == REGIONS[0]:
                return found
            reason = f"The outer region does not carry it; this is the {region} region's."
            return replace(found, quality=Quality.POOR, reason=reason)
    return none(metric.TRANSFER_TIME, "", missing(list(findings)))


def _errors_off(model: Model, turn_ms: float | None) -> float:
    """How many of its own errors the fit's turn lies off the run's, at least 1.

    Turn and slope come of one fit: where noise moved the turn further than its error says, it moved the slope
    as well.
    """
    error_ms = model.errors_ms[0]
    if turn_ms is None or not np.isfinite(error_ms) or error_ms <= 0:
        return 1.0
    return max(1.0, abs(model.lines.turn_ms - turn_ms) / error_ms)


def thresholds(findings: tuple[Finding, ...], write_cache: bool | None = None) -> list[Measurement]:
    """MTM and STM of each region and variant, and MTM of the drive.

    `write_cache` is whether a cache, in memory or on the medium, answered writes; None if unknown.
    """
    found: list[Measurement] = []
    layout = layout_of(findings)
    best: tuple[int, Measurement] | None = None
    for finding in findings:
        mtm, stm = _edge_of(finding, findings, layout, write_cache)
        found += [mtm, stm]
        rank = _preference(finding, mtm.quality)
        if mtm.value is not None and (best is None or rank < best[0]):
            best = (rank, mtm)
    if best is None:
        reason = NO_EDGE if any(f.trusted for f in findings) else missing(list(findings))
        return [none(metric.MTM, "", reason), *found]
    one = best[1]
    whole = Measurement(one.metric, "", one.value, one.low, one.high, one.count, one.quality, one.reason)
    return [whole, *found]


def _edge_of(
    finding: Finding, findings: tuple[Finding, ...], layout: str, write_cache: bool | None
) -> tuple[Measurement, Measurement]:
    """MTM and STM of one region and variant."""
    scope = f"{finding.trace.region}/{finding.trace.variant}"
    limit, model = finding.threshold, finding.model
    if limit is None or model is None:
        reason = _no_edge(finding, layout)
        return none(metric.MTM, scope, reason), none(metric.STM, scope, reason)
    if limit.latency_ms < model.lines.block_ms:
        return none(metric.MTM, scope, TOO_SHORT), none(metric.STM, scope, TOO_SHORT)
    quality, reason = _edge_quality(finding)
    doubt = _doubt(finding, findings, write_cache) or _alone(finding, findings)
    if quality is not Quality.POOR and doubt:
        quality, reason = Quality.POOR, doubt
    # Where look-ahead answers some of the steps, the last one before the edge may be missing.
    unseen_ms = model.lines.block_ms / 2 if finding.trace.variant == "read" else 0.0
    if unseen_ms and quality is Quality.GOOD:
        quality, reason = Quality.FAIR, FORWARD
    low_ms, high_ms = limit.low_ms - unseen_ms, limit.high_ms + unseen_ms
    count = limit.hits + limit.misses
    width = (high_ms - low_ms) / model.lines.block_ms / 2
    low, high = limit.step - width, limit.step + width
    return (
        Measurement(metric.MTM.key, scope, limit.latency_ms, low_ms, high_ms, count, quality, reason),
        Measurement(metric.STM.key, scope, limit.step, low, high, count, quality, reason),
    )


MOST_SWITCH_SHARE = 0.25
"""How far apart the edges of two variants may lie and still be the same one, as a share of the lower."""
MISFIT = "This series does not show the tracks that others of the run show: most likely a cache answers."
NO_EDGE = "The edge of the sawtooth is not among the samples."
TOO_SHORT = (
    "The edge lies below the time in which one block passes under the head: no access to the medium is as "
    "short, a cache answers."
)
FORWARD = "Look-ahead answers some forward reads: the edge may lie a step beside the one that was seen."
LOOK_AHEAD = (
    "A drive that reads ahead answers forward reads without turning to the medium anew, and neither writes "
    "nor backward reads of this region confirm the edge: it may be too low."
)


WRITE_CACHE = (
    "A write cache was on, in memory or on the medium of shingled tracks, and no read of this region has its "
    "edge here: what is timed may be how soon the cache took the block."
)
BELOW_READS = (
    "No write reaches the medium sooner than reads of this region do: a cache that the drive does not tell "
    "of may have taken the block."
)


def _doubt(finding: Finding, findings: tuple[Finding, ...], write_cache: bool | None) -> str:
    """Why the edge may not be the medium's; nothing where other variants of the region bear it out.

    Writes may take longer than reads (settling) and backward reads may hold a switch, but neither is answered
    from what the drive read ahead: the edge of a forward read far below both is the buffer's. Writes are
    answered by a write cache, whose edge is anywhere.
    """
    limit, model = finding.threshold, finding.model
    if limit is None or model is None or finding.trace.variant == "backward":
        return ""
    if finding.trace.variant == "write" and write_cache is False:
        return ""
    others = [
        other.threshold.latency_ms
        for other in findings
        if other.trace.region == finding.trace.region
        and other.trace.variant != finding.trace.variant
        and other.threshold is not None
        and other.model is not None
        and other.threshold.latency_ms >= other.model.lines.block_ms
        and other.trusted
    ]
    slack = max(MOST_SWITCH_SHARE * limit.latency_ms, 2 * model.lines.block_ms)
    near = any(abs(other - limit.latency_ms) <= slack for other in others)
    if finding.trace.variant == "read":
        return "" if near else LOOK_AHEAD
    if write_cache:
        return "" if near else WRITE_CACHE
    return BELOW_READS if others and limit.latency_ms < min(others) - slack else ""


ALONE = "Of all series of this run only this one shows an edge: nothing bears it out."


def _alone(finding: Finding, findings: tuple[Finding, ...]) -> str:
    """Why an edge that none of several other series shows is not believed; nothing where one does."""
    others = [other for other in findings if other is not finding and other.trace.variant != "backward"]
    carried = any(
        other.trusted and other.threshold is not None and _edge_quality(other)[0] is not Quality.POOR
        for other in others
    )
    return ALONE if len(others) > 1 and not carried else ""


def _preference(finding: Finding, quality: Quality) -> int:
    variants = {"write": 0, "read": 1, "backward": 2}
    return (
        variants.get(finding.trace.variant, 3) * 10
        + (REGIONS.index(finding.trace.region) if finding.trace.region in REGIONS else 9)
        + (100 if quality is Quality.POOR else 0)
    )


def _no_edge(finding: Finding, layout: str) -> str:
    if finding.model is not None and finding.model.cached:
        return "The write cache answers before the medium does: what is timed is the access before."
    if finding.trusted:
        return NO_EDGE
    return MISFIT if layout == "cylinder" and finding.lines is not None else missing([finding])


def _edge_quality(finding: Finding) -> tuple[Quality, str]:
    limit, model = finding.threshold, finding.model
    assert limit is not None and model is not None
    width = limit.high_ms - limit.low_ms
    if not finding.trace.forward:
        return (
            Quality.POOR,
            "Walking down, nearly every access at the edge crosses a boundary: it may hold a switch.",
        )
    if limit.misses < FEWEST_MISSES:
        return Quality.POOR, "Too few accesses on one track lie before the edge."
    if limit.latency_ms <= 0 or width > 0.5 * abs(limit.latency_ms):
        return Quality.POOR, "The edge is known only within a wide interval."
    if width > max(0.06 * limit.latency_ms, 1.05 * model.lines.block_ms):
        return Quality.FAIR, "The accesses next to the edge cross a track boundary, so the bracket is wide."
    if limit.hits < 2:
        return Quality.FAIR, "Few accesses on one track lie right behind the edge."
    return Quality.GOOD, ""


def each_region(
    findings: tuple[Finding, ...], make: Callable[[tuple[Finding, ...], str], Measurement]
) -> Iterable[Measurement]:
    return (make(findings, region) for region in REGIONS)
