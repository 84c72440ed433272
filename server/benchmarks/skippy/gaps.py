"""Gaps at head and cylinder boundaries: the variants of a region together, and what spares do to them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from server.benchmarks.contract import Measurement, Metric, Quality
from server.benchmarks.skippy import definitions as metric
from server.benchmarks.skippy.combine import LAYOUT_SENTENCES, NO_CYLINDERS, layout_of, missing
from server.benchmarks.skippy.findings import Finding
from server.benchmarks.skippy.model import Model
from server.benchmarks.skippy.series import Estimate, none, pooled


def gap(findings: tuple[Finding, ...], region: str, what: Metric) -> Measurement:
    here = [f for f in findings if f.trace.region == region]
    index = 3 if what is metric.HEAD_GAP else 4
    # Where one series tells the two gaps apart, the others' guesses have no say.
    estimates: list[Estimate] = []
    guesses: list[Estimate] = []
    block_ms = 0.0
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
            estimate = Estimate(value, max(model.errors_ms[index], 1e-3 * block_ms), count)
            (estimates if model.gaps.told else guesses).append(estimate)
    layout = layout_of(findings)
    if layout in NO_CYLINDERS:
        return none(what, region, LAYOUT_SENTENCES[layout])
    if estimates:
        return _over_spares(pooled(what, region, estimates, block_ms / 2), here, index, block_ms)
    if guesses:
        found = _over_spares(pooled(what, region, guesses, block_ms / 2), here, index, block_ms)
        return found if found.quality is Quality.POOR else _either(found, here)
    if any(finding.trusted for finding in here):
        return none(what, region, ONE_SORT)
    return none(what, region, missing(here))


USED_SPARES = (
    "Slipped sectors use up spares at some of the boundaries: their gaps are a block or two narrower."
)


def _over_spares(found: Measurement, here: list[Finding], index: int, block_ms: float) -> Measurement:
    """A gap that holds spares is not the same everywhere: each slipped sector makes one a block narrower."""
    assert found.low is not None and found.high is not None
    models = [f.model for f in here if f.two_gaps and f.model is not None]
    if not any(_holds_spares(model, index) for model in models):
        return found
    if any(f.slipped for f in here):
        low, high = found.low - 1.5 * block_ms, found.high + 1.5 * block_ms
        quality = Quality.POOR if found.quality is Quality.POOR else Quality.FAIR
        return replace(found, low=low, high=high, quality=quality, reason=found.reason or USED_SPARES)
    middle, reach = (found.low + found.high) / 2, max((found.high - found.low) / 2, block_ms / 2)
    return replace(found, low=middle - reach, high=middle + reach)


def _holds_spares(model: Model, index: int) -> bool:
    """Whether less than what passes in a turn is addressed before this sort of boundary."""
    if model.gaps is None or model.period is None:
        return False
    shape = model.gaps.shape
    at_cylinder = index == 4 and shape.cylinder < shape.heads * shape.track
    return at_cylinder or model.period.length < model.lines.track_blocks - 0.7


ONE_SORT = "Only one sort of track boundary is seen: head and cylinder gap are not told apart."


def _either(found: Measurement, here: list[Finding]) -> Measurement:
    """A gap of a drive with two surfaces: it may be the other one, so the interval reaches to both."""
    gaps = [f.model.gaps for f in here if f.two_gaps and f.model is not None and f.model.gaps is not None]
    values = [value for one in gaps for value in (one.head_ms, one.cylinder_ms) if value is not None]
    reason = "With two surfaces both gaps come equally often: which is which is a guess."
    reach = ((found.high or 0.0) - (found.low or 0.0)) / 2
    return replace(
        found,
        low=min(found.low or 0.0, min(values) - reach),
        high=max(found.high or 0.0, max(values) + reach),
        quality=Quality.FAIR,
        reason=reason,
    )
