"""The charts of a drive model: their data, and their points as a table."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping
from threading import Lock

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from server.benchmarks.chart_json import chart_json
from server.catalog.models import DriveModel
from server.measurements.model_charts import ModelChart, drive_chart, drive_charts_numbered, first_charts
from server.web.figures import Figure, chart_csv, chart_tables, figure_with, provenance_words
from server.web.page import page
from server.web.views.runs import ROWS_PER_PAGE

FIGURES_HELD = 1024
"""A figure is some 20 kB of HTML."""


_Key = tuple[int, str, str]
"""A chart's number, and the model's slug and title, which stand in the figure."""


class _Figures:
    """Figures as HTML, those that were asked for last, for all threads of the process.

    A figure stays the same until the model's charts are drawn anew, under other numbers; pages are rendered
    again after a change anywhere in the archive, and most of their work would be the rows of these tables.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._held: OrderedDict[_Key, SafeString] = OrderedDict()

    def found(self, keys: Collection[_Key]) -> dict[_Key, SafeString]:
        """Return those that are held."""
        with self._lock:
            for key in keys:
                if key in self._held:
                    self._held.move_to_end(key)
            return {key: self._held[key] for key in keys if key in self._held}

    def hold(self, made: Mapping[_Key, SafeString]) -> None:
        """Keep these, and let go of what was not asked for the longest."""
        with self._lock:
            self._held.update(made)
            while len(self._held) > self._most:
                self._held.popitem(last=False)


_FIGURES = _Figures(FIGURES_HELD)


def drive_figures(model: DriveModel, provenance: str) -> dict[str, SafeString]:
    """Return the first figure of each kind of a model's runs of one provenance as HTML; the pages of runs
    have all. A chart that was drawn anew meanwhile has none."""
    keys = {
        kind: (number, model.slug, model.title)
        for kind, number in first_charts(drive_model=model, provenance=provenance).items()
    }
    html = _FIGURES.found(keys.values())
    lacking = [key[0] for key in keys.values() if key not in html]
    if lacking:
        made = {
            (number, model.slug, model.title): _figure_html(model, provenance, one)
            for number, one in drive_charts_numbered(lacking).items()
        }
        _FIGURES.hold(made)
        html |= made
    return {kind: html[key] for kind, key in keys.items() if key in html}


def _figure_html(model: DriveModel, provenance: str, one: ModelChart) -> SafeString:
    figure = drive_figure(model.slug, model.title, provenance, one)
    # A template's result is a plain text, which the page would escape.
    return SafeString(render_to_string("web/parts/figure.html", {"figure": figure}))


def drive_figure(slug: str, title: str, provenance: str, one: ModelChart) -> Figure:
    """Return a chart of the model of that slug and title with what its page needs."""
    many = one.units > 1
    return figure_with(
        one.chart,
        base_url=f"/drives/{slug}/charts/{provenance}/{one.kind}/{one.chart.id}",
        name=f"{slug}-{provenance}-{one.kind}-{one.chart.id}",
        source=(
            f"{title} · {provenance_words(provenance)} · "
            f"{f'the middle one of {one.units} units' if many else 'one unit'}, run {one.run_id} · DiskAtlas"
        ),
        full_url=f"/runs/{one.run_id}/charts/{one.kind}/{one.chart.id}.csv?full=1",
        note=f"Drawn is the unit in the middle of {one.units}." if many else "",
    )


def _chart_or_404(slug: str, provenance: str, kind: str, chart_id: str) -> ModelChart:
    one = drive_chart(slug=slug, provenance=provenance, kind=kind, chart_id=chart_id)
    if one is None:
        raise Http404
    return one


@require_safe
def drive_chart_json(
    request: HttpRequest, slug: str, provenance: str, kind: str, chart_id: str
) -> HttpResponse:
    """Answer with a chart's data, as the front end draws it."""
    response = JsonResponse(chart_json(_chart_or_404(slug, provenance, kind, chart_id).chart))
    response["Cache-Control"] = "public, max-age=300"
    return response


@require_safe
def drive_chart_csv(
    request: HttpRequest, slug: str, provenance: str, kind: str, chart_id: str
) -> HttpResponse:
    """Answer with a chart's points as a file."""
    one = _chart_or_404(slug, provenance, kind, chart_id)
    response = HttpResponse(chart_csv(one.chart), content_type="text/csv; charset=utf-8")
    name = f"{slug}-{provenance}-{kind}-{chart_id}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_safe
def drive_chart_table(
    request: HttpRequest, slug: str, provenance: str, kind: str, chart_id: str
) -> HttpResponse:
    """Show the points of a chart, page by page; `view` says of which of its views."""
    model = get_object_or_404(DriveModel, slug=slug)
    one = _chart_or_404(slug, provenance, kind, chart_id)
    tables = chart_tables(one.chart)
    table = next((each for each in tables if each.key == request.GET.get("view")), tables[0])
    context = {
        "run": None,
        "model": model,
        "provenance": provenance,
        "figure": drive_figure(model.slug, model.title, provenance, one),
        "table": table,
        "tables": tables,
        "pages": Paginator(table.rows, ROWS_PER_PAGE).get_page(request.GET.get("page")),
    }
    return page(request, "web/chart_table.html", context, section="drives")
