"""From findings to measurements: regions and variants are measured apart, then compared.

Disagreement lowers the quality; what no series carries gets a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from server.benchmarks.contract import Measurement, Metric, Quality
from server.benchmarks.skippy import definitions as metric
from server.benchmarks.skippy.findings import Finding

REGIONS = ("outer", "middle", "inner")
Z95 = 1.96


@dataclass(frozen=True, slots=True)
class Estimate:
    value: float
    error: float
    count: int


def none(what: Metric, scope: str, reason: str) -> Measurement:
    return Measurement(what.key, scope, None, None, None, 0, Quality.NONE, reason)


def pooled(what: Metric, scope: str, estimates: list[Estimate], tolerance: float) -> Measurement:
    """Inverse-variance mean; estimates further apart than their errors and `tolerance` allow lower the quality."""
    values = np.array([one.value for one in estimates])
    errors = np.array([one.error for one in estimates])
    weights = 1 / errors**2
    value = float((values * weights).sum() / weights.sum())
    error = float(1 / np.sqrt(weights.sum()))
    apart = float(np.abs(values - value).max())
    quality, reason = Quality.GOOD, ""
    if apart > max(tolerance, 4 * float(errors.max())):
        quality, reason = Quality.POOR, "The series of this run disagree by more than their noise explains."
        error = max(error, apart / Z95)
    elif Z95 * error > tolerance:
        quality, reason = Quality.FAIR, "The noise of the samples leaves a wide interval."
    count = sum(one.count for one in estimates)
    return Measurement(
        what.key, scope, value, value - Z95 * error, value + Z95 * error, count, quality, reason
    )


def with_quality(found: Measurement, quality: Quality, reason: str) -> Measurement:
    return Measurement(
        found.metric,
        found.scope,
        found.value,
        found.low,
        found.high,
        found.count,
        quality,
        reason,
        found.level,
    )


def rotation(findings: tuple[Finding, ...]) -> list[Measurement]:
    sure = [f for f in findings if f.trusted and f.lines is not None and f.model is not None]
    estimates = []
    for finding in sure:
        model = finding.model
        assert model is not None
        error = model.errors_ms[0]
        if np.isfinite(error) and model.lines.height_seen:
            estimates.append(
                Estimate(
                    model.lines.turn_ms, max(error, 1e-6 * model.lines.turn_ms), int(model.inliers.sum())
                )
            )
    if estimates:
        turn = pooled(metric.ROTATION_TIME, "", estimates, 1e-3 * estimates[0].value)
    else:
        turn = _rotation_from_lines(findings)
    return [turn, _rate(turn)]


def _rotation_from_lines(findings: tuple[Finding, ...]) -> Measurement:
    """Where no model of the tracks holds, the two lines before the first boundaries still show the turn."""
    lines = [
        f.lines
        for f in findings
        if f.lines is not None and f.lines.height_seen and f.lines.concentration > 0.6
    ]
    count = sum(len(f.trace.block) for f in findings)
    if lines:
        turns = np.array([line.turn_ms for line in lines])
        value = float(np.median(turns))
        reach = max(float(np.abs(turns - value).max()), 2e-3 * value)
        return Measurement(
            metric.ROTATION_TIME.key,
            "",
            value,
            value - reach,
            value + reach,
            count,
            Quality.FAIR,
            "Taken from the sawtooth's lines alone: no model of equal tracks explains the samples.",
        )
    rough = [f.lines.turn_ms for f in findings if f.lines is not None and f.lines.concentration > 0.6]
    if rough:
        value = float(np.median(rough))
        return Measurement(
            metric.ROTATION_TIME.key,
            "",
            value,
            0.98 * value,
            1.02 * value,
            count,
            Quality.POOR,
            "No series shows the edge of the sawtooth: the latency of small steps stands for the turn.",
        )
    return none(
        metric.ROTATION_TIME,
        "",
        "The latencies do not rise in a line with the step: the device does not turn, or a cache answers.",
    )


def _rate(turn: Measurement) -> Measurement:
    if turn.value is None or turn.low is None or turn.high is None:
        return none(metric.ROTATION_RATE, "", turn.reason)
    return Measurement(
        metric.ROTATION_RATE.key,
        "",
        60e3 / turn.value,
        60e3 / turn.high,
        60e3 / turn.low,
        turn.count,
        turn.quality,
        turn.reason,
    )


def sectors(findings: tuple[Finding, ...], region: str) -> Measurement:
    here = [f for f in findings if f.trace.region == region]
    sure = [f.model for f in here if f.trusted and f.model is not None]
    periods = [model.period for model in sure if model.period is not None]
    if not periods:
        return none(metric.SECTORS_PER_TRACK, region, missing(here))
    best = max(periods, key=lambda period: period.margin * period.agreement)
    quality, reason = Quality.GOOD, ""
    if any(period.length != best.length for period in periods):
        quality, reason = (
            Quality.POOR,
            "The variants disagree: a zone boundary lies between them, or noise hides one.",
        )
    elif best.low != best.high:
        quality, reason = Quality.FAIR, f"The samples cannot tell {best.low} from {best.high}."
    elif best.margin < 3 or best.agreement < 0.95:
        quality, reason = Quality.FAIR, "Few steps tell this number from its neighbours."
    return Measurement(
        metric.SECTORS_PER_TRACK.key,
        region,
        float(best.length),
        float(best.low),
        float(best.high),
        sum(period.steps for period in periods),
        quality,
        reason,
    )


def missing(findings: list[Finding]) -> str:
    """Why these series carry no geometry."""
    if not findings:
        return "This region was not measured."
    if all(finding.lines is None for finding in findings):
        return (
            "The latencies do not rise in a line with the step: a cache answers, or the device does not turn."
        )
    if bool(any(serpentine(finding) for finding in findings)):
        return (
            "The distance between track boundaries changes within the region: the layout looks like a serpentine "
            "by surface, where SKIPPY cannot tell heads and tracks apart."
        )
    return "No single track length explains where the spikes lie: too few steps, too much noise or uneven tracks."


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


def gap(findings: tuple[Finding, ...], region: str, what: Metric) -> Measurement:
    here = [f for f in findings if f.trace.region == region]
    index = 3 if what is metric.HEAD_GAP else 4
    estimates, block_ms = [], 0.0
    for finding in here:
        model = finding.model
        if (
            not finding.two_gaps
            or model is None
            or model.gaps is None
            or not np.isfinite(model.errors_ms[index])
        ):
            continue
        value = model.gaps.head_ms if index == 3 else model.gaps.cylinder_ms
        crossed = model.gaps.heads if index == 3 else model.gaps.cylinders
        count = int((model.inliers & (crossed != 0)).sum())
        block_ms = max(block_ms, model.lines.block_ms)
        if value is not None and count >= 2:
            estimates.append(Estimate(value, max(model.errors_ms[index], 1e-3 * block_ms), count))
    if not estimates:
        if any(finding.trusted for finding in here):
            return none(
                what,
                region,
                "Only one sort of track boundary is seen: head and cylinder gap are not told apart.",
            )
        return none(what, region, missing(here))
    found = pooled(what, region, estimates, block_ms / 2)
    heads = {
        f.model.gaps.boundaries.heads
        for f in here
        if f.two_gaps and f.model is not None and f.model.gaps is not None
    }
    if heads == {2} and found.quality is Quality.GOOD:
        return with_quality(
            found, Quality.FAIR, "With two surfaces both gaps come equally often: which is which is a guess."
        )
    return found


def surfaces(findings: tuple[Finding, ...]) -> list[Measurement]:
    counted = [
        f.model.gaps for f in findings if f.two_gaps and f.model is not None and f.model.gaps is not None
    ]
    layout_reason = layout_of(findings)
    heads = [gaps.boundaries.heads for gaps in counted]
    verdict = Measurement(
        metric.LAYOUT.key, "", None, None, None, len(heads), Quality.NONE, LAYOUT_SENTENCES[layout_reason]
    )
    if not heads or layout_reason == "surface_serpentine":
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
    cylinders = sum(int((gaps.cylinders != 0).sum()) for gaps in counted if gaps.boundaries.heads == best)
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
        "Not obtainable by SKIPPY: the layout looks like a serpentine by surface, where nearly all boundaries are "
        "moves to the next track of the same surface."
    ),
    "unknown": "The samples do not show two sorts of track boundaries, so the layout stays open.",
}


def layout_of(findings: tuple[Finding, ...]) -> str:
    if any(finding.two_gaps for finding in findings):
        return "cylinder"
    return "surface_serpentine" if any(serpentine(finding) for finding in findings) else "unknown"


def transfer(findings: tuple[Finding, ...]) -> Measurement:
    for region in REGIONS:
        estimates = [
            Estimate(
                f.model.lines.block_ms,
                max(f.model.errors_ms[1], 1e-6 * f.model.lines.block_ms),
                int(f.model.inliers.sum()),
            )
            for f in findings
            if f.trace.region == region
            and f.trusted
            and f.model is not None
            and np.isfinite(f.model.errors_ms[1])
        ]
        if estimates:
            return pooled(metric.TRANSFER_TIME, "", estimates, 0.01 * estimates[0].value)
    return none(metric.TRANSFER_TIME, "", missing(list(findings)))


def thresholds(findings: tuple[Finding, ...]) -> list[Measurement]:
    """MTM and STM of each region and variant, and MTM of the drive."""
    found: list[Measurement] = []
    best: tuple[int, Measurement] | None = None
    for finding in findings:
        scope = f"{finding.trace.region}/{finding.trace.variant}"
        limit, model = finding.threshold, finding.model
        if limit is None or model is None:
            reason = _no_edge(finding)
            found += [none(metric.MTM, scope, reason), none(metric.STM, scope, reason)]
            continue
        quality, reason = _edge_quality(finding)
        count = limit.hits + limit.misses
        one = Measurement(
            metric.MTM.key, scope, limit.latency_ms, limit.low_ms, limit.high_ms, count, quality, reason
        )
        width = (limit.high_ms - limit.low_ms) / model.lines.block_ms / 2
        found += [
            one,
            Measurement(
                metric.STM.key,
                scope,
                limit.step,
                limit.step - width,
                limit.step + width,
                count,
                quality,
                reason,
            ),
        ]
        rank = _preference(finding, quality)
        if best is None or rank < best[0]:
            best = (rank, one)
    if best is None:
        whole = none(
            metric.MTM, "", missing(list(findings)) if not any(f.trusted for f in findings) else NO_EDGE
        )
    else:
        one = best[1]
        whole = Measurement(one.metric, "", one.value, one.low, one.high, one.count, one.quality, one.reason)
    return [whole, *found]


NO_EDGE = "The edge of the sawtooth is not among the samples."


def _preference(finding: Finding, quality: Quality) -> int:
    variants = {"write": 0, "read": 1, "backward": 2}
    return (
        variants.get(finding.trace.variant, 3) * 10
        + (REGIONS.index(finding.trace.region) if finding.trace.region in REGIONS else 9)
        + (100 if quality is Quality.POOR else 0)
    )


def _no_edge(finding: Finding) -> str:
    if finding.model is not None and finding.model.cached:
        return "The write cache answers before the medium does: what is timed is the access before."
    return NO_EDGE if finding.trusted else missing([finding])


def _edge_quality(finding: Finding) -> tuple[Quality, str]:
    limit, model = finding.threshold, finding.model
    assert limit is not None and model is not None
    width = limit.high_ms - limit.low_ms
    if limit.latency_ms <= 0 or width > 0.5 * abs(limit.latency_ms):
        return Quality.POOR, "The edge is known only within a wide interval."
    if width > max(0.06 * limit.latency_ms, 1.05 * model.lines.block_ms):
        return Quality.FAIR, "The accesses next to the edge cross a track boundary, so the bracket is wide."
    return Quality.GOOD, ""


def each_region(
    findings: tuple[Finding, ...], make: Callable[[tuple[Finding, ...], str], Measurement]
) -> Iterable[Measurement]:
    return (make(findings, region) for region in REGIONS)
