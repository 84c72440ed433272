"""The first page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from server.benchmarks.contract import Measurand
from server.benchmarks.measurands import source
from server.benchmarks.registry import metrics_by_key
from server.core.cache import LISTS, RUNS
from server.core.numbers import show
from server.core.text import counted
from server.measurements.selectors import runs_latest
from server.measurements.typical import Typical, published_shown
from server.search.archive_counts import BandwidthRange, archive_counts, bandwidth_ranges, recommended_runs
from server.search.models import ArchiveCounts
from server.web.page import page
from server.web.page_cache import cache_page, shows

LATEST = 8
BAR_WIDTH = 1000
"""Of a bar's drawing; the page stretches it."""
_NARROWEST = 6
"""A drive that is as fast inside as outside still has a bar."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A drive's bar, from its inner edge to its outer one, on an axis that all bars share."""

    range: BandwidthRange
    x: int
    width: int
    outer: str
    inner: str

    @property
    def behind(self) -> str:
        """What the numbers are of: `median of 3 units`."""
        if self.range.units is None:
            return counted(self.range.runs, "published value")
        return Typical(0.0, None, None, self.range.runs, self.range.units).words


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of the bars' axis."""

    label: str
    x: int

    @property
    def percent(self) -> float:
        """How far along the axis it stands."""
        return round(100 * self.x / BAR_WIDTH, 1)


@require_safe
@cache_page()
def home(request: HttpRequest) -> HttpResponse:
    """Show a search, how much the archive holds, what came last, and what is wanted."""
    shows(LISTS, RUNS)
    counts = archive_counts()
    bars, ticks = bars_of(bandwidth_ranges(counts))
    context = {
        "counts": counts or ArchiveCounts(),
        "latest": runs_latest(limit=LATEST),
        "recommended": recommended_runs(),
        "bars": bars,
        "ticks": ticks,
        "method": metrics_by_key()[source(Measurand.OUTER_BANDWIDTH)[0]].kind,
    }
    return page(request, "web/home.html", context)


def bars_of(ranges: tuple[BandwidthRange, ...]) -> tuple[list[Bar], list[Tick]]:
    """Return the bars on a logarithmic axis of whole decades' halves, and its ticks (MB/s)."""
    speeds = [speed for entry in ranges for speed in (entry.outer, entry.inner) if speed > 0]
    if not speeds:
        return [], []
    steps = [factor * 10.0**power for power in range(-3, 7) for factor in (1, 2, 5)]
    low = max((step for step in steps if step <= min(speeds)), default=steps[0])
    high = min((step for step in steps if step >= max(speeds) and step > low), default=steps[-1])

    def percent(speed: float) -> int:
        share = math.log(max(speed, low) / low) / math.log(high / low)
        return round(BAR_WIDTH * share)

    bars = []
    for entry in ranges:
        left, right = sorted((percent(entry.inner), percent(entry.outer)))
        outer = _speed(entry, entry.outer, entry.outer_interval)
        inner = _speed(entry, entry.inner, entry.inner_interval)
        bars.append(Bar(entry, left, max(right - left, _NARROWEST), outer, inner))
    ticks = [Tick(f"{step:g}", percent(step)) for step in steps if low <= step <= high]
    return bars, ticks


def _speed(entry: BandwidthRange, value: float, interval: Sequence[float] | None) -> str:
    """Return a bandwidth with the digits that lists and the drive's page give it."""
    if entry.units is None:
        found = published_shown(value, entry.runs, "1")
    else:
        low, high = interval or (None, None)
        found = show(value, "1", low=low, high=high)
    return found.value if found else ""
