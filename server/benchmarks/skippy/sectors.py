"""Blocks of a track in each region, and how many it may hold where some of its boundaries are not told."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from server.benchmarks.contract import Measurement, Quality
from server.benchmarks.skippy import definitions as metric
from server.benchmarks.skippy.combine import missing
from server.benchmarks.skippy.findings import Finding
from server.benchmarks.skippy.series import none
from server.benchmarks.skippy.tracks import Period

ORDER = (Quality.GOOD, Quality.FAIR, Quality.POOR)
NO_CYLINDERS_END = "No cylinder's end was told here: spares there would make tracks look shorter."
SHORTENED = "Slipped sectors shorten some of the tracks: those without may hold more."
UNEVEN = (
    "No whole number of blocks puts the boundaries where they lie: this is the mean over tracks of different "
    "lengths, or of lengths that are no multiple of a block."
)


def sectors(findings: tuple[Finding, ...], region: str) -> Measurement:
    here = [f for f in findings if f.trace.region == region]
    sure = [f.model for f in here if f.trusted and f.model is not None]
    periods = [model.period for model in sure if model.period is not None]
    if not periods:
        return none(metric.SECTORS_PER_TRACK, region, missing(here))
    best = max(periods, key=lambda period: (period.even, period.margin * period.agreement))
    quality, reason = Quality.GOOD, ""
    low, high = float(best.low), float(best.high)
    if not best.even:
        quality, reason = Quality.FAIR, UNEVEN
    elif any(period.length != best.length for period in periods if period.even):
        quality, reason = (
            Quality.POOR,
            "The variants disagree: a zone boundary lies between them, or noise hides one.",
        )
        low = min(float(period.low) for period in periods)
        high = max(float(period.high) for period in periods)
    elif best.low != best.high:
        quality, reason = Quality.FAIR, f"The samples cannot tell {best.low:g} from {best.high:g}."
        # Nor then how many sectors of a track stay without blocks.
        high = max(high, _passing(f for f in here if f.model is not None and f.model.period is best))
    elif best.margin < 3 or best.agreement < 0.95:
        quality, reason = Quality.FAIR, "Few steps tell this number from its neighbours."
        low, high = low - 1, high + 1
    if best.even and (most := _with_slipped(here, best)) > high:
        high, quality, reason = most, max(quality, Quality.FAIR, key=ORDER.index), reason or SHORTENED
    counts = [seen for f in findings if (seen := _surfaces_seen(f))]
    if best.even and (most := _with_spares(here, best, counts)) > high:
        low, high = low - 1, most
        quality, reason = max(quality, Quality.FAIR, key=ORDER.index), reason or NO_CYLINDERS_END
    return Measurement(
        metric.SECTORS_PER_TRACK.key,
        region,
        float(best.length),
        low,
        high,
        sum(period.steps for period in periods),
        quality,
        reason,
    )


def _with_slipped(here: list[Finding], best: Period) -> float:
    """The most blocks that a track may hold where slipped sectors shorten some: those that pass in a turn."""
    return max(best.high, _passing(f for f in here if f.slipped))


def _with_spares(here: list[Finding], best: Period, counts: list[int]) -> float:
    """The most blocks that a track may hold where no boundary was told to end a cylinder: spares there,
    spread over its tracks, shorten what looks like each of them."""
    mine = (f for f in here if f.model is not None and f.model.period is best)
    return max(best.high, _passing(f for f in mine if _ends_untold(f, counts)))


def _passing(findings: Iterable[Finding]) -> float:
    """The blocks that pass in a turn, as the findings that are trusted tell; 0 where none is."""
    told = [f.model.lines.track_blocks for f in findings if f.trusted and f.model is not None]
    return float(np.floor(min(told) + 0.3)) if told else 0.0


def _ends_untold(finding: Finding, counts: list[int]) -> bool:
    """Whether cylinders may end here where none was told to: at rarer boundaries that are not believed, or
    that count other surfaces than most series of the run do, and where all look alike but some steps stay
    unexplained, or several surfaces were seen elsewhere. `counts` is what each series counts."""
    gaps = finding.model.gaps if finding.model is not None else None
    if gaps is None or finding.banded:
        return False
    if gaps.shape.heads > 1:
        others = 2 * counts.count(gaps.shape.heads) <= len(counts)
        return not finding.two_gaps or others
    return not gaps.enough or max(counts, default=0) > 1


def _surfaces_seen(finding: Finding) -> int:
    """How many surfaces two sorts of gaps count; 0 where only one sort was seen."""
    gaps = finding.model.gaps if finding.two_gaps and finding.model is not None else None
    return 0 if gaps is None else gaps.shape.heads
