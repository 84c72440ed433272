"""A chart's points as rows: what its files hold, on the website and in the API."""

from __future__ import annotations

from collections.abc import Iterator

from server.benchmarks.contract import Axis, Chart, Series, View

MORE_COLUMNS = ("z", "low", "high", "q1", "q3")
"""Columns that only some series have."""
POINT_COLUMNS = ("series", "label", "x", "y", *MORE_COLUMNS, "x_axis", "y_axis")
"""Columns of a point: its series' key and words, its place, and what its axes measure, with their units."""


def axis_title(axis: Axis) -> str:
    """Return an axis' words with its unit."""
    return axis.label if axis.unit in ("", "1") else f"{axis.label} ({axis.unit})"


def view_axes(chart: Chart, view: View | None) -> tuple[Axis, Axis]:
    """Return the axes of a view: its own, or the chart's."""
    return (view.x or chart.x, view.y or chart.y) if view else (chart.x, chart.y)


def axes_of(chart: Chart, series: Series) -> tuple[Axis, Axis]:
    """Return the axes that a series stands on: those of the first view that shows it."""
    view = next((view for view in chart.views if series.key in view.series), None)
    x, y = view_axes(chart, view)
    right = (view.y2 if view else None) or chart.y2
    return x, right if series.axis == "y2" and right else y


def place_text(axis: Axis, value: float) -> str | float:
    """Return the word of a place on an axis with categories, and other values as they are."""
    return axis.categories[round(value)] if axis.categories else value


def point_rows(chart: Chart) -> Iterator[dict[str, str | float | None]]:
    """Give a row of `POINT_COLUMNS` for each point, series by series; what its series lacks is None."""
    for series in chart.series:
        x_axis, y_axis = axes_of(chart, series)
        common = {"x_axis": axis_title(x_axis), "y_axis": axis_title(y_axis)}
        blank: tuple[float | None, ...] = (None,) * len(series.x)
        columns = [getattr(series, name) or blank for name in MORE_COLUMNS]
        for x, y, *more in zip(series.x, series.y, *columns, strict=True):
            yield {
                "series": series.key,
                "label": series.label,
                "x": place_text(x_axis, x),
                "y": place_text(y_axis, y),
                **dict(zip(MORE_COLUMNS, more, strict=True)),
                **common,
            }
