"""The same picture of several groups in one: a curve of each, from the run that stands for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.db.models import Count, Q

from server.benchmarks.contract import Chart, Series
from server.benchmarks.decimation import chart_thinned
from server.compare.groups import Group
from server.compare.keys import LETTERS
from server.runs.charts import charts_of_run
from server.runs.envelopes import EnvelopeLost
from server.runs.models import Benchmark, Run

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


def overlays_get(groups: Sequence[Group]) -> tuple[Chart, ...]:
    """Return pictures that at least two of the groups have, with a curve of each."""
    found = [_charts(group) for group in groups]
    names = list(dict.fromkeys(name for charts in found for name in charts))
    shared = [name for name in names if sum(name in charts for charts in found) > 1]
    return tuple(chart for name in shared[:SHOWN] if (chart := _overlaid(name, groups, found)) is not None)


def _charts(group: Group) -> Mapping[Name, Chart]:
    run = _representative(group)
    if run is None:
        return {}
    try:
        by_kind = charts_of_run(run_id=run.run_id)
    except EnvelopeLost:
        return {}
    return {
        (kind, chart.id): chart
        for kind, charts in by_kind.items()
        for chart in charts
        if chart.shape in SHAPES
    }


def _representative(group: Group) -> Run | None:
    """Return the run with most kinds among the latest."""
    extracted = Count("benchmarks", filter=Q(benchmarks__state=Benchmark.State.EXTRACTED))
    latest = group.runs().order_by("-created_at").values("pk")[:LATEST]
    return (
        Run.objects.filter(pk__in=list(latest.values_list("pk", flat=True)))
        .annotate(kinds=extracted)
        .order_by("-kinds", "-created_at")
        .first()
    )


def _overlaid(name: Name, groups: Sequence[Group], found: Sequence[Mapping[Name, Chart]]) -> Chart | None:
    first = next(charts[name] for charts in found if name in charts)
    series = []
    for place, charts in enumerate(found):
        chart = charts.get(name)
        # Another unit on an axis is another picture.
        if chart is None or (chart.x.unit, chart.y.unit) != (first.x.unit, first.y.unit):
            continue
        measured = next((one for one in chart.series if one.role in ROLES and len(one.x) > 1), None)
        if measured is not None:
            series.append(_curve(measured, place, groups[place]))
    if len(series) < 2:
        return None
    chart = replace(
        first,
        id=f"{name[0]}-{name[1]}",
        summary="One run of each group: what is drawn differs between these runs and may do so by chance.",
        series=tuple(series),
        marks=(),
        views=(),
        points_total=0,
    )
    return chart_thinned(chart, POINTS * len(series))


def _curve(measured: Series, place: int, group: Group) -> Series:
    points = sorted(zip(measured.x, measured.y, strict=True))
    return Series(
        key=f"group-{LETTERS[place].casefold()}",
        label=f"{LETTERS[place]}: {group.title}",
        role="step" if measured.role == "step" else "line",
        x=tuple(x for x, _y in points),
        y=tuple(y for _x, y in points),
    )
