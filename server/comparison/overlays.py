"""The same picture of several groups in one: a curve of each, from the run that stands for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import Count, Q

from server.benchmarks.contract import Axis, Chart, Series
from server.benchmarks.decimation import chart_thinned
from server.comparison.selectors import groups_cache_key
from server.core.cache import DAY_S, cache
from server.core.envelope_store import EnvelopeLost
from server.measurements.charts import charts_of_run
from server.measurements.group_keys import LETTERS
from server.measurements.groups import Group
from server.measurements.models import Benchmark, Run

SHAPES = ("profile", "curve")
"""Shapes whose series can stand over each other."""
ROLES = ("points", "line", "step", "spread")
SHOWN = 3
POINTS = 160
"""Of each group: the picture stands in the page."""
LATEST = 20
"""Runs among which one stands for its group."""
Name = tuple[str, str]
"""Kind and chart."""
SAME_SIZE = 1.1
"""Capacities up to this factor apart share an axis of places; beyond, places are shares of each drive."""


@dataclass(frozen=True, slots=True)
class _Pictured:
    """The pictures of the run that stands for a group."""

    charts: Mapping[Name, Chart]
    capacity_bytes: int | None
    lost: bool = False
    """Whether its pictures could not be made now."""


def overlays_get(groups: Sequence[Group]) -> tuple[Chart, ...]:
    """Return pictures that at least two of the groups have, with a curve of each; kept until one of the
    models changes."""
    key = groups_cache_key(groups, "overlays")
    cached: tuple[Chart, ...] | None = cache.get(key) if key else None
    if cached is None:
        found = [_pictured(group) for group in groups]
        cached = _shared(groups, found)
        if key and not any(one.lost for one in found):
            cache.set(key, cached, DAY_S)
    return cached


def _shared(groups: Sequence[Group], found: Sequence[_Pictured]) -> tuple[Chart, ...]:
    names = list(dict.fromkeys(name for one in found for name in one.charts))
    shared = [name for name in names if sum(name in one.charts for one in found) > 1]
    return tuple(chart for name in shared[:SHOWN] if (chart := _overlaid(name, groups, found)) is not None)


def _pictured(group: Group) -> _Pictured:
    run = _representative(group)
    if run is None:
        return _Pictured({}, None)
    try:
        by_kind = charts_of_run(run_id=run.run_id)
    except EnvelopeLost:
        return _Pictured({}, None, lost=True)
    charts = {
        (kind, chart.id): chart
        for kind, charts in by_kind.items()
        for chart in charts
        if chart.shape in SHAPES
    }
    return _Pictured(charts, run.capacity_bytes)


def _representative(group: Group) -> Run | None:
    """Return the run with most kinds among the latest."""
    latest = group.runs().order_by("-created_at").values_list("pk", flat=True)[:LATEST]
    return (
        Run.objects.filter(pk__in=list(latest))
        .annotate(kinds=Count("benchmarks", filter=Q(benchmarks__state=Benchmark.State.EXTRACTED)))
        .defer("summary")
        .order_by("-kinds", "-created_at")
        .first()
    )


def _overlaid(name: Name, groups: Sequence[Group], found: Sequence[_Pictured]) -> Chart | None:
    first = next(one.charts[name] for one in found if name in one.charts)
    curves: list[tuple[Series, int | None]] = []
    for index, one in enumerate(found):
        chart = one.charts.get(name)
        # Another unit on an axis is another picture.
        if chart is None or (chart.x.unit, chart.y.unit) != (first.x.unit, first.y.unit):
            continue
        measured = next(
            (series for series in chart.series if series.role in ROLES and len(series.x) > 1), None
        )
        if measured is not None:
            curves.append((_curve(measured, index, groups[index]), one.capacity_bytes))
    if len(curves) < 2:
        return None
    axis, series = _on_one_axis(first.x, curves)
    chart = replace(
        first,
        id=f"{name[0]}-{name[1]}",
        summary="One run of each group: what is drawn differs between these runs and may do so by chance.",
        x=axis,
        series=series,
        marks=(),
        views=(),
        points_total=0,
    )
    return chart_thinned(chart, POINTS * len(series))


def _on_one_axis(axis: Axis, curves: Sequence[tuple[Series, int | None]]) -> tuple[Axis, tuple[Series, ...]]:
    """Return the axis of all curves: places on drives of different sizes as shares of each drive, since 2 GB
    are a hair's breadth beside 20 TB."""
    capacities = [capacity for _series, capacity in curves if capacity]
    alone = tuple(series for series, _capacity in curves)
    if axis.unit != "GB" or len(capacities) < len(curves) or max(capacities) < SAME_SIZE * min(capacities):
        return axis, alone
    shares = tuple(
        replace(series, x=tuple(100 * gigabytes * 1e9 / capacity for gigabytes in series.x))
        for series, capacity in zip(alone, capacities, strict=True)
    )
    return replace(axis, label=f"{axis.label} as a share of each drive", unit="%"), shares


def _curve(measured: Series, index: int, group: Group) -> Series:
    points = sorted(zip(measured.x, measured.y, strict=True))
    return Series(
        key=f"group-{LETTERS[index].casefold()}",
        label=f"{LETTERS[index]}: {group.title}",
        role="step" if measured.role == "step" else "line",
        x=tuple(x for x, _y in points),
        y=tuple(y for _x, y in points),
    )
