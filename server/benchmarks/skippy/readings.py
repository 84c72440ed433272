"""The numbers as the paper reads them off its figures: single points, beside what all samples say.

Section 4.1.2 reads the minimum time to media in three ways and the rotation time in two (in 4.1.3 they are
2.20, 2.1 and 1.87 ms, and 8.39 and 8.30 ms, for one drive); section 4.1.4 sees the head's positioning in
accesses that a head switch puts behind the edge.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from server.benchmarks.contract import Measurement, Metric, Quality
from server.benchmarks.skippy import definitions as metric
from server.benchmarks.skippy.combine import REGIONS, missing
from server.benchmarks.skippy.findings import Finding
from server.benchmarks.skippy.media import Threshold, threshold_across
from server.benchmarks.skippy.series import Z95, BoolArray, none

NEAR = 4
"""Steps beside a point that are moved to it along the lines, so that no single delay decides."""
AS_READ = "Read off single points as the paper does; all samples together know it better."
UNSEEN = "No series shows the points before and behind the edge."


@dataclass(frozen=True, slots=True)
class _Point:
    """The latency at a step, and how far noise may have moved it."""

    latency_ms: float
    error_ms: float
    count: int


def readings(findings: tuple[Finding, ...]) -> Iterable[Measurement]:
    """From the outermost series that shows the edge, writes first."""
    shown = [f for f in findings if f.trusted and f.threshold is not None and f.trace.forward]
    order = {"write": 0, "read": 1}
    shown.sort(key=lambda f: (order.get(f.trace.variant, 2), REGIONS.index(f.trace.region)))
    for finding in shown:
        points = _points(finding)
        if points is not None:
            return _read(finding, *points)
    reason = UNSEEN if any(f.trusted for f in findings) else missing(list(findings))
    scopes = [(metric.MTM_READING, scope) for scope in metric.MTM_READINGS]
    scopes += [(metric.ROTATION_READING, scope) for scope in metric.ROTATION_READINGS]
    return [none(what, scope, reason) for what, scope in scopes]


def _read(finding: Finding, first: _Point, before: _Point, behind: _Point) -> Iterable[Measurement]:
    """The edge lies between the points before and behind it: a block's time is what a reading leaves open."""
    assert finding.model is not None
    block_ms = finding.model.lines.block_ms
    shortest, longest, start = behind.latency_ms, before.latency_ms, first.latency_ms
    noise = float(np.hypot(first.error_ms, before.error_ms))
    height = float(np.hypot(before.error_ms, behind.error_ms))
    point_3, less_transfer, difference = metric.MTM_READINGS
    point_1, edge = metric.ROTATION_READINGS
    count = before.count + behind.count
    return [
        _as_read(metric.MTM_READING, point_3, shortest, block_ms, behind.error_ms, behind.count),
        _as_read(
            metric.MTM_READING, less_transfer, shortest - block_ms, block_ms, behind.error_ms, behind.count
        ),
        _as_read(
            metric.MTM_READING, difference, longest - start, block_ms, noise, first.count + before.count
        ),
        _as_read(metric.ROTATION_READING, point_1, start, block_ms, first.error_ms, first.count),
        _as_read(metric.ROTATION_READING, edge, longest - shortest + block_ms, 0.0, height, count),
    ]


def _as_read(
    what: Metric, scope: str, value: float, open_ms: float, error_ms: float, count: int
) -> Measurement:
    reach = open_ms + Z95 * error_ms
    return Measurement(
        what.key, scope, value, max(value - reach, 0.0), value + reach, count, Quality.FAIR, AS_READ
    )


def _points(finding: Finding) -> tuple[_Point, _Point, _Point] | None:
    """Points (1), (2) and (3) of Figure 3, from accesses on one track."""
    model, trace, edge = finding.model, finding.trace, finding.threshold
    if model is None or model.gaps is None or edge is None:
        return None
    on_track = model.exact & trace.increasing & (model.gaps.heads == 0) & (model.gaps.cylinders == 0)
    last = int(np.ceil(edge.step)) - 1
    missed, hit = on_track & (model.whole == 1), on_track & (model.whole == 0)
    first = _point(finding, missed & (trace.step < NEAR), 0)
    before = _point(finding, missed & (np.abs(trace.step - last) < NEAR), last)
    behind = _point(finding, hit & (np.abs(trace.step - last - 1) < NEAR), last + 1)
    return None if first is None or before is None or behind is None else (first, before, behind)


def _point(finding: Finding, use: BoolArray, step: int) -> _Point | None:
    assert finding.model is not None
    if not use.any():
        return None
    trace = finding.trace
    moved = trace.latency_ms[use] - (trace.step[use] - step) * finding.model.lines.block_ms
    middle = float(np.median(moved))
    spread = 1.4826 * float(np.median(np.abs(moved - middle)))
    return _Point(middle, 1.25 * spread / float(np.sqrt(len(moved))), len(moved))


def positioning(findings: tuple[Finding, ...]) -> Iterable[Measurement]:
    """What going to the next head or cylinder adds to the shortest latency, where it is bracketed best."""
    measured = {finding.trace.variant for finding in findings}
    for scope in metric.POSITIONINGS:
        sort, variant = scope.split("/")
        if variant not in measured:
            continue
        found = [
            (across, finding)
            for finding in findings
            if finding.trace.variant == variant
            and finding.two_gaps
            and (across := threshold_across(finding.trace, finding.model, sort == "cylinder")) is not None
            and finding.threshold is not None
        ]
        if not found:
            yield none(metric.HEAD_POSITIONING, scope, _why_not(findings, variant))
            continue
        yield _extra(scope, *min(found, key=lambda one: one[0].high_ms - one[0].low_ms))


UNBRACKETED = (
    "No access across such a boundary came just too late and none just in time: the skew hides how long the "
    "mechanism takes."
)


def _why_not(findings: tuple[Finding, ...], variant: str) -> str:
    of_variant = [finding for finding in findings if finding.trace.variant == variant]
    return UNBRACKETED if any(finding.two_gaps for finding in of_variant) else missing(of_variant)


def _extra(scope: str, across: Threshold, finding: Finding) -> Measurement:
    on_track = finding.threshold
    assert on_track is not None and finding.model is not None
    middle = across.latency_ms - on_track.latency_ms
    reach = float(np.hypot(across.high_ms - across.low_ms, on_track.high_ms - on_track.low_ms)) / 2
    value, low, high = max(middle, 0.0), max(middle - reach, 0.0), max(middle + reach, 0.0)
    narrow = reach <= max(value / 2, finding.model.lines.block_ms)
    quality, reason = (Quality.GOOD, "") if narrow else (Quality.FAIR, WIDE_BRACKET)
    count = across.hits + across.misses
    return Measurement(metric.HEAD_POSITIONING.key, scope, value, low, high, count, quality, reason)


WIDE_BRACKET = "Few accesses across a boundary lie at the edge, so the bracket is wide."
