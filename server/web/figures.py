"""Charts as pages need them: the addresses of their data and a table that a person can read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from server.benchmarks.contract import Axis, Chart, Series
from server.runs.charts import charts_of_run
from server.runs.models import Run

ALL_ROWS = 240
"""Up to so many points the page's table is whole."""
MORE_COLUMNS = ("z", "low", "high", "q1", "q3")
"""Columns of a chart's CSV that stand there only where a series has them."""
ROWS_PER_SERIES = 40
"""Beyond that, so many points of each series stand in the page; the chart's own page has all."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a chart's table."""

    series: str
    x: str
    y: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart in a page."""

    chart: Chart
    base_url: str
    name: str
    x_title: str
    y_title: str
    rows: tuple[Row, ...]
    total: int

    @property
    def shortened(self) -> bool:
        """Whether the page's table leaves rows out."""
        return len(self.rows) < self.total


def axis_title(axis: Axis) -> str:
    """Return an axis' words with its unit."""
    return axis.label if axis.unit in ("", "1") else f"{axis.label} ({axis.unit})"


def chart_csv(chart: Chart) -> str:
    """Return the chart's points as CSV (RFC 4180): series, x, y and the further columns that occur."""
    out = io.StringIO()
    writer = csv.writer(out)
    more = [name for name in MORE_COLUMNS if any(getattr(series, name) for series in chart.series)]
    writer.writerow(["series", "x", "y", *more])
    for series in chart.series:
        blank = ("",) * len(series.x)
        columns = [getattr(series, name) or blank for name in more]
        writer.writerows((series.key, *row) for row in zip(series.x, series.y, *columns, strict=True))
    return out.getvalue()


def chart_rows(chart: Chart, *, per_series: int | None = None) -> Iterator[Row]:
    """Yield the chart's points as text, at most `per_series` of each series."""
    for series in chart.series:
        yield from _series_rows(series, per_series)


def _series_rows(series: Series, limit: int | None) -> Iterator[Row]:
    for x, y in zip(series.x[:limit], series.y[:limit], strict=True):
        yield Row(series.label, f"{x:.10g}", f"{y:.6g}")


def figure_of(run_id: UUID, kind: str, chart: Chart) -> Figure:
    """Return a chart of a run with what its page needs."""
    total = sum(len(series.x) for series in chart.series)
    limit = None if total <= ALL_ROWS else ROWS_PER_SERIES
    return Figure(
        chart=chart,
        base_url=f"/runs/{run_id}/charts/{kind}/{chart.id}",
        name=f"{kind}-{chart.id}-{str(run_id)[:13]}",
        x_title=axis_title(chart.x),
        y_title=axis_title(chart.y),
        rows=tuple(chart_rows(chart, per_series=limit)),
        total=total,
    )


def figures_of_run(run: Run) -> dict[str, tuple[Figure, ...]]:
    """Return the figures of a run's extracted kinds, by kind, in the run's order."""
    return {
        kind: tuple(figure_of(run.run_id, kind, chart) for chart in charts)
        for kind, charts in charts_of_run(run_id=run.run_id).items()
    }
