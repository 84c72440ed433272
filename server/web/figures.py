"""Charts as pages need them: the addresses of their data and tables that a person can read."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from html import escape
from typing import Any
from urllib.parse import quote

from django.conf import settings
from markupsafe import Markup

from server.benchmarks.chart_json import chart_json
from server.benchmarks.chart_rows import (
    MORE_COLUMNS,
    axes_of,
    axis_title,
    place_text,
    point_rows,
    view_axes,
)
from server.benchmarks.contract import Axis, Chart, Series, View
from server.core.csv_text import CSVWriter
from server.core.lifecycle import Provenance
from server.drawing.chart_svg import WIDTH_PX, Credit, chart_svg
from server.drawing.platter import SIZE_PX, rings_svg, zones_of_chart
from server.measurements.charts import charts_of_run
from server.measurements.models import Run

ALL_ROWS = 240
"""Up to so many points the page's tables are whole."""
ROWS_PER_SERIES = 40
"""Beyond that, so many points of each series stand in the page; the chart's own page has all."""
COLUMN_TITLES = {"low": "From", "high": "To", "q1": "First quartile", "q3": "Third quartile"}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a chart's table."""

    series: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The points of one view of a chart, or of the whole chart where it has one view alone."""

    key: str
    label: str
    """Empty where the chart has no views."""
    titles: tuple[str, ...]
    rows: tuple[Row, ...]
    total: int

    @property
    def shortened(self) -> bool:
        """Whether rows were left out."""
        return len(self.rows) < self.total


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart in a page."""

    chart: Chart
    base_url: str
    """The chart's address without its ending; empty for one whose data stand in the page."""
    name: str
    """Names its files; unique in the page."""
    tables: tuple[Table, ...]
    annotations: tuple[tuple[str, ...], ...]
    """Label, x and y of each, as text."""
    x_title: str
    y_title: str
    source: str = ""
    """Where the numbers come from, in a line that goes into exported pictures."""
    data: str = ""
    """The chart's JSON where it has no address."""
    note: str = ""
    """What the picture shows beside the chart's own summary."""
    full_url: str = ""
    """Where every point is to be had, where some were left out."""
    licence: str = ""
    """Of the data; empty where they are of several runs, whose pages have theirs."""
    measured_at: datetime | None = None

    @property
    def address(self) -> str:
        """Its page, in full; empty for one whose data stand in the page."""
        return f"{settings.SITE_URL}{self.base_url}/" if self.base_url else ""

    @property
    def credit(self) -> Credit:
        """What its drawing says of itself."""
        return Credit(self.source, self.address, self.licence)

    @property
    def drawing(self) -> str:
        """The drawing as an address that holds it, for a figure that has no address of its own."""
        return f"data:image/svg+xml,{quote(chart_svg(self.chart, credit=self.credit))}"

    @property
    def platter(self) -> Markup:
        """The platter of a profile with zones, to stand in the page; empty for all others."""
        zones = zones_of_chart(self.chart) if self.chart.shape == "profile" else ()
        if not zones:
            return Markup()
        return Markup(
            f'<svg viewBox="0 0 {SIZE_PX} {SIZE_PX}" role="group" '
            f'aria-label="The platter by zones, from the outside in">{rings_svg(zones, focusable=True)}</svg>'
        )

    @property
    def embed(self) -> str:
        """What another page shows it by."""
        picture = f"{settings.SITE_URL}{self.base_url}.svg"
        return (
            f'<a href="{escape(self.address)}"><img src="{escape(picture)}" width="{WIDTH_PX}" '
            f'alt="{escape(f"{self.chart.title}. {self.chart.summary}")}"></a>'
        )

    @property
    def bibtex(self) -> str:
        """How it is cited, as an entry of a bibliography."""
        return figure_bibtex(self)

    @property
    def legend(self) -> tuple[str, ...]:
        """Labels of the series that are shown first; a heat map explains its colours in the picture."""
        shown = self.chart.views[0].series if self.chart.views else [one.key for one in self.chart.series]
        return tuple(one.label for one in self.chart.series if one.key in shown and one.role != "cells")

    @property
    def log_axes(self) -> tuple[str, ...]:
        """Axes, by letter, that a reader may switch in some view."""
        views = [view_axes(self.chart, view) for view in self.chart.views] or [(self.chart.x, self.chart.y)]
        return tuple(
            letter for index, letter in enumerate("xy") if any(axes[index].switchable for axes in views)
        )

    @property
    def total(self) -> int:
        """How many points the tables have in all."""
        return sum(table.total for table in self.tables)

    @property
    def shortened(self) -> bool:
        """Whether the page's tables leave rows out."""
        return any(table.shortened for table in self.tables)


def chart_csv(chart: Chart) -> str:
    """Return the chart's points as CSV (RFC 4180): series, x, y and the further columns that occur.

    Where series stand on different axes, `x_axis` and `y_axis` say on which. Places of an axis with
    categories are their words.
    """
    out = io.StringIO()
    more = [name for name in MORE_COLUMNS if any(getattr(series, name) for series in chart.series)]
    axes = ["x_axis", "y_axis"] if chart.views or chart.y2 else []
    columns = ["series", "x", "y", *more, *axes]
    writer = CSVWriter(out)
    writer.writerow(columns)
    writer.writerows([row.get(name, "") for name in columns] for row in point_rows(chart))
    return out.getvalue()


def chart_tables(chart: Chart, *, per_series: int | None = None) -> tuple[Table, ...]:
    """Return the chart's points as text, a table for each view, at most `per_series` of each series."""
    views: tuple[View | None, ...] = chart.views or (None,)
    return tuple(_table(chart, view, per_series) for view in views)


def _table(chart: Chart, view: View | None, limit: int | None) -> Table:
    shown = [one for one in chart.series if view is None or one.key in view.series]
    more = [name for name in MORE_COLUMNS if any(getattr(one, name) for one in shown)]
    x, y = view_axes(chart, view)
    extra = (
        axis_title(chart.z) if name == "z" and chart.z else COLUMN_TITLES.get(name, name) for name in more
    )
    # Series on the right axis carry their unit in the row: the column's title is of the left one.
    return Table(
        key=view.key if view else "",
        label=view.label if view else "",
        titles=(axis_title(x), axis_title(y), *extra),
        rows=tuple(row for one in shown for row in _rows(chart, one, more, limit)),
        total=sum(len(one.x) for one in shown),
    )


def _rows(chart: Chart, series: Series, more: list[str], limit: int | None) -> Iterator[Row]:
    x_axis, y_axis = axes_of(chart, series)
    unit = f" {y_axis.unit}" if series.axis == "y2" else ""
    blank = (None,) * len(series.x)
    columns = [series.x, series.y, *(getattr(series, name) or blank for name in more)]
    for x, y, *rest in zip(*(column[:limit] for column in columns), strict=True):
        words = ["" if value is None else _plain(value, 6) for value in rest]
        yield Row(series.label, (_text(x_axis, x, 10), _text(y_axis, y, 6) + unit, *words))


def _text(axis: Axis, value: float, digits: int) -> str:
    text = place_text(axis, value)
    return text if isinstance(text, str) else _plain(text, digits)


def _plain(value: float, digits: int) -> str:
    """Return a number with so many significant digits, never with an exponent."""
    text = f"{value:.{digits}g}"
    return f"{Decimal(text):f}" if "e" in text else text


def _annotations(chart: Chart) -> tuple[tuple[str, ...], ...]:
    marks = {mark: None for view in chart.views for mark in view.marks or ()}
    every = (*chart.marks, *(mark for mark in marks if mark not in chart.marks))
    return tuple(
        (mark.label, *("" if value is None else _plain(value, 6) for value in (mark.x, mark.y)))
        for mark in every
    )


def figure_with(
    chart: Chart,
    *,
    base_url: str = "",
    name: str,
    source: str = "",
    note: str = "",
    full_url: str = "",
    licence: str = "",
    measured_at: datetime | None = None,
) -> Figure:
    """Return a chart with what its page needs. Without `base_url` its data stand in the page. `full_url` is
    where every point is to be had of a chart that was thinned out."""
    total = sum(len(series.x) for series in chart.series)
    return Figure(
        chart=chart,
        base_url=base_url,
        name=name,
        tables=chart_tables(chart, per_series=None if total <= ALL_ROWS else ROWS_PER_SERIES),
        annotations=_annotations(chart),
        x_title=axis_title(chart.x),
        y_title=axis_title(chart.y),
        source=source,
        data="" if base_url else json.dumps(chart_json(chart), separators=(",", ":")),
        note=note,
        full_url=full_url if chart.points_total else "",
        licence=licence,
        measured_at=measured_at,
    )


def figure_of(run: Run, kind: str, chart: Chart) -> Figure:
    """Return a chart of a run with what its page needs."""
    base_url = f"/runs/{run.run_id}/charts/{kind}/{chart.id}"
    return figure_with(
        chart,
        base_url=base_url,
        full_url=f"{base_url}.csv?full=1",
        name=f"{kind}-{chart.id}-{str(run.run_id)[:13]}",
        source=f"{run.drive_model.title} · {provenance_words(run.provenance)} · run {run.run_id} · DiskAtlas",
        licence=run.license,
        measured_at=run.created_at,
    )


# ---- How a figure is cited.


def figure_csl(figure: Figure) -> dict[str, Any]:
    """Return a figure as an item of CSL JSON (Citation Style Language 1.0.2)."""
    item: dict[str, Any] = {
        "id": f"diskatlas-{figure.name}",
        "type": "figure",
        "title": f"{figure.chart.title}. {figure.source}",
        "author": [{"literal": "DiskAtlas contributors"}],
        "publisher": "DiskAtlas",
        "URL": figure.address,
    }
    if figure.measured_at:
        day = figure.measured_at
        item["issued"] = {"date-parts": [[day.year, day.month, day.day]]}
    if figure.licence:
        item["note"] = f"Data under {figure.licence}."
    return item


def figure_bibtex(figure: Figure) -> str:
    """Return a figure as an entry of BibTeX."""
    fields = {
        "author": "{DiskAtlas contributors}",
        "title": _tex(f"{figure.chart.title}. {figure.source}"),
        "year": str(figure.measured_at.year) if figure.measured_at else "",
        "url": figure.address,
        "note": _tex(f"Data under {figure.licence}") if figure.licence else "",
    }
    lines = "".join(f"  {name} = {{{words}}},\n" for name, words in fields.items() if words)
    return f"@misc{{diskatlas-{figure.name},\n{lines}}}\n"


_TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{one: f"\\{one}" for one in "&%$#_{}"},
    }
)


def _tex(words: str) -> str:
    return words.translate(_TEX)


def provenance_words(provenance: str) -> str:
    """Return how numbers of a provenance came about."""
    return {
        Provenance.PROBE: "measured",
        Provenance.SIMULATED: "simulated drive",
        Provenance.IMPORTED: "imported from another tool",
    }.get(Provenance(provenance), "published")


def figures_of_run(run: Run) -> dict[str, tuple[Figure, ...]]:
    """Return the figures of a run's extracted kinds, by kind, in the run's order."""
    return {
        kind: tuple(figure_of(run, kind, chart) for chart in charts)
        for kind, charts in charts_of_run(run_id=run.run_id).items()
    }
